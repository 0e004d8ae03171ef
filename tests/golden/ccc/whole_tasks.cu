// What keeps one lane at a task to its end: a step that needs the one before, a second end, something behind the loop, a bound that is loaded
// in each step, and a directive that promises nothing of steps.
//
// RUN: ccc
// REPORT: region line 29 in loop line 26: context
// REPORT: tasks are not shared: each step needs %r
// REPORT: region line 41 in loop line 38: context
// REPORT: tasks are not shared: the loop can be left in its middle
// REPORT: region line 53 in loop line 50: context
// REPORT: tasks are not shared: something behind the loop belongs to the task; braces end it earlier (line 54)
// REPORT: region line 62 in loop line 60: context
// REPORT: tasks are not shared: its bound is made by `ld.global.u32` in each step; compute it before the loop (line 62)
// REPORT: region line 71 in loop line 67: context
// REPORT: tasks are not shared: only `#CCC for` says that the steps of a task are independent of each other
// PTXAS: sm_90
// LAUNCH: sums 2 64 i32:300 i32[300]=below:60:1 i32[300]=0
// LAUNCH: breaks 2 64 i32:300 i32[300]=below:60:1 i32[300]=0
// LAUNCH: behind 2 64 i32:300 i32[300]=below:60:1 i32[300]=0
// LAUNCH: reloads 2 64 i32:300 i32[300]=below:60:1 i32[300]=0
// LAUNCH: whiles 2 64 i32:300 i32[300]=below:60:1 i32[300]=0
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
        atomicAdd(&out[i], 1000);
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
