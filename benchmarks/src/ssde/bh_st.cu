// BH-ST: the bodies of a Barnes-Hut tree in the order in which a walk of the tree meets them (M. Burtscher and K.
// Pingali, "An Efficient CUDA Implementation of the Tree-based Barnes Hut n-Body Algorithm", GPU Computing Gems Emerald
// Edition, 2011).
//
// Nodes below `bodies` are bodies, those from there on are cells, the root last; every cell has a smaller number than
// its parent. `child` has eight nodes per cell, or -1. A cell knows where its bodies begin once its parent has said so;
// until then `start` is -1.

// Writes what lies in a cell whose first place in the order is known: bodies into the order, and to cells where they
// begin.
__device__ __forceinline__ void place(int cell, int place, int bodies, const int *child, const int *count,
                                      volatile int *start, int *order)
{
    for (int i = 0; i < 8; i++) {
        int node = child[8 * cell + i];
        if (node >= bodies) {
            start[node - bodies] = place;
            place += count[node - bodies];
        } else if (node >= 0) {
            order[place++] = node;
        }
    }
}

// As one writes it for threads of a CPU: wait for the parent, then work. On a SIMT stack a lane that got its place
// waits behind the loop for lanes whose parents it is to serve.
extern "C" __global__ void bh_st(int bodies, int cells, const int *child, const int *count, volatile int *start,
                                 int *order)
{
    for (int cell = cells - 1 - (blockIdx.x * blockDim.x + threadIdx.x); cell >= 0; cell -= gridDim.x * blockDim.x) {
        int first;
        while ((first = start[cell]) < 0) {
        }
        place(cell, first, bodies, child, count, start, order);
    }
}

// By hand for a SIMT stack, as the original has it: a cell whose parent has not come is asked for again.
extern "C" __global__ void bh_st_simt(int bodies, int cells, const int *child, const int *count, volatile int *start,
                                      int *order)
{
    int cell = cells - 1 - (blockIdx.x * blockDim.x + threadIdx.x);
    while (cell >= 0) {
        int first = start[cell];
        if (first >= 0) {
            place(cell, first, bodies, child, count, start, order);
            cell -= gridDim.x * blockDim.x;
        }
    }
}
