// Records with bit fields in a union; the rare branch changes some fields, the whole word is read afterwards.
//
// RUN: ccc --block 96
// LAUNCH: union_and_bits 2 96 i32:1000 u32[1000]=below:65536:1 u32[1000]=0
// LAUNCH: union_and_bits 1 33 i32:77 u32[1000]=below:65536:2 u32[1000]=0
// EXPECT: same-memory

union Record {
    unsigned word;
    struct { unsigned kind : 3, level : 5, rest : 24; } f;
    unsigned char byte[4];
};

extern "C" __global__ void union_and_bits(int n, Record *r, unsigned *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (r[i].f.kind == 5) {
            r[i].f.level += 3;
            r[i].f.rest ^= i;
            r[i].byte[3] = r[i].byte[0];
        }
        out[i] = r[i].word;
    }
}
