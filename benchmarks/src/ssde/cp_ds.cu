// CP-DS: the distance solver of a cloth (A. Brownsword, "Cloth in OpenCL", Khronos Group, 2009): a constraint says how
// far apart two particles are, and moves both halfway there, with both locked. Locks are taken in the order of the
// particles.

struct Constraint {
    int first;
    int second;
    float length;
};

// Moves the particles of a constraint; both are locked. `moves` counts how often each was moved.
__device__ __forceinline__ void move(Constraint c, volatile float *position, volatile int *moves)
{
    float apart[3];
    float square = 0.0f;
    for (int i = 0; i < 3; i++) {
        apart[i] = position[3 * c.second + i] - position[3 * c.first + i];
        square += apart[i] * apart[i];
    }
    float distance = sqrtf(square);
    float share = distance > 0.0f ? 0.5f * (distance - c.length) / distance : 0.0f;
    for (int i = 0; i < 3; i++) {
        position[3 * c.first + i] += share * apart[i];
        position[3 * c.second + i] -= share * apart[i];
    }
    moves[c.first]++;
    moves[c.second]++;
}

// As one writes it for threads of a CPU; what a SIMT stack makes of it is said in the kernel of ATM.
extern "C" __global__ void cp_ds(int sweeps, int constraints, const Constraint *constraint, volatile float *position,
                                 volatile int *moves, int *lock)
{
#pragma unroll 1
    for (int sweep = 0; sweep < sweeps; sweep++) {
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < constraints; i += gridDim.x * blockDim.x) {
            Constraint c = constraint[i];
            while (atomicCAS(&lock[c.first], 0, 1) != 0) {
            }
            while (atomicCAS(&lock[c.second], 0, 1) != 0) {
            }
            __threadfence();
            move(c, position, moves);
            __threadfence();
            atomicExch(&lock[c.second], 0);
            atomicExch(&lock[c.first], 0);
        }
    }
}

// By hand for a SIMT stack, as that of ATM.
extern "C" __global__ void cp_ds_simt(int sweeps, int constraints, const Constraint *constraint,
                                      volatile float *position, volatile int *moves, int *lock)
{
#pragma unroll 1
    for (int sweep = 0; sweep < sweeps; sweep++) {
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < constraints; i += gridDim.x * blockDim.x) {
            Constraint c = constraint[i];
            int waits = 1;
            while (waits) {
                if (atomicCAS(&lock[c.first], 0, 1) == 0) {
                    if (atomicCAS(&lock[c.second], 0, 1) == 0) {
                        __threadfence();
                        move(c, position, moves);
                        __threadfence();
                        atomicExch(&lock[c.second], 0);
                        waits = 0;
                    }
                    atomicExch(&lock[c.first], 0);
                }
            }
        }
    }
}
