// What follows a path in its iteration reads what the path writes, or writes what it reads: then it runs with the path. Where they access different memory,
// it does not, and where that is not known, it is said.
//
// RUN: ccc --block 64
// REPORT: kernel reads:
// REPORT: region line 59 in loop line 57: context
// REPORT: what follows runs with it
// REPORT: kernel writes:
// REPORT: region line 68 in loop line 66: context
// REPORT: what follows runs with it
// REPORT: kernel element:
// REPORT: region line 77 in loop line 75: context
// REPORT: what follows runs with it
// REPORT: kernel tells:
// REPORT: region line 86 in loop line 84: context
// REPORT: what follows runs with it
// REPORT: kernel other_place:
// REPORT: region line 96 in loop line 94: context
// REPORT: kernel restricted:
// REPORT: region line 105 in loop line 103: context
// REPORT: kernel two_pointers:
// REPORT: region line 114 in loop line 112: context
// REPORT: assumes that the store to `b` at line 114 and the store to `out` at line 115 never meet
// REPORT: kernel promised:
// REPORT: region line 123 in loop line 121: context
// REPORT: kernel excluded:
// REPORT: region line 133 in loop line 130: context
// REPORT: region line 135 in loop line 130: context
// PTXAS: sm_90
// LAUNCH: reads 2 64 i32:2000 i32[2000]=below:4:1 i32[2000]=3 i32[2000]=0
// LAUNCH: reads 1 33 i32:200 i32[2000]=below:2:1 i32[2000]=3 i32[2000]=0
// LAUNCH: reads 1 1 i32:5 i32[2000]=below:2:1 i32[2000]=3 i32[2000]=0
// LAUNCH: writes 2 64 i32:2000 i32[2000]=below:4:1 i32[2000]=below:9:2 i32[2000]=0
// LAUNCH: writes 1 33 i32:100 i32[2000]=below:2:1 i32[2000]=below:9:2 i32[2000]=0
// LAUNCH: element 2 64 i32:2000 i32[2000]=below:4:1 i32[2000]=3 i32[2000]=0
// LAUNCH: element 1 31 i32:300 i32[2000]=below:2:1 i32[2000]=3 i32[2000]=0
// LAUNCH: tells 2 64 i32:2000 i32[2000]=below:4:1 i32[2000]=3 i32[2000]=0
// LAUNCH: tells 1 40 i32:300 i32[2000]=below:2:1 i32[2000]=3 i32[2000]=0
// LAUNCH: other_place 2 64 i32:2000 i32[2000]=below:4:1 i32[4001]=3 i32[2000]=0
// LAUNCH: other_place 1 33 i32:77 i32[2000]=below:2:1 i32[4001]=3 i32[2000]=0
// LAUNCH: restricted 2 64 i32:2000 i32[2000]=below:4:1 i32[2000]=3 i32[2000]=0
// LAUNCH: two_pointers 2 64 i32:2000 i32[2000]=below:4:1 i32[2000]=3 i32[2000]=0
// LAUNCH: promised 2 64 i32:2000 i32[2000]=below:4:1 i32[2000]=3 i32[2000]=0
// LAUNCH: excluded 2 64 i32:2000 i32[2000]=below:4:1 i32[2000]=3 i32[2000]=0
// LAUNCH: excluded 1 33 i32:200 i32[2000]=below:2:1 i32[2000]=3 i32[2000]=0
// EXPECT: same-memory

#define EACH for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)

__device__ int work(int x) {
    for (int k = 0; k < 20; ++k) x = x * 1103515245 + 12345;
    return x;
}

extern "C" __global__ void reads(int n, const int *key, int *b, int *out) {
//#CCC for
    EACH {
//#CCC if
        if (key[i] == 1) b[i] = work(i);
        out[i] = b[i];
    }
}

extern "C" __global__ void writes(int n, const int *key, int *b, int *out) {
//#CCC for
    EACH {
//#CCC if
        if (key[i] == 1) out[i] = work(b[i]);
        b[i] = -1;
    }
}

extern "C" __global__ void element(int n, const int *key, int *b, int *out) {
//#CCC for
    EACH {
//#CCC if
        if (key[i] == 1) b[i] = work(i);
        out[i] = b[work(i) & 1 ? i : i];
    }
}

extern "C" __global__ void tells(int n, const int *key, int *b, int *out) {
//#CCC for
    EACH {
//#CCC if
        if (key[i] == 1) b[i] = work(i);
        __threadfence();
        atomicExch(&out[i], 1);
    }
}

extern "C" __global__ void other_place(int n, const int *key, int *b, int *out) {
//#CCC for
    EACH {
//#CCC if
        if (key[i] == 1) b[2 * i] = work(i);
        b[2 * i + 1] = i;
    }
}

extern "C" __global__ void restricted(int n, const int *key, int *__restrict__ b, int *out) {
//#CCC for
    EACH {
//#CCC if
        if (key[i] == 1) b[i] = work(i);
        out[i] = i;
    }
}

extern "C" __global__ void two_pointers(int n, const int *key, int *b, int *out) {
//#CCC for
    EACH {
//#CCC if
        if (key[i] == 1) b[i] = work(i);
        out[i] = i;
    }
}

extern "C" __global__ void promised(int n, const int *key, int *b, int *out) {
//#CCC for
    EACH {
//#CCC if independent
        if (key[i] == 1) b[i] = work(i);
        out[i] = i;
    }
}

extern "C" __global__ void excluded(int n, const int *key, int *b, int *out) {
//#CCC for
    EACH {
        int kind = key[i];
//#CCC if
        if (kind == 1) out[i] = work(i);
//#CCC if
        if (kind == 2) out[i] = work(b[i]);
    }
}
