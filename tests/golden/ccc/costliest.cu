// Of four paths, the two costliest are collected (paper, Section 4.3): a division costs more than additions do, and a loop more than
// what it repeats. The others stay where they are.
//
// RUN: ccc --block 64 --most 2
// REPORT: region line 20 in loop line 16: left out: 2 costlier paths of the loop are collected
// REPORT: region line 24 in loop line 16: context
// REPORT: region line 28 in loop line 16: left out: 2 costlier paths of the loop are collected
// REPORT: region line 32 in loop line 16: context
// PTXAS: sm_90
// LAUNCH: costliest 2 64 i32:2000 i32[2000]=below:4:1 i32[2000]=0
// LAUNCH: costliest 1 33 i32:2000 i32[2000]=below:4:2 i32[2000]=0
// EXPECT: same-memory, efficiency rises

extern "C" __global__ void costliest(int n, const int *kind, int *out) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int chosen = kind[i];
        switch (chosen) {
#CCC case
        case 0:
            out[i] = i + 1;
            break;
#CCC case
        case 1:
            out[i] = 1000000 / (i + 1) % 77;
            break;
#CCC case
        case 2:
            out[i] = (i ^ 5) - 3;
            break;
#CCC case
        case 3: {
            int sum = 0;
            for (int k = 0; k < (i & 15); ++k) sum += k * sum + i;
            out[i] = sum;
        }
        }
    }
}
