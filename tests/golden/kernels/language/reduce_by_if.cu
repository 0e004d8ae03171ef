// The largest number by an `if`, the smallest by a conditional expression, in two marked branches.
//
// RUN: ccc --block 96
// LAUNCH: reduce_by_if 2 96 i32:1000 i32[1000]=below:40:1 i32[384]=0
// LAUNCH: reduce_by_if 1 33 i32:77 i32[1000]=below:40:2 i32[384]=0
// EXPECT: same-memory

extern "C" __global__ void reduce_by_if(int n, const int *__restrict__ in, int *__restrict__ out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int best = -1;
    unsigned worst = 5000;
//#CCC for reduce(max:best, min:worst)
    for (int i = t; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (in[i] % 3 == 0) {
            int h = in[i];
            for (int k = 0; k < in[i]; ++k) h = h * 48271 + k & 0xffff;
            if (h > best) best = h;
            worst = (unsigned)h < worst ? h : worst;
        }
//#CCC if
        else if (in[i] % 3 == 1) {
            int h = i;
            for (int k = 0; k < in[i]; ++k) h = h * 69621 + k & 0xffff;
            best = h > best ? h : best;
        }
    }
    out[2 * t] = best;
    out[2 * t + 1] = worst;
}
