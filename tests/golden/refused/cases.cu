// What a marked case must not do: leave the loop, compute what is used behind the `switch`. The case beside them is collected
// all the same.
//
// RUN: ccc --block 64
// REFUSED: line 26: leaves the loop
// REFUSED: line 35: is used after it
// REPORT: region line 19 in loop line 15: context
// PTXAS: sm_90
// LAUNCH: cases 1 64 i32:1000 i32[1000]=below:7:1 i32[1000]=0
// LAUNCH: cases 1 33 i32:1000 i32[1000]=below:7:2 i32[1000]=0
// EXPECT: same-memory

extern "C" __global__ void cases(int n, const int *key, int *out) {
#CCC for
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        int found = 0;
        switch (key[i]) {
#CCC case
            case 0: {
                for (int k = 0; k < 20; ++k) atomicAdd(&out[i], k * i);
                break;
            }
#CCC case
            case 1: {
                for (int k = 0; k < 20; ++k) atomicAdd(&out[i], k + i);
                if (out[i] == 12345) return;
                break;
            }
#CCC case
            case 2: {
                for (int k = 0; k < 20; ++k) found = found * 3 + k * i;
                break;
            }
        }
        atomicAdd(&out[i], found);
    }
}
