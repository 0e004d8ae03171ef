// What the emulator and translations for the CPU are timed with. `native/common.h` computes the same.

extern "C" __global__ void saxpy(float a, const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

extern "C" __global__ void nbody(const float4 *bodies, float4 *forces, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 me = bodies[i];
    float fx = 0, fy = 0, fz = 0;
    for (int j = 0; j < n; ++j) {
        float4 other = bodies[j];
        float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
        float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
        float scale = other.w * inverse * inverse * inverse;
        fx += dx * scale;
        fy += dy * scale;
        fz += dz * scale;
    }
    forces[i] = make_float4(fx, fy, fz, me.w);
}

// n is a multiple of 16.
extern "C" __global__ void matmul(const float *a, const float *b, float *c, int n)
{
    __shared__ float ta[16][16], tb[16][16];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    float sum = 0;
    for (int tile = 0; tile < n; tile += 16) {
        ta[threadIdx.y][threadIdx.x] = a[y * n + tile + threadIdx.x];
        tb[threadIdx.y][threadIdx.x] = b[(tile + threadIdx.y) * n + x];
        __syncthreads();
        for (int k = 0; k < 16; ++k) sum += ta[threadIdx.y][k] * tb[k][threadIdx.x];
        __syncthreads();
    }
    c[y * n + x] = sum;
}

extern "C" __global__ void bfs(int vertices, int level, int *levels, const int *offsets, const int *edges, int *changed)
{
    int vertex = blockIdx.x * blockDim.x + threadIdx.x;
    if (vertex >= vertices || levels[vertex] != level) return;
    for (int edge = offsets[vertex]; edge < offsets[vertex + 1]; ++edge) {
        int neighbour = edges[edge];
        if (levels[neighbour] < 0) {
            levels[neighbour] = level + 1;
            *changed = 1;
        }
    }
}
