// Tries, kd-trees, octrees and bounding hierarchies built by claiming children.
#include <cuda/atomic>
#include <cfloat>

// nothing: radix_trie_insert
// 4-bit radix trie: missing children created by CAS, losers go on with the winner's node
extern "C" __global__ void radix_trie_insert(int (*child)[16], int* top, int cap, int* leafCount, const unsigned* keys, int n, int* oom)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int node = 0, spare = 0;                       // spare: allocated but lost the race, used next time
        for (int shift = 28; shift >= 0; shift -= 4) {
            int* link = &child[node][(keys[i] >> shift) & 15u];
            int nx = *(volatile int*)link;
            if (nx == 0) {
                if (spare == 0) {
                    spare = atomicAdd(top, 1);
                    if (spare >= cap) { atomicExch(oom, 1); return; }
                }
                nx = atomicCAS(link, 0, spare);
                if (nx == 0) { nx = spare; spare = 0; }
            }
            node = nx;
        }
        atomicAdd(&leafCount[node], 1);
    }
}

typedef unsigned long long ref64;    // 0 empty; odd: leaf (key << 1 | 1); even: node number << 1

// assumed: hash_trie_insert
// hash trie (Prokopec's Ctrie without snapshots): a leaf in the way is replaced by a private subtree holding both
extern "C" __global__ void hash_trie_insert(ref64* nodes, unsigned* top, unsigned cap, const unsigned* keys, int n, char* added)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned k = keys[i], node = 0, sh = 0;
    const ref64 mine = ((ref64)k << 1) | 1ull;
    added[i] = -1;
    while (sh < 32) {
        ref64* slot = nodes + node * 16ull + ((k >> sh) & 15u);
        ref64 w = *(volatile ref64*)slot;
        if (w == 0) {
            w = atomicCAS(slot, 0ull, mine);
            if (w == 0) { added[i] = 1; return; }
        }
        if (w == mine) { added[i] = 0; return; }
        if (!(w & 1ull)) { node = (unsigned)(w >> 1); sh += 4; continue; }
        unsigned other = (unsigned)(w >> 1), s = sh + 4, first = atomicAdd(top, 1u), at = first;
        while (at < cap && ((other ^ k) >> s & 15u) == 0) {
            unsigned nx = atomicAdd(top, 1u);
            if (nx >= cap) return;
            nodes[at * 16ull + ((k >> s) & 15u)] = (ref64)nx << 1;
            at = nx; s += 4;
        }
        if (at >= cap) return;
        nodes[at * 16ull + ((other >> s) & 15u)] = w;
        nodes[at * 16ull + ((k >> s) & 15u)] = mine;
        __threadfence();
        if (atomicCAS(slot, w, (ref64)first << 1) == w) { added[i] = 1; return; }
    }
}

struct KdNode { float x, y; int lo, hi; };

// nothing: kd_insert
// 2-d tree, points as nodes, empty child claimed by CAS (libcu++ atomic_ref)
extern "C" __global__ void kd_insert(KdNode* t, int n, int* depthHist)
{
    int me = 1 + blockIdx.x * blockDim.x + threadIdx.x;
    if (me >= n) return;
    float px = t[me].x, py = t[me].y;
    int cur = 0, d = 0;
    while (true) {
        bool right = (d & 1) ? py >= t[cur].y : px >= t[cur].x;
        cuda::atomic_ref<int, cuda::thread_scope_device> link(right ? t[cur].hi : t[cur].lo);
        int nx = -1;
        if (link.compare_exchange_strong(nx, me, cuda::std::memory_order_relaxed)) break;
        cur = nx;
        ++d;
    }
    atomicAdd(&depthHist[d < 63 ? d : 63], 1);
}

__device__ inline int octant(float4 p, float cx, float cy, float cz) { return (p.x > cx) | (p.y > cy) << 1 | (p.z > cz) << 2; }

// nothing: oct_build_private
// Burtscher & Pingali style octree build but lock-free: subtree made privately, then swapped in by CAS over the body
extern "C" __global__ void oct_build_private(const float4* body, int n, int* child, int* cellTop, int maxCells, float4 rootBox, int* dropped)
{
    for (int b = blockIdx.x * blockDim.x + threadIdx.x; b < n; b += gridDim.x * blockDim.x) {
        float4 p = body[b];
        int cell = 0;
        float cx = rootBox.x, cy = rootBox.y, cz = rootBox.z, r = rootBox.w * 0.5f;
        int depth = 0;
        while (depth < 24) {
            int o = octant(p, cx, cy, cz);
            int* slot = &child[cell * 8 + o];
            int w = *(volatile int*)slot;
            if (w == -1) {
                w = atomicCAS(slot, -1, b);
                if (w == -1) goto placed;
            }
            float nx = cx + ((o & 1) ? r : -r), ny = cy + ((o & 2) ? r : -r), nz = cz + ((o & 4) ? r : -r);
            if (w >= n) { cell = w - n; cx = nx; cy = ny; cz = nz; r *= 0.5f; ++depth; continue; }
            // body w is in the way
            float4 q = body[w];
            int first = atomicAdd(cellTop, 1), at = first, dd = depth + 1;
            float hx = nx, hy = ny, hz = nz, hr = r * 0.5f;
            while (at < maxCells && dd < 24) {
                int op = octant(p, hx, hy, hz), oq = octant(q, hx, hy, hz);
                if (op != oq) { child[at * 8 + op] = b; child[at * 8 + oq] = w; break; }
                int c2 = atomicAdd(cellTop, 1);
                child[at * 8 + op] = c2 + n;
                at = c2; ++dd;
                hx += (op & 1) ? hr : -hr; hy += (op & 2) ? hr : -hr; hz += (op & 4) ? hr : -hr; hr *= 0.5f;
            }
            if (at >= maxCells || dd >= 24) break;
            __threadfence();
            if (atomicCAS(slot, w, first + n) == w) goto placed;
        }
        atomicAdd(dropped, 1);
    placed:;
    }
}

// nothing: oct_build_lockchild
// octree build with a lock value (-2) in the child pointer, as published by Burtscher & Pingali 2011
extern "C" __global__ void oct_build_lockchild(const float4* body, int n, volatile int* child, int* cellTop, float4 rootBox)
{
    int stride = gridDim.x * blockDim.x, b = blockIdx.x * blockDim.x + threadIdx.x;
    bool fresh = true;
    int cell = 0, o = 0;
    float cx = 0, cy = 0, cz = 0, r = 0;
    while (b < n) {
        float4 p = body[b];
        if (fresh) { fresh = false; cell = 0; cx = rootBox.x; cy = rootBox.y; cz = rootBox.z; r = rootBox.w * 0.5f; }
        o = octant(p, cx, cy, cz);
        int ch = child[cell * 8 + o];
        if (ch >= n) {
            cx += (o & 1) ? r : -r; cy += (o & 2) ? r : -r; cz += (o & 4) ? r : -r; r *= 0.5f;
            cell = ch - n;
            continue;
        }
        if (ch != -2 && ch == atomicCAS((int*)&child[cell * 8 + o], ch, -2)) {
            if (ch == -1) child[cell * 8 + o] = b;
            else {
                float4 q = body[ch];
                float hx = cx, hy = cy, hz = cz, hr = r;
                int patch = -1, at = cell, op = o, oq = o;
                do {
                    int c2 = atomicAdd(cellTop, 1);
                    if (patch < 0) patch = c2; else child[at * 8 + op] = c2 + n;
                    hx += (op & 1) ? hr : -hr; hy += (op & 2) ? hr : -hr; hz += (op & 4) ? hr : -hr; hr *= 0.5f;
                    at = c2;
                    op = octant(p, hx, hy, hz); oq = octant(q, hx, hy, hz);
                } while (op == oq && hr > 1e-12f);
                child[at * 8 + oq] = ch;
                child[at * 8 + op] = b;
                __threadfence();
                child[cell * 8 + o] = patch + n;
            }
            b += stride; fresh = true;
        }
    }
}
