/* Text in the memory that kernels access, and failed assertions. Needs base.h, schedule.h. */
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <unistd.h>

/* Held while text is read and written, so that what threads say at a time is not mixed. */
static pthread_mutex_t pxrw_text_lock = PTHREAD_MUTEX_INITIALIZER;

/* A pipe through which bytes are read: the system refuses an address without memory, where a load would end the program. */
static int pxrw_pipe[2] = {-1, -1};

__attribute__((destructor)) static void pxrw_close_pipe(void)
{
    for (int end = 0; end < 2; ++end)
        if (pxrw_pipe[end] >= 0)
            close(pxrw_pipe[end]);
}

/* Divides the size of the system's pages, each of which is there or not. */
#define PXRW_PAGE 4096u

/* Copies bytes from an address where there may be no memory, as many as there are. The lock is held. */
static inline uint32_t pxrw_peek(uint64_t from, unsigned char *to, uint32_t bytes)
{
    uint32_t done = 0;
    if (pxrw_pipe[0] < 0) {
        if (pipe(pxrw_pipe) != 0) {
            /* The program has no file left: nothing else can tell whether there is memory. */
            pxrw_pipe[0] = pxrw_pipe[1] = -1;
            memcpy(to, (const void *)(uintptr_t)from, bytes);
            return bytes;
        }
        fcntl(pxrw_pipe[0], F_SETFD, FD_CLOEXEC);
        fcntl(pxrw_pipe[1], F_SETFD, FD_CLOEXEC);
    }
    while (done < bytes) {
        const uint64_t at = from + done;
        const uint32_t left = bytes - done, in_page = PXRW_PAGE - (uint32_t)(at % PXRW_PAGE);
        const uint32_t part = left < in_page ? left : in_page;
        if (write(pxrw_pipe[1], (const void *)(uintptr_t)at, part) != (ssize_t)part
            || read(pxrw_pipe[0], to + done, part) != (ssize_t)part)
            break;
        done += part;
    }
    return done;
}

/* The longest text that is read. */
#define PXRW_LONGEST_TEXT 65536u

/* Text that grows. Without memory, the rest of it is left out. */
typedef struct pxrw_text {
    unsigned char *bytes;
    size_t length, room;
} pxrw_text;

static inline void pxrw_append(pxrw_text *text, const void *bytes, size_t count)
{
    if (text->room - text->length < count) {
        const size_t room = 2 * (text->length + count);
        unsigned char *const larger = (unsigned char *)realloc(text->bytes, room);
        if (larger == NULL)
            return;
        text->bytes = larger;
        text->room = room;
    }
    if (count != 0)
        memcpy(text->bytes + text->length, bytes, count);
    text->length += count;
}

/* Appends the text at an address, up to its end or to where there is no memory, and at most so many bytes of it. The lock is held. */
static inline void pxrw_append_from(pxrw_text *text, uint64_t from, uint32_t most)
{
    for (uint32_t done = 0; done < most;) {
        const uint32_t in_page = PXRW_PAGE - (uint32_t)((from + done) % PXRW_PAGE);
        const uint32_t left = most - done < in_page ? most - done : in_page;
        const char *const start = (const char *)(uintptr_t)(from + done);
        unsigned char first;
        /* Where one byte of a page is, all are. */
        if (pxrw_peek(from + done, &first, 1) == 0)
            return;
        const size_t found = strnlen(start, left);
        pxrw_append(text, start, found);
        if (found < left)
            return;
        done += left;
    }
}

/* `assert` has failed. */
static inline void pxrw_assert_fail(pxrw_cta *cta, uint32_t warp, uint32_t lane, uint32_t line, uint64_t condition, uint64_t file,
                                    uint32_t source_line, uint64_t function)
{
    char number[16];
    pxrw_text text = {NULL, 0, 0};
    const int digits = snprintf(number, sizeof number, ":%" PRIu32 ": ", source_line);
    pthread_mutex_lock(&pxrw_text_lock);
    pxrw_append_from(&text, file, PXRW_LONGEST_TEXT);
    pxrw_append(&text, number, (size_t)digits);
    pxrw_append_from(&text, function, PXRW_LONGEST_TEXT);
    pxrw_append(&text, ": assertion `", 13);
    pxrw_append_from(&text, condition, PXRW_LONGEST_TEXT);
    pxrw_append(&text, "` failed", 8);
    pthread_mutex_unlock(&pxrw_text_lock);
    pxrw_stop(cta, warp, lane, line, PXRW_ASSERTION, text.bytes, text.length);
    free(text.bytes);
}
