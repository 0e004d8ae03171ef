// Loops that end for each thread at another time, and neighbours in a grid. Compiled without fused products, so that every compiler computes the same.

// Steps of n -> n / 2 or 3 n + 1 until 1.
extern "C" __global__ void collatz(unsigned *steps, unsigned count)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    unsigned long long n = i + 1ull;
    unsigned done = 0;
    while (n != 1) {
        n = n % 2 ? 3 * n + 1 : n / 2;
        ++done;
    }
    steps[i] = done;
}

// Steps of z -> z z + c until z is far from 0.
extern "C" __global__ void mandelbrot(int *picture, int side, int most)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= side || row >= side) return;
    float scale = 3.0f / side, cx = column * scale - 2.25f, cy = row * scale - 1.5f;
    float x = 0, y = 0;
    int step = 0;
    while (step < most && x * x + y * y <= 4.0f) {
        float next = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = next;
        ++step;
    }
    picture[row * side + column] = step;
}

// Each inner element moves towards its four neighbours.
extern "C" __global__ void stencil(const float *in, float *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
    int i = y * width + x;
    out[i] = 0.5f * in[i] + 0.125f * (in[i - 1] + in[i + 1] + in[i - width] + in[i + width]);
}
