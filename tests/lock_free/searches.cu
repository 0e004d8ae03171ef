// Searches by plain reads: a lane that searches sees what others write meanwhile or does not, as the ISA has it, since that is a data race. Where the kernel writes what such a loop reads, that it waits
// for nobody is an assumption that is told. And limits that are read anew in each round, which another lane may lower.

#define ELSE(name, waits, frees) \
    extern "C" __global__ void name(unsigned *m, unsigned *out, unsigned n) { \
        unsigned t = threadIdx.x; \
        if (t == 4) { frees } else { waits } \
        out[t] = 1; \
    }
#define KEPT asm volatile("" ::: "memory")

__device__ unsigned words[8];

// assumed: search_of_words
ELSE(search_of_words, unsigned i = 0; while (!words[i]) { i = (i + 1) & 7; KEPT; } , atomicExch(&words[5], 1u);)

// assumed: search_of_flags
ELSE(search_of_flags, unsigned i = t & 7; while (!m[i]) { i = (i + 1) & 7; KEPT; } , __threadfence(); atomicExch(m + 3, 1);)

// assumed: counted_reads
ELSE(counted_reads, for (int i = 0; i < 10;) { __nanosleep(5); if (*m) i++; } , __threadfence(); atomicExch(m, 1);)

// assumed: links_by_others
ELSE(links_by_others, unsigned i = 0; while (i < 5) { i = m[i]; KEPT; } , __threadfence(); for (int k = 4; k >= 0; k--) atomicExch(m + k, k + 1);)

// nothing: search_of_others
// Nobody writes where it searches.
extern "C" __global__ void search_of_others(const unsigned *m, unsigned *out, unsigned n) {
    unsigned i = threadIdx.x & 7;
    while (!m[i]) i = (i + 1) & 7;
    out[threadIdx.x] = i;
}

// nothing: search_in_rows
// The row ends.
extern "C" __global__ void search_in_rows(const unsigned *rows, unsigned *m, unsigned n) {
    unsigned sum = 0;
    for (unsigned i = rows[threadIdx.x]; i < rows[threadIdx.x + 1]; i++) sum += m[i];
    m[threadIdx.x] = sum;
}

#define END (((volatile unsigned *)m)[3])

// assumed: limit_of_others
ELSE(limit_of_others, for (unsigned i = 0; i < END; i++); , END = n;)

// assumed: limit_of_others_tested_last
ELSE(limit_of_others_tested_last, unsigned i = 0; do i++; while (i < END); , END = n;)

// assumed: limit_of_others_with_sign
ELSE(limit_of_others_with_sign, for (int i = 0; i < (int)END; i++) __nanosleep(10); , END = n;)
