// The loop is reached again and again by fewer and fewer lanes.
//
// RUN: ccc --block 64
// REFUSED: line 8: divergent control flow
// PTXAS: sm_90

extern "C" __global__ void lists(const int *__restrict__ first, const int *__restrict__ key, int *out) {
    for (int list = threadIdx.x; list < first[threadIdx.x]; list += 7) {
#CCC for
        for (int i = first[list]; i < first[list + 1]; ++i) {
#CCC if
            if ((key[i] & 7) == 0) atomicAdd(&out[i], 1);
        }
    }
}
