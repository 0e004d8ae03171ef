// read-copy-update of an immutable record and of a sorted immutable list
//
// assumed: _Z4tuneP4ConfiPKfPfi
struct Conf { float gain; int version; int hits; };
__device__ Conf *g_conf;
__device__ int g_confUsed;
__device__ Conf *copyOf(Conf *pool, int cap) { int k = atomicAdd(&g_confUsed, 1); return k < cap ? pool + k : nullptr; }
__device__ bool modify(Conf *pool, int cap, float factor) {
    Conf *mine = copyOf(pool, cap);
    if (!mine) return false;
    Conf *seen = (Conf *)atomicAdd((unsigned long long *)&g_conf, 0ull);
    for (;;) {
        Conf *base = seen;
        mine->gain = base->gain * factor;
        mine->version = base->version + 1;
        mine->hits = 0;
        __threadfence();
        seen = (Conf *)atomicCAS((unsigned long long *)&g_conf, (unsigned long long)base, (unsigned long long)mine);
        if (seen == base) return true;
    }
}
__global__ void tune(Conf *pool, int cap, const float *f, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (f[i] > 0) { if (!modify(pool, cap, f[i])) out[i] = -1; }
    else { Conf *c = *(Conf *volatile *)&g_conf; atomicAdd(&c->hits, 1); out[i] = c->gain; }
}
