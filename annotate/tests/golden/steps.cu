// Loops in marked loops and calls of recursive functions: the task of a step ends with the block, the case or the statement.
__device__ void walk(int node, int *a) { if (a[node]) walk(a[node], a); }

__global__ void steps(int n, int *a) {
  #CCC for
  for (int i = 0; i < n; ++i) {
    int x = a[i];
    #CCC while
    while (x > 1) x /= 2;
    a[i] = x;
  }

  #CCC for
  for (int i = 0; i < n; ++i)
    #CCC while
    do {
      a[i] /= 3;
    } while (a[i] > 5);

  #CCC for
  for (int i = 0; i < n; ++i) {
    #CCC if
    if (a[i] & 1)
      #pragma unroll 4
      #CCC for
      for (int k = a[i]; k < n; ++k) a[k + i] += k;
    switch (a[i]) {
      case 1:
        #CCC while
        for (int k = 0; k < i; ++k) ++a[n - k];
        a[i] = 7;
        break;
      #CCC case
      case 2:
        #CCC recursive
        walk(i, a);
        break;
      default:
        if (a[i] > 9)
          #CCC recursive
          walk(a[i], a);
        else
          #CCC recursive
          if (n > 3) walk(a[i] + 1, a);
        { int y = a[i];
          #CCC recursive
          walk(y, a); a[y] = i; }
    }
  }
}

__global__ void whole(int n, int *a) {
  #CCC grid
  int i = blockIdx.x;
  #CCC for
  for (int k = 0; k < n; ++k) {
    #CCC if
    if (a[i]) a[k] = 1;
  }
  #CCC for
  for (int k = 0; k < n; ++k) a[i] += a[k];
}
