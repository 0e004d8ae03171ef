// Both arrays are slices of one arena, whose offsets are parameters; the path writes one slice, what follows reads the other.
//
// RUN: ccc --block 96
// LAUNCH: arena 2 96 i32:100 i64:0 i64:100 i32[250]=below:9:1 i32[250]=iota i32[250]=0
// LAUNCH: arena 2 96 i32:100 i64:50 i64:50 i32[250]=below:9:1 i32[250]=iota i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void arena(int n, long long first, long long second, const int *__restrict__ k, int *__restrict__ heap, int *__restrict__ out) {
    int *a = heap + first, *b = heap + second;
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (k[i] > 4) {
            int h = i;
            for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5);
            a[i] = h;
        }
        out[i] = b[i];
    }
}
