// Accumulators that the path folds values into and that are read behind the loop only: every thread ends with its own result, whoever ran
// its iterations. The path starts with the identity in a copy, and one atomic at its end puts what it has into the owner's slot; updates
// outside of the path stay as they are.
//
// RUN: ccc --block 128 --arch sm_75
// REPORT: kernel sum
// REPORT: owner b16 2 bytes: whose reduction the path adds to
// REPORT: b32 by +
// REPORT-NOT: another order
// REPORT: kernel every_integer
// REPORT-DAG: b32 by max
// REPORT-DAG: b32 by min
// REPORT-DAG: b32 by &
// REPORT-DAG: b64 by |
// REPORT-DAG: b64 by ^
// REPORT-DAG: b64 by +
// REPORT-DAG: b32 by *
// REPORT: kernel floats
// REPORT-DAG: f32 by +, in another order
// REPORT-DAG: f64 by +, in another order
// REPORT-DAG: f32 by max
// REPORT-DAG: f64 by min
//
// CHECK: .entry sum
// CHECK: .shared .align 4 .b8 $(parts=ccc_parts[_0-9]*)[512];
// CHECK: cvt.u16.u32 $(own=%ccc_own[_0-9]*),
// CHECK: st.shared.b32 [%ccc_temp], $(part=%ccc_part[_0-9]*);
// CHECK: $$ccc_enter:
// CHECK: mov.b16 $(owner=%ccc_x[_0-9]*), $(own);
// CHECK: $$ccc_region:
// CHECK: mov.b32 $(sum=%ccc_x[_0-9]*), 0;
// CHECK: $$ccc_deposit:
// CHECK: mul.wide.u16 %ccc_temp, $(owner), 4;
// CHECK: red.shared.add.u32 [%ccc_temp], $(sum);
// CHECK: $$ccc_done:
// CHECK: bar.warp.sync
// CHECK: mul.wide.u16 %ccc_temp, $(own), 4;
// CHECK: ld.shared.b32 $(part)
// CHECK: add.s32 $(total=%r[0-9]*), $(again=%r[0-9]*), $(part);
//
// PTXAS: sm_75 sm_90 sm_100
// LAUNCH: sum 1 128 i32:3000 i32[3000]=rand:1 i32[128]=0
// EXPECT: same-memory, efficiency rises
// LAUNCH: sum 1 1 i32:100 i32[100]=rand:2 i32[1]=0
// LAUNCH: sum 1 33 i32:999 i32[999]=rand:3 i32[33]=0
// LAUNCH: sum 1 64 i32:0 i32[1]=8 i32[64]=0
// LAUNCH: sum 1 64 i32:3 i32[3]=8 i32[64]=0
// LAUNCH: sum 1 64 i32:700 i32[700]=8 i32[64]=0
// LAUNCH: sum 1 64 i32:700 i32[700]=1 i32[64]=0
// EXPECT: same-memory
// LAUNCH: both 3 100 i32:2000 i32[2000]=rand:4 i32[300]=0 i32[300]=0
// LAUNCH: both 1 31 i32:200 i32[200]=rand:5 i32[31]=0 i32[31]=0
// LAUNCH: both 1 7,5 i32:400 i32[400]=rand:6 i32[35]=0 i32[35]=0
// EXPECT: same-memory
// LAUNCH: every_integer 1 128 i32:4000 i32[4000]=rand:7 i32[512]=0 i64[384]=0
// LAUNCH: every_integer 1 33 i32:100 i32[100]=rand:8 i32[132]=0 i64[99]=0
// LAUNCH: every_integer 2 32 i32:900 i32[900]=below:16:8 i32[256]=0 i64[192]=0
// EXPECT: same-memory
// Whole numbers, so that no sum rounds.
// LAUNCH: floats 1 64 i32:2000 i32[2000]=below:64:9 f32[128]=0 f64[128]=0
// LAUNCH: floats 1 33 i32:70 i32[70]=below:64:10 f32[66]=0 f64[66]=0
// EXPECT: same-memory
// LAUNCH: two_paths 1 96 i32:2000 i32[2000]=rand:11 i32[96]=0 i32[96]=0
// LAUNCH: two_paths 1 45 i32:333 i32[333]=rand:12 i32[45]=0 i32[45]=0
// EXPECT: same-memory
// LAUNCH: early 1 64 i32:900 i32[900]=rand:13 i32[64]=0
// LAUNCH: early 1 33 i32:40 i32[40]=rand:14 i32[33]=0
// LAUNCH: leaves 1 64 i32:900 i32[900]=rand:15 i32[64]=0
// LAUNCH: leaves 1 33 i32:40 i32[40]=8 i32[33]=0
// EXPECT: same-memory
// LAUNCH: rows 1 64 i32:5 i32:300 i32[1500]=rand:16 i32[320]=0
// EXPECT: same-memory, efficiency rises

extern "C" __global__ void sum(int n, const int *key, int *out) {
    int sum = 100;
#CCC for reduce(+:sum)
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
#CCC if
        if ((key[i] & 7) == 0) {
            int x = i;
            for (int k = 0; k < (i & 31); ++k) x = x * 3 + k;
            sum += x;
        }
    }
    out[threadIdx.x] = sum;
}

// Updates outside of the path and in it, of one sum; nvcc keeps it in two registers.
extern "C" __global__ void both(int n, const int *key, int *out, int *second) {
    int me = (threadIdx.y * blockDim.x + threadIdx.x) + blockIdx.x * (blockDim.x * blockDim.y);
    int count = 0, other = 7;
#CCC reduce(+:count, other)
#CCC for
    for (int i = me; i < n; i += gridDim.x * (blockDim.x * blockDim.y)) {
        count++;
#CCC if
        if ((key[i] & 3) == 0) {
            int x = i;
            for (int k = 0; k < (key[i] & 15); ++k) { x = x * 3 + k; if (x & 64) other -= x; }
            if (x & 1) count += 2; else count += x * n;
        }
        other += key[i] & 3;
    }
    out[me] = count;
    second[me] = other;
}

extern "C" __global__ void every_integer(int n, const int *key, int *words, long long *longs) {
    int low = 1000000, product = 3, ands = ~0;
    unsigned high = 5;
    long long total = 1;
    unsigned long long ors = 0, xors = 9;
#CCC for reduce(min:low, max:high, &:ands, |:ors, ^:xors, +:total, *:product)
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
#CCC if
        if ((key[i] & 3) == 0) {
            int x = key[i];
            for (int k = 0; k < (i & 15); ++k) x = x * 5 + k;
            low = min(low, x);
            high = max(high, (unsigned)x >> 3);
            ands &= x | 0xff00;
            ors |= 1ull << (x & 63);
            xors ^= (unsigned long long)x * 0x100010001ull;
            total += (long long)x * i;
            product *= x | 1;
        }
    }
    int me = blockIdx.x * blockDim.x + threadIdx.x;
    words[me * 4] = low; words[me * 4 + 1] = product; words[me * 4 + 2] = ands; words[me * 4 + 3] = high;
    longs[me * 3] = total; longs[me * 3 + 1] = ors; longs[me * 3 + 2] = xors;
}

extern "C" __global__ void floats(int n, const int *key, float *singles, double *doubles) {
    float sum = 0, high = -1;
    double total = 0, low = 1e9;
#CCC for reduce(+:sum, total, max:high, min:low)
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
#CCC if
        if ((key[i] & 3) == 0) {
            float x = key[i];
            for (int k = 0; k < (i & 15); ++k) { x = x + 2; sum += x; }
            total += x * 4.0;
            high = fmaxf(high, x);
            low = fmin(low, x - 3.0);
        }
    }
    int me = threadIdx.x;
    singles[me * 2] = sum; singles[me * 2 + 1] = high; doubles[me * 2] = total; doubles[me * 2 + 1] = low;
}

// One sum that two paths add to, and one of each.
extern "C" __global__ void two_paths(int n, const int *key, int *out, int *second) {
    int sum = 0;
    int high = 0;
#CCC for reduce(+:sum, max:high)
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
#CCC if
        if ((key[i] & 7) == 0) {
            int x = i;
            for (int k = 0; k < (i & 31); ++k) x = x * 3 + k;
            sum += x;
        }
#CCC if
        if ((key[i] & 24) == 0) {
            int x = i;
            for (int k = 0; k < (i & 7); ++k) x = x * 7 ^ k;
            sum += x;
            high = max(high, x);
        }
    }
    out[threadIdx.x] = sum;
    second[threadIdx.x] = high;
}

// Lanes that return before the loop.
extern "C" __global__ void early(int n, const int *key, int *out) {
    int i = threadIdx.x;
    if (i >= n) return;
    int sum = 0;
#CCC for reduce(+:sum)
    for (; i < n; i += blockDim.x) {
#CCC if
        if ((key[i] & 7) == 0) {
            int x = i;
            for (int k = 0; k < (i & 31); ++k) x = x * 3 + k;
            sum += x;
        }
    }
    out[threadIdx.x] = sum;
}

// Lanes that leave the loop at two places.
extern "C" __global__ void leaves(int n, const int *key, int *out) {
    int sum = 0, found = -1;
#CCC for reduce(+:sum)
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        sum += 3;
        if ((key[i] & 63) == 5) { found = i; break; }
#CCC if
        if ((key[i] & 7) == 0) {
            int x = i;
            for (int k = 0; k < (i & 31); ++k) x = x * 3 + k;
            sum += x;
        }
    }
    out[threadIdx.x] = found < 0 ? sum : sum * 2 + found;
}

// The loop runs again and again, and each time the sum begins anew.
extern "C" __global__ void rows(int count, int n, const int *key, int *out) {
    for (int row = 0; row < count; ++row) {
        int sum = 0;
#CCC for reduce(+:sum)
        for (int i = threadIdx.x; i < n; i += blockDim.x) {
#CCC if
            if ((key[row * n + i] & 7) == 0) {
                int x = i;
                for (int k = 0; k < (i & 31); ++k) x = x * 3 + k;
                sum += x;
            }
        }
        out[row * blockDim.x + threadIdx.x] = sum;
    }
}
