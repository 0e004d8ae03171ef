// Row and column together say which item it is: what the path stores and reads there is its own, and nothing is assumed.
//
// RUN: ccc --block 96 --strict
// LAUNCH: brighten 2 96 i32:640 i32:160 u32[3200]=below:256:5
// EXPECT: same-memory
extern "C" __global__ void brighten(int n, int pitch, unsigned *__restrict__ image) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned *pixel = image + (i >> 5) * pitch + 4 * (i & 31);
//#CCC if
        if (*pixel < 64) {
            unsigned level = *pixel;
            for (int round = 0; round < 12; ++round) {
                level = level * 5 / 3 + 1;
                pixel[level & 3] = level;
                level ^= pixel[level >> 3 & 3];
            }
            pixel[1] = level;
        }
    }
}
