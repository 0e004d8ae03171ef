// An accumulator that begins anew for each row of an outer loop and ends in an atomic.
//
// RUN: ccc --block 96
// LAUNCH: reduce_per_row 2 96 i32:1000 i32[1000]=below:40:1 i32[10]=0
// LAUNCH: reduce_per_row 1 33 i32:77 i32[1000]=below:40:2 i32[10]=0
// EXPECT: same-memory

extern "C" __global__ void reduce_per_row(int n, const int *__restrict__ in, int *__restrict__ out) {
    for (int row = blockIdx.x; row < 10; row += gridDim.x) {
        int sum = 0;
//#CCC for reduce(+:sum)
        for (int i = row * (n / 10) + threadIdx.x; i < (row + 1) * (n / 10); i += blockDim.x) {
//#CCC if
            if (in[i] > 25) {
                int h = in[i];
                for (int k = 0; k < in[i]; ++k) h = h * 48271 + row;
                sum += h;
            }
        }
        for (int d = 16; d > 0; d /= 2) {
            if (blockDim.x % 32 == 0) sum += __shfl_down_sync(0xffffffff, sum, d);
        }
        if (blockDim.x % 32 != 0 || threadIdx.x % 32 == 0) atomicAdd(&out[row], sum);
    }
}
