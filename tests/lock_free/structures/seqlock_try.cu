// Optimistic read with a version: a bounded number of tries, odd versions count as failed; writer claims by CAS and gives up.
struct Versioned { unsigned version; float4 value; };
__device__ bool try_read(Versioned *v, float4 *out) {
    for (int tries = 0; tries < 16; ++tries) {
        unsigned before = *(volatile unsigned *)&v->version;
        if (before & 1) continue;
        __threadfence();
        float4 x = __ldcg(&v->value);
        __threadfence();
        if (*(volatile unsigned *)&v->version == before) { *out = x; return true; }
    }
    return false;
}
__device__ bool try_write(Versioned *v, float4 x) {
    unsigned ver = *(volatile unsigned *)&v->version;
    if ((ver & 1) || atomicCAS(&v->version, ver, ver + 1) != ver) return false;
    v->value = x;
    __threadfence();
    atomicExch(&v->version, ver + 2);
    return true;
}
// nothing: k
extern "C" __global__ void k(Versioned *v, const float4 *in, float4 *out, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    try_write(&v[i % m], in[i]);
    float4 r = make_float4(0, 0, 0, 0);
    try_read(&v[(i * 7) % m], &r);
    out[i] = r;
}
