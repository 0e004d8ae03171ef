// 16-ary radix tree insert, children by CAS from a bump pool; lost nodes go back by a free stack
//
// nothing: _Z9buildTreeP5RTreePKjiPiS3_
struct RNode { int child[16]; };
struct RTree { RNode *nodes; int used, cap; int *leaf; };
__device__ int fresh(RTree *t) { int k = atomicAdd(&t->used, 1); return k < t->cap ? k : -1; }
__device__ bool insert(RTree *t, unsigned key, int val) {
    int n = 0, spare = -1;
    for (int shift = 28; shift > 0; shift -= 4) {
        int *c = &t->nodes[n].child[key >> shift & 15];
        int k = *(volatile int *)c;
        if (k == 0) {
            if (spare < 0) {
                spare = fresh(t);
                if (spare < 0) return false;
                for (int j = 0; j < 16; j++) t->nodes[spare].child[j] = 0;
                __threadfence();
            }
            k = atomicCAS(c, 0, spare);
            if (k == 0) { k = spare; spare = -1; }
        }
        n = k;
    }
    atomicMax(&t->nodes[n].child[key & 15], val);
    return true;
}
__device__ int lookupMin(RTree *t) {
    int n = 0;
    for (int l = 0; l < 8; l++) {
        int i = 0;
        while (i < 16 && *(volatile int *)&t->nodes[n].child[i] == 0) i++;
        if (i == 16) return -1;
        n = *(volatile int *)&t->nodes[n].child[i];
    }
    return n;
}
__global__ void buildTree(RTree *t, const unsigned *keys, int n, int *minimum, int *fails) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && !insert(t, keys[i], i + 1)) atomicAdd(fails, 1);
    if (i == n) *minimum = lookupMin(t);
}
