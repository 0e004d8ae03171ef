// Arora-Blumofe-Plaxton deque: age = (tag, top) in one word; popTop retries while not empty.
struct Deque { unsigned long long age; unsigned bot; unsigned items[1024]; };
__device__ bool pop_bottom(Deque *d, unsigned *item) {
    unsigned b = *(volatile unsigned *)&d->bot;
    if (b == 0) return false;
    --b;
    *(volatile unsigned *)&d->bot = b;
    __threadfence();
    *item = d->items[b];
    unsigned long long old = *(volatile unsigned long long *)&d->age;
    if (b > (unsigned)old) return true;
    *(volatile unsigned *)&d->bot = 0;
    unsigned long long fresh = ((old >> 32) + 1) << 32;
    if (b == (unsigned)old && atomicCAS(&d->age, old, fresh) == old) return true;
    atomicExch(&d->age, fresh);
    return false;
}
__device__ bool pop_top(Deque *d, unsigned *item) {
    while (true) {
        unsigned long long old = *(volatile unsigned long long *)&d->age;
        unsigned b = *(volatile unsigned *)&d->bot;
        if (b <= (unsigned)old) return false;
        *item = *(volatile unsigned *)&d->items[(unsigned)old & 1023];
        if (atomicCAS(&d->age, old, old + 1) == old) return true;
    }
}
// assumed: k
extern "C" __global__ void k(Deque *d, unsigned *out) {
    unsigned x = 0, sum = 0;
    if (threadIdx.x == 0)
        while (pop_bottom(d + blockIdx.x, &x)) sum += x;
    else if (pop_top(d + (blockIdx.x + threadIdx.x) % gridDim.x, &x)) sum = x;
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
