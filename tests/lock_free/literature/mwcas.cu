// Multi-word descriptors.
typedef unsigned long long u64;

// Plain values are shifted left by 2; tag 1 = RDCSS descriptor, tag 2 = k-CAS descriptor.
enum { UNDECIDED = 0, SUCCEEDED = 1, FAILED = 2 };
struct KEntry { u64 oldv, newv; int addr; int pad; };
struct KDesc { int status; int k; KEntry e[4]; };
struct KMem { u64 *word; KDesc *desc; };

__device__ __forceinline__ int statusOf(KMem &m, unsigned d) { return *(volatile int *)&m.desc[d].status; }
__device__ __forceinline__ u64 kword(unsigned d) { return ((u64)d << 2) | 2ull; }

// An RDCSS "descriptor" is immutable and lives in the word: unique:38 | desc:22 | entry:2 | 01
__device__ void rdcss_complete(KMem &m, u64 w)
{
    unsigned e = (unsigned)(w >> 2) & 3u, d = (unsigned)(w >> 4) & 0x3fffffu;
    KEntry &en = m.desc[d].e[e];
    u64 to = statusOf(m, d) == UNDECIDED ? kword(d) : en.oldv;
    atomicCAS(&m.word[en.addr], w, to);
}
__device__ u64 rdcss(KMem &m, unsigned d, int e, u64 uniq)
{
    KEntry &en = m.desc[d].e[e];
    u64 w = (uniq << 26) | ((u64)d << 4) | ((u64)e << 2) | 1ull, r;
    for (;;) {
        r = atomicCAS(&m.word[en.addr], en.oldv, w);
        if ((r & 3) != 1) break;
        rdcss_complete(m, r);                   // help whoever is in the way
    }
    if (r == en.oldv) rdcss_complete(m, w);
    return r;
}
__device__ u64 rdcss_read(KMem &m, int a)
{
    u64 r;
    while (((r = *(volatile u64 *)&m.word[a]) & 3) == 1) rdcss_complete(m, r);
    return r;
}

__device__ __noinline__ bool kcas_help(KMem &m, unsigned d, u64 &uniq)
{
    KDesc &kd = m.desc[d];
    if (statusOf(m, d) == UNDECIDED) {
        int st = SUCCEEDED;
        for (int i = 0; i < kd.k && st == SUCCEEDED; ++i) {
            for (;;) {
                u64 v = rdcss(m, d, i, ++uniq);
                if ((v & 3) == 2) {
                    if (v == kword(d)) break;
                    kcas_help(m, (unsigned)(v >> 2), uniq);     // finish the other one first
                    continue;
                }
                if (v != kd.e[i].oldv) st = FAILED;
                break;
            }
        }
        atomicCAS(&kd.status, UNDECIDED, st);
    }
    bool ok = statusOf(m, d) == SUCCEEDED;
    for (int i = 0; i < kd.k; ++i)
        atomicCAS(&m.word[kd.e[i].addr], kword(d), ok ? kd.e[i].newv : kd.e[i].oldv);
    return ok;
}

__device__ u64 kcas_read(KMem &m, int a, u64 &uniq)
{
    for (;;) {
        u64 v = rdcss_read(m, a);
        if ((v & 3) != 2) return v;
        kcas_help(m, (unsigned)(v >> 2), uniq);
    }
}

// still found: kcas_transfer
// k-CAS out of RDCSS, recursive helping (Harris, Fraser, Pratt DISC 2002): add to three words at once
extern "C" __global__ void kcas_transfer(KMem m, int nwords, int *won, int ops)
{
    unsigned tid = blockIdx.x * blockDim.x + threadIdx.x;
    u64 uniq = (u64)tid << 18;
    int w = 0;
    for (int i = 0; i < ops; ++i) {
        unsigned d = tid * ops + i;
        KDesc &kd = m.desc[d];
        int a = (tid + i) % (nwords - 2);
        for (int j = 0; j < 3; ++j) {
            u64 v = kcas_read(m, a + j, uniq);
            kd.e[j].addr = a + j;                               // ascending addresses
            kd.e[j].oldv = v;
            kd.e[j].newv = v + 4;
        }
        kd.k = 3;
        *(volatile int *)&kd.status = UNDECIDED;
        __threadfence();
        w += kcas_help(m, d, uniq);
    }
    won[tid] = w;
}

// assumed: rdcss_guarded_store
// RDCSS alone: change a word only while a control word says so (Harris, Fraser, Pratt 2002)
extern "C" __global__ void rdcss_guarded_store(KMem m, int nwords, u64 *seen)
{
    unsigned tid = blockIdx.x * blockDim.x + threadIdx.x;
    KDesc &kd = m.desc[tid];
    kd.e[0].addr = tid % nwords;
    kd.e[0].oldv = rdcss_read(m, tid % nwords);
    __threadfence();
    seen[tid] = (kd.e[0].oldv & 3) ? ~0ull : rdcss(m, tid, 0, tid);
}

// ---- two words, versioned values, iterative chain of helping -------------------------
// value word: version:31 | data:32 | 0 ; descriptor word: id << 1 | 1
struct DDesc { int status; int a[2]; u64 o[2], n[2]; };

__device__ int d_attempt(u64 *w, DDesc *ds, int d)       // -1: done, else the descriptor in the way
{
    DDesc *x = ds + d;
    for (int i = 0; i < 2 && *(volatile int *)&x->status == UNDECIDED; ++i) {
        u64 r = atomicCAS(&w[x->a[i]], x->o[i], ((u64)d << 1) | 1);
        if (r == x->o[i] || r == (((u64)d << 1) | 1)) continue;
        if (r & 1) return (int)(r >> 1);
        atomicCAS(&x->status, UNDECIDED, FAILED);
    }
    atomicCAS(&x->status, UNDECIDED, SUCCEEDED);
    bool ok = *(volatile int *)&x->status == SUCCEEDED;
    for (int i = 0; i < 2; ++i) atomicCAS(&w[x->a[i]], ((u64)d << 1) | 1, ok ? x->n[i] : x->o[i]);
    return -1;
}

// still found: dcas_help_chain
// double-word CAS on versioned words, conflicts helped iteratively in address order (after Israeli, Rappoport 1994)
extern "C" __global__ void dcas_help_chain(u64 *w, int nw, DDesc *ds, int *tries, int ops)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x, total = 0;
    for (int k = 0; k < ops; ++k) {
        int d = tid * ops + k;
        ds[d].status = UNDECIDED;
        ds[d].a[0] = (tid * 31 + k) % (nw - 1);
        ds[d].a[1] = ds[d].a[0] + 1;
        for (int i = 0; i < 2; ++i) {
            u64 v;
            while ((v = *(volatile u64 *)&w[ds[d].a[i]]) & 1) {
                for (int c = (int)(v >> 1); c >= 0; ) c = d_attempt(w, ds, c);
            }
            ds[d].o[i] = v;
            ds[d].n[i] = v + (1ull << 33) + 2;
        }
        __threadfence();
        int other;
        while ((other = d_attempt(w, ds, d)) >= 0) {
            while (other >= 0) other = d_attempt(w, ds, other);
            ++total;
        }
    }
    tries[tid] = total;
}

// found: kcas_no_help
// two-word update with descriptors but without helping: waits till the other's mark has gone
extern "C" __global__ void kcas_no_help(u64 *w, int nw, int *lost, int ops)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x, l = 0;
    u64 mark = ((u64)tid << 1) | 1;
    for (int k = 0; k < ops; ++k) {
        int a = (tid + k) % (nw - 1);
        u64 o[2];
        for (int i = 0; i < 2; ++i) {
            for (;;) {
                o[i] = *(volatile u64 *)&w[a + i];
                if (o[i] & 1) continue;                        // somebody is at it
                if (atomicCAS(&w[a + i], o[i], mark) == o[i]) break;
                ++l;
            }
        }
        __threadfence();
        for (int i = 0; i < 2; ++i) atomicExch(&w[a + i], o[i] + 2);
    }
    lost[tid] = l;
}
