// Both accesses belong to the task, since the load may read what the atomic has left; so each is assumed not to meet the other one in two iterations. That is
// said once.
//
// RUN: ccc --block 64
// REPORT: assumes that the atomic on `out` at line 15 and the load of `out` at line 16 never meet in two iterations
// REPORT-NOT: never meet
// PTXAS: sm_90

extern "C" __global__ void rows(int n, const unsigned *__restrict__ in, unsigned *__restrict__ out, unsigned *__restrict__ other) {
    unsigned *row = out + (blockIdx.x * blockDim.x + threadIdx.x) * 4;
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned v = in[i];
#CCC if
        if (v % 3 == 0) atomicAdd(&row[v % 4], v * v);
        other[i] = ((volatile unsigned *)row)[(v / 4) % 4];
    }
}
