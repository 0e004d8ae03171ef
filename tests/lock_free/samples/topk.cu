// the K best of a block in shared memory: replace the smallest by CAS until mine is not better
//
// assumed: _Z4topkPKfiPy
#define K 16
typedef unsigned long long u64;
__global__ void topk(const float *score, int n, u64 *best) {
    __shared__ u64 slots[K];
    if (threadIdx.x < K) slots[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        u64 mine = (u64)__float_as_uint(fabsf(score[i])) << 32 | (unsigned)i;
        while (true) {
            int w = 0; u64 least = ~0ull;
            for (int k = 0; k < K; k++) {
                u64 s = *(volatile u64 *)&slots[k];
                if (s < least) { least = s; w = k; }
            }
            if (mine <= least) break;
            if (atomicCAS(&slots[w], least, mine) == least) break;
        }
    }
    __syncthreads();
    if (threadIdx.x < K) {
        u64 carry = slots[threadIdx.x];
        for (int k = 0; k < K && carry; k++) {
            u64 old = atomicMax(&best[k], carry);
            carry = old < carry ? old : carry;
        }
    }
}
