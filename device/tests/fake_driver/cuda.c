/* A CUDA driver without a GPU, for the tests: what pxrw calls of libcuda, on the host's memory.
 *
 * The tests compile it into a folder as libcuda.so.1 and run themselves with that folder in LD_LIBRARY_PATH, so that the driver is
 * found and bound as a real one is. It compiles nothing: kernels are found in the PTX by `.entry NAME`, and what the few do that have an
 * effect is written here, by their names. New memory is full of 0xaa, times are made up, and each call is a line of the file $FAKE_CUDA_LOG.
 *
 *   $FAKE_CUDA_INIT          what cuInit answers
 *   $FAKE_CUDA_VERSION       what cuDriverGetVersion says, 13010 if not given; PTX that is newer than it reads is refused (222)
 *   $FAKE_CUDA_DEVICES       how many GPUs there are; 1 if not given
 *   $FAKE_CUDA_MEMORY        bytes of memory; a megabyte if not given
 *   $FAKE_CUDA_CAPABILITY    the major number of the compute capability; 9 if not given
 *   $FAKE_CUDA_COMPUTE_MODE  the attribute of this name; at 2 (prohibited) nobody gets a context
 *   $FAKE_CUDA_EXCLUSIVE     a file that is locked while a process has a context: the compute mode is 3 (exclusive process)
 *   $FAKE_CUDA_FAIL          functions that fail when they are called: NAME or NAME:CODE, separated by commas; 999 if no code is given
 *
 * Lists of kernels, in the same form:
 *
 *   $FAKE_CUDA_REFUSE        code that has such a kernel does not load; 218 if no code is given
 *   $FAKE_CUDA_FAULT         a launch ends with the code (700), which is seen by who waits or launches, and by everybody afterwards
 *   $FAKE_CUDA_HANG          a launch does not end
 *   $FAKE_CUDA_CRASH         the process dies of a SIGSEGV in cuLaunchKernel
 *   $FAKE_CUDA_STALL         code that has such a kernel takes for ever to load, if it is for sm_60 and was not rewritten
 *
 *   $FAKE_CUDA_WAITS_AT_EXIT if given, an orderly end of the process waits for a launch that does not end
 */
#define _DEFAULT_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

typedef int CUresult;
enum {
    SUCCESS = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NOT_INITIALIZED = 3, UNAVAILABLE = 46, INVALID_DEVICE = 101, INVALID_CONTEXT = 201, COOPERATIVE_LAUNCH_TOO_LARGE = 720,
    NO_BINARY = 209, INVALID_PTX = 218, UNSUPPORTED_PTX = 222, INVALID_HANDLE = 400, NOT_FOUND = 500, NOT_READY = 600,
    ILLEGAL_ADDRESS = 700, OUT_OF_RESOURCES = 701, UNKNOWN = 999
};

#define MOST_BUFFERS 4096
#define MOST_KERNELS 64

typedef struct { char *address; size_t size; } Buffer;
typedef struct { char name[64]; int dynamic_shared, stuck; } Kernel;
typedef struct { int count; Kernel kernels[MOST_KERNELS]; } Module;
typedef struct { double at; } Event;

static int initialised, references, stream_count, launches;
static _Thread_local void *current;
static Buffer buffers[MOST_BUFFERS];
/* No buffer beyond has been used. */
static Buffer *end_of_buffers = buffers;
static size_t used_memory;
/* The file that keeps other processes off the GPU. */
static int exclusive = -1;
/* Milliseconds that all launches have taken. */
static double now;
/* The error of a kernel that ran: nobody sees it before somebody waits or launches, then everybody does. */
static CUresult pending, dead;
static int hangs;

__attribute__((destructor)) static void at_exit(void) {
    while (hangs && getenv("FAKE_CUDA_WAITS_AT_EXIT")) pause();
}

static void note(const char *format, ...) {
    const char *path = getenv("FAKE_CUDA_LOG");
    FILE *log = path ? fopen(path, "a") : NULL;
    if (!log) return;
    va_list arguments;
    va_start(arguments, format);
    vfprintf(log, format, arguments);
    va_end(arguments);
    fputc('\n', log);
    fclose(log);
}

static int setting(const char *name, int otherwise) {
    const char *text = getenv(name);
    return text ? atoi(text) : otherwise;
}

/* The code that a list of NAME or NAME:CODE gives a name; 0 if the name is not there. */
static CUresult listed(const char *list, const char *name, CUresult otherwise) {
    const char *at = getenv(list);
    size_t length = strlen(name);
    while (at && *at) {
        const char *behind = at + length;
        if (!strncmp(at, name, length) && (!*behind || *behind == ',' || *behind == ':'))
            return *behind == ':' ? atoi(behind + 1) : otherwise;
        at = strchr(at, ',');
        if (at) ++at;
    }
    return SUCCESS;
}

#define NEEDS(condition, code) do { if (!(condition)) return (code); } while (0)
#define MAY_FAIL() do { CUresult code = listed("FAKE_CUDA_FAIL", __func__, UNKNOWN); NEEDS(!code, code); } while (0)
/* What every call needs that works on a GPU. */
#define NEEDS_CONTEXT() do { NEEDS(current && references > 0, INVALID_CONTEXT); NEEDS(!dead, dead); MAY_FAIL(); } while (0)

CUresult cuInit(unsigned flags) {
    note("cuInit");
    NEEDS(flags == 0, INVALID_VALUE);
    initialised = setting("FAKE_CUDA_INIT", 0) == 0;
    return setting("FAKE_CUDA_INIT", 0);
}

CUresult cuDriverGetVersion(int *version) { *version = setting("FAKE_CUDA_VERSION", 13010); return SUCCESS; }

/* The newest `.version` that the driver reads, times 10. CUDA 12.6 brought none. */
static int newest_ptx(void) {
    int version = setting("FAKE_CUDA_VERSION", 13010), major = version / 1000, minor = version % 1000 / 10;
    return (major - 4) * 10 + minor - (major == 12 && minor >= 6);
}

CUresult cuDeviceGetCount(int *count) {
    NEEDS(initialised, NOT_INITIALIZED);
    *count = setting("FAKE_CUDA_DEVICES", 1);
    return SUCCESS;
}

CUresult cuDeviceGet(int *device, int ordinal) {
    NEEDS(ordinal >= 0 && ordinal < setting("FAKE_CUDA_DEVICES", 1), INVALID_DEVICE);
    *device = ordinal;
    return SUCCESS;
}

static size_t total_memory(void) {
    const char *bytes = getenv("FAKE_CUDA_MEMORY");
    return bytes ? strtoul(bytes, NULL, 10) : 1 << 20;
}

CUresult cuDeviceGetName(char *name, int length, int device) {
    snprintf(name, (size_t)length, "Fake %d", device);
    return SUCCESS;
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, int device) {
    (void)device;
    *bytes = total_memory();
    return SUCCESS;
}

static int compute_mode(void) { return setting("FAKE_CUDA_COMPUTE_MODE", getenv("FAKE_CUDA_EXCLUSIVE") ? 3 : 0); }

CUresult cuDeviceGetAttribute(int *value, int attribute, int device) {
    static const int known[][2] = {
        {1, 1024}, {2, 1024}, {3, 1024}, {4, 64}, {5, 2147483647}, {6, 65535}, {7, 65535}, {8, 49152}, {13, 1980000},
        {16, 132}, {38, 52428800}, {39, 2048}, {76, 0}, {97, 232448},
    };
    (void)device;
    if (attribute == 20 || attribute == 75) {
        *value = attribute == 20 ? compute_mode() : setting("FAKE_CUDA_CAPABILITY", 9);
        return SUCCESS;
    }
    for (size_t index = 0; index < sizeof known / sizeof *known; ++index)
        if (known[index][0] == attribute) {
            *value = known[index][1];
            return SUCCESS;
        }
    note("unknown device attribute %d", attribute);
    return INVALID_VALUE;
}

CUresult cuDevicePrimaryCtxRetain(void **context, int device) {
    const char *file = getenv("FAKE_CUDA_EXCLUSIVE");
    NEEDS(initialised, NOT_INITIALIZED);
    MAY_FAIL();
    NEEDS(compute_mode() != 2, UNAVAILABLE);
    if (file && references == 0) {
        exclusive = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (flock(exclusive, LOCK_EX | LOCK_NB)) {
            close(exclusive);
            return UNAVAILABLE;
        }
    }
    note("retain context %d", device);
    ++references;
    *context = (void *)(uintptr_t)(0x1000 + device);
    return SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease_v2(int device) {
    note("release context %d", device);
    NEEDS(references > 0, INVALID_CONTEXT);
    if (--references == 0 && exclusive >= 0) {
        close(exclusive);
        exclusive = -1;
    }
    return SUCCESS;
}

CUresult cuCtxSetCurrent(void *context) { current = context; return SUCCESS; }

/* The line of a place in a text. */
static int line_of(const char *text, const char *place) {
    int line = 1;
    for (const char *at = text; at < place; ++at) line += *at == '\n';
    return line;
}

/* Why code is refused: the error, which goes into the log, too. */
static CUresult refuse(CUresult code, char *log, size_t size, int line, const char *what) {
    if (log)
        snprintf(log, size, "ptxas application ptx input, line %d; error   : %s\nptxas fatal   : Ptx assembly aborted due to errors\n",
                 line, what);
    return code;
}

/* Finds the kernels of a text; the one that is to be refused, if any, and where it is. */
static const Kernel *find_kernels(Module *module, const char *text, const char **refused_at) {
    for (const char *at = text; module->count < MOST_KERNELS && (at = strstr(at, ".entry ")); ) {
        Kernel *kernel = &module->kernels[module->count++];
        *refused_at = at;
        at += strlen(".entry ");
        sscanf(at, "%63[A-Za-z0-9_$]", kernel->name);
        /* As code for older chips does whose lanes wait for each other, unless it was rewritten. */
        kernel->stuck = strstr(text, ".target sm_60") && !strstr(text, "ssde_");
        while (kernel->stuck && listed("FAKE_CUDA_STALL", kernel->name, 1)) pause();
        if (listed("FAKE_CUDA_REFUSE", kernel->name, INVALID_PTX)) return kernel;
    }
    return NULL;
}

CUresult cuModuleLoadDataEx(void **module, const void *image, unsigned count, const int *options, void **values) {
    const char *text = image, *version = strstr(text, "\n.version "), *unknown = strstr(text, "driver_does_not_know"), *place,
               *mask = strstr(text, ".pragma \"used_bytes_mask");
    char *log = NULL, what[128];
    size_t size = 0;
    int major = 0, minor = 0;
    NEEDS_CONTEXT();
    for (unsigned index = 0; index < count; ++index) {
        if (options[index] == 5) log = values[index];
        if (options[index] == 6) size = (size_t)(uintptr_t)values[index];
    }
    note("load module%s", log ? " with a log" : "");
    if (!strncmp(text, ".version ", 9)) version = text;
    if (version) sscanf(strstr(version, ".version "), ".version %d.%d", &major, &minor);
    if (major * 10 + minor > newest_ptx()) return UNSUPPORTED_PTX;
    if (strstr(text, ".target sm_100")) return NO_BINARY;
    if (strstr(text, "no_memory_at_first") && !log) return OUT_OF_MEMORY;
    if (unknown) return refuse(INVALID_PTX, log, size, line_of(text, unknown), "Unknown symbol 'driver_does_not_know'");
    if (mask && major * 10 + minor < 83)
        return refuse(INVALID_PTX, log, size, line_of(text, mask), "Feature 'used_bytes_mask' requires PTX ISA .version 8.3 or later");
    Module *loaded = calloc(1, sizeof *loaded);
    const Kernel *refused = find_kernels(loaded, text, &place);
    if (refused) {
        CUresult code = listed("FAKE_CUDA_REFUSE", refused->name, INVALID_PTX);
        snprintf(what, sizeof what, "Kernel '%s' is refused", refused->name);
        free(loaded);
        return refuse(code, log, size, line_of(text, place), what);
    }
    *module = loaded;
    return SUCCESS;
}

CUresult cuModuleUnload(void *module) {
    note("unload module");
    free(module);
    return SUCCESS;
}

CUresult cuModuleGetFunction(void **function, void *handle, const char *name) {
    Module *module = handle;
    NEEDS_CONTEXT();
    for (int index = 0; index < module->count; ++index)
        if (!strcmp(module->kernels[index].name, name)) {
            *function = &module->kernels[index];
            return SUCCESS;
        }
    return NOT_FOUND;
}

CUresult cuFuncGetAttribute(int *value, int attribute, void *function) {
    Kernel *kernel = function;
    NEEDS_CONTEXT();
    switch (attribute) {
    case 0: *value = strcmp(kernel->name, "narrow") ? 1024 : 256; return SUCCESS;
    case 1: *value = 1024; return SUCCESS;
    case 3: *value = 16; return SUCCESS;
    case 4: *value = 40; return SUCCESS;
    default: return INVALID_VALUE;
    }
}

CUresult cuFuncSetAttribute(void *function, int attribute, int value) {
    NEEDS_CONTEXT();
    NEEDS(attribute == 8 && value <= 232448 - 1024, INVALID_VALUE);
    note("allow %d bytes of dynamic shared memory", value);
    ((Kernel *)function)->dynamic_shared = value;
    return SUCCESS;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *function, int threads, size_t shared) {
    (void)function;
    NEEDS_CONTEXT();
    NEEDS(threads > 0 && threads <= 1024, INVALID_VALUE);
    *blocks = shared > 49152 ? 1 : 1536 / threads;
    return SUCCESS;
}

CUresult cuStreamCreateWithPriority(void **stream, unsigned flags, int priority) {
    NEEDS_CONTEXT();
    NEEDS(flags == 0 && priority == 0, INVALID_VALUE);
    note("make stream");
    *stream = (void *)(uintptr_t)(0x2000 + ++stream_count);
    return SUCCESS;
}

CUresult cuStreamDestroy_v2(void *stream) {
    (void)stream;
    note("destroy stream");
    return SUCCESS;
}

/* Whoever waits learns what the kernels have done. */
static CUresult wait_for_all(void) {
    if (hangs) {
        note("somebody waits for ever");
        return NOT_READY;
    }
    if (pending) dead = pending;
    return dead;
}

CUresult cuStreamSynchronize(void *stream) {
    (void)stream;
    NEEDS_CONTEXT();
    return wait_for_all();
}

CUresult cuEventCreate(void **event, unsigned flags) {
    NEEDS_CONTEXT();
    NEEDS(flags == 0, INVALID_VALUE);
    note("make event");
    *event = calloc(1, sizeof(Event));
    return SUCCESS;
}

CUresult cuEventDestroy_v2(void *event) {
    note("destroy event");
    free(event);
    return SUCCESS;
}

CUresult cuEventRecord(void *event, void *stream) {
    NEEDS_CONTEXT();
    NEEDS(stream, INVALID_HANDLE);
    note("record event");
    ((Event *)event)->at = now;
    return SUCCESS;
}

CUresult cuEventQuery(void *event) {
    (void)event;
    NEEDS_CONTEXT();
    return hangs ? NOT_READY : wait_for_all();
}

CUresult cuEventSynchronize(void *event) {
    (void)event;
    NEEDS_CONTEXT();
    return wait_for_all();
}

CUresult cuEventElapsedTime(float *milliseconds, void *start, void *stop) {
    NEEDS_CONTEXT();
    *milliseconds = (float)(((Event *)stop)->at - ((Event *)start)->at);
    return SUCCESS;
}

static int is_within(const Buffer *buffer, uint64_t address, size_t size) {
    uint64_t start = (uintptr_t)buffer->address;
    return start && address >= start && size <= buffer->size && address - start <= buffer->size - size;
}

/* The buffer that the bytes lie in. */
static Buffer *buffer_of(uint64_t address, size_t size) {
    static Buffer *last = buffers;
    if (is_within(last, address, size)) return last;
    for (Buffer *buffer = buffers; buffer < end_of_buffers; ++buffer)
        if (is_within(buffer, address, size)) return last = buffer;
    return NULL;
}

CUresult cuMemAlloc_v2(uint64_t *address, size_t size) {
    Buffer *unused = buffers;
    NEEDS_CONTEXT();
    NEEDS(size > 0, INVALID_VALUE);
    while (unused < end_of_buffers && unused->address) ++unused;
    NEEDS(unused < buffers + MOST_BUFFERS && size <= total_memory() - used_memory, OUT_OF_MEMORY);
    note("allocate %zu bytes", size);
    *unused = (Buffer){malloc(size), size};
    if (unused == end_of_buffers) ++end_of_buffers;
    used_memory += size;
    memset(unused->address, 0xaa, size);
    *address = (uintptr_t)unused->address;
    return SUCCESS;
}

CUresult cuMemFree_v2(uint64_t address) {
    Buffer *buffer = buffer_of(address, 1);
    NEEDS(buffer && (uintptr_t)buffer->address == address, INVALID_VALUE);
    note("free %zu bytes", buffer->size);
    used_memory -= buffer->size;
    free(buffer->address);
    *buffer = (Buffer){NULL, 0};
    return dead;
}

/* It takes a millisecond. */
CUresult cuMemsetD8Async(uint64_t address, unsigned char value, size_t count, void *stream) {
    NEEDS_CONTEXT();
    NEEDS(stream, INVALID_HANDLE);
    NEEDS(buffer_of(address, count), INVALID_VALUE);
    note("memset %zu bytes to %d", count, value);
    memset((void *)(uintptr_t)address, value, count);
    now += 1;
    return SUCCESS;
}

CUresult cuMemsetD8_v2(uint64_t address, unsigned char value, size_t count) {
    NEEDS_CONTEXT();
    NEEDS(buffer_of(address, count), INVALID_VALUE);
    memset((void *)(uintptr_t)address, value, count);
    return SUCCESS;
}

CUresult cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t size) {
    NEEDS_CONTEXT();
    NEEDS(buffer_of(to, size), INVALID_VALUE);
    note("upload %zu bytes", size);
    memcpy((void *)(uintptr_t)to, from, size);
    return SUCCESS;
}

CUresult cuMemcpyDtoH_v2(void *to, uint64_t from, size_t size) {
    NEEDS_CONTEXT();
    NEEDS(buffer_of(from, size), INVALID_VALUE);
    note("download %zu bytes", size);
    memcpy(to, (const void *)(uintptr_t)from, size);
    return SUCCESS;
}

/* fill(out, value, count): every thread below `count` writes `value` to its place. */
static CUresult fill(uint64_t threads, void **parameters) {
    uint64_t out = *(uint64_t *)parameters[0];
    uint32_t value = *(uint32_t *)parameters[1], count = *(uint32_t *)parameters[2];
    for (uint64_t thread = 0; thread < threads && thread < count; ++thread) {
        NEEDS(buffer_of(out + thread * 4, 4), ILLEGAL_ADDRESS);
        memcpy((void *)(uintptr_t)(out + thread * 4), &value, 4);
    }
    return SUCCESS;
}

/* widths(out, u8, u16, f32, u64): writes what it was called with, close together. */
static CUresult widths(void **parameters) {
    static const size_t sizes[] = {1, 2, 4, 8};
    char *out = (char *)(uintptr_t)*(uint64_t *)parameters[0];
    NEEDS(buffer_of((uintptr_t)out, 15), ILLEGAL_ADDRESS);
    for (int index = 0; index < 4; out += sizes[index++]) memcpy(out, parameters[index + 1], sizes[index]);
    return SUCCESS;
}

/* whole({out, 16 bytes}): writes the rest of the structure that it was called with. */
static CUresult whole(void **parameters) {
    char *structure = parameters[0], *out;
    memcpy(&out, structure, 8);
    NEEDS(buffer_of((uintptr_t)out, 16), ILLEGAL_ADDRESS);
    memcpy(out, structure + 8, 16);
    return SUCCESS;
}

/* count(lock, total): every thread adds 1 to the total. */
static CUresult count_threads(uint64_t threads, void **parameters) {
    uint64_t total = *(uint64_t *)parameters[1];
    NEEDS(buffer_of(total, 4), ILLEGAL_ADDRESS);
    *(uint32_t *)(uintptr_t)total += (uint32_t)threads;
    return SUCCESS;
}

CUresult cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
                        unsigned block_z, unsigned shared, void *stream, void **parameters, void **extra) {
    Kernel *kernel = function;
    uint64_t threads = (uint64_t)grid_x * grid_y * grid_z * block_x * block_y * block_z;
    NEEDS_CONTEXT();
    NEEDS(stream && !extra && threads > 0, INVALID_VALUE);
    note("launch %s on %u x %u x %u blocks of %u x %u x %u threads, %u bytes of shared memory", kernel->name, grid_x, grid_y,
         grid_z, block_x, block_y, block_z, shared);
    NEEDS(shared <= 49152 - 1024 || (int)shared <= kernel->dynamic_shared, INVALID_VALUE);
    NEEDS(strcmp(kernel->name, "greedy"), OUT_OF_RESOURCES);
    /* A launch behind one that faulted is told of it. */
    if (pending) return dead = pending;
    if (listed("FAKE_CUDA_CRASH", kernel->name, 1)) {
        signal(SIGSEGV, SIG_DFL);
        raise(SIGSEGV);
    }
    /* Each launch takes half a millisecond longer than the one before, unless it has nothing to do. */
    now += strcmp(kernel->name, "empty") ? 2.5 + 0.5 * launches++ : 0.002;
    CUresult ended = SUCCESS;
    if (!strcmp(kernel->name, "fill")) ended = fill(threads, parameters);
    if (!strcmp(kernel->name, "widths")) ended = widths(parameters);
    if (!strcmp(kernel->name, "whole")) ended = whole(parameters);
    if (!strcmp(kernel->name, "crash")) ended = ILLEGAL_ADDRESS;
    if (!strcmp(kernel->name, "count") && !kernel->stuck) ended = count_threads(threads, parameters);
    if (!ended) ended = listed("FAKE_CUDA_FAULT", kernel->name, ILLEGAL_ADDRESS);
    pending = ended;
    if (!strcmp(kernel->name, "hang") || (!strcmp(kernel->name, "count") && kernel->stuck)) hangs = 1;
    if (listed("FAKE_CUDA_HANG", kernel->name, 1)) hangs = 1;
    if (!strcmp(kernel->name, "hello")) printf("hello from %u threads\n", (unsigned)threads);
    return SUCCESS;
}

CUresult cuLaunchCooperativeKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                                   unsigned block_y, unsigned block_z, unsigned shared, void *stream, void **parameters) {
    NEEDS_CONTEXT();
    note("all blocks together");
    NEEDS((uint64_t)grid_x * grid_y * grid_z <= 1000, COOPERATIVE_LAUNCH_TOO_LARGE);
    return cuLaunchKernel(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream, parameters, 0);
}
