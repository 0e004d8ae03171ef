// cuCollections static_map insert, scalar, packed CAS; window walk as in open_addressing_impl.
#include <cuda/atomic>
typedef unsigned long long u64;
constexpr int window = 2;
struct Window { u64 slot[window]; };
__device__ unsigned mix(unsigned k) { k ^= k >> 16; k *= 0x85ebca6bu; k ^= k >> 13; return k; }
enum class result { CONTINUE, SUCCESS, DUPLICATE };
__device__ result attempt_insert(u64 *address, u64 expected, u64 desired) {
    cuda::atomic_ref<u64, cuda::thread_scope_device> slot(*address);
    if (slot.compare_exchange_strong(expected, desired, cuda::memory_order_relaxed)) return result::SUCCESS;
    return (unsigned)expected == (unsigned)desired ? result::DUPLICATE : result::CONTINUE;
}
__device__ bool insert(Window *w, unsigned extent, u64 pair, u64 empty) {
    unsigned const init = mix((unsigned)pair) % extent;
    unsigned it = init;
    while (true) {
        Window const slots = w[it];
        for (int i = 0; i < window; ++i) {
            if ((unsigned)slots.slot[i] == (unsigned)pair) return false;
            if (slots.slot[i] == empty) {
                switch (attempt_insert(&w[it].slot[i], empty, pair)) {
                    case result::SUCCESS: return true;
                    case result::DUPLICATE: return false;
                    default: continue;
                }
            }
        }
        it = (it + 1) % extent;
        if (it == init) return false;
    }
}
// assumed: k
extern "C" __global__ void k(Window *w, unsigned extent, const u64 *pairs, u64 empty, int *out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = insert(w, extent, pairs[i], empty);
}
