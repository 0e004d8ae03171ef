// Arrays come in a structure made within the kernel; one of its pointers lies in the middle of another one's array.
//
// RUN: ccc --block 96
// LAUNCH: views 2 96 i32:120 i32[250]=below:9:1 i32[250]=4 i32[250]=0
// EXPECT: same-memory
struct View { int *data; int *shifted; int *out; };
extern "C" __global__ void views(int n, const int *__restrict__ k, int *a, int *out) {
    View v = {a, a + (k[0] & 0), out};
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (k[i] > 5) {
            int h = i;
            for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5);
            v.data[i] = h;
        }
        v.out[i] = v.shifted[i];
    }
}
