// Loops that wait: what is read where a lane stands says whether it goes on or stays there, and the compiler makes a choice of that, which looks like a
// link. Each hangs on a reconvergence stack.

__device__ __forceinline__ unsigned seen(const unsigned *at) { return *(const volatile unsigned *)at; }

// found: look_back
// 0: not there yet, 1: go one back, 2: the end.
extern "C" __global__ void look_back(unsigned *flags, unsigned *out)
{
    unsigned t = threadIdx.x, end = 0;
    if (t > 1) {
        unsigned i = t - 1, flag;
        while ((flag = seen(&flags[i])) != 2) i -= flag == 1;
        end = i + 1;
    }
    __threadfence();
    *(volatile unsigned *)&flags[t] = 1 + (t < 2);
    out[t] = end;
}

// found: locks_in_a_row
// A lane stays at a lock that is held, and goes on to the next one behind one that it has got, up to a mark.
extern "C" __global__ void locks_in_a_row(unsigned *locks, unsigned *out)
{
    unsigned i = 0, found;
    while ((found = atomicCAS(&locks[i], 0u, 1u)) != 9) i += found == 0;
    out[0] = out[0] + 1;
    __threadfence();
    *(volatile unsigned *)&locks[0] = 0;
    *(volatile unsigned *)&locks[1] = 0;
}

// found: read_a_stream
// 0: not written yet, 2: the end.
extern "C" __global__ void read_a_stream(unsigned *words, unsigned *out)
{
    if (threadIdx.x > 0) {
        unsigned i = 0, sum = 0, word;
        while ((word = seen(&words[i])) != 2) {
            sum += word;
            i += word != 0;
        }
        out[threadIdx.x] = sum;
    } else {
        *(volatile unsigned *)&words[0] = 1;
        *(volatile unsigned *)&words[1] = 5;
        *(volatile unsigned *)&words[2] = 2;
    }
}
