// What keeps one lane at a task to its end: a step that needs the one before, a second end, something behind the loop, a bound that is loaded
// in each step, a directive that promises nothing of steps, and a bound that all lanes share where the counter is used too.
//
// RUN: ccc
// REPORT: region line 32 in loop line 29: context
// REPORT: tasks are not shared: each step needs
// REPORT: region line 44 in loop line 41: context
// REPORT: tasks are not shared: the loop can be left in its middle
// REPORT: region line 56 in loop line 53: context
// REPORT: tasks are not shared: something behind the loop belongs to the task; braces end it earlier (line 57)
// REPORT: region line 65 in loop line 63: context
// REPORT: tasks are not shared: its bound is made by `ld.global.u32` in each step; compute it before the loop (line 65)
// REPORT: region line 74 in loop line 70: context
// REPORT: tasks are not shared: only `#CCC for` says that the steps of a task are independent of each other
// REPORT: region line 83 in loop line 80: context
// REPORT: tasks are not shared: the steps use the counter, and the bound
// PTXAS: sm_90
// LAUNCH: sums 2 64 i32:300 i32[300]=below:60:1 i32[300]=0
// LAUNCH: breaks 2 64 i32:300 i32[300]=below:60:1 i32[300]=0
// LAUNCH: behind 2 64 i32:300 i32[300]=below:60:1 i32[600]=0
// LAUNCH: reloads 2 64 i32:300 i32[300]=below:60:1 i32[300]=0
// LAUNCH: whiles 2 64 i32:300 i32[300]=below:60:1 i32[300]=0
// LAUNCH: rows 2 64 i32:120 i32[256]=0
// LAUNCH: whiles 1 33 i32:300 i32[300]=step:9 i32[300]=0
// EXPECT: same-memory

extern "C" __global__ void sums(int n, const int *count, int *out) {
#CCC for block(64)
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int x = i, end = count[i];
#CCC for
        for (int k = 0; k < end; ++k) {
            x = x * 5 + k;
            atomicXor(&out[i], x);
        }
    }
}

extern "C" __global__ void breaks(int n, const int *count, int *out) {
#CCC for block(64)
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int end = count[i];
#CCC for
        for (int k = 0; k < end; ++k) {
            if (count[k] == i) break;
            atomicAdd(&out[i], k + 1);
        }
    }
}

extern "C" __global__ void behind(int n, const int *count, int *out) {
#CCC for block(64)
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int end = count[i];
#CCC for
        for (int k = 0; k < end; ++k) atomicAdd(&out[k], k + 1);
        out[i + n] = end;
    }
}

extern "C" __global__ void reloads(int n, const int *count, int *out) {
#CCC for block(64)
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
#CCC for
        for (int k = 0; k < count[i]; ++k) atomicAdd(&out[i], k + 1);
}

extern "C" __global__ void whiles(int n, const int *count, int *out) {
#CCC for block(64)
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    {
        int end = count[i];
#CCC while
        for (int k = 0; k < end; ++k) atomicAdd(&out[i], k + 1);
    }
}

extern "C" __global__ void rows(int n, int *out) {
#CCC for block(64)
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int *row = out + (i & 3);
#CCC for
        for (int k = i; k < n; ++k) {
            atomicAdd(row + (k & 127), k);
        }
    }
}
