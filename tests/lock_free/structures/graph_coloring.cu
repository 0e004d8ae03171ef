// Speculative colouring of one vertex per lane: choose the smallest free colour, publish, look again; a bounded number of rounds; no barrier.
// nothing: k
extern "C" __global__ void k(const int *row, const int *col, int *color, int n, int *bad) {
    for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < n; v += gridDim.x * blockDim.x) {
        bool ok = false;
        for (int round = 0; round < 32 && !ok; ++round) {
            unsigned long long taken = 0;
            for (int e = row[v]; e < row[v + 1]; ++e) {
                int c = *(volatile int *)&color[col[e]];
                if (c >= 0 && c < 64) taken |= 1ull << c;
            }
            int mine = __ffsll(~taken) - 1;
            *(volatile int *)&color[v] = mine;
            __threadfence();
            ok = true;
            for (int e = row[v]; e < row[v + 1]; ++e)
                if (col[e] < v && *(volatile int *)&color[col[e]] == mine) { ok = false; break; }
        }
        if (!ok) atomicAdd(bad, 1);
    }
}
