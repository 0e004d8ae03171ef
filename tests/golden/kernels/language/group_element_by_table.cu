// The branch writes the element of its group that another array names; the rest sums the group up in a loop.
//
// RUN: ccc --block 96
// LAUNCH: group_element_by_table 2 96 i32:250 i32[250]=below:4:1 i32[1000]=below:40:3 i32[250]=0
// LAUNCH: group_element_by_table 1 33 i32:77 i32[250]=below:4:2 i32[1000]=below:40:4 i32[250]=0
// EXPECT: same-memory

extern "C" __global__ void group_element_by_table(int n, const int *__restrict__ which, int *a, int *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int w = which[i];
//#CCC if
        if (w & 1) {
            int h = i;
            for (int k = 0; k < 5; ++k) h = h * 48271 + a[4 * i + (w + k) % 4];
            a[4 * i + w] = h;
        }
        int s = 0;
        for (int k = 0; k < 4; ++k) s = s * 3 + a[4 * i + k];
        out[i] = s;
    }
}
