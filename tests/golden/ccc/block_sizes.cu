// The stack has a slot per thread of the largest block: what the kernel says, else the directive, else the largest that there is.
//
// RUN: ccc
// REPORT-DAG: kernel bounded: shared 512 bytes
// REPORT-DAG: kernel directed: shared 256 bytes
// REPORT-DAG: kernel both: shared 256 bytes
// REPORT-DAG: kernel unsaid: shared 4096 bytes
// REPORT-DAG: stack 4096 bytes for 1024 threads (assumed)
// CHECK-DAG: .maxntid 128
// CHECK-DAG: .maxntid 64, 1, 1
// PTXAS: sm_90
// LAUNCH: bounded 2 128 i32:1000 i32[1000]=rand:1 i32[1000]=0
// LAUNCH: directed 2 64 i32:1000 i32[1000]=rand:1 i32[1000]=0
// LAUNCH: both 2 50 i32:1000 i32[1000]=rand:1 i32[1000]=0
// LAUNCH: unsaid 1 1024 i32:4000 i32[4000]=rand:1 i32[4000]=0
// EXPECT: same-memory, efficiency rises

__device__ void work(int i, int *out) {
    int x = i;
    for (int k = 0; k < 20; ++k) x = x * 3 + k;
    out[i] = x;
}

extern "C" __global__ void __launch_bounds__(128) bounded(int n, const int *key, int *out) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
#CCC if
        if ((key[i] & 7) == 0) work(i, out);
    }
}

extern "C" __global__ void directed(int n, const int *key, int *out) {
#CCC for block(64)
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
#CCC if
        if ((key[i] & 7) == 0) work(i, out);
    }
}

extern "C" __global__ void __launch_bounds__(512) both(int n, const int *key, int *out) {
#CCC for block(64)
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
#CCC if
        if ((key[i] & 7) == 0) work(i, out);
    }
}

extern "C" __global__ void unsaid(int n, const int *key, int *out) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
#CCC if
        if ((key[i] & 7) == 0) work(i, out);
    }
}
