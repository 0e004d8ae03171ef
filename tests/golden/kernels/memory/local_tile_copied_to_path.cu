// A record is loaded into registers before the branch, with constant indices only, and used in the path.
//
// RUN: ccc --block 96
// LAUNCH: record 2 96 i32:900 i32[900]=below:9:1 i32[3600]=iota i32[900]=0
// EXPECT: same-memory
extern "C" __global__ void record(int n, const int *__restrict__ k, const int *__restrict__ data, int *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int row[6];
        for (int j = 0; j < 4; ++j) row[j] = data[4 * i + j];
        row[4] = row[0] * row[1]; row[5] = row[2] ^ row[3];
//#CCC if
        if (k[i] > 5) {
            int h = i;
            for (int j = 0; j < 6; ++j) h = h * 33 + row[j];
            out[i] = h;
        }
    }
}
