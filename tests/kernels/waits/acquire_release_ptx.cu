// A chain by ld.acquire and st.release in inline PTX, from lane to lane by steps of three.
// HANGS: O3 G
// ENDS: 4 4 4 5 5 5 6
__device__ int load(int *p) {
    int v;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(__cvta_generic_to_global(p)) : "memory");
    return v;
}
extern "C" __global__ void k(int *data, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, v = n;
    if (t >= 3) { while ((v = load(data + t - 3)) == 0) {} ++v; }
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(data + t)), "r"(v) : "memory");
}
