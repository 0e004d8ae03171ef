// An interpreter whose forty instructions are all marked.
//
// RUN: ccc --block 64 --lower-occupancy
// LAUNCH: machine 2 64 i32:500 i32[500]=below:44:1 i32[500]=iota i32[500]=0
// EXPECT: same-memory
#define OP(n) case n: { int h = v + n; for (int j = 0; j < 3 + n % 5; ++j) h = h * (33 + n) + (h >> (n % 7 + 1)); out[i] = h; break; }
extern "C" __global__ void machine(int n, const int *__restrict__ op, const int *__restrict__ a, int *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = a[i];
        switch (op[i]) {
//#CCC case
        OP(0)
//#CCC case
        OP(1)
//#CCC case
        OP(2)
//#CCC case
        OP(3)
//#CCC case
        OP(4)
//#CCC case
        OP(5)
//#CCC case
        OP(6)
//#CCC case
        OP(7)
//#CCC case
        OP(8)
//#CCC case
        OP(9)
//#CCC case
        OP(10)
//#CCC case
        OP(11)
//#CCC case
        OP(12)
//#CCC case
        OP(13)
//#CCC case
        OP(14)
//#CCC case
        OP(15)
        OP(16) OP(17) OP(18) OP(19) OP(20) OP(21) OP(22) OP(23) OP(24) OP(25) OP(26) OP(27)
        OP(28) OP(29) OP(30) OP(31) OP(32) OP(33) OP(34) OP(35) OP(36) OP(37) OP(38) OP(39)
        default: out[i] = -v;
        }
    }
}
