// The cases of a `switch`, each marked with `#CCC case`; each marked case has a stack. Cases that
// are not marked run where they stand. One case has braces of its own, one falls through, one is the last.
//
// RUN: ccc --block 64
// REPORT: region line 32 in loop line 29
// REPORT: region line 39 in loop line 29
// REPORT: region line 44 in loop line 29
// REPORT: region line 52 in loop line 29
// CHECK-NOT: CCC if_begin
// CHECK: $$ccc_tail:
// PTXAS: sm_90
// LAUNCH: cases 2 64 i32:5000 i32[5000]=rand:1 i32[5000]=0
// LAUNCH: cases 1 33 i32:700 i32[700]=rand:2 i32[700]=0
// LAUNCH: cases 1 1 i32:90 i32[90]=rand:3 i32[90]=0
// LAUNCH: cases 3 31 i32:999 i32[999]=iota i32[999]=0
// LAUNCH: cases 1 64 i32:640 i32[640]=0 i32[640]=0
// LAUNCH: cases 1 64 i32:640 i32[640]=3 i32[640]=0
// LAUNCH: cases 1 64 i32:640 i32[640]=5 i32[640]=0
// EXPECT: same-memory
// LAUNCH: cases 1 64 i32:5000 i32[5000]=rand:4 i32[5000]=0
// EXPECT: same-memory, efficiency rises
// LAUNCH: cases 1 64 i32:0 i32[1]=0 i32[1]=0
// LAUNCH: cases 1 64 i32:640 i32[640]=6 i32[640]=0
// EXPECT: no-writes

extern "C" __global__ void cases(int n, const int *key, int *out) {
    int stride = gridDim.x * blockDim.x;
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        switch (key[i] & 7) {
#CCC case
            case 0: {
                int x = i;
                for (int k = 0; k < (i & 31); ++k) x = x * 3 + k;
                atomicAdd(&out[i], x);
                break;
            }
#CCC case
            case 1:
            case 2:
                for (int k = 0; k < 20; ++k) atomicAdd(&out[i], k * i);
                break;
#CCC case
            case 3:
                for (int k = 0; k < 10; ++k) atomicAdd(&out[i], k ^ i);
                [[fallthrough]];
            case 4:
                atomicAdd(&out[i], 77);
                break;
            case 6: break;
#CCC case
            default:
                float x = i;
                for (int k = 0; k < 20; ++k) x = x * 0.5f + k;
                atomicAdd(&out[i], (int)x);
                break;
        }
    }
}
