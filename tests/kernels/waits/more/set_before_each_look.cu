// Lanes raise their own flag in each round of the loop before they look at the next one: nobody is kept back.
// ENDS: 1 1 1 1
extern "C" __global__ void k(int *data, int n) {
    int *flag = data + blockIdx.x * 64, i = threadIdx.x;
    do {
        atomicExch(&flag[i], n - 3);
    } while (atomicAdd(&flag[(i + 1) % 64], 0) == 0);
}
