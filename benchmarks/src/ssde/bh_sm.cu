// BH-SM: the mass and the centre of mass of every cell of a Barnes-Hut tree, from the leaves up (M. Burtscher and K.
// Pingali, GPU Computing Gems Emerald Edition, 2011).
//
// Nodes below `bodies` are bodies, those from there on are cells, the root last; every cell has a larger number than
// its children. The mass of a cell is negative until it is known, and is written last.
//
// A cell whose children are not ready is asked for again, and what it waits for is written in the same loop: nobody
// waits behind it, and no machine deadlocks, so there is one kernel for both forms. A detection that takes the loop
// over cells for one that waits is a false one.
extern "C" __global__ void bh_sm(int bodies, int cells, const int *child, volatile float *x, volatile float *y,
                                 volatile float *z, volatile float *mass)
{
    int cell = blockIdx.x * blockDim.x + threadIdx.x;
    while (cell < cells) {
        int missing = 0;
        for (int i = 0; i < 8; i++) {
            int node = child[8 * cell + i];
            if (node >= bodies && mass[node] < 0.0f) {
                missing++;
            }
        }
        if (missing == 0) {
            __threadfence();
            float sum = 0.0f, sum_x = 0.0f, sum_y = 0.0f, sum_z = 0.0f;
            for (int i = 0; i < 8; i++) {
                int node = child[8 * cell + i];
                if (node >= 0) {
                    float m = mass[node];
                    sum += m;
                    sum_x += m * x[node];
                    sum_y += m * y[node];
                    sum_z += m * z[node];
                }
            }
            int node = bodies + cell;
            x[node] = sum_x / sum;
            y[node] = sum_y / sum;
            z[node] = sum_z / sum;
            __threadfence();
            mass[node] = sum;
            cell += gridDim.x * blockDim.x;
        }
    }
}
