// Loops that a warp leaves together, because all lanes vote on it, behind a branch by which lanes end early.

// nothing: vote_of_those_that_stay
// Lanes beyond the end do nothing and are gone; the others vote.
extern "C" __global__ void vote_of_those_that_stay(volatile int *flag, int *out, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
    if (t - lane >= n) return;
    bool done = false;
    while (__ballot_sync(0xffffffffu, !done) != 0) {
        if (!done && flag[t] != 0) {
            out[t] = 1;
            done = true;
            flag[(t + 1) & 31] = 1;
        }
    }
    out[t] += 2;
}

// found: flag_of_one_that_ends
// Who ends early sets the flag that the others vote on.
extern "C" __global__ void flag_of_one_that_ends(volatile int *flag, int *out, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) {
        flag[0] = 1;
        return;
    }
    while (__ballot_sync(0xffffffffu, flag[0] == 0) != 0) {}
    out[t] = 2;
}

// found: vote_that_decides_nothing
// All vote, but each lane leaves by what it has read itself.
extern "C" __global__ void vote_that_decides_nothing(volatile int *flag, int *out, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, seen;
    if (t >= n) return;
    do {
        seen = flag[0];
        out[t] = __ballot_sync(0xffffffffu, seen);
    } while (seen == 0 && t != 3);
    flag[0] = 1;
}

// found: ended_in_a_loop
// A lane ends in the loop itself, behind a write, while the others vote on.
extern "C" __global__ void ended_in_a_loop(volatile int *flag, int *out, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t - (int)(threadIdx.x & 31) >= n) return;
    for (int round = 0;; ++round) {
        if (__ballot_sync(0xffffffffu, flag[0] == 0) == 0) break;
        if (threadIdx.x % 32 == round) {
            while (flag[1] == 0) {}
            return;
        }
        if (round == 40) flag[1] = 1;
    }
    out[t] = 2;
}
