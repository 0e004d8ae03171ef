// The synthetic kernels of the CCC paper (Section 6.3): a grid-stride loop, in each iteration of which so many lanes of a warp take a
// path of so many multiply-adds. The context is the index, four bytes.
//
// Which lanes take the path moves on from iteration to iteration. Blocks have whole warps, so that 32 indices in a row are a warp's.

template <int LENGTH>
__global__ void synthetic(int n, int takers, float *out)
{
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
#CCC if
        if (((i + (i >> 5) * 7) & 31) < takers) {
            float value = (float)i;
#pragma unroll
            for (int step = 0; step < LENGTH; ++step) {
                value = fmaf(value, 0.75f, 1.0f);
            }
            out[i] = value;
        }
    }
}

template __global__ void synthetic<1>(int, int, float *);
template __global__ void synthetic<2>(int, int, float *);
template __global__ void synthetic<5>(int, int, float *);
template __global__ void synthetic<10>(int, int, float *);
template __global__ void synthetic<20>(int, int, float *);
template __global__ void synthetic<50>(int, int, float *);
template __global__ void synthetic<100>(int, int, float *);
template __global__ void synthetic<200>(int, int, float *);
template __global__ void synthetic<500>(int, int, float *);
