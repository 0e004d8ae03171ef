// Bottom-up traversals of binary hierarchies.
#include <cuda/atomic>
#include <cfloat>

struct Box { float lo[3], hi[3]; };
struct INode { int parent, left, right; };     // child >= 0 inner, < 0 leaf ~child

__device__ __forceinline__ Box unite(const Box& a, const Box& b)
{
    Box r;
#pragma unroll
    for (int k = 0; k < 3; ++k) { r.lo[k] = fminf(a.lo[k], b.lo[k]); r.hi[k] = fmaxf(a.hi[k], b.hi[k]); }
    return r;
}
__device__ __forceinline__ Box loadBox(const Box* p)
{
    const volatile Box* v = p;
    Box r;
    for (int k = 0; k < 3; ++k) { r.lo[k] = v->lo[k]; r.hi[k] = v->hi[k]; }
    return r;
}

// nothing: lbvh_refit
// LBVH boxes bottom-up; first thread at a node stops, second goes up (Karras 2012)
extern "C" __global__ void lbvh_refit(const INode* nodes, const int* leafParent, const Box* leafBox, Box* nodeBox, int* visits, int nLeaves)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= nLeaves) return;
    int cur = leafParent[i];
    while (cur >= 0) {
        if (atomicAdd(&visits[cur], 1) == 0) return;
        __threadfence();
        INode nd = nodes[cur];
        Box a = nd.left  < 0 ? leafBox[~nd.left]  : loadBox(&nodeBox[nd.left]);
        Box b = nd.right < 0 ? leafBox[~nd.right] : loadBox(&nodeBox[nd.right]);
        nodeBox[cur] = unite(a, b);
        __threadfence();
        cur = nd.parent;
    }
}

__device__ inline unsigned delta(const unsigned* code, int i) { return code[i] ^ code[i + 1]; }

// nothing: lbvh_apetrei
// hierarchy and ranges in one bottom-up pass, the two children meet by atomicExch of the range end (Apetrei 2014)
extern "C" __global__ void lbvh_apetrei(const unsigned* code, int n, int* otherEnd, int2* kids, int* root)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int l = i, r = i, me = ~i;
    while (true) {
        if (l == 0 && r == n - 1) { *root = me; return; }
        int parent, prev;
        if (l == 0 || (r != n - 1 && delta(code, r) < delta(code, l - 1))) {
            parent = r;
            kids[parent].x = me;
            __threadfence();
            prev = atomicExch(&otherEnd[parent], l);
            if (prev == -1) return;
            r = prev;
        } else {
            parent = l - 1;
            kids[parent].y = me;
            __threadfence();
            prev = atomicExch(&otherEnd[parent], r);
            if (prev == -1) return;
            l = prev;
        }
        __threadfence();
        me = parent;
    }
}

// nothing: oct_mass_up
// octree centre of mass: the thread that brings the last missing child continues at the parent (counter per cell)
extern "C" __global__ void oct_mass_up(const float4* body, int n, const int* parentOf, const int* child, int* missing, float4* cellMass)
{
    for (int b = blockIdx.x * blockDim.x + threadIdx.x; b < n; b += gridDim.x * blockDim.x) {
        int c = parentOf[b];
        while (c >= 0) {
            cuda::atomic_ref<int, cuda::thread_scope_device> m(missing[c]);
            if (m.fetch_sub(1, cuda::std::memory_order_acq_rel) != 1) break;
            float4 s = make_float4(0, 0, 0, 0);
            for (int o = 0; o < 8; ++o) {
                int ch = child[c * 8 + o];
                if (ch < 0) continue;
                float4 q = ch < n ? body[ch] : __ldcg(&cellMass[ch - n]);
                s.x += q.x * q.w; s.y += q.y * q.w; s.z += q.z * q.w; s.w += q.w;
            }
            float inv = s.w > 0 ? 1.f / s.w : 0.f;
            cellMass[c] = make_float4(s.x * inv, s.y * inv, s.z * inv, s.w);
            c = parentOf[n + c];
        }
    }
}

// nothing: oct_mass_wait
// octree summarisation as in Burtscher & Pingali 2011: a cell's thread polls until its children's masses are not negative
extern "C" __global__ void oct_mass_wait(const float4* body, int n, const int* child, volatile float* mass, int nCells)
{
    int stride = gridDim.x * blockDim.x;
    int c = nCells - 1 - (blockIdx.x * blockDim.x + threadIdx.x);
    int o = 0;
    float sum = 0.f;
    while (c >= 0) {
        if (o < 8) {
            int ch = child[c * 8 + o];
            if (ch < 0) { ++o; continue; }
            float m = ch < n ? body[ch].w : mass[ch - n];
            if (m >= 0.f) { sum += m; ++o; }          // else: not there yet, ask again
        } else {
            __threadfence();
            mass[c] = sum;
            sum = 0.f; o = 0;
            c -= stride;
        }
    }
}
