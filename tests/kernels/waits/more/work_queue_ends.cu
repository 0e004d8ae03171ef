// A queue of tasks in which each task makes two smaller ones; threads end when no task is pending.
// HANGS: G
// ENDS: 0 127 127
__device__ int queue[2][256], head[2], tail[2], pending[2];
extern "C" __global__ void k(int *data, int n) {
    int b = blockIdx.x;
    if (threadIdx.x == 0) {
        pending[b] = 1;
        atomicExch(&queue[b][0], n + 3);
        atomicExch(&tail[b], 1);
    }
    __syncthreads();
    bool waiting = false;
    int mine = 0;
    for (;;) {
        if (!waiting) { mine = atomicAdd(&head[b], 1); waiting = true; }
        int size = mine < 256 ? atomicExch(&queue[b][mine], 0) : 0;
        if (size > 0) {
            waiting = false;
            atomicAdd(&data[1 + b], 1);
            if (size > 1) {
                atomicAdd(&pending[b], 2);
                int at = atomicAdd(&tail[b], 2);
                atomicExch(&queue[b][at], size - 1);
                atomicExch(&queue[b][at + 1], size - 1);
            }
            __threadfence();
            atomicSub(&pending[b], 1);
        } else if (atomicAdd(&pending[b], 0) == 0) {
            break;
        }
    }
}
