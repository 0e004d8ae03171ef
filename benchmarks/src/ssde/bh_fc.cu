// BH-FC: the force on every body, by a walk of the Barnes-Hut tree that a warp makes together (M. Burtscher and K.
// Pingali, GPU Computing Gems Emerald Edition, 2011).
//
// A warp goes into a cell unless it is far enough from all of its bodies, which it finds out by a vote. The way back is
// a stack in shared memory, written by the warp's first lane. The loop's end depends on that stack, but is the same for
// all lanes: nobody waits for anybody, so there is one kernel for both forms, and a detection is a false one.

#define WARPS 4
#define DEPTH 32
#define ALL 0xffffffffu

extern "C" __global__ __launch_bounds__(32 * WARPS) void bh_fc(
    int bodies, int cells, float near, const int *order, const int *child, const float *x, const float *y,
    const float *z, const float *mass, float *force)
{
    __shared__ volatile int at[WARPS][DEPTH];
    __shared__ volatile int next[WARPS][DEPTH];
    int warp = threadIdx.x / 32;
    int lane = threadIdx.x % 32;
    // Blocks are whole warps.
    for (int base = blockIdx.x * blockDim.x + 32 * warp; base < bodies; base += gridDim.x * blockDim.x) {
        // Lanes behind the last body walk with it, so that whole warps vote.
        int body = order[min(base + lane, bodies - 1)];
        float body_x = x[body], body_y = y[body], body_z = z[body];
        float force_x = 0.0f, force_y = 0.0f, force_z = 0.0f;
        int depth = 0;
        float limit = near;
        if (lane == 0) {
            at[warp][0] = cells - 1;
            next[warp][0] = 0;
        }
        __syncwarp();
        while (depth >= 0) {
            while (next[warp][depth] < 8) {
                int i = next[warp][depth];
                int node = child[8 * at[warp][depth] + i];
                __syncwarp();
                if (lane == 0) {
                    next[warp][depth] = i + 1;
                }
                __syncwarp();
                if (node >= 0) {
                    float dx = x[node] - body_x, dy = y[node] - body_y, dz = z[node] - body_z;
                    float square = __fmaf_rn(dx, dx, __fmaf_rn(dy, dy, __fmaf_rn(dz, dz, 1e-4f)));
                    if (node < bodies || __all_sync(ALL, square >= limit)) {
                        float pull = mass[node] / (square * sqrtf(square));
                        force_x += dx * pull;
                        force_y += dy * pull;
                        force_z += dz * pull;
                    } else {
                        depth++;
                        limit *= 0.25f;
                        if (lane == 0) {
                            at[warp][depth] = node - bodies;
                            next[warp][depth] = 0;
                        }
                        __syncwarp();
                    }
                }
            }
            depth--;
            limit *= 4.0f;
        }
        // The stack is used again only after all lanes have seen its end.
        __syncwarp();
        if (base + lane < bodies) {
            force[3 * body] = force_x;
            force[3 * body + 1] = force_y;
            force[3 * body + 2] = force_z;
        }
    }
}
