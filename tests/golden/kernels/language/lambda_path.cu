// The rare branch calls lambdas that capture by reference and by value.
//
// RUN: ccc --block 96
// LAUNCH: lambda_path 2 96 i32:1000 i32[1000]=below:40:1 i32[1000]=0
// LAUNCH: lambda_path 1 33 i32:77 i32[1000]=below:40:2 i32[1000]=0
// EXPECT: same-memory

extern "C" __global__ void lambda_path(int n, const int *__restrict__ in, int *__restrict__ out) {
    int salt = threadIdx.x * 17 + 3;
    auto wanted = [&](int v) { return v % 7 == salt % 7; };
    auto digest = [=](int v) {
        int h = salt;
        for (int k = 0; k < v; ++k) h = h * 33 + k;
        return h;
    };
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (wanted(in[i])) {
            out[i] = digest(in[i]);
        }
    }
}
