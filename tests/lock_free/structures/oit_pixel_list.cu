// Per-pixel linked lists (Yang et al. 2010): prepend by exchange; second kernel walks and blends.
struct Frag { unsigned color; float depth; unsigned next; };
// nothing: build
extern "C" __global__ void build(unsigned *heads, Frag *pool, unsigned *counter, unsigned limit, const float4 *in, int w, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned node = atomicAdd(counter, 1);
    if (node >= limit) return;
    float4 f = in[i];
    pool[node].color = __float_as_uint(f.w);
    pool[node].depth = f.z;
    pool[node].next = atomicExch(&heads[(int)f.y * w + (int)f.x], node);
}
// nothing: resolve
extern "C" __global__ void resolve(const unsigned *heads, const Frag *pool, float *out, int pixels) {
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= pixels) return;
    float best = 1e30f; unsigned color = 0;
    for (unsigned at = heads[p]; at != 0xffffffffu; at = pool[at].next)
        if (pool[at].depth < best) { best = pool[at].depth; color = pool[at].color; }
    out[p] = __uint_as_float(color);
}
// assumed: sorted
extern "C" __global__ void sorted(unsigned *heads, Frag *pool, int n, int w) {   // ordered insert by CAS
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float d = pool[i].depth;
    unsigned *link = &heads[pool[i].color % w], at = *(volatile unsigned *)link;
    while (true) {
        while (at != 0xffffffffu && pool[at].depth < d) { link = &pool[at].next; at = *(volatile unsigned *)link; }
        pool[i].next = at;
        __threadfence();
        unsigned seen = atomicCAS(link, at, (unsigned)i);
        if (seen == at) break;
        at = seen;
    }
}
