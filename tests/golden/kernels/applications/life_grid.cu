// One generation of the game of life on a small torus: only cells with two or three neighbours look further.
//
// RUN: ccc --block 96
// LAUNCH: life 12 96 u8[1024]=rand:16 u8[1024]=0
// LAUNCH: life 35 31 u8[1024]=rand:17 u8[1024]=0
// LAUNCH: life 1024 1 u8[1024]=rand:17 u8[1024]=0
// EXPECT: same-memory
extern "C" __global__ void life(const unsigned char *__restrict__ now, unsigned char *__restrict__ next) {
    //#CCC grid
    int cell = blockIdx.x * blockDim.x + threadIdx.x;
    if (cell >= 1024) return;
    int x = cell & 31, y = cell >> 5;
    int sum = 0;
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx)
            if (dx | dy) sum += now[((y + dy) & 31) * 32 + ((x + dx) & 31)] >> 7;
    //#CCC if
    if (sum == 3 || (sum == 2 && now[cell] >> 7)) {
        unsigned char age = now[cell];
        for (int k = 0; k < 5; ++k) age = age * 5 + k;
        next[cell] = 128 | age;
    }
}
