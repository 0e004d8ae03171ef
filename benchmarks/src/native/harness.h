// What all native kernels share: buffers from standard input, the best time and the results to standard output, and host threads.
#pragma once
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <type_traits>
#include <vector>

using Clock = std::chrono::steady_clock;

// Host threads, with the first one.
static unsigned threads = 1;

// Reads a buffer: its length in bytes, and its bytes.
template <class T> static std::vector<T> take()
{
    uint64_t bytes = 0;
    if (std::fread(&bytes, sizeof bytes, 1, stdin) != 1) std::exit(3);
    std::vector<T> values(bytes / sizeof(T));
    if (bytes % sizeof(T) || std::fread(values.data(), 1, bytes, stdin) != bytes) std::exit(3);
    return values;
}

// Runs something several times and writes the best time. `run` may return seconds of its own, where it does more than is to be timed.
template <class Reset, class Run> static void best(int runs, Reset reset, Run run)
{
    double least = 1e30;
    for (int round = 0; round < runs; ++round) {
        reset();
        Clock::time_point start = Clock::now();
        double seconds;
        if constexpr (std::is_void_v<decltype(run())>) {
            run();
            seconds = std::chrono::duration<double>(Clock::now() - start).count();
        } else
            seconds = run();
        if (seconds < least) least = seconds;
    }
    std::fwrite(&least, sizeof least, 1, stdout);
}

// Writes a result as `take` reads it.
template <class T> static void give(const std::vector<T> &values)
{
    uint64_t bytes = values.size() * sizeof(T);
    if (std::fwrite(&bytes, sizeof bytes, 1, stdout) != 1 || std::fwrite(values.data(), 1, bytes, stdout) != bytes) std::exit(3);
}

// a b + c, rounded once where the processor can, as nvcc has it.
static inline float fused(float a, float b, float c)
{
#ifdef FP_FAST_FMAF
    return std::fma(a, b, c);
#else
    return a * b + c;
#endif
}

// Calls body(begin, end) for parts of 0..count that have at most `grain` elements, on all threads; with one thread, for the whole.
template <class Body> static void parallel(size_t count, size_t grain, Body body)
{
    if (threads == 1) {
        body(size_t(0), count);
        return;
    }
    std::atomic<size_t> next{0};
    auto work = [&] {
        for (size_t begin; (begin = next.fetch_add(grain)) < count;) body(begin, std::min(begin + grain, count));
    };
    std::vector<std::thread> others;
    for (unsigned i = 1; i < threads; ++i) others.emplace_back(work);
    work();
    for (std::thread &other : others) other.join();
}
