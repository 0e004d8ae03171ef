// Two marked branches in one loop. One is short, and two lanes in a hundred take it; the other one is expensive.
extern "C" __global__ void paths(int n, const float *__restrict__ in, float *__restrict__ low, float *__restrict__ high)
{
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float x = in[i];
#CCC if probability(0.02)
        if (x < 0.02f) {
            low[i] = x * 2.0f;
        }
#CCC if
        if (x > 0.9f) {
            for (int step = 0; step < 100; ++step) {
                x = x * 0.99f + 0.5f;
            }
            high[i] = x;
        }
    }
}
