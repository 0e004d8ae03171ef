// Threads that wait for each other, and calls that are known only when they are made.
typedef unsigned int u32;
typedef unsigned long long u64;

extern "C" __global__ void histogram(const unsigned char* in, u32* out, int n) {
  __shared__ u32 bins[256];
  for (int b = threadIdx.x; b < 256; b += blockDim.x) bins[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&bins[in[i]], 1u);
  __syncthreads();
  for (int b = threadIdx.x; b < 256; b += blockDim.x) atomicAdd(&out[b], bins[b]);
}

// A thread of each block takes a ticket and waits for its turn; what the lock guards is not atomic.
extern "C" __global__ void ticket_lock(u32* lock, u32* guarded, int rounds) {
  if (threadIdx.x != 0) return;
  for (int round = 0; round < rounds; ++round) {
    u32 mine = atomicAdd(&lock[0], 1u);
    while (atomicAdd(&lock[1], 0u) != mine) {}
    __threadfence();
    u32 seen = ((volatile u32*)guarded)[0];
    ((volatile u32*)guarded)[0] = seen + 1;
    ((volatile u32*)guarded)[1] += seen * (blockIdx.x + 1) % 7;
    __threadfence();
    atomicAdd(&lock[1], 1u);
  }
}

extern "C" __global__ void atomics(u32* words, u64* longs, float* floats, double* doubles, const int* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int v = in[i];
  atomicAdd(&words[0], (u32)v);
  atomicSub(&words[1], (u32)v);
  atomicMax((int*)&words[2], v);
  atomicMin((int*)&words[3], v);
  atomicInc(&words[4], 9u);
  atomicDec(&words[5], 9u);
  atomicAnd(&words[6], ~(1u << (i & 31)));
  atomicOr(&words[7], 1u << (v & 31));
  atomicAdd(&longs[0], (u64)v * 0x100000001ull);
  atomicMax(&longs[1], (u64)v << 20);
  atomicXor(&longs[2], (u64)v << 32 | i);
  atomicAdd(&floats[0], (float)(v % 64));
  atomicAdd(&doubles[0], (double)v);
}

// Warp 0 fills, warp 1 empties; two named barriers hand a buffer over.
extern "C" __global__ void hand_over(const int* in, int* out, int rounds) {
  __shared__ int buffer[32];
  int lane = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    for (int round = 0; round < rounds; ++round) {
      buffer[lane] = in[round * 32 + lane] * 2;
      asm volatile("bar.arrive 1, 64;" ::: "memory");
      asm volatile("bar.sync 2, 64;" ::: "memory");
    }
  } else {
    for (int round = 0; round < rounds; ++round) {
      asm volatile("bar.sync 1, 64;" ::: "memory");
      out[round * 32 + lane] = buffer[31 - lane] + 1;
      asm volatile("bar.arrive 2, 64;" ::: "memory");
    }
  }
}

// Blocks pass a token around; all of them must be resident.
extern "C" __global__ void ring(volatile u32* token, u32* visits, int rounds) {
  if (threadIdx.x != 0) return;
  for (int round = 0; round < rounds; ++round) {
    while (*token % gridDim.x != blockIdx.x) {}
    __threadfence();
    visits[blockIdx.x] += *token;
    __threadfence();
    *token = *token + 1;
  }
}

typedef int (*Operation)(int, int);
static __device__ __noinline__ int plus(int a, int b) { return a + b; }
static __device__ __noinline__ int minus(int a, int b) { return a - b; }
static __device__ __noinline__ int times(int a, int b) { return a * b; }
__device__ Operation operations[3] = {plus, minus, times};

extern "C" __global__ void pointers(const int* a, const int* b, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = operations[i % 3](a[i], b[i]);
}

struct Shape {
  int size;
  __device__ explicit Shape(int size) : size(size) {}
  __device__ virtual int area() const = 0;
};
struct Square : Shape {
  __device__ explicit Square(int size) : Shape(size) {}
  __device__ int area() const override { return size * size; }
};
struct Strip : Shape {
  __device__ explicit Strip(int size) : Shape(size) {}
  __device__ int area() const override { return 3 * size + 1; }
};

extern "C" __global__ void virtuals(int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Square square(i);
  Strip strip(i + 7);
  const Shape* shapes[2] = {&square, &strip};
  out[i] = shapes[i * 5 % 3 & 1]->area();
}

struct Cell {
  int value;
  Cell* next;
};

// Lists on the heap of the device.
extern "C" __global__ void lists(int* out, int length, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Cell* head = nullptr;
  for (int k = 0; k <= i % length; ++k) {
    Cell* cell = (Cell*)malloc(sizeof(Cell));
    if (!cell) return;
    cell->value = i + k;
    cell->next = head;
    head = cell;
  }
  int sum = 0;
  while (head) {
    Cell* next = head->next;
    sum = sum * 2 + head->value;
    free(head);
    head = next;
  }
  out[i] = sum;
}

// Each lane in its turn: a chain through a warp that needs lanes to run apart.
extern "C" __global__ void chain(int* out) {
  __shared__ volatile int values[32];
  int lane = threadIdx.x;
  values[lane] = lane;
  __syncwarp();
  for (int step = 1; step < 32; ++step) {
    if (lane == step) values[step] = values[step] + values[step - 1];
    __syncwarp();
  }
  out[lane] = values[lane];
}

#include <cstdio>

extern "C" __global__ void print(int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) printf("%d: %5.2f|%-4x|%s|%c%%\n", i, i * 1.5, i * 17, i % 2 ? "odd" : "even", 'a' + i);
}
