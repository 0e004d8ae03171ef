// When the marked branch gets its own copy of the loop variable (ctx in the marker), and when not.
__device__ void reads(int v, const int &w);
__device__ void writes(int &v);
#define BUMP(x) ((x)++)
#define USES_I a[i] = 1
#define SQUARE(x) ((x) * (x))
__global__ void copied(int n, int *a, long long m, float *f) {
  #CCC for
  for (int i = 0; i < n; ++i) {
    #CCC if
    if (a[i]) { a[i] = 1; }
    #CCC if
    if (a[i]) { int i = 3; i += n; }
    #CCC if
    if (a[i]) reads(i, i);
    #CCC if
    if (a[i]) a[0] = n & i;
    #CCC if
    if (a[i]) a[0] = SQUARE(i) == 4;
    #CCC if
    if (a[i]) { for (int j = i; j < n; ++j) a[j] = i; }
    #CCC if
    if (a[i]) a[0] = [](int x) { return x; }(i);
  }
  #CCC for
  for (const float *p = f, *const end = f + n; p < end; ++p) {
    #CCC if
    if (*p > 0) a[0] = *p;
  }
  #CCC for
  for (unsigned long long i(0); i < m; ++i)
    #CCC if
    if (a[i]) a[i] = 5;
}
__global__ void not_copied(int n, int *a, int k, const int (&list)[4]) {
  #CCC for
  for (int i = 0; i < n; ++i) {
    #CCC if
    if (a[i]) a[0] = 1;
    #CCC if
    if (a[i]) i += 2;
    #CCC if
    if (a[i]) a[0] = i++;
    #CCC if
    if (a[i]) a[0] = --i;
    #CCC if
    if (a[i]) atomicAdd(&i, 1);
    #CCC if
    if (a[i]) writes(i);
    #CCC if
    if (a[i]) BUMP(i);
    #CCC if
    if (a[i]) USES_I;
    #CCC if
    if (a[i]) { int &r = i; r = 2; }
    #CCC if
    if (a[i]) [&] { i = 2; }();
    #CCC if
    if (a[i]) { decltype(i) j = i; a[0] = j; }
    #CCC if
    if (a[i]) asm("add.s32 %0, %0, 1;" : "+r"(i));
    #CCC if
    if (a[i]) { a[0] = i; there: a[1] = 2; if (a[2]) goto there; }
  }
  #CCC for
  for (k = 0; k < n; ++k)
    #CCC if
    if (a[k]) a[k] = 1;
  #CCC for
  for (int i = 0, j = n; i < j; ++i, --j)
    #CCC if
    if (a[i]) a[i] = j;
  #CCC for
  for (int &i = a[0]; i < n; ++i)
    #CCC if
    if (a[i]) a[i] = 1;
  #CCC for
  for (int i : list)
    #CCC if
    if (a[i]) a[i] = 1;
  #CCC for
  for (uint2 i = make_uint2(0, 0); i.x < n; ++i.x)
    #CCC if
    if (a[i.x]) a[i.x] = 1;
  #CCC for
  for (int i = 0; i < n; ++i) {
    { int i = a[0]; a[1] = i; }
    #CCC if
    if (a[i]) a[i] = 1;
    {
      char i[2] = {};
      #CCC if
      if (i[0]) i[1] = 1;
    }
  }
}
