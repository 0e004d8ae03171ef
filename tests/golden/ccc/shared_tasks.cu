// Tasks whose steps are independent of each other, as the inner `#CCC for` says: at the end, idle lanes share what is left of a range. Up and
// down, with and without a sign, with a bound that travels and with one that every lane knows, where the counter changes instead.
//
// RUN: ccc --arch sm_75
// REPORT: region line 37 in loop line 34: context
// REPORT: idle lanes share tasks
// REPORT: region line 47 in loop line 45: context
// REPORT: idle lanes share tasks
// REPORT: region line 57 in loop line 55: context
// REPORT: idle lanes share tasks
// REPORT: region line 68 in loop line 65: context
// REPORT: idle lanes share tasks
// CHECK: shfl.sync.idx.b32
// PTXAS: sm_75 sm_90
// LAUNCH: up 2 64 i32:300 i32[300]=below:900:1 i32[300]=below:40:2 i32[256]=0
// LAUNCH: up 1 33 i32:1 i32[1]=7 i32[1]=5000 i32[256]=0
// LAUNCH: up 1 1 i32:3 i32[3]=below:900:1 i32[3]=below:40:2 i32[256]=0
// LAUNCH: down 2 64 i32:300 i64[300]=step:5000000000 i32[300]=below:40:2 i32[256]=0
// LAUNCH: down 1 45 i32:2 i64[2]=step:-5000000000 i32[2]=3000 i32[256]=0
// LAUNCH: thirds 2 64 i32:300 u32[300]=below:900:1 u32[300]=below:4000:2 i32[256]=0
// LAUNCH: thirds 1 31 i32:2 u32[2]=step:4294960000 u32[2]=step:4294967290 i32[256]=0
// LAUNCH: rows 2 64 i32:120 i32[256]=0
// LAUNCH: rows 1 7 i32:90 i32[256]=0
// EXPECT: same-memory
// LAUNCH: up 1 64 i32:100 i32[100]=below:900:1 i32[100]=step:20 i32[256]=0
// LAUNCH: down 1 64 i32:100 i64[100]=below:900:1 i32[100]=step:20 i32[256]=0
// LAUNCH: thirds 1 64 i32:100 u32[100]=0 u32[100]=step:100 i32[256]=0
// EXPECT: same-memory, efficiency rises
// LAUNCH: up 1 64 i32:64 i32[64]=below:900:1 i32[64]=0 i32[256]=3
// EXPECT: no-writes

extern "C" __global__ void up(int n, const int *first, const int *count, int *out) {
#CCC for block(64)
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int start = first[i], end = start + count[i];
#CCC for
        for (int k = start; k < end; ++k) {
            atomicAdd(&out[k & 255], k * 3 + i);
        }
    }
}

extern "C" __global__ void down(int n, const long long *last, const int *count, int *out) {
#CCC for block(64)
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
#CCC for
        for (long long end = last[i], k = end + 2 * count[i]; k >= end; k -= 2) {
            atomicAdd(&out[k & 255], (int)(k >> 7) + i);
        }
}

// The last numbers before the end of those without a sign.
extern "C" __global__ void thirds(int n, const unsigned *first, const unsigned *last, int *out) {
#CCC for block(64)
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
#CCC for
        for (unsigned k = first[i], end = last[i]; k < end; k += 3) {
            atomicAdd(&out[k & 255], (int)k ^ i);
        }
}

// A triangle: the bound is the same for all, and the counter only counts.
extern "C" __global__ void rows(int n, int *out) {
#CCC for block(64)
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int *row = out + (i & 3);
#CCC for
        for (int k = i, x = 5 * i; k < n; ++k, x += 7) {
            atomicAdd(row + (x & 127), x);
        }
    }
}
