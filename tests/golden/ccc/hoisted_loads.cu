// A load with a thread's own index in the path is executed where the context is collected: the lanes are still neighbours there and share
// sectors. What its address needs is then no part of the path, unless something else needs it.
//
// RUN: ccc --block 256 --hoist-loads
// REPORT: kernel relax
// REPORT: loaded before the path, where neighbouring lanes share sectors
// REPORT: hoisted load of $(cost=%r[0-9]*) at line 53: 4 sectors, 4 bytes
// REPORT: kernel wide
// REPORT: hoisted load of $(wide=%fd[0-9]*) at line 66: 8 sectors, 8 bytes
// REPORT: kernel pair
// REPORT-NOT: hoisted load
// REPORT: kernel behind_a_store
// REPORT-NOT: hoisted load
// REPORT: kernel in_a_branch
// REPORT-NOT: hoisted load
// REPORT: kernel scattered
// REPORT-NOT: hoisted load
// REPORT: kernel ordered
// REPORT-NOT: hoisted load
//
// CHECK: .entry relax
// CHECK: shl.b64 $(step=%ccc_a[_0-9]*),
// CHECK: ld.global.nc.u32 $(cost=%ccc_x[_0-9]*),
// CHECK: $$ccc_tail:
// CHECK: $$ccc_region:
// CHECK-NOT: ld.global.nc
// CHECK: atom
//
// PTXAS: sm_90
// LAUNCH: relax 2 64 i32:3000 i32[3000]=rand:1 i32[3000]=rand:2 i32[64]=0
// LAUNCH: relax 1 33 i32:500 i32[500]=rand:3 i32[500]=rand:4 i32[64]=0
// LAUNCH: relax 1 1 i32:70 i32[70]=rand:5 i32[70]=rand:6 i32[64]=0
// LAUNCH: relax 1 64 i32:500 i32[500]=8 i32[500]=rand:7 i32[64]=0
// LAUNCH: wide 2 64 i32:3000 i32[3000]=rand:1 f64[3000]=rand:2 f64[3000]=0
// LAUNCH: wide 1 45 i32:300 i32[300]=rand:1 f64[300]=rand:2 f64[300]=0
// LAUNCH: pair 2 64 i32:3000 i32[3000]=rand:1 i32[3001]=rand:2 i32[3000]=0
// LAUNCH: behind_a_store 2 64 i32:3000 i32[3000]=rand:1 i32[3000]=rand:2
// LAUNCH: in_a_branch 2 64 i32:3000 i32[3000]=rand:1 i32[3000]=rand:2 i32[3000]=0
// LAUNCH: scattered 2 64 i32:3000 i32[3000]=rand:1 i32[24000]=rand:2 i32[3000]=0
// LAUNCH: ordered 2 64 i32:3000 i32[3000]=rand:1 i32[3000]=rand:2 i32[3000]=0
// EXPECT: same-memory
// LAUNCH: relax 1 64 i32:0 i32[1]=8 i32[1]=0 i32[64]=0
// LAUNCH: relax 1 64 i32:90 i32[90]=1 i32[90]=0 i32[64]=0
// EXPECT: no-writes

#define EACH(i) int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x

extern "C" __global__ void relax(int n, const int *key, const int *__restrict__ costs, int *out) {
#CCC for
    for (EACH(i)) {
#CCC if
        if ((key[i] & 3) == 0) {
            int cost = costs[i];
            int x = cost;
            for (int k = 0; k < (cost & 15); ++k) x = x * 3 + k;
            atomicAdd(&out[x & 63], 1 + (i & 7));
        }
    }
}

extern "C" __global__ void wide(int n, const int *key, const double *__restrict__ in, double *out) {
#CCC for
    for (EACH(i)) {
#CCC if
        if ((key[i] & 3) == 0) {
            double x = in[i];
            for (int k = 0; k < (i & 15); ++k) x = x * 3 + k;
            out[i] = x;
        }
    }
}

// Two values for the sectors of one.
extern "C" __global__ void pair(int n, const int *key, const int *__restrict__ in, int *out) {
#CCC for
    for (EACH(i)) {
#CCC if
        if ((key[i] & 3) == 0) {
            int x = in[i], y = in[i + 1];
            for (int k = 0; k < (x & 15); ++k) y = y * 3 + k + x;
            out[i] = y;
        }
    }
}

// The path writes what it loads next.
extern "C" __global__ void behind_a_store(int n, int *key, int *data) {
#CCC for
    for (EACH(i)) {
#CCC if
        if ((key[i] & 3) == 0) {
            ((short *)&data[i])[i & 1] = 5;
            int x = data[i];
            for (int k = 0; k < (i & 15); ++k) x = x * 3 + k;
            if (i & 1) key[i] = x;
        }
    }
}

// Some lanes of the path do not load.
extern "C" __global__ void in_a_branch(int n, const int *key, const int *__restrict__ in, int *out) {
#CCC for
    for (EACH(i)) {
#CCC if
        if ((key[i] & 3) == 0) {
            int x = i;
            for (int k = 0; k < (i & 15); ++k) x = x * 3 + k;
            if (x & 1) x += in[i];
            out[i] = x;
        }
    }
}

// Neighbours load from sectors of their own.
extern "C" __global__ void scattered(int n, const int *key, const int *__restrict__ in, int *out) {
#CCC for
    for (EACH(i)) {
#CCC if
        if ((key[i] & 3) == 0) {
            int x = in[i * 8];
            for (int k = 0; k < (x & 15); ++k) x = x * 3 + k;
            out[i] = x;
        }
    }
}

extern "C" __global__ void ordered(int n, const int *key, const int *in, int *out) {
#CCC for
    for (EACH(i)) {
#CCC if
        if ((key[i] & 3) == 0) {
            int x = *(const volatile int *)&in[i];
            for (int k = 0; k < (x & 15); ++k) x = x * 3 + k;
            out[i] = x;
        }
    }
}
