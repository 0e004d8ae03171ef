// Sorting, transposition, products, stencils and histograms.
#define KERNEL(name) extern "C" __global__ void name(const int* in, int* out, int* scratch, int n)
#define FULL 0xffffffffu

// The numbers of each block; there are as many as threads.
KERNEL(sort_bitonic) {
  __shared__ int words[512];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  words[t] = in[i];
  for (int size = 2; size <= blockDim.x; size *= 2) {
    for (int step = size / 2; step > 0; step /= 2) {
      __syncthreads();
      int other = t ^ step;
      if (other > t && (words[t] > words[other]) == ((t & size) == 0)) {
        int v = words[t];
        words[t] = words[other];
        words[other] = v;
      }
    }
  }
  __syncthreads();
  out[i] = words[t];
}

KERNEL(sort_odd_even) {
  __shared__ int words[512];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  words[t] = in[i];
  for (int round = 0; round < blockDim.x; ++round) {
    __syncthreads();
    if (t % 2 == round % 2 && t + 1 < blockDim.x && words[t] > words[t + 1]) {
      int v = words[t];
      words[t] = words[t + 1];
      words[t + 1] = v;
    }
  }
  __syncthreads();
  out[i] = words[t];
}

// One bit at a time: who has 0 comes first.
KERNEL(sort_radix) {
  __shared__ int words[512], zeros[512];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, size = blockDim.x;
  int v = in[i];
  for (int bit = 0; bit < 32; ++bit) {
    int zero = ((unsigned)(v ^ 0x80000000) >> bit & 1) == 0;
    zeros[t] = zero;
    __syncthreads();
    for (int step = 1; step < size; step *= 2) {
      int more = t >= step ? zeros[t - step] : 0;
      __syncthreads();
      zeros[t] += more;
      __syncthreads();
    }
    int at = zero ? zeros[t] - 1 : zeros[size - 1] + t - zeros[t];
    words[at] = v;
    __syncthreads();
    v = words[t];
    __syncthreads();
  }
  out[i] = v;
}

// Each warp sorts its 32 numbers, four bits at a time, by who holds the same digit.
KERNEL(sort_match) {
  int lane = threadIdx.x % 32, i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v = (unsigned)in[i] ^ 0x80000000;
  for (int shift = 0; shift < 32; shift += 4) {
    unsigned digit = v >> shift & 15;
    unsigned same = __match_any_sync(FULL, digit);
    int at = __popc(same & ((1u << lane) - 1));
    for (unsigned d = 0; d < 15; ++d) {
      int count = __popc(__ballot_sync(FULL, digit == d));
      if (d < digit) at += count;
    }
    // Lane `at` takes the number: each lane asks who goes to its place.
    int from = 0;
    for (int other = 0; other < 32; ++other) {
      if (__shfl_sync(FULL, at, other) == lane) from = other;
    }
    v = __shfl_sync(FULL, v, from);
  }
  out[i] = v ^ 0x80000000;
}

KERNEL(sort_bitonic_shuffle) {
  int lane = threadIdx.x % 32, i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = in[i];
  for (int size = 2; size <= 32; size *= 2) {
    for (int step = size / 2; step > 0; step /= 2) {
      int other = __shfl_xor_sync(FULL, v, step);
      bool lower = (lane & step) == 0, up = (lane & size) == 0;
      v = lower == up ? min(v, other) : max(v, other);
    }
  }
  out[i] = v;
}

KERNEL(sort_rank) {
  __shared__ int words[512];
  int t = threadIdx.x, first = blockIdx.x * blockDim.x;
  words[t] = in[first + t];
  __syncthreads();
  int rank = 0;
  for (int k = 0; k < blockDim.x; ++k) rank += words[k] < words[t] || (words[k] == words[t] && k < t);
  out[first + rank] = words[t];
}

KERNEL(sort_merge) {
  __shared__ int words[2][512];
  int t = threadIdx.x, first = blockIdx.x * blockDim.x, size = blockDim.x, from = 0;
  words[0][t] = in[first + t];
  __syncthreads();
  for (int width = 1; width < size; width *= 2) {
    int start = t * 2 * width;
    if (start < size) {
      int middle = min(start + width, size), end = min(start + 2 * width, size), a = start, b = middle;
      for (int k = start; k < end; ++k) {
        bool left = a < middle && (b >= end || words[from][a] <= words[from][b]);
        words[1 - from][k] = left ? words[from][a++] : words[from][b++];
      }
    }
    from = 1 - from;
    __syncthreads();
  }
  out[first + t] = words[from][t];
}

// A matrix of n rows and 37 columns, by tiles of 16 x 16.
KERNEL(transpose_tiled) {
  const int columns = 37;
  __shared__ int tile[16][17];
  int tx = threadIdx.x % 16, ty = threadIdx.x / 16, across = (columns + 15) / 16;
  int bx = blockIdx.x % across, by = blockIdx.x / across;
  int x = bx * 16 + tx, y = by * 16 + ty;
  if (x < columns && y < n) tile[ty][tx] = in[y * columns + x];
  __syncthreads();
  int row = bx * 16 + ty, column = by * 16 + tx;
  if (row < columns && column < n) out[row * n + column] = tile[tx][ty];
}

// Each warp a matrix of 32 x 4, without shared memory.
KERNEL(transpose_shuffle) {
  int lane = threadIdx.x % 32, first = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * 128;
  int v[4];
  for (int k = 0; k < 4; ++k) v[k] = in[first + k * 32 + lane];
  // Word `lane * 4 + k` of the result is row k, column lane of four rows of 32.
  for (int k = 0; k < 4; ++k) {
    int w = k * 32 + lane, row = w % 4, column = w / 4, got = 0;
    for (int r = 0; r < 4; ++r) {
      int x = __shfl_sync(FULL, v[r], column);
      if (r == row) got = x;
    }
    out[first + w] = got;
  }
}

// Two square matrices of n x n, by tiles of 8 x 8.
KERNEL(product_tiled) {
  __shared__ int a[8][8], b[8][8];
  int tx = threadIdx.x % 8, ty = threadIdx.x / 8, across = (n + 7) / 8;
  int x = blockIdx.x % across * 8 + tx, y = blockIdx.x / across * 8 + ty, sum = 0;
  for (int first = 0; first < n; first += 8) {
    a[ty][tx] = y < n && first + tx < n ? in[y * n + first + tx] : 0;
    b[ty][tx] = x < n && first + ty < n ? in[n * n + (first + ty) * n + x] : 0;
    __syncthreads();
    for (int k = 0; k < 8; ++k) sum += a[ty][k] * b[k][tx];
    __syncthreads();
  }
  if (x < n && y < n) out[y * n + x] = sum;
}

// The sum of seven neighbours; what is beyond the ends counts as 0.
KERNEL(stencil_line) {
  __shared__ int words[512 + 6];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  words[t + 3] = i < n ? in[i] : 0;
  if (t < 3) {
    words[t] = i >= 3 ? in[i - 3] : 0;
    int right = (blockIdx.x + 1) * blockDim.x + t;
    words[blockDim.x + 3 + t] = right < n ? in[right] : 0;
  }
  __syncthreads();
  if (i >= n) return;
  int sum = 0;
  for (int k = 0; k < 7; ++k) sum += words[t + k];
  out[i] = sum;
}

// Nine rounds of a ring that each block has to itself.
KERNEL(stencil_rounds) {
  __shared__ int words[2][512];
  int t = threadIdx.x, size = blockDim.x, i = blockIdx.x * size + t, from = 0;
  words[0][t] = i < n ? in[i] : 0;
  for (int round = 0; round < 9; ++round) {
    __syncthreads();
    words[1 - from][t] = words[from][(t + size - 1) % size] - 2 * words[from][t] + words[from][(t + 1) % size];
    from = 1 - from;
  }
  out[i] = words[from][t];
}

// Neighbours come from the warp where they are in it.
KERNEL(stencil_shuffle) {
  int lane = threadIdx.x % 32, i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = i < n ? in[i] : 0;
  int left = __shfl_up_sync(FULL, v, 1), right = __shfl_down_sync(FULL, v, 1);
  if (lane == 0) left = i > 0 && i - 1 < n ? in[i - 1] : 0;
  if (lane == 31) right = i + 1 < n ? in[i + 1] : 0;
  if (i < n) out[i] = left + 3 * v + right;
}

KERNEL(histogram_shared) {
  __shared__ int bins[64];
  for (int b = threadIdx.x; b < 64; b += blockDim.x) bins[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&bins[in[i] & 63], 1);
  __syncthreads();
  for (int b = threadIdx.x; b < 64; b += blockDim.x) atomicAdd(&out[b], bins[b]);
}

// Bytes of a warp's own, without atomics: one lane at a time where two count the same.
KERNEL(histogram_warps) {
  __shared__ int bins[8][64];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int b = lane; b < 64; b += 32) bins[warp][b] = 0;
  __syncwarp();
  int rounds = (n + gridDim.x * blockDim.x - 1) / (gridDim.x * blockDim.x);
  for (int round = 0; round < rounds; ++round) {
    int i = (round * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    int bin = i < n ? in[i] & 63 : -1;
    unsigned same = __match_any_sync(FULL, bin);
    if (bin >= 0 && __ffs(same) - 1 == lane) bins[warp][bin] += __popc(same);
    __syncwarp();
  }
  __syncthreads();
  for (int b = threadIdx.x; b < 64; b += blockDim.x) {
    int sum = 0;
    for (int w = 0; w < blockDim.x / 32; ++w) sum += bins[w][b];
    atomicAdd(&out[b], sum);
  }
}

// Lanes of one value count together, in masks of their own.
KERNEL(histogram_labels) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned active = __activemask();
  unsigned same = __match_any_sync(active, in[i] & 63);
  int count = __reduce_add_sync(same, 1);
  if (__ffs(same) - 1 == threadIdx.x % 32) atomicAdd(&out[in[i] & 63], count);
}
