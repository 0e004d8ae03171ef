// Compare and swap with the expected value by reference, and in a method.
// All kernels: b = results, n = a number.

__device__ unsigned word;

// nothing: expected_by_reference
// Compare and swap that writes what it saw into the expected value, by reference, as std::atomic does.
__device__ bool exchange_if(unsigned *place, unsigned &expected, unsigned put) {
    unsigned seen = atomicCAS(place, expected, put);
    bool same = seen == expected;
    expected = seen;
    return same;
}
extern "C" __global__ void expected_by_reference(unsigned *__restrict__ b, int n) {
    unsigned old = *(volatile unsigned *)&word;
    while (!exchange_if(&word, old, old + 1)) {}
    b[threadIdx.x] = 1;
}

// nothing: counter_method
// The same loop in a method of a class in device memory.
struct Counter {
    unsigned count;
    __device__ void raise() {
        unsigned old = *(volatile unsigned *)&count, assumed;
        do {
            assumed = old;
            old = atomicCAS(&count, assumed, assumed + 1);
        } while (old != assumed);
    }
};
__device__ Counter counter;
extern "C" __global__ void counter_method(unsigned *__restrict__ b, int n) {
    counter.raise();
    b[threadIdx.x] = 1;
}
