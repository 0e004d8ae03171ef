// HANGS: O3 G
// ENDS: 0 128 0
// scopes in scopes with registers and labels of one name, a loop over both
extern "C" __global__ void k(int *m, int n) {
    size_t g = __cvta_generic_to_global(m);
    asm volatile("{\n .reg .pred p;\n .reg .b32 x, i;\n mov.b32 i, 0;\nL:\n"
        "{\n .reg .b32 x;\n .reg .pred p;\nL: atom.global.exch.b32 x, [%0], 1;\n setp.ne.b32 p, x, 0;\n @p bra L;\n membar.gl;\n }\n"
        "{\n .reg .b64 x;\n ld.volatile.global.b32 i, [%0+4];\n add.s32 i, i, 1;\n st.volatile.global.b32 [%0+4], i;\n membar.gl;\n }\n"
        "st.volatile.global.b32 [%0], 0;\n mov.b32 x, 0;\n setp.ne.b32 p, x, 0;\n @p bra L;\n}" :: "l"(g) : "memory");
}
