// A virtual machine: cases of a switch, with fall-through and a default, several marked.
//
// RUN: ccc --block 96
// REFUSED: line 14: what follows the marked path in its iteration depends on it and on the marked path of line 22, and can run with one of them only
// REFUSED: line 17: what follows the marked path in its iteration depends on it and on the marked path of line 14, and can run with one of them only
// LAUNCH: machine 2 96 i32:250 i32[250]=below:9:1 i32[250]=iota i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void machine(int n, const int *__restrict__ op, const int *__restrict__ a, int *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = a[i];
        switch (op[i]) {
//#CCC case
        case 0: { int h = v; for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5); out[i] = h; break; }
        case 1: out[i] = v; break;
//#CCC case
        case 2:
        case 3: { int h = v; for (int j = 0; j < 7; ++j) h = h * 35 - (h >> 3); out[i] = h; break; }
        case 4: v += 3;
        case 5: out[i] = v * 2; break;
//#CCC case
        case 6: { int h = v; do { h = h / 2 + 1; } while (h > 5); out[i] = h; break; }
        case 7: continue;
        default: out[i] = -1;
        }
        if (v == 100) out[i] += 1;
    }
}
