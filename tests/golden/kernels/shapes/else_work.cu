// The loop is reached by a part of a warp while the other lanes have work of their own.
//
// RUN: ccc --block 64
// LAUNCH: other_work 2 64 i32:200 i32[200]=below:40:1 i32[400]=0
// EXPECT: same-memory
extern "C" __global__ void other_work(int n, const int *key, int *out) {
    int lane = threadIdx.x & 31;
    if (lane < 20) {
#CCC for
        for (int i = lane; i < n; i += 20) {
#CCC if
            if ((key[i] & 7) == 0) atomicAdd(&out[i], 1);
        }
    } else {
        for (int i = lane; i < n; i += 12) atomicAdd(&out[i + n], key[i]);
    }
    atomicAdd(out, 1);
}
