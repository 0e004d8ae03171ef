// The marked loop is a range loop over a grid-stride range with an iterator class.
//
// RUN: ccc --block 96
// LAUNCH: range_loop 2 96 i32:1000 i32[1000]=below:40:1 i32[1000]=0
// LAUNCH: range_loop 1 33 i32:77 i32[1000]=below:40:2 i32[1000]=0
// EXPECT: same-memory

struct GridRange {
    int count;
    struct iterator {
        int at, step;
        __device__ int operator*() const { return at; }
        __device__ iterator &operator++() { at += step; return *this; }
        __device__ bool operator!=(const iterator &other) const { return at < other.at; }
    };
    __device__ iterator begin() const { return {int(blockIdx.x * blockDim.x + threadIdx.x), int(gridDim.x * blockDim.x)}; }
    __device__ iterator end() const { return {count, 0}; }
};

extern "C" __global__ void range_loop(int n, const int *__restrict__ in, int *__restrict__ out) {
//#CCC for
    for (int i : GridRange{n}) {
//#CCC if
        if (int v = in[i]; v > 25) {
            int h = v;
            for (int k = 0; k < v; ++k) h = h * 3 ^ k;
            out[i] = h;
        }
    }
}
