// Persistent lanes with dynamic work: chunked self scheduling by atomicAdd, guided self scheduling by CAS.
// nothing: chunked
extern "C" __global__ void chunked(unsigned *cursor, unsigned n, float *data) {
    while (true) {
        unsigned first = atomicAdd(cursor, 4u);
        if (first >= n) return;
        for (unsigned i = first; i < min(first + 4, n); ++i) data[i] = data[i] * 2 + 1;
    }
}
// nothing: guided
extern "C" __global__ void guided(unsigned *cursor, unsigned n, unsigned lanes, float *data) {
    unsigned at = *(volatile unsigned *)cursor;
    while (at < n) {
        unsigned take = max(1u, (n - at) / (2 * lanes));
        unsigned seen = atomicCAS(cursor, at, at + take);
        if (seen == at) {
            for (unsigned i = 0; i < take; ++i) data[at + i] = sqrtf(data[at + i]);
            seen = *(volatile unsigned *)cursor;
        }
        at = seen;
    }
}
