// Values of every width that nvcc keeps over an iteration travel with the context. (It keeps shorter integers in 32 bits and flags as
// numbers; `widths.ptx` has the other ones.)
//
// RUN: ccc --block 128
// PTXAS: sm_90
// LAUNCH: shorts 2 64 i32:1000 i32[1000]=rand:1 u8[1000]=rand:2 i16[1000]=rand:3 i32[1000]=0
// EXPECT: same-memory, efficiency rises
// LAUNCH: longs 2 64 i32:1000 i32[1000]=rand:1 i64[1000]=rand:4 i64[1000]=0
// EXPECT: same-memory, efficiency rises
// LAUNCH: floats 2 64 i32:1000 i32[1000]=rand:1 f32[1000]=rand:5 f64[1000]=rand:6 f64[1000]=0
// EXPECT: same-memory, efficiency rises
// LAUNCH: flags 2 64 i32:1000 i32[1000]=rand:1 i32[1000]=rand:7 i32[1000]=0
// EXPECT: same-memory, efficiency rises
//
// REPORT: kernel shorts
// REPORT: b32 4 bytes: differs between lanes: loaded by ld.global.u8
// REPORT: b32 4 bytes: differs between lanes: loaded by ld.global.s16
// REPORT: kernel longs
// REPORT: b64 8 bytes: differs between lanes: loaded by ld.global.u64
// REPORT: kernel floats
// REPORT: f32 4 bytes: differs between lanes: loaded by ld.global.f32
// REPORT: f64 8 bytes: differs between lanes: loaded by ld.global.f64

extern "C" __global__ void shorts(int n, const int *key, const unsigned char *bytes, const short *words, int *out) {
    unsigned char byte = 1;
    short word = 0;
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        byte += bytes[i];
        word = word * 3 + words[i];
#CCC if
        if ((key[i] & 7) == 0) {
            unsigned char b = byte;
            short w = word;
            for (int k = 0; k < 8; ++k) { b = b * 5 + 1; w = w * 3 ^ b; }
            out[i] = b * 65536 + (unsigned short)w;
        }
    }
}

extern "C" __global__ void longs(int n, const int *key, const long long *values, long long *out) {
    long long value = 0;
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        value = value * 3 + values[i];
#CCC if
        if ((key[i] & 7) == 0) {
            long long x = value;
            for (int k = 0; k < 8; ++k) x = x * 6364136223846793005ll + 1;
            out[i] = x;
        }
    }
}

extern "C" __global__ void floats(int n, const int *key, const float *singles, const double *doubles, double *out) {
    float single = 0;
    double both = 0;
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        single = single * 0.5f + singles[i];
        both = both * 0.5 + doubles[i];
#CCC if
        if ((key[i] & 7) == 0) {
            float s = single;
            double d = both;
            for (int k = 0; k < 8; ++k) { s = s * 1.5f + 1.0f; d = d * 0.5 + s; }
            out[i] = d;
        }
    }
}

extern "C" __global__ void flags(int n, const int *key, const int *values, int *out) {
    bool odd = n > 7;
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        odd ^= values[i] > 0;
#CCC if
        if ((key[i] & 7) == 0) {
            int sum = 0;
            for (int k = 0; k < 8; ++k) sum += odd ? k * i : k;
            out[i] = sum;
        }
    }
}
