// Lanes wait for an answer of the other warp, which waits for what a lane does behind the branch.
// HANGS: O3 G
// ENDS: 63 63
__device__ int asked[2], answered[2];
extern "C" __global__ void k(int *data, int n) {
    int b = blockIdx.x, i = threadIdx.x;
    if (i < 32) {
        if (i != 0) while (atomicAdd(&answered[b], 0) == 0) {}
        if (i == 0) atomicExch(&asked[b], n);
    } else {
        if (i == 32) {
            while (atomicAdd(&asked[b], 0) != n) {}
            atomicExch(&answered[b], 1);
        }
    }
    if (i != 0) atomicAdd(&data[b], 1);
}
