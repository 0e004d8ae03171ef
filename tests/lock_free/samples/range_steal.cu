// own range packed as (begin, end); owners take from the front, thieves the back half
//
// still found: _Z6mandelPyiiPh
typedef unsigned long long u64;
__device__ __forceinline__ u64 pack(unsigned b, unsigned e) { return (u64)e << 32 | b; }
struct Worker {
    u64 *ranges; int me, workers;
    __device__ int next() {
        u64 r = *(volatile u64 *)&ranges[me];
        for (;;) {
            unsigned b = (unsigned)r, e = r >> 32;
            if (b >= e) return -1;
            u64 s = atomicCAS(&ranges[me], r, pack(b + 1, e));
            if (s == r) return b;
            r = s;
        }
    }
    __device__ bool stealFrom(int v) {
        u64 r = *(volatile u64 *)&ranges[v];
        unsigned b, e;
        while ((b = (unsigned)r) + 1 < (e = r >> 32)) {
            unsigned mid = b + (e - b) / 2;
            u64 s = atomicCAS(&ranges[v], r, pack(b, mid));
            if (s == r) { atomicExch(&ranges[me], pack(mid, e)); return true; }
            r = s;
        }
        return false;
    }
};
__global__ void mandel(u64 *ranges, int workers, int width, unsigned char *img) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= workers) return;
    Worker w{ranges, t, workers};
    bool more = true;
    while (more) {
        for (int i; (i = w.next()) >= 0; ) {
            float cx = (i % width) * 3.f / width - 2.f, cy = (i / width) * 3.f / width - 1.5f, x = 0, y = 0; int it = 0;
            while (x * x + y * y < 4 && it < 255) { float q = x * x - y * y + cx; y = 2 * x * y + cy; x = q; it++; }
            img[i] = it;
        }
        more = false;
        for (int k = 1; k < workers && !more; k++) more = w.stealFrom((t + k) % workers);
    }
}
