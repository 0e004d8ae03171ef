// The loop is reached by a part of a warp while the other lanes have work of their own; or again and again by fewer and fewer lanes.
//
// RUN: ccc --block 64
// REFUSED: line 10: divergent control flow
// REFUSED: line 23: divergent control flow
// PTXAS: sm_90

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

extern "C" __global__ void lists(const int *__restrict__ first, const int *__restrict__ key, int *out) {
    for (int list = threadIdx.x; list < first[threadIdx.x]; list += 7) {
#CCC for
        for (int i = first[list]; i < first[list + 1]; ++i) {
#CCC if
            if ((key[i] & 7) == 0) atomicAdd(&out[i], 1);
        }
    }
}
