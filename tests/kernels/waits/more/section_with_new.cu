// A critical section that allocates an object, uses it and frees it.
// HANGS: O3 G
// ENDS: 0 896

struct Note {
    int weight;
    int place;
};

extern "C" __global__ void k(int *data, int n)
{
    volatile int *total = data + 1;
    while (atomicCAS(&data[0], 0, 1) != 0)
        ;
    __threadfence();
    Note *note = new Note;
    if (note) {
        note->weight = n + 3;
        note->place = threadIdx.x;
        *total = *total + note->weight;
        delete note;
    }
    __threadfence();
    atomicExch(&data[0], 0);
}
