// Prices of options: those in the money are worth the costly formula.
//
// RUN: ccc --block 96
// LAUNCH: prices 2 96 i32:1000 f64[1000]=rand:9 f64[1000]=rand:10 f64[1000]=0
// EXPECT: same-memory
struct Market { double rate, volatility; };
__device__ double tail(double d) {
    double k = 1.0 / (1.0 + 0.2316419 * fabs(d));
    double poly = k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));
    double t = 0.39894228040143267794 * exp(-0.5 * d * d) * poly;
    return d > 0 ? 1.0 - t : t;
}
extern "C" __global__ void prices(int n, const double *spot, const double *strike, double *price) {
    Market m = {0.02, 0.3};
    //#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        double s = spot[i] + 0.5, x = strike[i] + 0.5;
        //#CCC if independent
        if (s > 1.3 * x) {
            double d1 = (log(s / x) + (m.rate + 0.5 * m.volatility * m.volatility)) / m.volatility;
            double d2 = d1 - m.volatility;
            price[i] = s * tail(d1) - x * exp(-m.rate) * tail(d2);
        }
    }
}
