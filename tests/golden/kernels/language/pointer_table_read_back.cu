// Pointers from a table lead to the very array that is read behind the rare branch.
//
// RUN: ccc --block 96 --strict
// REFUSED: line 20: `st.u32` at line 18 of the marked path and the load of `table` at line 20 may meet, by all that is known, and the path would run later

extern "C" __global__ void pointer_table_read_back(int n, const int *in, int *a, int *b, int *out) {
    __shared__ int *table[4];
    if (threadIdx.x < 4) table[threadIdx.x] = threadIdx.x & 1 ? b : a;
    __syncthreads();
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = in[i];
        int *to = table[v & 3];
//#CCC if
        if (v > 20) {
            int h = i;
            for (int k = 0; k < 6; ++k) h = h * 48271 + v;
            to[i] = h;
        }
        out[i] = table[v & 1][i];
    }
}
