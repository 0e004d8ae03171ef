// At most MAXK exchanges, each of which is one atomic.

// nothing: cuckoo
#define MAXK 24
extern "C" __global__ void cuckoo(unsigned *t, int *fail)
{
    unsigned key = threadIdx.x * 2654435761u | 1;
    int side = 0, kicks = 0;
    while (key && kicks < MAXK) {
        unsigned h = side ? (key >> 9) % 32 + 32 : (key >> 3) % 32;
        key = atomicExch(&t[h], key);
        side ^= 1;
        ++kicks;
    }
    fail[threadIdx.x] = key != 0;
}
