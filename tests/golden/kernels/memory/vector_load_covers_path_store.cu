// The path stores two bytes in the middle of a record of 16, what follows loads the record as one vector by inline PTX.
//
// RUN: ccc --block 96
// LAUNCH: record 2 96 i32:250 i32[250]=below:4:1 u8[4000]=3 i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void record(int n, const int *__restrict__ k, unsigned char *rec, int *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int kind = k[i];
//#CCC if
        if (kind > 1) {
            int h = i;
            for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5);
            *(unsigned short *)(rec + 16ll * i + 10) = h;
        }
        int x, y, z, w;
        asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "l"(__cvta_generic_to_global(rec + 16ll * i)) : "memory");
        out[i] = x ^ y * 3 ^ z * 5 ^ w * 7;
    }
}
