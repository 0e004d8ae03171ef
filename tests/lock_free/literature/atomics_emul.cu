// Read-modify-write operations built from CAS, histograms, sampling.
#include <cuda/atomic>
#include <cuda_fp16.h>
#include <cstdint>

typedef unsigned long long u64;

__device__ float casMaxFloat(float* a, float v)
{
    int old = __float_as_int(*(volatile float*)a), assumed;
    do {
        assumed = old;
        if (__int_as_float(assumed) >= v) break;
        old = atomicCAS((int*)a, assumed, __float_as_int(v));
    } while (old != assumed);
    return __int_as_float(old);
}

template <class Op>
__device__ double casDouble(double* a, double v, Op op)
{
    u64* p = reinterpret_cast<u64*>(a);
    u64 old = *p, assumed;
    do {
        assumed = old;
        old = atomicCAS(p, assumed, (u64)__double_as_longlong(op(__longlong_as_double(assumed), v)));
    } while (assumed != old);
    return __longlong_as_double(old);
}

// nothing: minmax_reduce
// float max and double min of an array by CAS loops (CUDA programming guide pattern)
extern "C" __global__ void minmax_reduce(const float* x, const double* y, int n, float* mx, double* mn)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        casMaxFloat(mx, x[i]);
        casDouble(mn, y[i], [](double a, double b) { return a < b ? a : b; });
    }
}

// nothing: scatter_add_double
// double atomicAdd by 64-bit CAS for old architectures, used in a COO sparse matrix-vector product
extern "C" __global__ void scatter_add_double(const int* row, const int* col, const double* val, int nnz, const double* x, double* y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < nnz) casDouble(&y[row[i]], val[i] * x[col[i]], [](double a, double b) { return a + b; });
}

// nothing: half_add_cas32
// half-precision add through CAS of the enclosing 32-bit word (as in PyTorch/Caffe before sm_70)
extern "C" __global__ void half_add_cas32(__half* dst, const int* idx, const float* v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    size_t a = (size_t)(dst + idx[i]);
    unsigned* base = (unsigned*)(a & ~(size_t)2);
    bool upper = a & 2;
    unsigned old = *base, seen;
    do {
        seen = old;
        unsigned short bits = upper ? (unsigned short)(seen >> 16) : (unsigned short)seen;
        __half h = __float2half(__half2float(__ushort_as_half(bits)) + v[i]);
        unsigned nb = __half_as_ushort(h);
        old = atomicCAS(base, seen, upper ? (seen & 0xffffu) | nb << 16 : (seen & 0xffff0000u) | nb);
    } while (old != seen);
}

// nothing: half_max_cas16
// 16-bit CAS directly (sm_70+): running maximum of halves
extern "C" __global__ void half_max_cas16(__half* dst, const int* idx, const __half* v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned short* p = (unsigned short*)&dst[idx[i]];
    unsigned short cur = *(volatile unsigned short*)p;
    while (__hlt(__ushort_as_half(cur), v[i])) {
        unsigned short was = atomicCAS(p, cur, __half_as_ushort(v[i]));
        if (was == cur) break;
        cur = was;
    }
}

// nothing: saturating_count
// saturating 8-bit counters, four to a word, CAS of the word
extern "C" __global__ void saturating_count(unsigned* words, const unsigned* bins, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned* w = &words[bins[i] >> 2];
        unsigned sh = (bins[i] & 3u) * 8u;
        unsigned cur = *(volatile unsigned*)w;
        while (((cur >> sh) & 0xffu) != 0xffu) {
            unsigned got = atomicCAS(w, cur, cur + (1u << sh));
            if (got == cur) break;
            cur = got;
        }
    }
}

// nothing: bounded_dec
// "decrement if positive" resource tokens with cuda::atomic; no token: the request is turned down, nobody waits
extern "C" __global__ void bounded_dec(cuda::atomic<int, cuda::thread_scope_device>* tokens, int nPools, const int* want, int n, int* granted)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int g = -1;
    for (int k = 0; k < nPools && g < 0; ++k) {
        int p = (want[i] + k) % nPools;
        int c = tokens[p].load(cuda::memory_order_relaxed);
        while (c > 0)
            if (tokens[p].compare_exchange_weak(c, c - 1, cuda::memory_order_acquire, cuda::memory_order_relaxed)) { g = p; break; }
    }
    granted[i] = g;
}

// nothing: hist_private
// histogram, private copy per block in shared memory, merged by atomicAdd (Podlozhnyuk 2007)
extern "C" __global__ void hist_private(const uchar4* px, int n4, unsigned* out)
{
    __shared__ unsigned h[256];
    for (int b = threadIdx.x; b < 256; b += blockDim.x) h[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += gridDim.x * blockDim.x) {
        uchar4 p = px[i];
        atomicAdd(&h[p.x], 1u); atomicAdd(&h[p.y], 1u); atomicAdd(&h[p.z], 1u); atomicAdd(&h[p.w], 1u);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x) if (h[b]) atomicAdd(&out[b], h[b]);
}

// nothing: hist_tagged_cas
// shared-memory histogram of 64-bit bins (count and last index) by CAS, after Shams & Kennedy's tag idea but with CAS
extern "C" __global__ void hist_tagged_cas(const unsigned short* key, int n, u64* out)
{
    __shared__ u64 bins[512];
    for (int b = threadIdx.x; b < 512; b += blockDim.x) bins[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        u64* b = &bins[key[i] & 511];
        u64 o, c = *b;
        do {
            o = c;
            u64 cnt = (o >> 32) + 1, last = (unsigned)o > (unsigned)i ? (unsigned)o : (unsigned)i;
            c = atomicCAS(b, o, cnt << 32 | last);
        } while (c != o);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < 512; b += blockDim.x) out[(size_t)blockIdx.x * 512 + b] = bins[b];
}

// nothing: reservoir_weighted
// reservoir of size one per group, key = -log(u)/w, smallest key kept by 64-bit CAS (Efraimidis & Spirakis 2006)
extern "C" __global__ void reservoir_weighted(const int* group, const float* w, int n, unsigned seed, u64* winner)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned s = seed ^ (unsigned)i * 747796405u;
        s = ((s >> ((s >> 28) + 4)) ^ s) * 277803737u;
        s ^= s >> 22;
        float key = -__logf((s + 1.0f) * 2.3283e-10f) / w[i];
        u64 cand = ((u64)__float_as_uint(fmaxf(key, 0.f)) << 32) | (unsigned)i;
        u64 cur = winner[group[i]];
        while (cand < cur) {
            u64 prev = atomicCAS(&winner[group[i]], cur, cand);
            if (prev == cur) break;
            cur = prev;
        }
    }
}

// nothing: welford_packed
// running mean of a stream: float mean and 32-bit count in one word, updated together by CAS (Welford 1962)
extern "C" __global__ void welford_packed(u64* cell, const float* x, const int* cellOf, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    u64* c = cell + cellOf[i];
    u64 w = atomicAdd(c, 0ull);
    bool ok = false;
    while (!ok) {
        float mean = __uint_as_float((unsigned)(w >> 32));
        unsigned cnt = (unsigned)w + 1u;
        mean += (x[i] - mean) / (float)cnt;
        u64 seen = atomicCAS(c, w, (u64)__float_as_uint(mean) << 32 | cnt);
        ok = seen == w;
        w = seen;
    }
}
