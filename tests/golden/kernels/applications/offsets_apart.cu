// Complex numbers in one array: the branch writes real parts, what follows reads imaginary ones.
//
// RUN: ccc --block 96 --strict
// LAUNCH: parts 2 96 i32:1000 f32[2000]=rand:8 f32[1000]=0
// EXPECT: same-memory
extern "C" __global__ void parts(int n, float *__restrict__ z, float *__restrict__ out) {
    //#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float re = z[2 * i];
        //#CCC if
        if (re > 0.7f) {
            for (int k = 0; k < 8; ++k) re = re * re + 0.2f;
            z[2 * i] = re;
        }
        out[i] = z[2 * i + 1] * 2.0f;
    }
}
