// A whole spin loop with its labels inside one asm statement.
// HANGS: O3 G
// ENDS: 0 512

extern "C" __global__ void k(int *data, int n)
{
    for (int i = 0; i < n; ++i) {
        asm volatile("{\n\t"
                     ".reg .pred busy;\n\t"
                     ".reg .b32 old;\n\t"
                     "again:\n\t"
                     "atom.global.acquire.gpu.exch.b32 old, [%0], 1;\n\t"
                     "setp.ne.s32 busy, old, 0;\n\t"
                     "@busy bra again;\n\t"
                     "}" ::"l"(__cvta_generic_to_global(data)) : "memory");
        data[1] = data[1] + 1;
        asm volatile("st.release.gpu.b32 [%0], 0;" ::"l"(data) : "memory");
    }
}
