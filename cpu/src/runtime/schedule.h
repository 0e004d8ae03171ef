/*
 * The threads of a block, and which of them run next.
 *
 * A thread runs until it comes to a cut: a barrier, an operation that lanes of its warp execute together, or a place where it lets others run. It has then a position
 * (`at`), and its registers are in the state of the block. Lanes of a warp that are ready run together if they are at the same position. Those at the first position in
 * the order of the control flow run first, so that they meet the others where their paths join.
 */
#define PXRW_WARP_SIZE 32u
#define PXRW_MAX_THREADS 1024u
#define PXRW_MAX_WARPS (PXRW_MAX_THREADS / PXRW_WARP_SIZE)
#define PXRW_BARRIERS 16u

/* Lanes of a warp, as masks. A lane that is live is in one of ready, synced and at_barrier. */
typedef struct pxrw_warp {
    uint32_t live;       /* have not ended */
    uint32_t ready;      /* can run */
    uint32_t yielded;    /* of those that are ready: let others run first */
    uint32_t synced;     /* wait for the lanes that a `.sync` operation names */
    uint32_t anywhere;   /* of those: at a `bar.warp.sync`, which lanes may meet at different ones of */
    uint32_t at_barrier; /* wait for the rest of the warp, or with it, at a barrier */
    uint32_t predicate;  /* what lanes at a `bar.red` bring along */
    uint32_t arrived;    /* nonzero: the warp waits at barrier `arrived` - 1 */
    uint32_t arrives;    /* lanes whose barrier is a `bar.arrive`, which waits for the warp only */
    uint32_t red_lanes;  /* the result of the last barrier: lanes that came, */
    uint32_t red_true;   /* and those of them whose predicate was true */
} pxrw_warp;

/* One of the barriers of a block. */
typedef struct pxrw_barrier {
    uint32_t threads;    /* that have come, in whole warps */
    uint32_t expected;   /* as many are waited for; 0: all of the block */
    uint32_t lanes, is_true; /* for `bar.red` */
} pxrw_barrier;

/* A block that runs. */
typedef struct pxrw_cta {
    pxrw_dim3 grid, block, ctaid;
    uint32_t threads, warps;
    unsigned char *shared;
    uint32_t shared_bytes, dynamic_shared_bytes;
    uint32_t window_bytes; /* of shared memory, with what the system reserves behind that of the kernel */
    uint64_t workspace;    /* the address of what the blocks of a cooperative launch share; else 0 */
    unsigned char *local; /* local_bytes for each thread */
    uint32_t local_bytes;
    unsigned char *state; /* the registers that are live at a cut, register by register */
    uint32_t live_warps;
    unsigned char *stack; /* PXRW_STACK_BYTES for each thread, if functions need them */
    pxrw_dim3 tid[PXRW_MAX_THREADS];
    uint32_t at[PXRW_MAX_THREADS];      /* position of each thread */
    uint32_t members[PXRW_MAX_THREADS]; /* the lanes that its `.sync` operation names; else 0 */
    uint32_t barrier_of[PXRW_MAX_THREADS];
    uint32_t expected_at[PXRW_MAX_THREADS];
    uint32_t frame[PXRW_MAX_THREADS], top[PXRW_MAX_THREADS]; /* of the stack: the frame of a thread, and the end of it */
    uint64_t value[PXRW_MAX_THREADS]; /* operands of what lanes execute together */
    uint32_t operand_b[PXRW_MAX_THREADS], operand_c[PXRW_MAX_THREADS];
    pxrw_warp warp[PXRW_MAX_WARPS];
    pxrw_barrier barrier[PXRW_BARRIERS];
    uint32_t trapped; /* nonzero: a thread has ended the launch, as the next ones say */
    uint32_t trap_outcome, trap_line, trap_thread;
    char message[sizeof ((pxrw_result *)0)->message];
    const pxrw_launch *launch;
    uint32_t alone;                   /* nonzero: one warp runs while the others stand still, so that no barrier is complete */
    uint32_t apart_rows;              /* the number of rows in `apart` */
    uint8_t apart[PXRW_MAX_THREADS];  /* nonzero: the registers of a row are kept for each thread */
} pxrw_cta;

/* Why a block has stopped running. */
enum pxrw_pause { PXRW_DONE, PXRW_WAITS, PXRW_STUCK, PXRW_TRAPPED };

/* The number of the lowest bit that is set; `mask` is not 0. */
static inline uint32_t pxrw_lowest(uint32_t mask)
{
    return (uint32_t)__builtin_ctz(mask);
}

/* The offset of the shared memory whose size the launch decides. */
static inline uint32_t pxrw_dynamic_shared(const pxrw_cta *cta)
{
    return cta->shared_bytes - cta->dynamic_shared_bytes;
}

/* The bytes of shared memory that the system reserves, the second half of them for libraries. */
#define PXRW_RESERVED_SHARED 1024u

/* The stack of a thread. */
#define PXRW_STACK_BYTES 65536u

/* A loop over the threads of a block. Its body has x, y, z and thread. */
#define PXRW_FOR_THREADS(cta)                                                                  \
    for (uint32_t z = 0, thread_yz = 0; z < (cta)->block.z; ++z)                               \
        for (uint32_t y = 0; y < (cta)->block.y; ++y, thread_yz += (cta)->block.x)             \
            for (uint32_t x = 0, thread = thread_yz; x < (cta)->block.x; ++x, thread = thread_yz + x)

/* A loop over the rows of a block: up to 32 threads that differ in tid.x alone. Its body has x, y, z and `first` of the first thread, the number of the row, and how many
   lanes it has. */
#define PXRW_FOR_ROWS(cta)                                                                                   \
    for (uint32_t z = 0, thread_yz = 0, row = 0; z < (cta)->block.z; ++z)                                    \
        for (uint32_t y = 0; y < (cta)->block.y; ++y, thread_yz += (cta)->block.x)                           \
            for (uint32_t x = 0, first = thread_yz, lanes = pxrw_lanes(cta, 0); x < (cta)->block.x;          \
                 x += PXRW_WARP_SIZE, first = thread_yz + x, lanes = pxrw_lanes(cta, x), ++row)

/* A loop over the lanes of a row, and what says that they do not depend on each other. */
#define PXRW_FOR_LANES for (uint32_t l = 0; l < lanes; ++l)
#ifdef __clang__
#define PXRW_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define PXRW_INDEPENDENT _Pragma("GCC ivdep")
#endif

/* What the compiler forgets the origin of. gcc 11 and 12 scatter with addresses cut to 32 bits where a lane's address is the sum of a vector and a scalar of 32 bits. */
#define PXRW_OPAQUE(x) __asm__("" : "+r"(x))

/* A function whose code stays by itself: compilers take long for large functions. */
#define PXRW_SEGMENT static __attribute__((noinline))

/* A function that is compiled once for each number of lanes that it is called with. */
#define PXRW_INLINE static inline __attribute__((always_inline))

/* The number of lanes in the row that begins at x. */
static inline uint32_t pxrw_lanes(const pxrw_cta *cta, uint32_t x)
{
    return x >= cta->block.x ? 0 : cta->block.x - x < PXRW_WARP_SIZE ? cta->block.x - x : PXRW_WARP_SIZE;
}

/* The number of lanes of a warp. */
static inline uint32_t pxrw_lanes_of(const pxrw_cta *cta, uint32_t warp)
{
    const uint32_t rest = cta->threads - warp * PXRW_WARP_SIZE;
    return rest < PXRW_WARP_SIZE ? rest : PXRW_WARP_SIZE;
}

/* Returns 1 if some of the lanes of a row are set in a mask. */
static inline int pxrw_any(const uint8_t *mask, uint32_t lanes)
{
    uint32_t any = 0;
    PXRW_FOR_LANES any |= mask[l];
    return any != 0;
}

/* The mask of the first lanes of a warp. */
static inline uint32_t pxrw_first_lanes(uint32_t lanes)
{
    return lanes >= PXRW_WARP_SIZE ? ~0u : (1u << lanes) - 1u;
}

/* Returns 1 if an index of 32 bits that differs by a stride between lanes does not wrap around within a row, as a signed or unsigned number. */
static inline int pxrw_is_row_s32(uint32_t index, int64_t stride, uint32_t lanes)
{
    const int64_t last = (int64_t)(int32_t)index + stride * (int64_t)(lanes - 1u);
    return last == (int64_t)(int32_t)last;
}
static inline int pxrw_is_row_u32(uint32_t index, int64_t stride, uint32_t lanes)
{
    const int64_t last = (int64_t)index + stride * (int64_t)(lanes - 1u);
    return last == (int64_t)(uint32_t)last;
}

/* The position of a thread that has ended. */
#define PXRW_END (~0u)

/* Returns 1 if a block has one of some shapes: bit 0, a multiple of 32 threads in x; bit 1, one row; bit 1 + w, w threads in x, fewer than 32, and one tid.z in each warp;
   bit 33, others. */
static inline int pxrw_has_shape(const pxrw_cta *cta, uint64_t shapes)
{
    const uint32_t x = cta->block.x, y = cta->block.y, z = cta->block.z;
    if (x % PXRW_WARP_SIZE == 0)
        return (int)(shapes & 1);
    if (y == 1 && z == 1)
        return (int)(shapes >> 1 & 1);
    if (x < PXRW_WARP_SIZE && (z == 1 || x * y % PXRW_WARP_SIZE == 0))
        return (int)(shapes >> (1 + x) & 1);
    return (int)(shapes >> 33 & 1);
}

/* Prepares a block whose lanes take turns: all threads are ready, wherever they are. */
static inline void pxrw_prepare(pxrw_cta *cta)
{
    PXRW_FOR_THREADS(cta) {
        cta->tid[thread].x = x;
        cta->tid[thread].y = y;
        cta->tid[thread].z = z;
        cta->members[thread] = 0;
    }
    memset(cta->warp, 0, sizeof cta->warp);
    memset(cta->barrier, 0, sizeof cta->barrier);
    cta->alone = 0;
    for (uint32_t warp = 0; warp < cta->warps; ++warp) {
        cta->warp[warp].live = pxrw_first_lanes(cta->threads - warp * PXRW_WARP_SIZE);
        cta->warp[warp].ready = cta->warp[warp].live;
    }
    cta->live_warps = cta->warps;
    cta->trapped = 0;
}

/* Puts all threads at the entry. */
static inline void pxrw_start(pxrw_cta *cta)
{
    memset(cta->at, 0, sizeof cta->at);
    memset(cta->frame, 0, sizeof cta->frame);
    memset(cta->top, 0, sizeof cta->top);
    pxrw_prepare(cta);
}

/* A thread ends. */
static inline void pxrw_exit(pxrw_cta *cta, uint32_t warp, uint32_t lane)
{
    cta->warp[warp].live &= ~(1u << lane);
    cta->warp[warp].ready &= ~(1u << lane);
}

/* A thread ends the launch, with a message that may be too long. */
static inline void pxrw_stop(pxrw_cta *cta, uint32_t warp, uint32_t lane, uint32_t line, uint32_t outcome, const void *message,
                             size_t length)
{
    if (!cta->trapped) {
        const size_t most = sizeof cta->message - 1, kept = length < most ? length : most;
        cta->trapped = 1;
        cta->trap_outcome = outcome;
        cta->trap_line = line;
        cta->trap_thread = warp * PXRW_WARP_SIZE + lane;
        if (kept != 0)
            memcpy(cta->message, message, kept);
        cta->message[kept] = 0;
    }
    pxrw_exit(cta, warp, lane);
}

/* A thread executes `trap`. */
static inline void pxrw_trap(pxrw_cta *cta, uint32_t warp, uint32_t lane, uint32_t line)
{
    pxrw_stop(cta, warp, lane, line, PXRW_TRAP, NULL, 0);
}

/* A thread goes on at a position after others have run. */
static inline void pxrw_yield(pxrw_cta *cta, uint32_t warp, uint32_t lane, uint32_t at)
{
    cta->at[warp * PXRW_WARP_SIZE + lane] = at;
    cta->warp[warp].yielded |= 1u << lane;
}

/* A thread goes on at a position with the lanes that come there. */
static inline void pxrw_meet(pxrw_cta *cta, uint32_t warp, uint32_t lane, uint32_t at)
{
    cta->at[warp * PXRW_WARP_SIZE + lane] = at;
}

/* A thread waits until all lanes that `members` names, and that have not ended, are at the same operation with the same members. */
static inline void pxrw_sync(pxrw_cta *cta, uint32_t warp, uint32_t lane, uint32_t at, uint32_t members, uint32_t anywhere)
{
    const uint32_t thread = warp * PXRW_WARP_SIZE + lane, bit = 1u << lane;
    pxrw_warp *const own = &cta->warp[warp];
    cta->at[thread] = at;
    cta->members[thread] = members | bit;
    own->synced |= bit;
    own->ready &= ~bit;
    own->anywhere = anywhere ? own->anywhere | bit : own->anywhere & ~bit;
}

/* A thread comes to a barrier and goes on at `at` when it is complete; with `waits` 0 when its warp has come. */
static inline void pxrw_bar(pxrw_cta *cta, uint32_t warp, uint32_t lane, uint32_t at, uint32_t barrier, uint32_t expected,
                            uint32_t waits, uint32_t predicate)
{
    const uint32_t thread = warp * PXRW_WARP_SIZE + lane, bit = 1u << lane;
    pxrw_warp *const own = &cta->warp[warp];
    cta->at[thread] = at;
    cta->barrier_of[thread] = barrier % PXRW_BARRIERS;
    cta->expected_at[thread] = expected;
    own->at_barrier |= bit;
    own->ready &= ~bit;
    own->arrives = waits ? own->arrives & ~bit : own->arrives | bit;
    own->predicate = predicate ? own->predicate | bit : own->predicate & ~bit;
}

/* Releases those that wait at a barrier that is complete. */
static inline void pxrw_complete(pxrw_cta *cta, uint32_t number)
{
    pxrw_barrier *const barrier = &cta->barrier[number];
    if (barrier->threads == 0 || cta->alone)
        return;
    if (barrier->expected != 0) {
        if (barrier->threads < barrier->expected)
            return;
    } else {
        for (uint32_t warp = 0; warp < cta->warps; ++warp)
            if (cta->warp[warp].live != 0 && cta->warp[warp].arrived != number + 1)
                return;
    }
    for (uint32_t warp = 0; warp < cta->warps; ++warp) {
        pxrw_warp *const own = &cta->warp[warp];
        if (own->arrived == number + 1) {
            own->arrived = 0;
            own->ready |= own->at_barrier;
            own->at_barrier = 0;
            own->red_lanes = barrier->lanes;
            own->red_true = barrier->is_true;
        }
    }
    memset(barrier, 0, sizeof *barrier);
}

/* Sees to what the lanes of a warp that have just run wait for. */
static inline void pxrw_settle(pxrw_cta *cta, uint32_t warp)
{
    pxrw_warp *const own = &cta->warp[warp];
    /* Lanes whose `.sync` operation is complete become ready. */
    for (uint32_t rest = own->synced; rest != 0;) {
        const uint32_t first = warp * PXRW_WARP_SIZE + pxrw_lowest(rest);
        const uint32_t members = cta->members[first];
        uint32_t same = 0;
        for (uint32_t others = rest; others != 0; others &= others - 1) {
            const uint32_t lane = pxrw_lowest(others), other = warp * PXRW_WARP_SIZE + lane;
            const uint32_t both = 1u << lane | 1u << pxrw_lowest(rest);
            if (cta->members[other] == members && (cta->at[other] == cta->at[first] || (own->anywhere & both) == both))
                same |= 1u << lane;
        }
        if ((members & own->live & ~same) == 0) {
            own->synced &= ~same;
            own->ready |= same;
        }
        rest &= ~same;
    }
    if (own->live == 0) {
        if (own->arrived == 0) {
            own->arrived = ~0u;
            --cta->live_warps;
            for (uint32_t number = 0; number < PXRW_BARRIERS; ++number)
                pxrw_complete(cta, number);
        }
        return;
    }
    /* The warp comes to a barrier when all of its lanes have. */
    if (own->at_barrier == own->live && own->arrived == 0) {
        const uint32_t first = warp * PXRW_WARP_SIZE + pxrw_lowest(own->live);
        const uint32_t number = cta->barrier_of[first];
        pxrw_barrier *const barrier = &cta->barrier[number];
        for (uint32_t rest = own->live; rest != 0; rest &= rest - 1)
            if (cta->barrier_of[warp * PXRW_WARP_SIZE + pxrw_lowest(rest)] != number)
                return;
        barrier->threads += PXRW_WARP_SIZE;
        barrier->lanes += (uint32_t)__builtin_popcount(own->live);
        barrier->is_true += (uint32_t)__builtin_popcount(own->predicate & own->live);
        if (cta->expected_at[first] != 0)
            barrier->expected = cta->expected_at[first];
        if ((own->arrives & own->live) == own->live) {
            own->at_barrier = 0;
            own->ready = own->live;
        } else {
            own->arrived = number + 1;
        }
        pxrw_complete(cta, number);
    }
}

/* The lanes of a warp that run next where lanes are in functions: those deepest in calls, which meet the others when they return. Lanes of a `.sync` operation run
 * together, however deep each of them is. */
static inline uint32_t pxrw_pick_deepest(const pxrw_cta *cta, uint32_t warp, uint32_t lanes)
{
    const uint32_t base = warp * PXRW_WARP_SIZE;
    uint32_t first = base + pxrw_lowest(lanes), group = 0;
    for (uint32_t rest = lanes & (lanes - 1); rest != 0; rest &= rest - 1) {
        const uint32_t thread = base + pxrw_lowest(rest);
        if (cta->top[thread] > cta->top[first] || (cta->top[thread] == cta->top[first] && cta->at[thread] < cta->at[first]))
            first = thread;
    }
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        const uint32_t lane = pxrw_lowest(rest), thread = base + lane;
        if (cta->at[thread] == cta->at[first] && cta->members[thread] == cta->members[first]
            && (cta->members[first] != 0 || cta->top[thread] == cta->top[first]))
            group |= 1u << lane;
    }
    return group;
}

/* The lanes of a warp that run next, and where; 0 if none is ready, or all of them let others run first. */
static inline uint32_t pxrw_pick(pxrw_cta *cta, uint32_t warp, uint32_t *at)
{
    pxrw_warp *const own = &cta->warp[warp];
    const uint32_t lanes = own->ready & ~own->yielded;
    uint32_t position = ~0u, members = 0, group = 0;
    if (cta->stack != NULL && lanes != 0) {
        group = pxrw_pick_deepest(cta, warp, lanes);
        position = cta->at[warp * PXRW_WARP_SIZE + pxrw_lowest(group)];
        members = cta->members[warp * PXRW_WARP_SIZE + pxrw_lowest(group)];
    }
    for (uint32_t rest = cta->stack == NULL ? lanes : 0; rest != 0; rest &= rest - 1) {
        const uint32_t lane = pxrw_lowest(rest), thread = warp * PXRW_WARP_SIZE + lane;
        if (cta->at[thread] < position) {
            position = cta->at[thread];
            members = cta->members[thread];
            group = 0;
        }
        if (cta->at[thread] == position && cta->members[thread] == members)
            group |= 1u << lane;
    }
    for (uint32_t rest = members != 0 ? group : 0; rest != 0; rest &= rest - 1)
        cta->members[warp * PXRW_WARP_SIZE + pxrw_lowest(rest)] = 0;
    *at = position;
    return group;
}

/* Lets those run again that have let others run first. Returns 1 if there are some. */
static inline int pxrw_resume(pxrw_cta *cta)
{
    uint32_t any = 0;
    for (uint32_t warp = 0; warp < cta->warps; ++warp) {
        any |= cta->warp[warp].yielded & cta->warp[warp].ready;
        cta->warp[warp].yielded = 0;
    }
    return any != 0;
}

/* Returns 1 if all threads of a block are at one position, and gives it. */
static inline int pxrw_agree(const pxrw_cta *cta, uint32_t *position)
{
    uint32_t differs = 0;
    for (uint32_t thread = 0; thread < cta->threads; ++thread)
        differs |= cta->at[thread] ^ cta->at[0];
    *position = cta->at[0];
    return differs == 0;
}

/* Goes on with lanes that take turns: threads have ended or are at barriers, whose numbers are given by position. */
static inline void pxrw_part(pxrw_cta *cta, const uint8_t *barriers)
{
    pxrw_prepare(cta);
    for (uint32_t thread = 0; thread < cta->threads; ++thread) {
        const uint32_t warp = thread / PXRW_WARP_SIZE, lane = thread % PXRW_WARP_SIZE;
        if (cta->at[thread] == PXRW_END)
            pxrw_exit(cta, warp, lane);
        else
            pxrw_bar(cta, warp, lane, cta->at[thread], barriers[cta->at[thread]], 0, 1, 0);
    }
    for (uint32_t warp = 0; warp < cta->warps; ++warp)
        pxrw_settle(cta, warp);
}

/* Begins a block that is run row by row. */
static inline void pxrw_gather_rows(pxrw_cta *cta)
{
    if (cta->apart_rows != 0)
        memset(cta->apart, 0, sizeof cta->apart);
    cta->apart_rows = 0;
}

/* Notes that the registers of a row are kept for each thread. */
static inline void pxrw_note_apart(pxrw_cta *cta, uint32_t row)
{
    cta->apart_rows += !cta->apart[row];
    cta->apart[row] = 1;
}

/* The same, if the threads of the row are at several positions. */
static inline void pxrw_note_parted(pxrw_cta *cta, uint32_t first, uint32_t row, uint32_t lanes)
{
    uint32_t differs = 0;
    PXRW_FOR_LANES differs |= cta->at[first + l] ^ cta->at[first];
    if (differs)
        pxrw_note_apart(cta, row);
}

/* Puts all threads at one position. */
static inline void pxrw_put(pxrw_cta *cta, uint32_t position)
{
    for (uint32_t thread = 0; thread < cta->threads; ++thread)
        cta->at[thread] = position;
}

/* Lets the lanes of one warp take turns, while the others stand still. */
static inline void pxrw_isolate(pxrw_cta *cta, uint32_t warp)
{
    const uint32_t trapped = cta->trapped;
    pxrw_prepare(cta);
    for (uint32_t other = 0; other < cta->warps; ++other)
        if (other != warp)
            cta->warp[other].live = cta->warp[other].ready = 0;
    cta->live_warps = 1;
    cta->alone = 1;
    cta->trapped = trapped;
}

/* Behind that: its lanes have ended or are at barriers; else they wait for each other for ever. */
static inline enum pxrw_pause pxrw_rejoin(pxrw_cta *cta, uint32_t warp, enum pxrw_pause pause)
{
    const pxrw_warp *const own = &cta->warp[warp];
    const uint32_t lanes = pxrw_lanes_of(cta, warp);
    cta->alone = 0;
    if (pause == PXRW_TRAPPED)
        return pause;
    if (own->live != own->at_barrier)
        return PXRW_STUCK;
    PXRW_FOR_LANES
        if (!(own->live >> l & 1u))
            cta->at[warp * PXRW_WARP_SIZE + l] = PXRW_END;
    return PXRW_DONE;
}
