// Addresses of local variables that are stored, or passed to a function that may keep them: what a path loads may be one of them, and another lane
// would find its own memory there. Paths that use parameters of the kernel alone, or kernels that keep no such address, are not concerned.
//
// RUN: ccc --block 64
// REFUSED: line 28: `ld.u32` in the marked path may access local memory, which another lane cannot reach: line 21 keeps an address of it
// REFUSED: line 48: `ld.u32` in the marked path may access local memory, which another lane cannot reach: line 40 keeps an address of it
// REPORT: kernel kept:
// REPORT: region line 63 in loop line 60: context
// REPORT: kernel parameters:
// REPORT: region line 80 in loop line 77: context
// PTXAS: sm_90
// LAUNCH: kept 1 64 u32[1000]=rand:1 u32[1000]=0 i32:1000
// LAUNCH: parameters 1 64 u32[1000]=rand:2 u32[1000]=0 u64[64]=0 i32:1000
// EXPECT: finished

extern "C" __global__ void stored(const unsigned *in, unsigned *out, unsigned **places, int n) {
    unsigned own[8];
    for (int k = 0; k < 8; ++k) own[k] = threadIdx.x * 8 + k;
    unsigned *volatile *mine = (unsigned *volatile *)places;

    mine[threadIdx.x] = own + (in[threadIdx.x] & 7);
#CCC for
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        unsigned word = in[i];
        unsigned *place = mine[threadIdx.x];
#CCC if
        if ((word & 3) == 1) {
            out[i] = word * word + *place;
        }
    }
    out[threadIdx.x] ^= own[in[5] & 7];
}

__device__ __noinline__ void keep(unsigned *place, unsigned **places) { places[threadIdx.x] = place; }

extern "C" __global__ void passed(const unsigned *in, unsigned *out, unsigned **places, int n) {
    unsigned own[8];
    for (int k = 0; k < 8; ++k) own[k] = threadIdx.x * 8 + k;
    // The position of a call is that of its arguments.
    keep(own + (in[threadIdx.x] & 7), places);
#CCC for
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        unsigned word = in[i];
#CCC if
        if ((word & 3) == 1) {
            unsigned *place = places[threadIdx.x];

            out[i] = word * word + *place;
        }
    }
}

// An array that only the thread itself uses, and addresses that are loaded.
extern "C" __global__ void kept(const unsigned *in, unsigned *out, int n) {
    unsigned own[8];
    for (int k = 0; k < 8; ++k) own[k] = threadIdx.x * 8 + k;
    __shared__ unsigned *places[2];
    places[threadIdx.x & 1] = out;
#CCC for
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        unsigned word = in[i] + own[i & 7];
#CCC if
        if ((word & 3) == 1) {
            unsigned *place = *(unsigned *volatile *)&places[0];
            place[i] = word * word + i;
        }
    }
}

extern "C" __global__ void parameters(const unsigned *in, unsigned *out, unsigned **places, int n) {
    unsigned own[8];
    for (int k = 0; k < 8; ++k) own[k] = threadIdx.x * 8 + k;

    places[threadIdx.x] = own + (in[threadIdx.x] & 7);
    const unsigned *from = n > 3 ? in : out;
#CCC for
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        unsigned word = in[i];
#CCC if
        if ((word & 3) == 1) {
            asm volatile("ld.u32 %0, [%1];" : "=r"(word) : "l"(from + i));
            out[i] = word * word;
        }
    }
    out[threadIdx.x] ^= own[in[5] & 7];
}
