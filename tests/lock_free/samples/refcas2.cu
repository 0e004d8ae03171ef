// CAS2 of two ordered words with helping: install by CAS, status decides, release
//
// still found: _Z8transferP1DPyPK4int2iPi
typedef unsigned long long u64;
#define TAG (1ull << 63)
enum { UNDECIDED = 0, SUCCEEDED = 1, FAILED = 2 };
struct D { int status; int a[2]; u64 o[2], n[2]; };
__device__ u64 vol(u64 *p) { return *(volatile u64 *)p; }
__device__ int stat(D *d) { return *(volatile int *)&d->status; }
__device__ void finish(D *d, u64 *mem, u64 tag) {
    int s = stat(d);
    for (int i = 0; i < 2; i++) atomicCAS(&mem[d->a[i]], tag, s == SUCCEEDED ? d->n[i] : d->o[i]);
}
// an obstructed owner aborts the other: nobody waits
__device__ bool cas2(D *ds, u64 *mem, unsigned me) {
    D *d = ds + me; u64 tag = TAG | me;
    for (int i = 0; i < 2 && stat(d) == UNDECIDED; ) {
        u64 v = atomicCAS(&mem[d->a[i]], d->o[i], tag);
        if (v == d->o[i]) { i++; continue; }
        if (v & TAG) {
            D *other = ds + (v & ~TAG);
            atomicCAS(&other->status, UNDECIDED, FAILED);
            finish(other, mem, v);
            continue;
        }
        atomicCAS(&d->status, UNDECIDED, FAILED);
    }
    atomicCAS(&d->status, UNDECIDED, SUCCEEDED);
    finish(d, mem, tag);
    return stat(d) == SUCCEEDED;
}
__device__ u64 readWord(D *ds, u64 *mem, int i) {
    u64 v = vol(&mem[i]);
    while (v & TAG) {
        D *other = ds + (v & ~TAG);
        atomicCAS(&other->status, UNDECIDED, FAILED);
        finish(other, mem, v);
        v = vol(&mem[i]);
    }
    return v;
}
__global__ void transfer(D *ds, u64 *mem, const int2 *acc, int n, int *ok) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    int a = min(acc[t].x, acc[t].y), b = max(acc[t].x, acc[t].y);
    if (a == b) return;
    D *d = ds + t;
    d->a[0] = a; d->a[1] = b;
    d->o[0] = readWord(ds, mem, a); d->o[1] = readWord(ds, mem, b);
    d->n[0] = (d->o[0] - 1) & ~TAG; d->n[1] = (d->o[1] + 1) & ~TAG;
    d->status = UNDECIDED;
    __threadfence();
    ok[t] = cas2(ds, mem, t);
}
