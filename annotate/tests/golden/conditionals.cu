// Markers stay in the preprocessor branch of the statement they belong to.
__global__ void conditionals(int n, int *a) {
#ifdef REVERSED
  #CCC for
  for (int i = n; i > 0; --i) {
    #CCC if
    if (a[i]) a[i] = 1;
  }
#elif defined(FORWARD) && \
      FORWARD > 1
  #CCC for
  for (int i = 0; i < n; ++i) {
#if DEEP
    #CCC if
    if (a[i])
      a[i] = 2;
#else
    a[i] = 3;
#endif
  }
#endif
  #CCC for
  for (int i = 0; i < n;
#ifdef WIDE
       i += 2) {
#else
       i += 1) {
#endif
    #CCC if
    if (a[i]
#ifdef WIDE
        && a[i + 1]
#endif
    ) {
#ifdef WIDE
      a[i + 1] = 4;
#endif
      a[i] = 4;
    }
  }
}
