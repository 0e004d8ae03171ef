// Values of every width that nvcc keeps in registers travel with the context: 16, 32 and 64 bits, float and double, a predicate.
//
// RUN: ccc --block 128
// PTXAS: sm_75 sm_90
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
// REPORT: b16 2 bytes: differs between lanes
// REPORT: kernel longs
// REPORT: b64 8 bytes: differs between lanes
// REPORT: kernel floats
// REPORT: b32 4 bytes: differs between lanes
// REPORT: b64 8 bytes: differs between lanes

extern "C" __global__ void shorts(int n, const int *key, const unsigned char *bytes, const short *words, int *out) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned char byte = bytes[i];
        short word = words[i];
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
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        long long value = values[i];
#CCC if
        if ((key[i] & 7) == 0) {
            for (int k = 0; k < 8; ++k) value = value * 6364136223846793005ll + 1;
            out[i] = value;
        }
    }
}

extern "C" __global__ void floats(int n, const int *key, const float *singles, const double *doubles, double *out) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float single = singles[i];
        double both = doubles[i];
#CCC if
        if ((key[i] & 7) == 0) {
            for (int k = 0; k < 8; ++k) { single = single * 1.5f + 1.0f; both = both * 0.5 + single; }
            out[i] = both;
        }
    }
}

extern "C" __global__ void flags(int n, const int *key, const int *values, int *out) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        bool odd = values[i] & 1;
#CCC if
        if ((key[i] & 7) == 0) {
            int sum = 0;
            for (int k = 0; k < 8; ++k) sum += odd ? k * i : k;
            out[i] = sum;
        }
    }
}
