// Paths run in other lanes, and behind the loop each thread reads what the paths of its own iterations wrote: lanes wait for each other where
// they leave the loop. Where nothing behind the loop accesses memory, or nothing in the paths does, they need not.
//
// RUN: ccc --block 64 --arch sm_75
// CHECK: .entry reads_again(
// CHECK: $$ccc_done:
// CHECK-NEXT: bar.warp.sync %ccc_mask;
// CHECK: .entry overwrites(
// CHECK: $$ccc_done:
// CHECK-NEXT: bar.warp.sync %ccc_mask;
// CHECK: .entry two_ways(
// CHECK: $$ccc_done:
// CHECK-NEXT: bar.warp.sync %ccc_mask;
// CHECK: .entry direct(
// CHECK-NOT: $$ccc_done
// CHECK: ret;
// PTXAS: sm_90
// LAUNCH: reads_again 2 64 i32[1000]=rand:1 i32[1000]=0 i32[1000]=0 i32:1000
// LAUNCH: overwrites 1 33 i32[1000]=rand:2 i32[1000]=iota i32[1000]=0 i32:1000
// LAUNCH: two_ways 1 64 i32[1000]=rand:3 i32[1000]=0 i32[1000]=0 i32:1000
// LAUNCH: direct 1 64 i32[1000]=rand:4 i32[1000]=0 i32:1000
// EXPECT: same-memory

extern "C" __global__ void reads_again(const int *in, int *partial, int *out, int n) {
    int first = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
#CCC for
    for (int i = first; i < n; i += step) {
        int word = in[i];
#CCC if
        if (word % 4 == 1) {
            for (int k = 0; k < 20; ++k) word = word * 69069 + 1;
            partial[i] = word;
        }
    }
    for (int i = first; i < n; i += step) out[i] = partial[i] ^ i;
}

// What a path reads, its thread overwrites behind the loop.
extern "C" __global__ void overwrites(const int *in, int *table, int *out, int n) {
#CCC for
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        int word = in[i];
#CCC if
        if (word % 4 == 1) {
            int sum = 0;
            for (int k = 0; k < 20; ++k) sum = sum * 3 + table[i] + k;
            out[i] = sum;
        }
    }
    for (int i = threadIdx.x; i < n; i += blockDim.x) table[i] = -i;
}

// The loop is left in two ways, one of which returns.
extern "C" __global__ void two_ways(const int *in, int *partial, int *out, int n) {
    int i = threadIdx.x;
#CCC for
    for (; i < n; i += blockDim.x) {
        int word = in[i];
        if (word % 32 == 7) break;
#CCC if
        if (word % 4 == 1) {
            for (int k = 0; k < 20; ++k) word = word * 69069 + 1;
            partial[i] = word;
        }
    }
    if (i < n) out[i] = partial[threadIdx.x] + 1;
}

extern "C" __global__ void direct(const int *in, int *out, int n) {
#CCC for
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        int word = in[i];
#CCC if
        if (word % 4 == 1) {
            for (int k = 0; k < 20; ++k) word = word * 69069 + 1;
            out[i] = word;
        }
    }
}
