// Sorting by every means.
typedef unsigned int u32;

extern "C" __global__ void bitonic(u32* data) {
  __shared__ u32 part[256];
  u32 t = threadIdx.x;
  part[t] = data[blockIdx.x * 256 + t];
  __syncthreads();
  for (u32 size = 2; size <= 256; size *= 2)
    for (u32 step = size / 2; step > 0; step /= 2) {
      u32 other = t ^ step;
      if (other > t && (part[t] > part[other]) == ((t & size) == 0)) {
        u32 kept = part[t];
        part[t] = part[other];
        part[other] = kept;
      }
      __syncthreads();
    }
  data[blockIdx.x * 256 + t] = part[t];
}

extern "C" __global__ void odd_even(int* data, int n) {
  int t = threadIdx.x;
  for (int round = 0; round < n; ++round) {
    int i = 2 * t + round % 2;
    if (i + 1 < n && data[i] > data[i + 1]) {
      int kept = data[i];
      data[i] = data[i + 1];
      data[i + 1] = kept;
    }
    __syncthreads();
  }
}

// One bit after the other: those without it to the front, in their order.
extern "C" __global__ void radix(u32* data) {
  __shared__ u32 part[256], ones[256];
  int t = threadIdx.x;
  part[t] = data[t];
  for (int bit = 0; bit < 32; ++bit) {
    u32 mine = part[t], set = mine >> bit & 1;
    ones[t] = set;
    __syncthreads();
    for (int step = 1; step < 256; step *= 2) {
      u32 below = t >= step ? ones[t - step] : 0;
      __syncthreads();
      ones[t] += below;
      __syncthreads();
    }
    u32 zeros = 256 - ones[255];
    u32 place = set ? zeros + ones[t] - 1 : t - ones[t];
    __syncthreads();
    part[place] = mine;
    __syncthreads();
  }
  data[t] = part[t];
}

extern "C" __global__ void rank_sort(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int rank = 0;
  for (int k = 0; k < n; ++k) rank += in[k] < in[i] || (in[k] == in[i] && k < i);
  out[rank] = in[i];
}

// Each thread finds the place of its element in the other list.
extern "C" __global__ void merge(const int* a, const int* b, int* out, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n + m) return;
  bool first = i < n;
  const int* other = first ? b : a;
  int value = first ? a[i] : b[i - n], low = 0, high = first ? m : n;
  while (low < high) {
    int middle = (low + high) / 2;
    if (first ? other[middle] < value : other[middle] <= value) low = middle + 1;
    else high = middle;
  }
  out[low + (first ? i : i - n)] = value;
}

// Each thread sorts eight numbers of its own by insertion, in local memory.
extern "C" __global__ void insertion(int* data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (8 * i >= n) return;
  int own[8];
  for (int k = 0; k < 8; ++k) own[k] = data[8 * i + k];
#pragma unroll 1
  for (int k = 1; k < 8; ++k) {
    int value = own[k], at = k;
#pragma unroll 1
    while (at > 0 && own[at - 1] > value) {
      own[at] = own[at - 1];
      --at;
    }
    own[at] = value;
  }
  for (int k = 0; k < 8; ++k) data[8 * i + k] = own[k];
}

static __device__ __noinline__ void quick(int* data, int low, int high) {
  while (low < high) {
    int pivot = data[(low + high) / 2], i = low, j = high;
    while (i <= j) {
      while (data[i] < pivot) ++i;
      while (data[j] > pivot) --j;
      if (i <= j) {
        int kept = data[i];
        data[i++] = data[j];
        data[j--] = kept;
      }
    }
    quick(data, low, j);
    low = i;
  }
}

// Each thread sorts a row by recursion.
extern "C" __global__ void quicksort(int* data, int width, int rows) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows) quick(data, i * width, i * width + width - 1 - i % 5);
}
