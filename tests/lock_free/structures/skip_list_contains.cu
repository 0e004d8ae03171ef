// Wait-free contains of the lock-free skip list over an index pool: passes marked nodes by.
#define LEVELS 12
struct Node { int key; unsigned next[LEVELS]; };   // index << 1 | mark
// assumed: k
extern "C" __global__ void k(const Node *pool, const int *keys, int *out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int key = keys[i];
        unsigned pred = 0, curr = 0;
        for (int level = LEVELS - 1; level >= 0; --level) {
            curr = __ldcg(&pool[pred].next[level]) >> 1;
            while (curr != 0) {
                unsigned succ = __ldcg(&pool[curr].next[level]);
                while ((succ & 1) && (curr = succ >> 1) != 0) succ = __ldcg(&pool[curr].next[level]);
                if (curr == 0 || pool[curr].key >= key) break;
                pred = curr;
                curr = succ >> 1;
            }
        }
        out[i] = curr != 0 && pool[curr].key == key;
    }
}
