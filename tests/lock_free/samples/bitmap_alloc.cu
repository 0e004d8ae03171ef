// free-page bitmap: claim first zero bit, search from a hashed word
//
// nothing: _Z5churnPjiPiii
__device__ int claim(unsigned *map, int words, int start) {
    for (int k = 0; k < words; k++) {
        int w = start + k; if (w >= words) w -= words;
        unsigned bits = __ldcg(map + w);
        while (bits != 0xffffffffu) {
            int b = __ffs(~bits) - 1;
            unsigned old = atomicOr(map + w, 1u << b);
            if (!(old >> b & 1)) return w * 32 + b;
            bits = old;
        }
    }
    return -1;
}
__global__ void churn(unsigned *map, int words, int *out, int n, int rounds) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    int have = out[t];
    for (int r = 0; r < rounds; r++) {
        if (have >= 0) atomicAnd(map + have / 32, ~(1u << (have & 31)));
        have = claim(map, words, (t * 7 + r) % words);
    }
    out[t] = have;
}
