// Moir & Anderson: wait-free renaming by a triangular grid of splitters
//
// nothing: _Z6renameP8SplitterPii
struct Splitter { int x; int y; };
#define SIDE 64
enum Move { STOP, RIGHT, DOWN };
__device__ Move enter(volatile Splitter *s, int id) {
    s->x = id;
    __threadfence();
    if (s->y) return RIGHT;
    s->y = 1;
    __threadfence();
    return s->x == id ? STOP : DOWN;
}
__global__ void rename(Splitter *grid, int *name, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    int r = 0, d = 0;
    while (r + d < SIDE) {
        Move m = enter(&grid[d * SIDE + r], t + 1);
        if (m == STOP) { name[t] = (r + d) * (r + d + 1) / 2 + d; return; }
        if (m == RIGHT) r++; else d++;
    }
    name[t] = -1;
}
