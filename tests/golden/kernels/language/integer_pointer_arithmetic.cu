// Addresses are put together as numbers: a base in the upper bits and an offset from a table in the lower ones.
//
// RUN: ccc --block 96
// LAUNCH: integer_pointer_arithmetic 2 96 i32:250 i32[250]=below:4:1 i32[1000]=below:40:3 i32[250]=0
// LAUNCH: integer_pointer_arithmetic 1 33 i32:77 i32[250]=below:4:2 i32[1000]=below:40:4 i32[250]=0
// EXPECT: same-memory

extern "C" __global__ void integer_pointer_arithmetic(int n, const int *__restrict__ which, int *a, int *__restrict__ out) {
    unsigned long long base = reinterpret_cast<unsigned long long>(a);
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned long long group = base + 16ull * i;
        unsigned long long at = group | (4ull * which[i]);
//#CCC if
        if (which[i] & 1) {
            int h = i;
            for (int k = 0; k < 5; ++k) h = h * 48271 + k;
            *reinterpret_cast<int *>(at) = h;
        }
        out[i] = a[4 * i] + a[4 * i + 1] * 3 + a[4 * i + 3];
    }
}
