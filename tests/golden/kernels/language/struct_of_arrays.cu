// Arrays in one structure in global memory; the branch writes one member, what follows reads another and then the same one.
//
// RUN: ccc --block 96
// LAUNCH: struct_of_arrays 2 96 i32:128 i32[384]=below:40:1 i32[128]=0
// LAUNCH: struct_of_arrays 1 33 i32:77 i32[384]=below:40:2 i32[128]=0
// EXPECT: same-memory

struct Store {
    int key[128];
    int value[128];
    int left[128];
};

extern "C" __global__ void struct_of_arrays(int n, Store *s, int *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (s->key[i] > 20) {
            int h = i;
            for (int k = 0; k < 6; ++k) h = h * 48271 + s->value[i];
            s->value[i] = h;
        }
        s->left[i] += s->key[i];
        out[i] = s->value[i];
    }
}
