// BST insertion: descends (depth is finite, keys differ strictly on the way or it leaves); a failed CAS returns the
// child that another has put there, and it descends to that.

// nothing: bst
extern "C" __global__ void bst(int *child, int *out)
{
    int me = threadIdx.x + 1, k = (me * 37) % 50;
    int at = 0, depth = 0;                        // node 0: root, key 25
    int *link = &child[25 < k];
    int n = *(volatile int *)link;
    while (true) {
        if (n == 0) {
            n = atomicCAS(link, 0, me);
            if (n == 0) break;
        }
        int nk = (n * 37) % 50;
        if (nk == k) { depth = -1; break; }
        at = n;
        link = &child[2 * at + (nk < k)];
        n = *(volatile int *)link;
        ++depth;
    }
    out[threadIdx.x] = depth >= 0;
}
