// Graphs in compressed rows, and tables.
typedef unsigned int u32;
typedef unsigned long long u64;

extern "C" __global__ void bfs_level(const int* starts, const int* edges, int* levels, int* changed, int level, int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n || levels[v] != level) return;
  for (int e = starts[v]; e < starts[v + 1]; ++e) {
    int w = edges[e];
    if (levels[w] < 0) {
      levels[w] = level + 1;
      *changed = 1;
    }
  }
}

extern "C" __global__ void relax(const int* starts, const int* edges, const u32* weights, u32* distance, int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  for (int round = 0; round < n; ++round) {
    if (v < n && distance[v] != ~0u)
      for (int e = starts[v]; e < starts[v + 1]; ++e) atomicMin(&distance[edges[e]], distance[v] + weights[e]);
    __syncthreads();
  }
}

extern "C" __global__ void insert(const u32* keys, u32* table, u32* sums, u32 slots, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  u32 key = keys[i], slot = key * 2654435761u % slots;
  while (true) {
    u32 there = atomicCAS(&table[slot], 0u, key);
    if (there == 0 || there == key) break;
    slot = (slot + 1) % slots;
  }
  atomicAdd(&sums[slot], 1u);
}

extern "C" __global__ void components(const int* from, const int* to, int* labels, int edges, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    for (int e = threadIdx.x; e < edges; e += blockDim.x) {
      atomicMin(&labels[from[e]], labels[to[e]]);
      atomicMin(&labels[to[e]], labels[from[e]]);
    }
    __syncthreads();
  }
}

extern "C" __global__ void page_rank(const int* starts, const int* sources, const int* degrees, const double* rank, double* next, int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  double sum = 0;
  for (int e = starts[v]; e < starts[v + 1]; ++e) sum += rank[sources[e]] / degrees[sources[e]];
  next[v] = 0.15 / n + 0.85 * sum;
}

extern "C" __global__ void triangles(const int* starts, const int* edges, u64* count, int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  u64 found = 0;
  for (int e = starts[v]; e < starts[v + 1]; ++e) {
    int w = edges[e];
    if (w <= v) continue;
    int i = starts[v], j = starts[w];
    while (i < starts[v + 1] && j < starts[w + 1]) {
      int a = edges[i], b = edges[j];
      if (a == b && a > w) ++found;
      i += a <= b;
      j += b <= a;
    }
  }
  atomicAdd(count, found);
}

struct Node {
  int value;
  int next;
};

extern "C" __global__ void walk(const Node* nodes, const int* heads, int* sums, int lists) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= lists) return;
  int sum = 0;
  for (int at = heads[i]; at >= 0; at = nodes[at].next) sum = sum * 3 + nodes[at].value;
  sums[i] = sum;
}
