/*
 * What a program needs to launch a translated kernel: NAME_launch_packed(launch, params, result).
 *
 * `params` has the bytes of the kernel's parameters in their order, each at a multiple of its own alignment, as in a struct of C. Pointers are addresses of this process.
 * Several launches may run at once if their kernels do not share variables.
 */
#ifndef PXRW_INTERFACE
#define PXRW_INTERFACE
#include <stdint.h>

/* Extents of a grid or block, or a position in one. */
typedef struct pxrw_dim3 {
    uint32_t x, y, z;
} pxrw_dim3;

/* How a launch ended: the first word of pxrw_result. */
enum pxrw_outcome {
    PXRW_FINISHED = 0,
    PXRW_TRAP = 1,        /* a thread executed `trap` */
    PXRW_DEADLOCK = 2,    /* threads wait at barriers that nobody completes */
    PXRW_NO_MEMORY = 3,   /* the host has no memory for the state of the blocks */
    PXRW_BAD_LAUNCH = 4,  /* a grid or block that no device runs */
    PXRW_ASSERTION = 5,   /* an `assert` has failed, which the message says */
    PXRW_BAD_FREE = 6,    /* a thread has given back what is no allocation; the message says how */
    PXRW_STACK_OVERFLOW = 7 /* calls are nested too deep */
};

/* What a launch came to. */
typedef struct pxrw_result {
    uint32_t outcome;     /* see enum pxrw_outcome */
    uint32_t line;        /* of the PTX text: the trap or call, or where a thread waits; 0 if unknown */
    pxrw_dim3 block;      /* the block that it happened in */
    uint32_t thread;      /* the linear number of the thread in its block */
    char message[1024];   /* ends with a zero byte; empty if there is none */
} pxrw_result;

/* The shape of a launch. */
typedef struct pxrw_launch {
    pxrw_dim3 grid, block;
    uint32_t dynamic_shared_bytes;
    uint32_t host_threads; /* 0: as many as there are cores */
    /* Takes what a call of `printf` prints, and the number of its arguments; never called twice at a time. NULL: standard output. */
    void (*print)(void *context, const char *text, uint64_t bytes, uint32_t arguments);
    void *print_context;
    uint32_t cooperative; /* nonzero: all blocks are resident together and have a workspace by which they may wait for each other */
} pxrw_launch;
#endif
