// Longer computations: physics, number theory, text, codes, games, recursion.
typedef unsigned int u32;
typedef unsigned long long u64;

extern "C" __global__ void nbody(const float4* bodies, float4* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 me = bodies[i];
  float fx = 0, fy = 0, fz = 0;
  for (int j = 0; j < n; ++j) {
    float4 other = bodies[j];
    float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
    float distance = __fsqrt_rn(dx * dx + dy * dy + dz * dz + 0.01f);
    float scale = __fdiv_rn(other.w, distance * distance * distance);
    fx += dx * scale;
    fy += dy * scale;
    fz += dz * scale;
  }
  out[i] = make_float4(fx, fy, fz, me.w);
}

extern "C" __global__ void monte_carlo(u32* inside, int throws) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  u64 state = i * 0x9e3779b97f4a7c15ull + 1;
  u32 hits = 0;
  for (int k = 0; k < throws; ++k) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    u64 x = (u32)state, y = state >> 32;
    hits += (x * x >> 32) + (y * y >> 32) < 1ull << 32;
  }
  inside[i] = hits;
}

extern "C" __global__ void gcds(const u64* a, const u64* b, u64* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  u64 x = a[i], y = b[i];
  while (y) {
    u64 rest = x % y;
    x = y;
    y = rest;
  }
  out[i] = x;
}

extern "C" __global__ void primes(unsigned char* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  bool prime = i >= 2;
  for (int d = 2; prime && d * d <= i; ++d) prime = i % d != 0;
  out[i] = prime;
}

// The edit distance of two words of at most 16 letters, with a row in local memory.
extern "C" __global__ void levenshtein(const char* words, int* out, int pairs) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pairs) return;
  const char *a = words + 32 * i, *b = a + 16;
  int row[17], n = 0, m = 0;
  while (n < 16 && a[n]) ++n;
  while (m < 16 && b[m]) ++m;
  for (int k = 0; k <= m; ++k) row[k] = k;
  for (int y = 1; y <= n; ++y) {
    int corner = row[0];
    row[0] = y;
    for (int x = 1; x <= m; ++x) {
      int above = row[x];
      row[x] = min(min(above, row[x - 1]) + 1, corner + (a[y - 1] != b[x - 1]));
      corner = above;
    }
  }
  out[i] = row[m];
}

__constant__ u32 crc_table[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
                                  0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};

extern "C" __global__ void crc32(const unsigned char* data, u32* out, int length, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  u32 crc = ~0u;
  for (int k = 0; k < length; ++k) {
    crc ^= data[i * length + k];
    crc = crc >> 4 ^ crc_table[crc & 15];
    crc = crc >> 4 ^ crc_table[crc & 15];
  }
  out[i] = ~crc;
}

__constant__ u32 sha_k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
    0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
    0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
    0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
    0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
    0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

// One block of SHA-256 per thread: the message is its number.
extern "C" __global__ void sha256(u32* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  u32 w[64], s[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}, v[8];
  for (int k = 0; k < 16; ++k) w[k] = 0;
  w[0] = i;
  w[1] = 0x80000000;
  w[15] = 32;
  for (int k = 16; k < 64; ++k) {
    u32 a = w[k - 15], b = w[k - 2];
    u32 s0 = __funnelshift_r(a, a, 7) ^ __funnelshift_r(a, a, 18) ^ (a >> 3);
    u32 s1 = __funnelshift_r(b, b, 17) ^ __funnelshift_r(b, b, 19) ^ (b >> 10);
    w[k] = w[k - 16] + s0 + w[k - 7] + s1;
  }
  for (int k = 0; k < 8; ++k) v[k] = s[k];
  for (int k = 0; k < 64; ++k) {
    u32 e = v[4], a = v[0];
    u32 t1 = v[7] + (__funnelshift_r(e, e, 6) ^ __funnelshift_r(e, e, 11) ^ __funnelshift_r(e, e, 25)) + ((e & v[5]) ^ (~e & v[6])) + sha_k[k] + w[k];
    u32 t2 = (__funnelshift_r(a, a, 2) ^ __funnelshift_r(a, a, 13) ^ __funnelshift_r(a, a, 22)) + ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
    for (int j = 7; j > 0; --j) v[j] = v[j - 1];
    v[4] += t1;
    v[0] = t1 + t2;
  }
  for (int k = 0; k < 8; ++k) out[8 * i + k] = s[k] + v[k];
}

static __device__ __noinline__ u32 fib(u32 n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

extern "C" __global__ void fibonacci(u32* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = fib(i % 13);
}

static __device__ __noinline__ int place(int n, u32 columns, u32 left, u32 right) {
  u32 full = (1u << n) - 1;
  if (columns == full) return 1;
  int found = 0;
  for (u32 free = full & ~(columns | left | right); free; free &= free - 1) {
    u32 here = free & (0 - free);
    found += place(n, columns | here, (left | here) << 1, (right | here) >> 1);
  }
  return found;
}

// The queen of the first row stands where the thread says.
extern "C" __global__ void queens(int* out, int n) {
  int i = threadIdx.x;
  if (i < n) out[i] = place(n, 1u << i, 2u << i, 1u << i >> 1);
}

static __device__ __noinline__ bool odd(u32 n);
static __device__ __noinline__ bool even(u32 n) { return n == 0 ? true : odd(n - 1); }
static __device__ __noinline__ bool odd(u32 n) { return n == 0 ? false : even(n - 1) == true; }

extern "C" __global__ void parity(u32* out, int n) {
  int i = threadIdx.x;
  if (i < n) out[i] = even(i % 23) ? 2 : odd(i % 17) ? 1 : 0;
}

// A stack machine that each thread runs on a program of its own.
extern "C" __global__ void interpret(const int* code, int* out, int length, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int stack[8], top = 0;
  for (int k = 0; k < 8; ++k) stack[k] = 0;
  for (int k = 0; k < length; ++k) {
    int op = code[i * length + k];
    switch (op & 7) {
      case 0: stack[top & 7] = op >> 3; ++top; break;
      case 1: --top; stack[(top - 1) & 7] += stack[top & 7]; break;
      case 2: --top; stack[(top - 1) & 7] -= stack[top & 7]; break;
      case 3: --top; stack[(top - 1) & 7] *= stack[top & 7]; break;
      case 4: stack[top & 7] = stack[(top - 1) & 7]; ++top; break;
      case 5: stack[(top - 1) & 7] = -stack[(top - 1) & 7]; break;
      case 6: stack[(top - 1) & 7] ^= op >> 3; break;
      default: stack[(top - 1) & 7] = stack[(top - 1) & 7] >> 1; break;
    }
  }
  out[i] = stack[(top - 1) & 7];
}
