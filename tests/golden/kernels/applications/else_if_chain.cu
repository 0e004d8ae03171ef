// Cells of a fluid grid: inflow, outflow and walls have branches of their own.
//
// RUN: ccc --block 96 --lower-occupancy
// LAUNCH: cells 2 96 i32:1000 u8[1000]=rand:20 f64[1000]=rand:21 f64[1000]=0
// EXPECT: same-memory
extern "C" __global__ void cells(int n, const unsigned char *__restrict__ kind, const double *__restrict__ in, double *__restrict__ out) {
    //#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        double u = in[i];
        int k = kind[i] & 7;
        //#CCC if
        if (k == 0) { for (int j = 0; j < 4; ++j) u = u / (1 + u); out[i] = u; }
        //#CCC if
        else if (k == 1) { out[i] = sqrt(u) * 3.0; }
        //#CCC if
        else if (k < 4) out[i] = u * u - 1;
        else out[i] = u;
    }
}
