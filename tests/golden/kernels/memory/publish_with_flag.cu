// The producing block writes an item in the marked path and then raises its flag behind a fence; the other block waits for the flags and copies.
//
// RUN: ccc --block 64
// LAUNCH: publish 2 64 i32:200 i32[200]=below:4:1 i32[200]=5 i32[200]=0 i32[200]=0
// EXPECT: same-memory
extern "C" __global__ void publish(int n, const int *__restrict__ k, volatile int *data, volatile int *flag, int *out) {
    if (blockIdx.x == 0) {
//#CCC for
        for (int i = threadIdx.x; i < n; i += blockDim.x) {
//#CCC if
            if (k[i] == 3) {
                int h = i;
                for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5);
                data[i] = h;
            }
            __threadfence();
            flag[i] = 1;
        }
    } else {
        for (int i = threadIdx.x; i < n; i += blockDim.x) {
            while (flag[i] == 0) { }
            __threadfence();
            out[i] = data[i];
        }
    }
}
