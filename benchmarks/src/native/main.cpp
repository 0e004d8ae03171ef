// The native kernels: main KERNEL SIZE RUNS THREADS. Reads its input from standard input and writes the best time of some runs, in seconds, and then the results
// to standard output: as buffers, each with its length in bytes before it.
#include "collected.h"
#include "common.h"
#include "paper.h"

int main(int count, char **arguments)
{
    if (count != 5) return 2;
    int size = std::atoi(arguments[2]), runs = std::atoi(arguments[3]);
    threads = std::max(1, std::atoi(arguments[4]));
    const struct { const char *name; void (*run)(int, int); } kernels[] = {
        {"saxpy", saxpy}, {"nbody", nbody}, {"nbody-side-by-side", nbody_side_by_side}, {"matmul", matmul}, {"bfs", bfs}, {"collatz", collatz},
        {"mandelbrot", mandelbrot}, {"stencil", stencil}, {"reduction", reduce}, {"sorting", sorting}, {"sgemm", sgemm},
        {"transpose", transpose}, {"cg", cg}, {"dqg", dqg}, {"emies", emies}, {"ff", ff}, {"hash", hash}, {"iefa", iefa}, {"rt", rt},
        {"sssp", sssp},
    };
    for (const auto &kernel : kernels)
        if (!std::strcmp(arguments[1], kernel.name)) {
            kernel.run(size, runs);
            return std::fflush(stdout) ? 3 : 0;
        }
    return 2;
}
