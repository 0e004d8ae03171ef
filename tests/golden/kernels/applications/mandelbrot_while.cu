// Escape times of the Mandelbrot set: the loop of each pixel is run step by step.
//
// RUN: ccc --block 96
// LAUNCH: mandelbrot 2 96 i32:1000 f64:0.08 i16[1000]=0
// EXPECT: same-memory
extern "C" __global__ void mandelbrot(int n, double step, short *iterations) {
    //#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        double cx = -2.0 + step * (i % 32), cy = -1.25 + step * (i / 32);
        double x = 0.0, y = 0.0;
        short count = 0;
        //#CCC while
        while (x * x + y * y <= 4.0 && count < 100) {
            double t = x * x - y * y + cx;
            y = 2.0 * x * y + cy;
            x = t;
            ++count;
        }
        iterations[i] = count;
    }
}
