// The kernels of `kernels.cu` for the CPU, as one would write them for it, in one thread. Reads its input from standard input and writes
// the best time of some runs, in seconds, and then the result to standard output.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

using Clock = std::chrono::steady_clock;

template <class T> static std::vector<T> take(size_t count)
{
    std::vector<T> values(count);
    if (count && std::fread(values.data(), sizeof(T), count, stdin) != count) std::exit(3);
    return values;
}

template <class Reset, class Run> static void best(int runs, Reset reset, Run run)
{
    double least = 1e30;
    for (int round = 0; round < runs; ++round) {
        reset();
        Clock::time_point start = Clock::now();
        run();
        double seconds = std::chrono::duration<double>(Clock::now() - start).count();
        if (seconds < least) least = seconds;
    }
    std::fwrite(&least, sizeof least, 1, stdout);
}

template <class T> static void give(const std::vector<T> &values)
{
    if (std::fwrite(values.data(), sizeof(T), values.size(), stdout) != values.size()) std::exit(3);
}

static void saxpy(int n, int runs)
{
    std::vector<float> x = take<float>(n), before = take<float>(n), y;
    best(runs, [&] { y = before; }, [&] {
        for (int i = 0; i < n; ++i) y[i] = 1.5f * x[i] + y[i];
    });
    give(y);
}

static void nbody(int n, int runs)
{
    struct Body { float x, y, z, w; };
    std::vector<Body> bodies = take<Body>(n), forces(n);
    best(runs, [] {}, [&] {
        for (int i = 0; i < n; ++i) {
            Body me = bodies[i];
            float fx = 0, fy = 0, fz = 0;
            for (int j = 0; j < n; ++j) {
                float dx = bodies[j].x - me.x, dy = bodies[j].y - me.y, dz = bodies[j].z - me.z;
                float inverse = 1.0f / std::sqrt(dx * dx + dy * dy + dz * dz + 0.01f);
                float scale = bodies[j].w * inverse * inverse * inverse;
                fx += dx * scale;
                fy += dy * scale;
                fz += dz * scale;
            }
            forces[i] = Body{fx, fy, fz, me.w};
        }
    });
    give(forces);
}

static void matmul(int n, int runs)
{
    std::vector<float> a = take<float>(size_t(n) * n), b = take<float>(size_t(n) * n), c(size_t(n) * n);
    best(runs, [] {}, [&] {
        for (int ty = 0; ty < n; ty += 16)
            for (int tx = 0; tx < n; tx += 16) {
                float sum[16][16] = {};
                for (int tile = 0; tile < n; tile += 16)
                    for (int y = 0; y < 16; ++y)
                        for (int k = 0; k < 16; ++k)
                            for (int x = 0; x < 16; ++x) sum[y][x] += a[size_t(ty + y) * n + tile + k] * b[size_t(tile + k) * n + tx + x];
                for (int y = 0; y < 16; ++y) std::memcpy(&c[size_t(ty + y) * n + tx], sum[y], sizeof sum[y]);
            }
    });
    give(c);
}

static void bfs(int vertices, int runs)
{
    std::vector<int> before = take<int>(vertices), offsets = take<int>(vertices + 1), edges = take<int>(offsets.back()), levels;
    best(runs, [&] { levels = before; }, [&] {
        bool changed = true;
        for (int level = 0; changed; ++level) {
            changed = false;
            for (int vertex = 0; vertex < vertices; ++vertex) {
                if (levels[vertex] != level) continue;
                for (int edge = offsets[vertex]; edge < offsets[vertex + 1]; ++edge)
                    if (levels[edges[edge]] < 0) {
                        levels[edges[edge]] = level + 1;
                        changed = true;
                    }
            }
        }
    });
    give(levels);
}

int main(int count, char **arguments)
{
    if (count != 4) return 2;
    int size = std::atoi(arguments[2]), runs = std::atoi(arguments[3]);
    const char *kernel = arguments[1];
    if (!std::strcmp(kernel, "saxpy")) saxpy(size, runs);
    else if (!std::strcmp(kernel, "nbody")) nbody(size, runs);
    else if (!std::strcmp(kernel, "matmul")) matmul(size, runs);
    else if (!std::strcmp(kernel, "bfs")) bfs(size, runs);
    else return 2;
    return std::fflush(stdout) ? 3 : 0;
}
