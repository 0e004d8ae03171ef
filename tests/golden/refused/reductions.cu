// What looks like a reduction and is none: each with the instruction in the way.
//
// RUN: ccc --block 64
// REFUSED: line 23: `setp.lt.s32` takes it for something else than `+`
// REFUSED: line 38: `st.global.u32` takes it for something else than `+`
// REFUSED: line 51: `selp.b32` takes it for something else than `+`
// REFUSED: line 63: `add.s32` takes it for something else than `max`
// REFUSED: line 77: `xor.b32` takes it for something else than `+`
// REFUSED: line 93: the directive names 1 with `+`, and this is another
// REFUSED: line 102: it has 16 bits, not 32 or 64
// REFUSED: line 118: `setp.gt.s32` takes it for something else than `max`
// PTXAS: sm_90

// The path asks what the sum is so far.
extern "C" __global__ void asks(int n, const int *key, int *out) {
    int sum = 0;
#CCC for reduce(+:sum)
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
#CCC if
        if ((key[i] & 7) == 0) {
            int x = i;
            for (int k = 0; k < 20; ++k) x = x * 3 + k;
            if (sum < 1000) sum += x;
        }
    }
    out[threadIdx.x] = sum;
}

// So does the loop.
extern "C" __global__ void stores(int n, const int *key, int *out) {
    int sum = 0;
#CCC for reduce(+:sum)
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
#CCC if
        if ((key[i] & 7) == 0) {
            for (int k = 0; k < (i & 15); ++k) sum += key[k];
        }
        out[i] = sum;
    }
}

// The sum begins anew.
extern "C" __global__ void resets(int n, const int *key, int *out) {
    int sum = 0;
#CCC for reduce(+:sum)
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
#CCC if
        if ((key[i] & 7) == 0) {
            for (int k = 0; k < (i & 15); ++k) sum += key[k];
        }
        if (key[i] == 77) sum = 0;
    }
    out[threadIdx.x] = sum;
}

// Another operator than the directive says.
extern "C" __global__ void other(int n, const int *key, int *out) {
    int sum = 0;
#CCC for reduce(max:sum)
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
#CCC if
        if ((key[i] & 7) == 0) {
            for (int k = 0; k < (i & 15); ++k) sum += key[k];
        }
    }
    out[threadIdx.x] = sum;
}

// Two operators at once.
extern "C" __global__ void both(int n, const int *key, int *out) {
    int sum = 0;
#CCC for reduce(+:sum)
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
#CCC if
        if ((key[i] & 7) == 0) {
            for (int k = 0; k < (i & 15); ++k) sum += key[k];
            sum ^= i;
        }
    }
    out[threadIdx.x] = sum;
}

// Two sums, of which one is named.
extern "C" __global__ void unnamed(int n, const int *key, int *out) {
    int sum = 0, count = 0;
#CCC for reduce(+:sum)
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
#CCC if
        if ((key[i] & 7) == 0) {
            for (int k = 0; k < (i & 15); ++k) { sum += key[k]; count += k & key[i]; }
        }
    }
    out[threadIdx.x] = sum; out[threadIdx.x + blockDim.x] = count;
}

// A sum that is no number of 32 or 64 bits.
extern "C" __global__ void narrow(int n, const int *key, short *out) {
    short sum = 0;
#CCC for reduce(+:sum)
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
#CCC if
        if ((key[i] & 7) == 0) {
            for (int k = 0; k < (i & 15); ++k) sum += key[k];
        }
    }
    out[threadIdx.x] = sum;
}

// The largest number and where it was found: the place is no reduction.
extern "C" __global__ void place(int n, const int *key, int *out) {
    int high = 0, at = -1;
#CCC for reduce(max:high)
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
#CCC if
        if ((key[i] & 7) == 0) {
            int x = i;
            for (int k = 0; k < 20; ++k) x = x * 3 + k;
            if (x > high) { high = x; at = i; }
        }
    }
    out[threadIdx.x] = high; out[threadIdx.x + blockDim.x] = at;
}
