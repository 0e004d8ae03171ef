// The kernels of `emulator/kernels.cu` and `cpu/loops.cu` for the CPU, as one would write them for it.
#pragma once
#include "harness.h"

static void saxpy(int n, int runs)
{
    std::vector<float> x = take<float>(), before = take<float>(), y;
    best(runs, [&] { y = before; }, [&] {
        parallel(n, 1 << 16, [&](size_t begin, size_t end) {
            for (size_t i = begin; i < end; ++i) y[i] = fused(1.5f, x[i], y[i]);
        });
    });
    give(y);
}

static void nbody(int n, int runs)
{
    struct Body { float x, y, z, w; };
    std::vector<Body> bodies = take<Body>(), forces(n);
    best(runs, [] {}, [&] {
        parallel(n, 64, [&](size_t begin, size_t end) {
            for (size_t i = begin; i < end; ++i) {
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
    });
    give(forces);
}

// The same with 16 bodies side by side: a compiler that keeps the order of sums vectorises nothing but that.
static void nbody_side_by_side(int n, int runs)
{
    const int width = 16;
    struct Body { float x, y, z, w; };
    std::vector<Body> bodies = take<Body>(), forces(n);
    best(runs, [] {}, [&] {
        parallel(n / width, 4, [&](size_t begin, size_t end) {
            for (size_t first = width * begin; first < width * end; first += width) {
                float x[width], y[width], z[width], fx[width] = {}, fy[width] = {}, fz[width] = {};
                for (int i = 0; i < width; ++i) {
                    x[i] = bodies[first + i].x;
                    y[i] = bodies[first + i].y;
                    z[i] = bodies[first + i].z;
                }
                for (int j = 0; j < n; ++j) {
                    Body other = bodies[j];
                    for (int i = 0; i < width; ++i) {
                        float dx = other.x - x[i], dy = other.y - y[i], dz = other.z - z[i];
                        float square = fused(dz, dz, fused(dy, dy, dx * dx)) + 0.01f;
                        float inverse = 1.0f / std::sqrt(square);
                        float scale = other.w * inverse * inverse * inverse;
                        fx[i] = fused(dx, scale, fx[i]);
                        fy[i] = fused(dy, scale, fy[i]);
                        fz[i] = fused(dz, scale, fz[i]);
                    }
                }
                for (int i = 0; i < width; ++i) forces[first + i] = Body{fx[i], fy[i], fz[i], bodies[first + i].w};
            }
        });
    });
    give(forces);
}

static void matmul(int n, int runs)
{
    std::vector<float> a = take<float>(), b = take<float>(), c(size_t(n) * n);
    best(runs, [] {}, [&] {
        parallel(n / 16, 1, [&](size_t begin, size_t end) {
            for (size_t ty = 16 * begin; ty < 16 * end; ty += 16)
                for (int tx = 0; tx < n; tx += 16) {
                    float sum[16][16] = {};
                    for (int tile = 0; tile < n; tile += 16)
                        for (int y = 0; y < 16; ++y)
                            for (int k = 0; k < 16; ++k)
                                for (int x = 0; x < 16; ++x) sum[y][x] = fused(a[(ty + y) * n + tile + k], b[size_t(tile + k) * n + tx + x], sum[y][x]);
                    for (int y = 0; y < 16; ++y) std::memcpy(&c[(ty + y) * n + tx], sum[y], sizeof sum[y]);
                }
        });
    });
    give(c);
}

static void bfs(int vertices, int runs)
{
    std::vector<int> before = take<int>(), offsets = take<int>(), edges = take<int>(), levels;
    // Threads read levels while others write them; with one, these are usual accesses.
    auto load = [&](int vertex) { return __atomic_load_n(&levels[vertex], __ATOMIC_RELAXED); };
    auto store = [&](int vertex, int level) { __atomic_store_n(&levels[vertex], level, __ATOMIC_RELAXED); };
    best(runs, [&] { levels = before; }, [&] {
        std::atomic<bool> changed{true};
        for (int level = 0; changed; ++level) {
            changed = false;
            parallel(vertices, 4096, [&](size_t begin, size_t end) {
                bool found = false;
                for (size_t vertex = begin; vertex < end; ++vertex) {
                    if (load(vertex) != level) continue;
                    for (int edge = offsets[vertex]; edge < offsets[vertex + 1]; ++edge)
                        if (load(edges[edge]) < 0) {
                            store(edges[edge], level + 1);
                            found = true;
                        }
                }
                if (found) changed = true;
            });
        }
    });
    give(levels);
}

static void collatz(int count, int runs)
{
    std::vector<uint32_t> steps(count);
    best(runs, [] {}, [&] {
        parallel(count, 4096, [&](size_t begin, size_t end) {
            for (size_t i = begin; i < end; ++i) {
                uint64_t n = i + 1;
                uint32_t done = 0;
                for (; n != 1; ++done) n = n % 2 ? 3 * n + 1 : n / 2;
                steps[i] = done;
            }
        });
    });
    give(steps);
}

static void mandelbrot(int side, int runs)
{
    const int most = 256;
    std::vector<int> picture(size_t(side) * side);
    best(runs, [] {}, [&] {
        parallel(side, 4, [&](size_t begin, size_t end) {
            for (size_t row = begin; row < end; ++row)
                for (int column = 0; column < side; ++column) {
                    float scale = 3.0f / side, cx = column * scale - 2.25f, cy = row * scale - 1.5f, x = 0, y = 0;
                    int step = 0;
                    for (; step < most && x * x + y * y <= 4.0f; ++step) {
                        float next = x * x - y * y + cx;
                        y = 2.0f * x * y + cy;
                        x = next;
                    }
                    picture[row * side + column] = step;
                }
        });
    });
    give(picture);
}

static void stencil(int side, int runs)
{
    std::vector<float> before = take<float>(), one, other;
    const int steps = 4;
    best(runs, [&] { one = other = before; }, [&] {
        for (int step = 0; step < steps; ++step) {
            const float *in = step % 2 ? other.data() : one.data();
            float *out = step % 2 ? one.data() : other.data();
            parallel(side - 2, 32, [&](size_t begin, size_t end) {
                for (size_t y = begin + 1; y < end + 1; ++y) {
                    const float *row = in + y * side, *above = row - side, *below = row + side;
                    float *to = out + y * side;
                    for (int x = 1; x < side - 1; ++x) to[x] = 0.5f * row[x] + 0.125f * (row[x - 1] + row[x + 1] + above[x] + below[x]);
                }
            });
        }
    });
    give(one);
}
