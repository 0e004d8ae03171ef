// Limits of tries, as compilers count to them.

// found: counts_what_it_finds
// A wait with a far limit, which the compiler counts by a number that is chosen: 1 while it goes on.
extern "C" __global__ void counts_what_it_finds(volatile int *now) {
    int me = threadIdx.x, tries = 0;
    while (now[0] <= me - 1 && ++tries < 2000000000);
    now[0] = me + 1;
}

// nothing: a_few_tries
// The same with a near limit.
extern "C" __global__ void a_few_tries(volatile int *now) {
    int me = threadIdx.x, tries = 0;
    while (now[0] <= me - 1 && ++tries < 1000);
    now[0] = me + 1;
}
