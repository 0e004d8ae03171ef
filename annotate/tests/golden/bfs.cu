// The paper's example (Figure 1): a grid-stride loop whose branch few lanes take.
__device__ void process_neighbours(int v, int current, int *levels, const int *first, const int *edges, bool *done) {
  for (int e = first[v]; e < first[v + 1]; ++e) {
    if (levels[edges[e]] > current + 1) {
      levels[edges[e]] = current + 1;
      *done = false;
    }
  }
}

__global__ void bfs(int n, int current, int *levels, const int *first, const int *edges, bool *done) {
  #CCC for
  for (int v = threadIdx.x + blockIdx.x * blockDim.x; v < n; v += gridDim.x * blockDim.x) {
    bool active = levels[v] == current;
    #CCC if
    if (active)
      process_neighbours(v, current, levels, first, edges, done);
  }
}
