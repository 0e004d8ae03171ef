/* A launch: the blocks of a grid on the host's threads. */
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

/* What a launch has to know of a kernel. */
typedef struct pxrw_kernel {
    enum pxrw_pause (*run)(pxrw_cta *cta, const unsigned char *params);
    uint32_t shared_bytes; /* static ones */
    uint32_t local_bytes;  /* of a thread */
    uint32_t state_bytes;  /* of a thread */
    uint32_t takes_turns;  /* nonzero: lanes take turns from the beginning */
    uint32_t clears_state; /* nonzero: the state of a block begins with zeros */
    uint32_t reserves;     /* nonzero: it asks for the shared memory that the system reserves */
    uint32_t stacks;       /* nonzero: functions need stacks */
} pxrw_kernel;

/* A launch that runs. Host threads take blocks from it. */
typedef struct pxrw_running {
    const pxrw_kernel *kernel;
    const pxrw_launch *launch;
    const unsigned char *params;
    pxrw_result *result;
    uint64_t blocks, next; /* next is the first block that nobody has taken */
    uint32_t stopped;      /* nonzero: a block has failed, and no other goes on */
    uint64_t workspace;    /* of a cooperative launch; else 0 */
    pthread_mutex_t lock;
} pxrw_running;

/* A block that waits for others. */
typedef struct pxrw_suspended {
    pxrw_cta *cta;
    struct pxrw_suspended *after;
} pxrw_suspended;

static inline void pxrw_fail(pxrw_running *running, uint32_t outcome, const pxrw_cta *cta, uint32_t line, uint32_t thread)
{
    pthread_mutex_lock(&running->lock);
    if (!running->stopped) {
        running->result->outcome = outcome;
        running->result->line = line;
        running->result->thread = thread;
        if (cta != NULL)
            running->result->block = cta->ctaid;
        if (cta != NULL && cta->trapped)
            memcpy(running->result->message, cta->message, sizeof cta->message);
        __atomic_store_n(&running->stopped, 1u, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&running->lock);
}

/* Memory for one block. Shared and local memory, and registers, begin as zeros. */
static inline pxrw_cta *pxrw_new_cta(const pxrw_running *running)
{
    const pxrw_kernel *kernel = running->kernel;
    const pxrw_launch *launch = running->launch;
    pxrw_cta *cta = (pxrw_cta *)calloc(1, sizeof *cta);
    if (cta == NULL)
        return NULL;
    cta->launch = launch;
    cta->grid = launch->grid;
    cta->block = launch->block;
    cta->threads = launch->block.x * launch->block.y * launch->block.z;
    cta->warps = (cta->threads + PXRW_WARP_SIZE - 1) / PXRW_WARP_SIZE;
    cta->dynamic_shared_bytes = launch->dynamic_shared_bytes;
    cta->shared_bytes = kernel->shared_bytes + launch->dynamic_shared_bytes;
    cta->window_bytes = cta->shared_bytes;
    if (kernel->reserves)
        cta->window_bytes = (cta->shared_bytes + PXRW_RESERVED_SHARED - 1) / PXRW_RESERVED_SHARED * PXRW_RESERVED_SHARED + PXRW_RESERVED_SHARED;
    cta->workspace = running->workspace;
    cta->local_bytes = kernel->local_bytes;
    cta->shared = (unsigned char *)aligned_alloc(256, ((size_t)cta->window_bytes / 256 + 1) * 256);
    cta->local = (unsigned char *)aligned_alloc(256, ((size_t)kernel->local_bytes * cta->threads / 256 + 1) * 256);
    cta->state = (unsigned char *)aligned_alloc(256, ((size_t)kernel->state_bytes * cta->threads / 256 + 1) * 256);
    if (kernel->stacks)
        cta->stack = (unsigned char *)aligned_alloc(256, (size_t)PXRW_STACK_BYTES * cta->threads);
    if (cta->shared == NULL || cta->local == NULL || cta->state == NULL || (kernel->stacks && cta->stack == NULL)) {
        free(cta->stack);
        free(cta->shared);
        free(cta->local);
        free(cta->state);
        free(cta);
        return NULL;
    }
    return cta;
}

static inline void pxrw_free_cta(pxrw_cta *cta)
{
    free(cta->stack);
    free(cta->shared);
    free(cta->local);
    free(cta->state);
    free(cta);
}

/* Gives memory to the next block. Returns 0 if there is none. */
static inline int pxrw_begin(pxrw_running *running, pxrw_cta *cta)
{
    const uint64_t block = __atomic_fetch_add(&running->next, 1, __ATOMIC_RELAXED);
    const pxrw_dim3 grid = running->launch->grid;
    if (block >= running->blocks)
        return 0;
    cta->ctaid.x = (uint32_t)(block % grid.x);
    cta->ctaid.y = (uint32_t)(block / grid.x % grid.y);
    cta->ctaid.z = (uint32_t)(block / grid.x / grid.y);
    memset(cta->shared, 0, cta->window_bytes);
    memset(cta->local, 0, (size_t)cta->local_bytes * cta->threads);
    if (running->kernel->clears_state)
        memset(cta->state, 0, (size_t)running->kernel->state_bytes * cta->threads);
    cta->trapped = 0;
    if (running->kernel->takes_turns)
        pxrw_start(cta);
    return 1;
}

/* The most blocks that a host thread keeps aside before those take turns: as many as the largest devices hold. */
#define PXRW_RESIDENT 4224u

/* Runs blocks until none is left. A block that waits for others is put aside, and the next one begins. */
static inline void *pxrw_work(void *argument)
{
    pxrw_running *const running = (pxrw_running *)argument;
    pxrw_suspended *first = NULL, *last = NULL, *spare = NULL;
    pxrw_cta *cta = NULL;
    uint32_t aside = 0;
    int more = 1;
    while (!__atomic_load_n(&running->stopped, __ATOMIC_RELAXED)) {
        const int begins = more && (aside < PXRW_RESIDENT || running->workspace != 0);
        if (begins) {
            if (cta == NULL && (cta = pxrw_new_cta(running)) == NULL) {
                pxrw_fail(running, PXRW_NO_MEMORY, NULL, 0, 0);
                break;
            }
            more = pxrw_begin(running, cta);
        }
        pxrw_suspended *one = NULL;
        if (!begins || !more) {
            /* Those that were put aside take turns. */
            if (first == NULL)
                break;
            one = first;
            first = one->after;
            if (first == NULL)
                last = NULL;
            --aside;
        }
        pxrw_cta *const now = one != NULL ? one->cta : cta;
        switch (running->kernel->run(now, running->params)) {
        case PXRW_DONE:
            if (one != NULL) {
                pxrw_free_cta(one->cta);
                one->after = spare;
                spare = one;
            }
            break;
        case PXRW_WAITS:
            if (one == NULL) {
                one = (pxrw_suspended *)malloc(sizeof *one);
                if (one == NULL) {
                    pxrw_fail(running, PXRW_NO_MEMORY, NULL, 0, 0);
                    break;
                }
                one->cta = cta;
                cta = NULL;
            }
            one->after = NULL;
            if (last != NULL)
                last->after = one;
            else
                first = one;
            last = one;
            ++aside;
            break;
        case PXRW_STUCK:
            pxrw_fail(running, PXRW_DEADLOCK, now, 0, 0);
            break;
        case PXRW_TRAPPED:
            pxrw_fail(running, now->trap_outcome, now, now->trap_line, now->trap_thread);
            break;
        }
        if (one != NULL && one != last && one != spare) {
            pxrw_free_cta(one->cta);
            free(one);
        }
        if (one != NULL && first == one && last == one)
            sched_yield();
    }
    while (first != NULL) {
        pxrw_suspended *const one = first;
        first = one->after;
        pxrw_free_cta(one->cta);
        free(one);
    }
    while (spare != NULL) {
        pxrw_suspended *const one = spare;
        spare = one->after;
        free(one);
    }
    if (cta != NULL)
        pxrw_free_cta(cta);
    return NULL;
}

/* Runs all blocks of a grid, and returns when they have ended or one has failed. */
static inline void pxrw_run_grid(const pxrw_kernel *kernel, const pxrw_launch *launch, const void *params, pxrw_result *result)
{
    enum { MOST = 256 };
    pthread_t threads[MOST];
    pxrw_running running;
    /* As cooperative groups of CUDA expect it: its size in bytes, and a word for the barrier of the grid. */
    PXRW_ALIGN(8) uint32_t workspace[2] = {sizeof workspace, 0};
    memset(result, 0, sizeof *result);
    memset(&running, 0, sizeof running);
    const uint64_t size = (uint64_t)launch->block.x * launch->block.y * launch->block.z;
    running.blocks = (uint64_t)launch->grid.x * launch->grid.y * launch->grid.z;
    if (size == 0 || size > PXRW_MAX_THREADS || running.blocks == 0) {
        result->outcome = PXRW_BAD_LAUNCH;
        return;
    }
    running.kernel = kernel;
    running.launch = launch;
    running.params = (const unsigned char *)params;
    running.result = result;
    running.workspace = launch->cooperative ? (uint64_t)(uintptr_t)workspace : 0;
    pthread_mutex_init(&running.lock, NULL);
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t count = launch->host_threads != 0 ? launch->host_threads : cores > 0 ? (uint64_t)cores : 1;
    if (count > running.blocks)
        count = running.blocks;
    if (count > MOST)
        count = MOST;
    uint64_t started = 0;
    while (started + 1 < count && pthread_create(&threads[started], NULL, pxrw_work, &running) == 0)
        ++started;
    pxrw_work(&running);
    for (uint64_t thread = 0; thread < started; ++thread)
        pthread_join(threads[thread], NULL);
    pthread_mutex_destroy(&running.lock);
}
