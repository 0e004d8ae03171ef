// Atomics in the path: each context runs exactly once, so that counts are the same. The result of an atomic taken before the path
// differs between lanes whatever its address is, and travels.
//
// RUN: ccc --block 256
// REPORT: kernel histogram
// REPORT: kernel tickets
// REPORT: b32 4 bytes: differs between lanes: $(=.*)atom
// PTXAS: sm_90
// LAUNCH: histogram 2 256 i32:3000 i32[3000]=rand:1 i32[16]=0
// LAUNCH: histogram 3 31 i32:3000 i32[3000]=rand:2 i32[16]=0
// EXPECT: same-memory, efficiency rises
// LAUNCH: tickets 1 64 i32:1000 i32[1000]=rand:3 i32[1]=0 i32[1000]=0
// EXPECT: same-memory

extern "C" __global__ void histogram(int n, const int *key, int *bins) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
#CCC if
        if ((key[i] & 7) == 0) {
            unsigned x = key[i];
            for (int k = 0; k < 20; ++k) x = x * 1664525u + 1013904223u;
            atomicAdd(&bins[x >> 28], 1);
            atomicSub(&bins[x >> 24 & 15], 3);
        }
    }
}

// Every iteration draws a ticket; the sum over all tickets is the same whoever draws which.
extern "C" __global__ void tickets(int n, const int *key, int *next, int *marks) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int ticket = atomicAdd(next, 1);
#CCC if
        if ((ticket & 3) == 0) {
            int x = ticket;
            for (int k = 0; k < 20; ++k) x = x * 3 + k;
            marks[ticket] = x;
        }
    }
}
