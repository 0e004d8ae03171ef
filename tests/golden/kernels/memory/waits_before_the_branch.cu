// Each item waits for its input's flag before the branch, which another block raises; the path reads the input.
//
// RUN: ccc --block 64
// LAUNCH: consume 2 64 i32:200 i32[200]=below:4:1 i32[200]=5 i32[200]=0 i32[200]=0
// EXPECT: same-memory
extern "C" __global__ void consume(int n, const int *__restrict__ k, volatile int *data, volatile int *flag, int *out) {
    if (blockIdx.x == 0) {
        for (int i = threadIdx.x; i < n; i += blockDim.x) {
            data[i] = i * 77 + k[i];
            __threadfence();
            flag[i] = 1;
        }
    } else {
//#CCC for
        for (int i = threadIdx.x; i < n; i += blockDim.x) {
            while (flag[i] == 0) { }
            __threadfence();
//#CCC if
            if (k[i] == 3) {
                int h = data[i];
                for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5);
                out[i] = h;
            }
        }
    }
}
