// An address goes through integers, a xor and back.
//
// RUN: ccc --block 96
// LAUNCH: k 2 96 i32:250 i32[250]=below:4:1 i32[250]=iota i32[250]=0 u64:123456789123
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* a, int* __restrict__ out, unsigned long long key) {
    unsigned long long coded = (unsigned long long)a ^ key;
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
        asm volatile("" : "+l"(coded));
        int* p = (int*)(coded ^ key);
#CCC if
        if (v == 1) {
            p[i] = i * 7 + v;
        }
        out[i] = a[i] * 3;
    }
}
