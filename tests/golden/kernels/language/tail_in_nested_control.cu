// Behind the rare branch, ifs and a loop with a break read what it wrote, and write further arrays.
//
// RUN: ccc --block 96
// LAUNCH: tail_in_nested_control 2 96 i32:125 i32[125]=below:40:1 i32[1000]=below:30:3 i32[125]=0 i32[4]=0
// LAUNCH: tail_in_nested_control 1 33 i32:77 i32[125]=below:40:2 i32[1000]=below:30:4 i32[125]=0 i32[4]=0
// EXPECT: same-memory

extern "C" __global__ void tail_in_nested_control(int n, const int *__restrict__ in, int *a, int *__restrict__ out, int *__restrict__ counts) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int *group = a + 8 * i;
        int v = in[i];
//#CCC if
        if (v > 20) {
            for (int k = 0; k < v; ++k) group[k * k & 7] += k;
        }
        if (v & 1) {
            int k = 0;
            for (; k < 8; ++k) {
                if (group[k] > 25) break;
                if (group[k] == v) continue;
                out[i] += group[k];
            }
            atomicAdd(&counts[k & 3], 1);
        } else if (group[3] > 5) {
            out[i] = -group[2];
        }
    }
}
