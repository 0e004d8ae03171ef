// hazard pointers: acquire a record, protect, replace the object, retire and scan
//
// assumed: _Z6writerP3ReciPP3ObjS2_PiS4_i
struct Rec { int active; void *hp; Rec *next; };
struct Obj { int v; Obj *nextRetired; };
__device__ Rec *g_recs;
__device__ int g_used;
__device__ Rec *acquire(Rec *pool, int max) {
    for (Rec *r = *(Rec *volatile *)&g_recs; r; r = *(Rec *volatile *)&r->next)
        if (*(volatile int *)&r->active == 0 && atomicCAS(&r->active, 0, 1) == 0) return r;
    int k = atomicAdd(&g_used, 1);
    if (k >= max) return nullptr;
    Rec *r = pool + k; r->active = 1;
    unsigned long long old = (unsigned long long)*(Rec *volatile *)&g_recs, was;
    do { was = old; r->next = (Rec *)was; __threadfence(); old = atomicCAS((unsigned long long *)&g_recs, was, (unsigned long long)r); } while (old != was);
    return r;
}
__device__ Obj *protect(Rec *r, Obj **src) {
    Obj *p;
    do {
        p = *(Obj *volatile *)src;
        *(void *volatile *)&r->hp = p;
        __threadfence();
    } while (p != *(Obj *volatile *)src);
    return p;
}
__device__ bool isHazard(void *o) {
    for (Rec *r = *(Rec *volatile *)&g_recs; r; r = *(Rec *volatile *)&r->next)
        if (*(void *volatile *)&r->hp == o) return true;
    return false;
}
__global__ void writer(Rec *pool, int max, Obj **shared, Obj *fresh, int *freed, int *sum, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    Rec *r = acquire(pool, max);
    if (!r) return;
    Obj *mine = fresh + t, *cur;
    while (true) {
        cur = protect(r, shared);
        mine->v = cur->v + 1;
        __threadfence();
        if (atomicCAS((unsigned long long *)shared, (unsigned long long)cur, (unsigned long long)mine) == (unsigned long long)cur) break;
    }
    *(void *volatile *)&r->hp = nullptr;
    if (!isHazard(cur)) atomicAdd(freed, 1);
    atomicExch(&r->active, 0);
    atomicAdd(sum, mine->v);
}
