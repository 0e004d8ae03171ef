/*
 * The heap of the device, which `malloc` and `free` of kernels use (CUDA C++ Programming Guide, "Dynamic Global Memory Allocation"). Needs schedule.h.
 *
 * It is an array of chunks without gaps: a head of 16 bytes, and what is allocated. Chunks that are free are in lists by the power of two of their size, and neighbours
 * that are free are one chunk. Chunks in front of `end` have been used; behind it there are none yet.
 */
#include <inttypes.h>
#include <pthread.h>

/* As much as `cudaLimitMallocHeapSize` is by default. */
#ifndef PXRW_HEAP_BYTES
#define PXRW_HEAP_BYTES (8u << 20)
#endif

/* The head of a chunk. */
typedef struct pxrw_chunk {
    uint32_t bytes;  /* of the chunk, this head among them */
    uint32_t before; /* bytes of the chunk in front of it; 0 if there is none */
    uint64_t mark;   /* tells heads from what kernels write */
} pxrw_chunk;

/* What a free chunk has behind its head: the other free chunks of its size, as offsets in the heap; PXRW_NO_CHUNK for none. */
typedef struct pxrw_links {
    uint32_t next, last;
} pxrw_links;

#define PXRW_NO_CHUNK (~0u)
#define PXRW_CHUNK_USED UINT64_C(0x7573656420636b21)
#define PXRW_CHUNK_FREE UINT64_C(0x6672656520636b21)

PXRW_ALIGN(16) static unsigned char pxrw_heap[PXRW_HEAP_BYTES];
static struct {
    pthread_mutex_t lock;
    uint32_t end;       /* the bytes that have been made chunks of */
    uint32_t last;      /* the last chunk of those, unless `end` is 0 */
    uint32_t lists;     /* those that are not empty, as bits */
    uint32_t first[32]; /* the first chunk of each */
} pxrw_heap_state = {PTHREAD_MUTEX_INITIALIZER, 0, 0, 0, {0}};

static inline pxrw_chunk *pxrw_chunk_at(uint32_t offset)
{
    return (pxrw_chunk *)(void *)(pxrw_heap + offset);
}
static inline pxrw_links *pxrw_links_at(uint32_t offset)
{
    return (pxrw_links *)(void *)(pxrw_heap + offset + sizeof(pxrw_chunk));
}

/* The mark of a head depends on its place, so that a copy of it is none. */
static inline uint64_t pxrw_mark(uint64_t mark, uint32_t offset)
{
    return mark ^ (uint64_t)offset << 32;
}

/* The list of the chunks of a size: their power of two. */
static inline uint32_t pxrw_list_of(uint32_t bytes)
{
    return 31u - (uint32_t)__builtin_clz(bytes);
}

/* Puts a chunk into its list. */
static inline void pxrw_list(uint32_t offset)
{
    const uint32_t list = pxrw_list_of(pxrw_chunk_at(offset)->bytes);
    pxrw_links *const links = pxrw_links_at(offset);
    pxrw_chunk_at(offset)->mark = pxrw_mark(PXRW_CHUNK_FREE, offset);
    links->last = PXRW_NO_CHUNK;
    links->next = pxrw_heap_state.lists >> list & 1u ? pxrw_heap_state.first[list] : PXRW_NO_CHUNK;
    if (links->next != PXRW_NO_CHUNK)
        pxrw_links_at(links->next)->last = offset;
    pxrw_heap_state.first[list] = offset;
    pxrw_heap_state.lists |= 1u << list;
}

/* Takes a chunk out of its list. */
static inline void pxrw_unlist(uint32_t offset)
{
    const uint32_t list = pxrw_list_of(pxrw_chunk_at(offset)->bytes);
    const pxrw_links links = *pxrw_links_at(offset);
    if (links.next != PXRW_NO_CHUNK)
        pxrw_links_at(links.next)->last = links.last;
    if (links.last != PXRW_NO_CHUNK)
        pxrw_links_at(links.last)->next = links.next;
    else if (links.next != PXRW_NO_CHUNK)
        pxrw_heap_state.first[list] = links.next;
    else
        pxrw_heap_state.lists &= ~(1u << list);
}

/* Sets the size of a chunk, which the one behind it knows, too. */
static inline void pxrw_resize(uint32_t offset, uint32_t bytes)
{
    pxrw_chunk_at(offset)->bytes = bytes;
    if (offset + bytes < pxrw_heap_state.end)
        pxrw_chunk_at(offset + bytes)->before = bytes;
    else
        pxrw_heap_state.last = offset;
}

/* Takes a free chunk of at least so many bytes out of the lists; PXRW_NO_CHUNK if there is none. */
static inline uint32_t pxrw_take_free(uint32_t bytes)
{
    const uint32_t list = pxrw_list_of(bytes);
    uint32_t found = pxrw_heap_state.lists >> list & 1u ? pxrw_heap_state.first[list] : PXRW_NO_CHUNK;
    while (found != PXRW_NO_CHUNK && pxrw_chunk_at(found)->bytes < bytes)
        found = pxrw_links_at(found)->next;
    /* Those of the lists behind it are all large enough. */
    const uint32_t larger = list < 31 ? pxrw_heap_state.lists >> (list + 1) << (list + 1) : 0;
    if (found == PXRW_NO_CHUNK && larger != 0)
        found = pxrw_heap_state.first[pxrw_lowest(larger)];
    if (found != PXRW_NO_CHUNK)
        pxrw_unlist(found);
    return found;
}

/* `malloc`: an address at a multiple of 16, 0 if there is no room. */
static inline uint64_t pxrw_malloc(uint64_t size)
{
    uint32_t found = PXRW_NO_CHUNK;
    if (size > PXRW_HEAP_BYTES)
        return 0;
    const uint32_t bytes = (((uint32_t)size + (size == 0) + 15u) & ~15u) + (uint32_t)sizeof(pxrw_chunk);
    pthread_mutex_lock(&pxrw_heap_state.lock);
    if (PXRW_HEAP_BYTES - pxrw_heap_state.end >= bytes) {
        found = pxrw_heap_state.end;
        pxrw_chunk_at(found)->before = found != 0 ? found - pxrw_heap_state.last : 0;
        pxrw_heap_state.end += bytes;
        pxrw_resize(found, bytes);
    } else if ((found = pxrw_take_free(bytes)) != PXRW_NO_CHUNK) {
        const uint32_t rest = pxrw_chunk_at(found)->bytes - bytes;
        if (rest >= 2 * sizeof(pxrw_chunk)) {
            pxrw_resize(found, bytes);
            pxrw_resize(found + bytes, rest);
            pxrw_list(found + bytes);
        }
    }
    if (found != PXRW_NO_CHUNK)
        pxrw_chunk_at(found)->mark = pxrw_mark(PXRW_CHUNK_USED, found);
    pthread_mutex_unlock(&pxrw_heap_state.lock);
    return found != PXRW_NO_CHUNK ? (uint64_t)(uintptr_t)(pxrw_heap + found + sizeof(pxrw_chunk)) : 0;
}

/* Returns 1 for a chunk that is free. */
static inline int pxrw_is_free(uint32_t offset)
{
    return pxrw_chunk_at(offset)->mark == pxrw_mark(PXRW_CHUNK_FREE, offset);
}

/* Makes a chunk free, and one with its neighbours that are. */
static inline void pxrw_give_back(uint32_t offset)
{
    const uint32_t behind = offset + pxrw_chunk_at(offset)->bytes;
    uint32_t bytes = pxrw_chunk_at(offset)->bytes;
    pxrw_chunk_at(offset)->mark = pxrw_mark(PXRW_CHUNK_FREE, offset);
    if (behind < pxrw_heap_state.end && pxrw_is_free(behind)) {
        pxrw_unlist(behind);
        bytes += pxrw_chunk_at(behind)->bytes;
    }
    const uint32_t before = pxrw_chunk_at(offset)->before;
    if (before != 0 && pxrw_is_free(offset - before)) {
        pxrw_unlist(offset - before);
        offset -= before;
        bytes += before;
    }
    if (offset + bytes == pxrw_heap_state.end) {
        pxrw_heap_state.end = offset;
        pxrw_heap_state.last = offset - pxrw_chunk_at(offset)->before;
        return;
    }
    pxrw_resize(offset, bytes);
    pxrw_list(offset);
}

/* `free`. Returns 0, and ends the thread, for an address that `malloc` has not given, or that was given back before. */
static inline int pxrw_free(pxrw_cta *cta, uint32_t warp, uint32_t lane, uint32_t line, uint64_t address)
{
    const uint64_t offset = address - (uint64_t)(uintptr_t)pxrw_heap - sizeof(pxrw_chunk);
    const char *why = "where no allocation begins";
    char text[80];
    if (address == 0)
        return 1;
    pthread_mutex_lock(&pxrw_heap_state.lock);
    if (offset < PXRW_HEAP_BYTES && offset % 16 == 0) {
        if (pxrw_chunk_at((uint32_t)offset)->mark == pxrw_mark(PXRW_CHUNK_USED, (uint32_t)offset)) {
            pxrw_give_back((uint32_t)offset);
            why = NULL;
        } else if (pxrw_is_free((uint32_t)offset)) {
            why = "twice";
        }
    }
    pthread_mutex_unlock(&pxrw_heap_state.lock);
    if (why == NULL)
        return 1;
    const int length = snprintf(text, sizeof text, "gives 0x%" PRIx64 " back %s", address, why);
    pxrw_stop(cta, warp, lane, line, PXRW_BAD_FREE, text, (size_t)length);
    return 0;
}
