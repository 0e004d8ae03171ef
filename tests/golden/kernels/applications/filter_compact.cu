// Rows that pass a filter of a table are added up per group.
//
// RUN: ccc --block 96
// LAUNCH: groups 2 96 i32:1000 i64[1000]=rand:11 u8[1000]=rand:12 u64[16]=0 i64[16]=0
// EXPECT: same-memory
extern "C" __global__ void groups(int n, const long long *__restrict__ amount, const unsigned char *__restrict__ region,
                                  unsigned long long *__restrict__ sums, long long *__restrict__ most) {
    //#CCC for
    for (int row = blockIdx.x * blockDim.x + threadIdx.x; row < n; row += gridDim.x * blockDim.x) {
        unsigned char r = region[row];
        //#CCC if
        if (r < 40) {
            long long a = amount[row] >> 20;
            atomicAdd(&sums[r & 15], (unsigned long long)a);
            atomicMax(&most[r & 15], a);
        }
    }
}
