// Readers wait for a pointer to a finished record to appear in shared memory and read the record through it.
// HANGS: O3 G
// ENDS: 0 12 12 12
struct Record { int a, b; };
extern "C" __global__ void k(int *data, int n) {
    __shared__ Record record;
    __shared__ unsigned long long where;
    if (threadIdx.x == 0) { where = 0; record.a = 0; record.b = 0; }
    __syncthreads();
    if (threadIdx.x == 0) {
        record.a = n;
        record.b = 2 * n;
        __threadfence_block();
        atomicExch(&where, (unsigned long long)&record);
    } else {
        unsigned long long p;
        while ((p = atomicAdd(&where, 0ull)) == 0) {}
        __threadfence_block();
        Record *r = (Record *)p;
        data[blockIdx.x * 64 + threadIdx.x] = r->a + r->b;
    }
}
