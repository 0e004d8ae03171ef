// CRC-32 of records of different lengths; long ones are few.
//
// RUN: ccc --block 96
// LAUNCH: crc 2 96 i32:1000 u8[1000]=rand:5 u8[1016]=rand:6 u32[1000]=0
// EXPECT: same-memory
extern "C" __global__ void crc(int n, const unsigned char *__restrict__ length, const unsigned char *__restrict__ data, unsigned int *__restrict__ sum) {
    //#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int len = length[i] & 15;
        unsigned int crc = 0xffffffffu;
        //#CCC while
        for (int k = 0; k < len; ++k) {
            crc ^= data[i + k];
            for (int b = 0; b < 8; ++b) crc = (crc >> 1) ^ (0xedb88320u & -(crc & 1));
        }
        sum[i] = ~crc;
    }
}
