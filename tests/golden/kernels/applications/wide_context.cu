// Symmetric tensors of which a few are diagonalised: more than twenty doubles are live at the branch.
//
// RUN: ccc --block 96
// LAUNCH: tensors 2 96 i32:1000 f64[6000]=rand:5 f64[3000]=0 f64[1000]=0
// EXPECT: same-memory
struct Tensor { double xx, yy, zz, xy, yz, zx; };
struct Vector { double x, y, z; };
extern "C" __global__ void tensors(int n, const Tensor *__restrict__ in, Vector *__restrict__ out, double *__restrict__ trace) {
    //#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        Tensor t = in[i];
        double p = t.xx * t.yy - t.xy * t.xy, q = t.yy * t.zz - t.yz * t.yz, r = t.zz * t.xx - t.zx * t.zx;
        trace[i] = t.xx + t.yy + t.zz + p + q + r;
        //#CCC if
        if (p * q * r > 0.01) {
            Vector v = {p, q, r};
            for (int k = 0; k < 5; ++k) {
                Vector w = {t.xx * v.x + t.xy * v.y + t.zx * v.z, t.xy * v.x + t.yy * v.y + t.yz * v.z, t.zx * v.x + t.yz * v.y + t.zz * v.z};
                double s = 1.0 / sqrt(w.x * w.x + w.y * w.y + w.z * w.z);
                v.x = w.x * s; v.y = w.y * s; v.z = w.z * s;
            }
            out[i] = v;
        }
    }
}
