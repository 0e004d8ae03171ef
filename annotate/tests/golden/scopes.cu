// Everything that a kernel can be inside of.
#include <utility>
#define KERNEL_FN __global__ __launch_bounds__(256)
#define BOTH __host__ __device__
#define INLINED BOTH __forceinline__
namespace outer { namespace inner {
template <class T, int N = (3 > 2)> struct alignas(16) Box {
  T value{};
  int x, y;
  __device__ Box(int n) : x{n}, y(n) {
    #CCC for
    for (int i = 0; i < n; ++i) {
      #CCC if
      if (i & 1) value += i;
    }
  }
  INLINED int operator()(int n) const {
    int sum = 0;
    #CCC for
    for (int i = 0; i < n; ++i)
      #CCC if
      if (i % 3 == 0) sum += i;
    return sum;
  }
};
extern "C" {
KERNEL_FN void plain(int n, int *a) {
  #CCC for
  for (int i = 0; i < n; ++i) {
    #CCC if
    if (a[i] > 0) a[i] = Box<int>(i)(n);
  }
}
}
enum class Mode { Fast = 1, Slow };
template <class A, class = decltype(std::declval<A>() < 3)>
__global__ auto templated(A n, int *a) -> void {
  struct Local {
    int list[2] = {1, 2};
    __device__ void run(int m) {
      #CCC for
      for (int i = 0; i < m; ++i) {
        #CCC if
        if (list[i & 1] > m) list[0] = i;
      }
    }
  } local;
  auto visit = [&, n](auto x) mutable {
    #CCC for
    for (A i = 0; i < n; ++i) {
      #CCC if
      if ([](A y) { return y > 2; }(i)) a[i] = x;
    }
  };
  visit(Mode::Fast == Mode::Slow);
  local.run(3);
}
template __global__ void templated<int>(int, int *);
}}
template <class F> __global__ void apply(F f, int n) { f(n); }
void host(int n, int *a) {
  apply<<<1, 32>>>([=] __device__ (int m) {
    #CCC for
    for (int i = 0; i < m; ++i) {
      #CCC if
      if (a[i]) a[i] = n;
    }
  }, n);
}
