// A marked branch whose results are used after the loop: `reduce` names the accumulators.
extern "C" __global__ void sums(int n, const float *__restrict__ in, int *__restrict__ out)
{
    int sum = 0, most = -1;
#CCC for reduce(+:sum, max:most)
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
#CCC if
        if (in[i] < 0.1f) {
            int x = static_cast<int>(in[i] * 1000.0f);
            sum += x;
            most = max(most, x);
        }
    }
    out[threadIdx.x] = sum;
    out[blockDim.x + threadIdx.x] = most;
}
