// Two warps play ping-pong with all of their lanes: each lane has its own ball.
// ENDS: 8 8 8 8
extern "C" __global__ void k(int *data, int n) {
    int lane = threadIdx.x % 32, side = threadIdx.x / 32;
    volatile int *ball = data + blockIdx.x * 32;
    for (int i = 0; i < n; ++i) {
        while (ball[lane] % 2 != side) {}
        ball[lane] = ball[lane] + 1;
    }
}
