// The loop may be left and shortened outside of the marked path: a `break` in front of it or behind it, a `continue`, a `return`.
//
// RUN: ccc --block 64
// REPORT: kernel break_before
// REPORT: region line 31 in loop line 28: context
// REPORT: kernel break_behind
// REPORT: region line 45 in loop line 43: context
// REPORT: kernel continue_before
// REPORT: region line 61 in loop line 58: context
// REPORT: kernel return_before
// REPORT: region line 76 in loop line 73: context
// PTXAS: sm_90
// LAUNCH: break_before 2 64 i32:2000 i32[2000]=rand:1 i32[2000]=0 i32[128]=0
// LAUNCH: break_before 1 33 i32:2000 i32[2000]=rand:2 i32[2000]=0 i32[128]=0
// EXPECT: same-memory
// LAUNCH: break_behind 2 64 i32:2000 i32[2000]=rand:3 i32[2000]=0 i32[128]=0
// LAUNCH: break_behind 1 31 i32:2000 i32[2000]=rand:4 i32[2000]=0 i32[128]=0
// EXPECT: same-memory
// LAUNCH: continue_before 2 64 i32:2000 i32[2000]=rand:5 i32[2000]=0 i32[128]=0
// EXPECT: same-memory
// LAUNCH: return_before 2 64 i32:2000 i32[2000]=rand:6 i32[2000]=0 i32[128]=0
// LAUNCH: return_before 1 1 i32:2000 i32[2000]=0 i32[2000]=0 i32[128]=0
// EXPECT: same-memory

extern "C" __global__ void break_before(int n, const int *key, int *out, int *last) {
    int thread = blockIdx.x * blockDim.x + threadIdx.x, i;
#CCC for
    for (i = thread; i < n; i += gridDim.x * blockDim.x) {
        if ((key[i] & 31) == 5) break;
#CCC if
        if ((key[i] & 3) == 0) {
            int x = i;
            for (int k = 0; k < 10; ++k) x = x * 3 + k;
            out[i] = x;
        }
    }
    last[thread] = i;
}

extern "C" __global__ void break_behind(int n, const int *key, int *out, int *last) {
    int thread = blockIdx.x * blockDim.x + threadIdx.x, i;
#CCC for
    for (i = thread; i < n; i += gridDim.x * blockDim.x) {
#CCC if
        if ((key[i] & 3) == 0) {
            int x = i;
            for (int k = 0; k < 10; ++k) x = x * 3 + k;
            out[i] = x;
        }
        if ((key[i] & 31) == 4) break;
    }
    last[thread] = i;
}

extern "C" __global__ void continue_before(int n, const int *key, int *out, int *last) {
    int thread = blockIdx.x * blockDim.x + threadIdx.x, skipped = 0;
#CCC for
    for (int i = thread; i < n; i += gridDim.x * blockDim.x) {
        if (key[i] < 0) { ++skipped; continue; }
#CCC if
        if ((key[i] & 3) == 0) {
            int x = i;
            for (int k = 0; k < 10; ++k) x = x * 3 + k;
            out[i] = x;
        }
    }
    last[thread] = skipped;
}

extern "C" __global__ void return_before(int n, const int *key, int *out, int *last) {
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
#CCC for
    for (int i = thread; i < n; i += gridDim.x * blockDim.x) {
        if ((key[i] & 31) == 5) return;
#CCC if
        if ((key[i] & 3) == 0) {
            int x = i;
            for (int k = 0; k < 10; ++k) x = x * 3 + k;
            out[i] = x;
        }
    }
    last[thread] = 1;
}
