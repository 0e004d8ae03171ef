// Lock-free stacks: Treiber's stack in several forms, with tags, hazard slots and elimination.
// All kernels: a = scratch, b = results, c = keys, n = how many threads take part.

__device__ unsigned stack_head, stack_next[1024];
__device__ unsigned long long tagged_head;
__device__ unsigned long long array_top, array_slots[1024];
__device__ unsigned hazard_head, hazard_next[1024], hazard_slots[1024];
__device__ unsigned elimination_head, elimination_next[1024], elimination_slots[16];

// nothing: treiber_push
// Treiber's stack: push of a node by its index.
extern "C" __global__ void treiber_push(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    unsigned *head = &stack_head, *next = stack_next, node = t + 1;
    unsigned old = *(volatile unsigned *)head, assumed;
    do {
        assumed = old;
        next[node] = assumed;
        __threadfence();
        old = atomicCAS(head, assumed, node);
    } while (old != assumed);
    atomicAdd(b, 1);
}
