// Arithmetic that the compiler makes of several instructions each.

#define KERNEL(name) extern "C" __global__ void name(const int* in, int* out, int* scratch, int n)

__device__ int folded(unsigned __int128 x) { return (int)(x >> 96 ^ x >> 64 ^ x >> 32 ^ x); }

// Two numbers of 128 bits from each: the second is shorter by up to 119 bits.
__device__ void widened(const int* in, int i, unsigned __int128* x, unsigned __int128* y) {
  unsigned long long a = (unsigned)in[i] * 0x9e3779b97f4a7c15ull + i;
  unsigned long long b = (a ^ a >> 29) * 0xbf58476d1ce4e5b9ull;
  *x = (unsigned __int128)a << 64 | b;
  *y = ((unsigned __int128)b << 64 | a) >> i % 120 | 1;
}

KERNEL(wide_division) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned __int128 x, y;
  widened(in, i, &x, &y);
  out[2 * i] = folded(x / y);
  out[2 * i + 1] = folded(x % y);
}

KERNEL(wide_signed_division) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned __int128 x, y;
  widened(in, i, &x, &y);
  out[2 * i] = folded((__int128)x / (__int128)y);
  out[2 * i + 1] = folded((__int128)x % (__int128)y);
}

KERNEL(wide_sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned __int128 x, y;
  widened(in, i, &x, &y);
  out[2 * i] = folded(x * y - (x << 7) + y);
  out[2 * i + 1] = (x < y) + 2 * ((__int128)x < (__int128)y);
}
