// The condition is a lambda that is given to a generic wait; lanes wait for the sum of all lanes with smaller numbers.
// HANGS: O3 G
// ENDS: 1 2 4 8
template <class F> __device__ __forceinline__ void until(F f) { while (!f()) {} }
extern "C" __global__ void k(int *data, int n) {
    __shared__ int count, sum;
    if (threadIdx.x == 0) { count = 0; sum = n - 3; }
    __syncthreads();
    int i = threadIdx.x, s = 0;
    until([&] { return atomicAdd(&count, 0) == i; });
    s = atomicAdd(&sum, 0);
    atomicExch(&sum, (2 * s) % 4095);
    __threadfence_block();
    atomicAdd(&count, 1);
    data[blockIdx.x * 64 + i] = s;
}
