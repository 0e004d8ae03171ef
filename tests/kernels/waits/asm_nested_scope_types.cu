// HANGS: O3 G
// ENDS: 0 128 0
// scopes in a scope of inline assembly: x is a word in the first one and 64 bits in the second one
extern "C" __global__ void k(int *m, int n) {
    size_t g = __cvta_generic_to_global(m);
    asm volatile("{\n"
        "{ .reg .b32 x; .reg .pred p;\nL: atom.global.exch.b32 x, [%0], 1; setp.ne.b32 p, x, 0; @p bra L; membar.gl; }\n"
        "{ .reg .b64 x; .reg .b32 y; add.s64 x, %0, 4; ld.volatile.global.b32 y, [x]; add.s32 y, y, 1; st.volatile.global.b32 [x], y; membar.gl; }\n"
        "st.volatile.global.b32 [%0], 0; }" :: "l"(g) : "memory");
}
