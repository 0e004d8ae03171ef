// Karras 2012: bottom-up bounds, the second visitor goes on
//
// nothing: _Z5refitPK5InnerPKiP3BoxPii
struct Box { float lo[3], hi[3]; };
struct Inner { int left, right, parent; };
__device__ Box merge(const volatile Box &a, const volatile Box &b) {
    Box r;
    for (int k = 0; k < 3; k++) { r.lo[k] = fminf(a.lo[k], b.lo[k]); r.hi[k] = fmaxf(a.hi[k], b.hi[k]); }
    return r;
}
__global__ void refit(const Inner *inner, const int *leafParent, Box *boxes, int *visits, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int node = leafParent[i];
    while (node != -1) {
        if (atomicAdd(&visits[node], 1) == 0) return;
        __threadfence();
        Inner x = inner[node];
        Box b = merge(boxes[x.left], boxes[x.right]);
        for (int k = 0; k < 3; k++) { ((volatile Box *)boxes)[node].lo[k] = b.lo[k]; ((volatile Box *)boxes)[node].hi[k] = b.hi[k]; }
        __threadfence();
        node = x.parent;
    }
}
