// One task per element, expensive for one element in ten: the kernel of docs/tutorial.md.
//
// In most iterations only a few lanes of a warp take the branch, and the other lanes wait for them. `pxrw ccc` collects
// the branch, so that it runs with full warps. Plain nvcc compiles this file too: it does not see the directives.
//
// Try it:
//     pxrw ccc examples/rare.cu --block 256 -o rare.ptx

extern "C" __global__ void rare(int n, const float *__restrict__ in, float *__restrict__ out)
{
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float x = in[i];
//#CCC if
        if (x < 0.1f) {
            for (int step = 0; step < 100; ++step) {
                x = x * 0.99f + 0.5f;
            }
            out[i] = x;
        }
    }
}
