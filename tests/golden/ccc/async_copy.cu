// Each thread copies a word to shared memory while it goes on, and waits for its own copy: outside of the path, that waits for no other lane.
//
// RUN: ccc --block 64
// REPORT: region line 18 in loop line 12: context
// LAUNCH: k 1 64 i32[1000]=rand:1 i32[1000]=0 i32:1000
// EXPECT: same-memory

extern "C" __global__ void k(const int *in, int *out, int n) {
    __shared__ int words[64];
    unsigned place = (unsigned)__cvta_generic_to_shared(words + threadIdx.x);
#CCC for
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(place), "l"(in + i) : "memory");
        asm volatile("cp.async.commit_group;" ::: "memory");
        asm volatile("cp.async.wait_group 0;" ::: "memory");
        int word = words[threadIdx.x];
#CCC if
        if ((word & 7) == 0) {
            for (int step = 0; step < 20; ++step) word = word * 69069 + 1;
            out[i] = word;
        }
    }
}
