// One item per thread: arithmetic of every kind and width.
typedef unsigned long long u64;
typedef unsigned int u32;

static __device__ int item() { return blockIdx.x * blockDim.x + threadIdx.x; }

extern "C" __global__ void saxpy(float a, const float* x, float* y, int n) {
  int i = item();
  if (i < n) y[i] = fmaf(a, x[i], y[i]);
}

extern "C" __global__ void clamp_mix(const double* x, double* y, double low, double high, int n) {
  int i = item();
  if (i >= n) return;
  double v = x[i] < low ? low : x[i] > high ? high : x[i];
  y[i] = i % 3 ? v * 0.5 + 1.0 : -v;
}

extern "C" __global__ void horner(const double* x, double* y, int n) {
  int i = item();
  if (i >= n) return;
  double sum = 0.125;
  for (int k = 7; k > 0; --k) sum = fma(sum, x[i], 1.0 / k);
  y[i] = sum;
}

extern "C" __global__ void mix64(const u64* in, u64* out, int n) {
  int i = item();
  if (i >= n) return;
  u64 z = in[i] + 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  out[i] = z ^ (z >> 31);
}

extern "C" __global__ void bits(const u64* in, u32* out, int n) {
  int i = item();
  if (i >= n) return;
  u64 v = in[i];
  u32 w = (u32)v;
  u32* o = out + 8 * i;
  o[0] = __popc(w);
  o[1] = __popcll(v);
  o[2] = __clz(w);
  o[3] = __clzll(v);
  o[4] = __brev(w);
  o[5] = __ffs(w);
  o[6] = __ffsll(v);
  o[7] = (u32)(__brevll(v) >> 32);
}

extern "C" __global__ void quotients(const long long* a, const long long* b, long long* out, int n) {
  int i = item();
  if (i >= n) return;
  long long x = a[i], y = b[i];
  long long* o = out + 8 * i;
  o[0] = x / y;
  o[1] = x % y;
  o[2] = (long long)((u64)x / (u64)y);
  o[3] = (long long)((u64)x % (u64)y);
  int p = (int)x, q = (int)y | 1;
  o[4] = p / q;
  o[5] = p % q;
  o[6] = (u32)p / (u32)q;
  o[7] = (u32)p % (u32)q;
}

extern "C" __global__ void conversions(const float* in, int* out, float* back, int n) {
  int i = item();
  if (i >= n) return;
  float v = in[i];
  int* o = out + 6 * i;
  o[0] = __float2int_rn(v);
  o[1] = __float2int_rz(v);
  o[2] = __float2int_ru(v);
  o[3] = __float2int_rd(v);
  o[4] = (int)__float2uint_rz(v);
  o[5] = (short)__float2int_rz(v);
  back[4 * i] = (float)o[1];
  back[4 * i + 1] = (float)(u32)o[0];
  back[4 * i + 2] = (float)((double)v * 3.0);
  back[4 * i + 3] = rintf(v) + floorf(v) + ceilf(v) + truncf(v);
}

// Halves without their header: the instructions themselves.
extern "C" __global__ void halves(const unsigned short* a, const unsigned short* b, unsigned short* out, int n) {
  int i = item();
  if (i >= n) return;
  unsigned short sum, product, fused;
  asm("add.rn.f16 %0, %1, %2;" : "=h"(sum) : "h"(a[i]), "h"(b[i]));
  asm("mul.rn.f16 %0, %1, %2;" : "=h"(product) : "h"(a[i]), "h"(b[i]));
  asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(fused) : "h"(a[i]), "h"(b[i]), "h"(sum));
  out[3 * i] = sum;
  out[3 * i + 1] = product;
  out[3 * i + 2] = fused;
}

extern "C" __global__ void mandelbrot(int* out, int width, int height, int limit) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float cr = 3.0f * x / width - 2.0f, ci = 2.0f * y / height - 1.0f, zr = 0, zi = 0;
  int steps = 0;
  while (steps < limit && zr * zr + zi * zi <= 4.0f) {
    float t = zr * zr - zi * zi + cr;
    zi = 2.0f * zr * zi + ci;
    zr = t;
    ++steps;
  }
  out[y * width + x] = steps;
}

extern "C" __global__ void collatz(u32* out, int n) {
  int i = item();
  if (i >= n) return;
  u64 v = i + 1;
  u32 steps = 0;
  while (v != 1) {
    v = v & 1 ? 3 * v + 1 : v >> 1;
    ++steps;
  }
  out[i] = steps;
}

extern "C" __global__ void roots(const double* a, const double* b, double* out64, float* out32, int n) {
  int i = item();
  if (i >= n) return;
  float x = (float)a[i], y = (float)b[i];
  out64[3 * i] = sqrt(a[i]);
  out64[3 * i + 1] = a[i] / b[i];
  out64[3 * i + 2] = 1.0 / b[i];
  out32[3 * i] = __fsqrt_rn(x);
  out32[3 * i + 1] = __fdiv_rn(x, y);
  out32[3 * i + 2] = __frcp_rn(y);
}

extern "C" __global__ void rounding(const float* a, const float* b, float* out, int n) {
  int i = item();
  if (i >= n) return;
  float* o = out + 8 * i;
  o[0] = __fadd_ru(a[i], b[i]);
  o[1] = __fadd_rd(a[i], b[i]);
  o[2] = __fadd_rz(a[i], b[i]);
  o[3] = __fmul_ru(a[i], b[i]);
  o[4] = __fmul_rd(a[i], b[i]);
  o[5] = __fmul_rz(a[i], b[i]);
  o[6] = __fadd_rn(a[i], b[i]);
  o[7] = __fmul_rn(a[i], b[i]);
}

extern "C" __global__ void wide(const u64* a, const u64* b, u64* out, int n) {
  int i = item();
  if (i >= n) return;
  unsigned __int128 x = ((unsigned __int128)a[i] << 64) | b[i], y = ((unsigned __int128)b[i] << 64) | ~a[i];
  unsigned __int128 sum = x + y, difference = x - y, product = x * y;
  u64* o = out + 7 * i;
  o[0] = (u64)sum;
  o[1] = (u64)(sum >> 64);
  o[2] = (u64)difference;
  o[3] = (u64)(difference >> 64);
  o[4] = (u64)product;
  o[5] = (u64)(product >> 64);
  o[6] = __umul64hi(a[i], b[i]);
}

extern "C" __global__ void bytes(const unsigned char* in, unsigned char* out, int n) {
  int i = item();
  if (4 * i >= n) return;
  uchar4 v = reinterpret_cast<const uchar4*>(in)[i];
  unsigned char c[4] = {v.x, v.y, v.z, v.w};
  for (int k = 0; k < 4; ++k)
    if (c[k] >= 'a' && c[k] <= 'z') c[k] -= 32;
  reinterpret_cast<uchar4*>(out)[i] = make_uchar4(c[3], c[2], c[1], c[0]);
}

extern "C" __global__ void permute(const u32* a, const u32* b, u32* out, int n) {
  int i = item();
  if (i >= n) return;
  out[4 * i] = __byte_perm(a[i], b[i], 0x3715);
  out[4 * i + 1] = __funnelshift_l(a[i], b[i], i);
  out[4 * i + 2] = __funnelshift_r(a[i], b[i], i);
  out[4 * i + 3] = (a[i] & b[i]) | (~a[i] & (u32)i) ^ (b[i] >> (i & 31));
}
