// A push and an update by comparing and swapping: a lane alone leaves both loops, so that nothing is found and nothing changes.
//
// RUN: ssde
// REPORT: kernel collect:
// REPORT-NOT: register
// REPORT-NOT: loop
// LAUNCH: collect 2 64 i32[128]=0 i32[2]=0 i32[128]=0
// EXPECT: finished, argument 1 = 8256

extern "C" __global__ void collect(int *links, int *sum, int *order) {
    int me = blockIdx.x * blockDim.x + threadIdx.x, top, old = *(volatile int *)sum, seen;
    do {
        seen = old;
        old = atomicCAS(sum, seen, seen + me + 1);
    } while (old != seen);
    do {
        top = *(volatile int *)(sum + 1);
        links[me] = top;
        __threadfence();
    } while (atomicCAS(sum + 1, top, me + 1) != top);
    order[me] = top;
}
