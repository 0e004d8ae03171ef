// Two sorting networks for arrays of 1024 keys with values: a block of 512 threads for each array, in shared memory. Compared elements that belong to
// one warp need no barrier in lockstep.

#define LENGTH 1024

static __device__ void compare(volatile unsigned *keys, volatile unsigned *values, unsigned low, unsigned high, bool up)
{
    unsigned one = keys[low], other = keys[high];
    if ((one > other) == up) {
        unsigned value = values[low];
        keys[low] = other;
        keys[high] = one;
        values[low] = values[high];
        values[high] = value;
    }
}

// Bitonic sort. With a stride below 32, the pairs of a warp lie in 64 elements that no other warp accesses.
extern "C" __global__ void bitonic(const unsigned *keys_in, const unsigned *values_in, unsigned *keys_out, unsigned *values_out)
{
    __shared__ volatile unsigned keys[LENGTH], values[LENGTH];
    unsigned thread = threadIdx.x, first = blockIdx.x * LENGTH + thread;
    keys[thread] = keys_in[first];
    values[thread] = values_in[first];
    keys[thread + LENGTH / 2] = keys_in[first + LENGTH / 2];
    values[thread + LENGTH / 2] = values_in[first + LENGTH / 2];
    __syncthreads();
    for (unsigned size = 2; size <= LENGTH; size <<= 1) {
        bool up = size == LENGTH || (thread & (size / 2)) == 0;
        for (unsigned stride = size / 2; stride > 0; stride >>= 1) {
            if (stride >= 32) __syncthreads();
            unsigned low = 2 * thread - (thread & (stride - 1));
            compare(keys, values, low, low + stride, up);
        }
    }
    __syncthreads();
    keys_out[first] = keys[thread];
    values_out[first] = values[thread];
    keys_out[first + LENGTH / 2] = keys[thread + LENGTH / 2];
    values_out[first + LENGTH / 2] = values[thread + LENGTH / 2];
}

// Batcher's odd-even merge sort. Merges of up to 64 elements lie within one warp.
extern "C" __global__ void oddeven(const unsigned *keys_in, const unsigned *values_in, unsigned *keys_out, unsigned *values_out)
{
    __shared__ volatile unsigned keys[LENGTH], values[LENGTH];
    unsigned thread = threadIdx.x, first = blockIdx.x * LENGTH + thread;
    keys[thread] = keys_in[first];
    values[thread] = values_in[first];
    keys[thread + LENGTH / 2] = keys_in[first + LENGTH / 2];
    values[thread + LENGTH / 2] = values_in[first + LENGTH / 2];
    __syncthreads();
    for (unsigned size = 2; size <= LENGTH; size <<= 1) {
        unsigned stride = size / 2, offset = thread & (stride - 1);
        if (size > 64) __syncthreads();
        unsigned low = 2 * thread - offset;
        compare(keys, values, low, low + stride, true);
        for (stride >>= 1; stride > 0; stride >>= 1) {
            if (size > 64) __syncthreads();
            unsigned high = 2 * thread - (thread & (stride - 1));
            if (offset >= stride) compare(keys, values, high - stride, high, true);
        }
    }
    __syncthreads();
    keys_out[first] = keys[thread];
    values_out[first] = values[thread];
    keys_out[first + LENGTH / 2] = keys[thread + LENGTH / 2];
    values_out[first + LENGTH / 2] = values[thread + LENGTH / 2];
}
