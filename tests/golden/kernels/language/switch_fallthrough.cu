// A switch whose marked cases fall into each other, with a default in the middle.
//
// RUN: ccc --block 96
// LAUNCH: switch_fallthrough 2 96 i32:1000 i32[1000]=below:9:1 i32[1000]=0 i32[8]=0
// LAUNCH: switch_fallthrough 1 33 i32:77 i32[1000]=below:9:2 i32[1000]=0 i32[8]=0
// EXPECT: same-memory

extern "C" __global__ void switch_fallthrough(int n, const int *__restrict__ in, int *__restrict__ out, int *__restrict__ kinds) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        switch (in[i]) {
//#CCC case
        case 0:
        case 5: {
            int h = i;
            for (int k = 0; k < 6; ++k) h = h * 69069 + k;
            out[i] = h;
            break;
        }
        case 1:
            atomicAdd(&kinds[1], 1);
            // falls through
        default:
            atomicAdd(&kinds[0], 1);
            break;
//#CCC case
        case 2: {
            int h = -i;
            for (int k = 0; k < 3; ++k) h = h * 5 + k;
            atomicXor(&kinds[2], h);
            break;
        }
        case 3:
            break;
        }
    }
}
