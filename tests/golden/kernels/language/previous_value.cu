// A rare branch compares an element with the one that the thread saw before.
//
// RUN: ccc --block 96
// LAUNCH: previous_value 2 96 i32:1000 i32[1000]=below:8:1 i32[1000]=0
// LAUNCH: previous_value 1 33 i32:77 i32[1000]=below:8:2 i32[1000]=0
// EXPECT: same-memory

extern "C" __global__ void previous_value(int n, const int *__restrict__ in, int *__restrict__ out) {
    int previous = -1, older = -2;
    bool odd = false;
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int now = in[i];
//#CCC if
        if (now > previous) {
            int s = now;
            for (int k = 0; k < now; ++k) s = s * 3 + previous - older;
            out[i] = odd ? s : -s;
        }
        older = previous;
        previous = now;
        odd = !odd;
    }
}
