/*
 * Stacks of threads, for functions in which threads meet: such a function is a part of the kernel that calls it, and a thread that calls it goes on at its entry.
 * Needs schedule.h.
 *
 * A frame has a head, the results of the function, its parameters, the registers that are live at its cuts, and its local memory.
 */
#define PXRW_FRAME_HEAD 16u

/* The stack of a thread. */
static inline unsigned char *pxrw_stack_of(const pxrw_cta *cta, uint32_t thread)
{
    return cta->stack + (size_t)thread * PXRW_STACK_BYTES;
}

/* The frame of the function that a thread is in. */
static inline unsigned char *pxrw_frame_of(const pxrw_cta *cta, uint32_t thread)
{
    return pxrw_stack_of(cta, thread) + cta->frame[thread];
}

/* Makes a frame of zeros for a function; NULL, and the thread ends, if there is no room. */
static inline unsigned char *pxrw_enter(pxrw_cta *cta, uint32_t warp, uint32_t lane, uint32_t line, uint32_t entry, uint32_t return_at,
                                        uint32_t bytes)
{
    static const char message[] = "calls are nested too deep: the stack overflowed";
    const uint32_t thread = warp * PXRW_WARP_SIZE + lane, top = cta->top[thread];
    unsigned char *const frame = pxrw_stack_of(cta, thread) + top;
    if (bytes > PXRW_STACK_BYTES - top) {
        pxrw_stop(cta, warp, lane, line, PXRW_STACK_OVERFLOW, message, sizeof message - 1);
        return NULL;
    }
    memset(frame, 0, bytes);
    pxrw_store32(frame, return_at);
    pxrw_store32(frame + 4, cta->frame[thread]);
    cta->frame[thread] = top;
    cta->top[thread] = top + bytes;
    cta->at[thread] = entry;
    return frame;
}

/* A thread goes on behind the call. The results are left where the frame was. */
static inline void pxrw_return(pxrw_cta *cta, uint32_t thread)
{
    const unsigned char *const frame = pxrw_frame_of(cta, thread);
    cta->top[thread] = cta->frame[thread];
    cta->at[thread] = pxrw_load32(frame);
    cta->frame[thread] = pxrw_load32(frame + 4);
}

/* The results of the function that a thread has just returned from. */
static inline const unsigned char *pxrw_returned(const pxrw_cta *cta, uint32_t thread)
{
    return pxrw_stack_of(cta, thread) + cta->top[thread] + PXRW_FRAME_HEAD;
}
