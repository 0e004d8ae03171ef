// BH-TB: builds the octree of a Barnes-Hut step; every pointer to a child is a lock of its own (M. Burtscher and K.
// Pingali, GPU Computing Gems Emerald Edition, 2011).
//
// Nodes below `bodies` are bodies, those from there on are cells. `child` has eight nodes per cell, or EMPTY, or
// LOCKED. The root is the last cell, which is there before; cells are taken downwards from `bottom`. Bodies lie in the
// unit cube.

#define EMPTY (-1)
#define LOCKED (-2)

// Where a walk down the tree has come to: the centre of a cell, half the length of its children's sides, and the octant
// in which a body lies.
struct Place {
    int cell;
    int octant;
    float x, y, z, half;
};

__device__ __forceinline__ int octant_of(const Place &at, const float *x, const float *y, const float *z, int body)
{
    return (x[body] > at.x) | (y[body] > at.y) << 1 | (z[body] > at.z) << 2;
}

__device__ __forceinline__ void descend(Place &at, int cell)
{
    at.x += at.octant & 1 ? at.half : -at.half;
    at.y += at.octant & 2 ? at.half : -at.half;
    at.z += at.octant & 4 ? at.half : -at.half;
    at.half *= 0.5f;
    at.cell = cell;
}

__device__ __forceinline__ Place root_of(int cells)
{
    return {cells - 1, 0, 0.5f, 0.5f, 0.5f, 0.25f};
}

// What a locked pointer is to point to when `body` comes to where `other` is: the first of the cells that it takes to
// part them. Nobody sees these cells before the pointer is written.
__device__ __forceinline__ int part(Place at, int body, int other, int bodies, volatile int *child, int *bottom,
                                    const float *x, const float *y, const float *z)
{
    int first = 0;
    int before = -1;
    int octant;
    do {
        int cell = atomicSub(bottom, 1) - 1;
        if (before < 0) {
            first = cell;
        } else {
            child[before] = bodies + cell;
        }
        descend(at, cell);
        octant = octant_of(at, x, y, z, body);
        at.octant = octant_of(at, x, y, z, other);
        before = 8 * cell + octant;
    } while (octant == at.octant);
    child[8 * at.cell + at.octant] = other;
    child[before] = body;
    __threadfence();
    return bodies + first;
}

// As one writes it for threads of a CPU: walk down until a pointer that is no cell's is locked, then work. On a SIMT
// stack a lane that has locked a pointer waits behind the loop for those that walk, and some of them wait for that
// pointer.
extern "C" __global__ void bh_tb(int bodies, int cells, const float *x, const float *y, const float *z,
                                 volatile int *child, int *bottom)
{
    for (int body = blockIdx.x * blockDim.x + threadIdx.x; body < bodies; body += gridDim.x * blockDim.x) {
        Place at = root_of(cells);
        int slot, found;
        for (;;) {
            at.octant = octant_of(at, x, y, z, body);
            slot = 8 * at.cell + at.octant;
            found = child[slot];
            if (found >= bodies) {
                descend(at, found - bodies);
            } else if (found != LOCKED && atomicCAS((int *)&child[slot], found, LOCKED) == found) {
                break;
            }
        }
        child[slot] = found == EMPTY ? body : part(at, body, found, bodies, child, bottom, x, y, z);
    }
}

// By hand for a SIMT stack, as the original has it: a pointer is tried, and written within the same iteration.
extern "C" __global__ void bh_tb_simt(int bodies, int cells, const float *x, const float *y, const float *z,
                                      volatile int *child, int *bottom)
{
    for (int body = blockIdx.x * blockDim.x + threadIdx.x; body < bodies; body += gridDim.x * blockDim.x) {
        Place at = root_of(cells);
        int waits = 1;
        while (waits) {
            at.octant = octant_of(at, x, y, z, body);
            int slot = 8 * at.cell + at.octant;
            int found = child[slot];
            if (found >= bodies) {
                descend(at, found - bodies);
            } else if (found != LOCKED && atomicCAS((int *)&child[slot], found, LOCKED) == found) {
                child[slot] = found == EMPTY ? body : part(at, body, found, bodies, child, bottom, x, y, z);
                waits = 0;
            }
        }
    }
}
