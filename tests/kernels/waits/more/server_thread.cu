// One thread of each block serves the requests of the others, which wait for their answers.
// HANGS: O3 G
// ENDS: 378 378

extern "C" __global__ void k(int *data, int n)
{
    __shared__ int box, answers[64];
    if (threadIdx.x == 0)
        box = 0;
    answers[threadIdx.x] = 0;
    __syncthreads();
    if (threadIdx.x == 40) {
        for (int served = 0; served < 63; ++served) {
            int who;
            while ((who = atomicExch(&box, 0)) == 0)
                ;
            atomicExch(&answers[who - 1], n + 2);
        }
    } else {
        while (atomicCAS(&box, 0, threadIdx.x + 1) != 0)
            ;
        int answer;
        while ((answer = atomicAdd(&answers[threadIdx.x], 0)) == 0)
            ;
        atomicAdd(&data[blockIdx.x], answer);
    }
}
