// Function template, pointers between nodes, cuda::atomic<node*> with compare_exchange; push/pop that gives up.

// nothing: cs
#include <cuda/std/atomic>
#include <cuda/atomic>
template <class T> struct stack {
    struct node { T v; node *next; };
    cuda::atomic<node *, cuda::thread_scope_device> top;
    __device__ void push(node *n) {
        n->next = top.load(cuda::std::memory_order_relaxed);
        while (!top.compare_exchange_strong(n->next, n, cuda::std::memory_order_release, cuda::std::memory_order_relaxed)) ;
    }
    __device__ node *pop() {
        node *h = top.load(cuda::std::memory_order_acquire);
        while (h && !top.compare_exchange_strong(h, h->next, cuda::std::memory_order_acquire)) ;
        return h;
    }
};
__device__ stack<int> st;
__device__ stack<int>::node nd[32];
extern "C" __global__ void cs(int *out)
{
    nd[threadIdx.x].v = threadIdx.x;
    st.push(&nd[threadIdx.x]);
    stack<int>::node *n = st.pop();
    out[threadIdx.x] = n != nullptr;
}
