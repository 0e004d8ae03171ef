// A tokenizer: a task runs a state machine over the bytes of a line until it ends.
//
// RUN: ccc --block 96
// LAUNCH: tokens 2 96 i32:200 u8[2000]=below:70:1 i32[200]=0 i32[200]=0
// EXPECT: same-memory
extern "C" __global__ void tokens(int n, const unsigned char *__restrict__ text, int *__restrict__ words, int *__restrict__ digits) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const unsigned char *p = text + 10 * i;
        int state = 0, w = 0, d = 0;
//#CCC while
        while (true) {
            unsigned char c = p < text + 2000 ? *p++ : 0;
            if (c < 2) break;
            switch (state) {
            case 0: if (c > 40) { state = 1; ++w; } else if (c > 30) { state = 2; ++d; } break;
            case 1: if (c < 20) state = 0; break;
            case 2: if (c > 45) state = 3; else ++d; break;
            case 3: state = c & 3; break;
            }
        }
        words[i] = w; digits[i] = d;
    }
}
