// The three spellings of a directive, with comments behind them, and pragmas in between.
__global__ void spellings(int n, int *a) {
  #CCC for const // every lane
  for (int i = 0; i < n; ++i) {
    #pragma CCC if /* rarely */
    if (a[i]) a[i] = 1;
  }
  # pragma CCC for
  #pragma unroll 4
  // A comment in between.
  #pragma nv_diag_suppress 177
  for (int i = 0; i < n; ++i) {
    //#CCC if
    if (a[i]) a[i] = 2;
  }
  #pragma unroll
  // #CCC for block(32)
  for (int i = 0; i < n; ++i) {
    // #CCC if // the same
    if (a[i]) a[i] = 3;
  }
  #CCC \
    for \
    const
  for (int i = 0; i < n; ++i) {
    /* not alone, but nothing is before it */ #CCC if
    if (a[i]) a[i] = 4;
  }
}
