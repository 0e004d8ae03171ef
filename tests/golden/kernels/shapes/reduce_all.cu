// Accumulators of every operator and type, some of them in several places of the path. The compiler leaves a loop there that never ends, and that no lane reaches.
//
// RUN: ccc --block 96
// LAUNCH: k 2 96 i32:450 i32[450]=below:40:1 i64[1536]=0
// LAUNCH: k 1 33 i32:450 i32[450]=below:90:2 i64[264]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, long long* __restrict__ out) {
    int s = 3; unsigned p = 1; long long l = -5; unsigned long long m = ~0ull; int mn = 1 << 30; unsigned mx = 2; int a = -1; long long o = 0; unsigned x = 99;
#CCC for reduce(+:s,l, *:p, min:m,mn, max:mx, &:a, |:o, ^:x)
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC if
        if (v & 1) {
            int w = v * 31 + i;
            s += w; l -= w; p *= w | 1; m = min(m, (unsigned long long)w << 33); mn = min(mn, -w); mx = max(mx, (unsigned)-w); a &= ~w; o |= (long long)w << 20; x ^= w;
            if (w & 2) { s -= 7; x ^= s & 0; }
            for (int j = 0; j < (w & 3); ++j) { s += j; l += s & 0; }
        }
    }
    long long* q = out + 8 * (blockIdx.x * blockDim.x + threadIdx.x);
    q[0] = s; q[1] = l; q[2] = p; q[3] = m; q[4] = mn; q[5] = mx; q[6] = a + o; q[7] = x;
}
