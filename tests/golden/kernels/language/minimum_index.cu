// The branch writes at the smaller of two 64-bit indices, the rest reads at one of them.
//
// RUN: ccc --block 96
// LAUNCH: minimum_index 2 96 i32:250 i32[250]=below:4:1 i32[1000]=below:40:3 i32[250]=0
// LAUNCH: minimum_index 1 33 i32:77 i32[250]=below:4:2 i32[1000]=below:40:4 i32[250]=0
// EXPECT: same-memory

extern "C" __global__ void minimum_index(int n, const int *__restrict__ which, int *a, int *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        long long one = 4ll * i + which[i], other = 4ll * i + 2;
        long long at = one < other ? one : other;
//#CCC if
        if (which[i] != 1) {
            int h = i;
            for (int k = 0; k < 5; ++k) h = h * 48271 + k;
            a[at] = h;
        }
        out[i] = a[other] + a[4ll * i] * 3;
    }
}
