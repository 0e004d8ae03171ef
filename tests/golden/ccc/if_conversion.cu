// Which path a lane wants is computed by all lanes together: of a search tree and of an `else if` chain only comparisons are left, and
// branches to what is not collected. Comparisons of floats keep what they say of NaN; where two ways lead to a path, either will do; an
// arithmetic result that the code behind needs is not computed by lanes that would not have come there.
//
// RUN: ccc --block 64 --arch sm_75
// REPORT: kernel tree
// REPORT: kernel floats
// REPORT: kernel otherwise
// REPORT: kernel needed
//
// CHECK: .entry tree
// CHECK: setp.gt.s16 %ccc_way_1|%ccc_way_2
// CHECK: setp.eq.and.s16 %ccc_want|%ccc_way_3
// CHECK: , %ccc_way_2;
// CHECK: @%ccc_way_5 bra
// CHECK: $$ccc_idle:
// CHECK: mov.pred %ccc_want
//
// CHECK: .entry floats
// CHECK: setp.lt.f32 %ccc_want|%ccc_way_1
// CHECK: setp.lt.and.f32 %ccc_want_1|%ccc_way_2
//
// CHECK: .entry otherwise
// CHECK: mov.pred %ccc_want_2, %ccc_way_$(=\d);
// CHECK-NEXT: or.pred %ccc_want_2, %ccc_want_2, %ccc_way_$(=\d);
//
// CHECK: .entry needed
// CHECK: @%ccc_want bra
// CHECK: setp.eq.s32 %ccc_want_1|%ccc_way_2
//
// PTXAS: sm_75 sm_90 sm_100
// LAUNCH: tree 2 64 i32:3000 i32[3000]=rand:1 i32[3000]=0
// LAUNCH: tree 1 33 i32:500 i32[500]=rand:2 i32[500]=0
// LAUNCH: tree 1 1 i32:70 i32[70]=rand:3 i32[70]=0
// LAUNCH: tree 3 31 i32:999 i32[999]=iota i32[999]=0
// LAUNCH: floats 2 64 i32:3000 i32[3000]=rand:4 f32[3000]=0
// LAUNCH: floats 1 33 i32:500 i32[500]=iota f32[500]=0
// LAUNCH: otherwise 2 64 i32:3000 i32[3000]=below:10:5 i32[3000]=0
// LAUNCH: otherwise 1 33 i32:77 i32[77]=iota i32[77]=0
// LAUNCH: needed 2 64 i32:3000 i32[3000]=rand:6 i32[3000]=0
// LAUNCH: needed 1 33 i32:77 i32[77]=iota i32[77]=0
// EXPECT: same-memory
// LAUNCH: tree 1 64 i32:0 i32[1]=0 i32[1]=0
// LAUNCH: otherwise 1 64 i32:0 i32[1]=0 i32[1]=0
// EXPECT: no-writes

__device__ __forceinline__ int work(int x, int rounds) {
    for (int k = 0; k < rounds; ++k) x = x * 3 + k;
    return x;
}

// Cases 2 and 5 are not collected, and there are keys without a case.
extern "C" __global__ void tree(int n, const int *key, int *out) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        switch (key[i] & 7) {
#CCC case
        case 0: out[i] = work(i, 20); break;
#CCC case
        case 1: out[i] = work(i + 1, 21); break;
        case 2: atomicAdd(&out[i], 5); break;
#CCC case
        case 3: out[i] = work(i + 3, 23); break;
        case 5: out[i] = -i; break;
#CCC case
        case 6: out[i] = work(i + 6, 26); break;
        }
    }
}

// Every fourth value is no number.
extern "C" __global__ void floats(int n, const int *key, float *out) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float x = key[i] % 4 == 0 ? __int_as_float(0x7fc00000) : (float)(key[i] % 100);
#CCC if
        if (x < 10.0f) out[i] = work(i, 20);
        else
#CCC if
        if (x < 50.0f) out[i] = work(i, 30);
        else
#CCC if
        if (!(x < 80.0f)) out[i] = work(i, 40);
    }
}

// Several ways lead to the last path.
extern "C" __global__ void otherwise(int n, const int *key, int *out) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        switch (key[i]) {
#CCC case
        case 2: out[i] = work(i, 20); break;
#CCC case
        case 7: out[i] = work(i + 1, 21); break;
        case 4: atomicAdd(&out[i], 4); break;
        case 9: atomicAdd(&out[i], 9); break;
#CCC case
        default: out[i] = work(i + 2, 22); break;
        }
    }
}

// What the second comparison needs is stored behind the paths, by all lanes.
extern "C" __global__ void needed(int n, const int *key, int *out) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int x = key[i], y = 7;
#CCC if
        if (x % 3 == 0) {
            atomicAdd(&out[i], work(i, 20));
        } else {
            y = x * 5;
#CCC if
            if (y % 7 == 2) {
                atomicAdd(&out[i], work(i, 30));
            }
        }
        atomicAdd(&out[i], y);
    }
}
