// Snapshots of several single-writer registers.
#include <cuda/atomic>
typedef unsigned long long u64;
#define NREG 8

// register = sequence:32 | value:32
__device__ __forceinline__ void reg_write(u64 *r, unsigned v)
{
    u64 o = *(volatile u64 *)r;
    *(volatile u64 *)r = (((o >> 32) + 1) << 32) | v;
    __threadfence();
}

// nothing: snap_collect_bounded
// double collect with at most `limit` tries (Afek et al. 1993, first half), reports failure
extern "C" __global__ void snap_collect_bounded(u64 *reg, unsigned *out, int *failed, int limit, int rounds)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    int bad = 0;
    unsigned best = 0;
    for (int r = 0; r < rounds; ++r) {
        if (tid < NREG) reg_write(&reg[tid], r);
        u64 a[NREG];
        for (int i = 0; i < NREG; ++i) a[i] = *(volatile u64 *)&reg[i];
        int t;
        for (t = 0; t < limit; ++t) {
            bool same = true;
            __threadfence();
            for (int i = 0; i < NREG; ++i) {
                u64 b = *(volatile u64 *)&reg[i];
                same &= b == a[i];
                a[i] = b;
            }
            if (same) break;
        }
        if (t == limit) { ++bad; continue; }
        unsigned s = 0;
        for (int i = 0; i < NREG; ++i) s += (unsigned)a[i];
        best = max(best, s);
    }
    out[tid] = best;
    failed[tid] = bad;
}

// nothing: snap_collect_until_same
// unbounded double collect (obstruction-free), repeated till two passes agree; cuda::atomic_ref
extern "C" __global__ void snap_collect_until_same(u64 *reg, u64 *out, int rounds)
{
    using R = cuda::atomic_ref<u64, cuda::thread_scope_device>;
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    for (int r = 0; r < rounds; ++r) {
        if (tid < NREG) {
            u64 o = R(reg[tid]).load(cuda::memory_order_relaxed);
            R(reg[tid]).store((((o >> 32) + 1) << 32) | (unsigned)(r * tid), cuda::memory_order_release);
            continue;
        }
        u64 sum, again = 0;
        bool agree;
        u64 prev[NREG];
        for (int i = 0; i < NREG; ++i) prev[i] = R(reg[i]).load(cuda::memory_order_acquire);
        do {
            agree = true;
            sum = 0;
            for (int i = 0; i < NREG; ++i) {
                u64 v = R(reg[i]).load(cuda::memory_order_acquire);
                if (v != prev[i]) { agree = false; prev[i] = v; }
                sum += (unsigned)v;
            }
            ++again;
        } while (!agree);
        out[tid * rounds + r] = sum << 16 | again;
    }
}

// ---- Afek et al., with embedded views ---------------------------------------------------
struct Snap { int val; int view[NREG]; };           // immutable after publication
struct SnapObj { int cur[NREG]; Snap *rec; };       // register i -> index of its newest record

__device__ void snap_scan(SnapObj *o, int *view)
{
    int a[NREG];
    unsigned moved = 0;
    for (int i = 0; i < NREG; ++i) a[i] = *(volatile int *)&o->cur[i];
    while (true) {
        bool clean = true;
        __threadfence();
        for (int i = 0; i < NREG; ++i) {
            int b = *(volatile int *)&o->cur[i];
            if (b == a[i]) continue;
            if (moved >> i & 1u) {                  // moved twice: its view was taken inside our interval
                for (int k = 0; k < NREG; ++k) view[k] = *(volatile int *)&o->rec[b].view[k];
                return;
            }
            moved |= 1u << i;
            clean = false;
            a[i] = b;
        }
        if (clean) break;
    }
    for (int i = 0; i < NREG; ++i) view[i] = *(volatile int *)&o->rec[a[i]].val;
}

// still found: snap_afek_update_scan
// wait-free atomic snapshot with embedded scans (Afek, Attiya, Dolev, Gafni, Merritt, Shavit JACM 1993)
extern "C" __global__ void snap_afek_update_scan(SnapObj *o, int *out, int rounds)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x, acc = 0;
    int v[NREG];
    for (int r = 0; r < rounds; ++r) {
        snap_scan(o, v);
        if (tid < NREG) {
            int me = NREG + tid * rounds + r;
            Snap *s = &o->rec[me];
            s->val = r;
            for (int k = 0; k < NREG; ++k) s->view[k] = v[k];
            __threadfence();
            *(volatile int *)&o->cur[tid] = me;
        } else {
            for (int k = 0; k < NREG; ++k) acc += v[k];
        }
    }
    out[tid] = acc;
}

// found: snap_wait_quiet
// scanner that waits, register by register, till the writer's busy flag is down
extern "C" __global__ void snap_wait_quiet(int *busy, u64 *reg, u64 *out, int rounds)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    u64 sum = 0;
    for (int r = 0; r < rounds; ++r) {
        if (tid < NREG) {
            atomicExch(&busy[tid], 1);
            reg_write(&reg[tid], r);
            atomicExch(&busy[tid], 0);
        } else {
            for (int i = 0; i < NREG; ++i) {
                while (atomicAdd(&busy[i], 0) != 0) { }
                sum += *(volatile u64 *)&reg[i];
            }
        }
    }
    out[tid] = sum;
}
