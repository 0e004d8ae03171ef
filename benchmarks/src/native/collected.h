// The programs of the CCC paper (`ccc/*.cu`) for the CPU: the same algorithms, as one would write them for it.
#pragma once
#include "harness.h"

// Adds to a number that other threads add to as well.
template <class T> static inline void add(T &to, T value)
{
    if (threads == 1)
        to += value;
    else
        __atomic_fetch_add(&to, value, __ATOMIC_RELAXED);
}

struct Place { float x, y, z, w; };

static inline float apart(const Place &one, const Place &other)
{
    float x = one.x - other.x, y = one.y - other.y, z = one.z - other.z;
    return std::sqrt(x * x + y * y + z * z);
}

static void dqg(int points, int runs)
{
    struct Molecule { int row, atoms; };
    std::vector<Place> point = take<Place>();
    std::vector<int> molecule = take<int>();
    std::vector<Molecule> molecules = take<Molecule>();
    std::vector<Place> pair = take<Place>();
    std::vector<uint64_t> before = take<uint64_t>(), sums;
    best(runs, [&] { sums = before; }, [&] {
        parallel(points, 64, [&](size_t begin, size_t end) {
            for (size_t i = begin; i < end; ++i) {
                auto [row, atoms] = molecules[molecule[i]];
                for (int a = 0; a < atoms; ++a, row += atoms) {
                    bool own = row + atoms - 1 == int(point[i].w);
                    float distance = apart(point[i], pair[row + a]), cell = 2.0f;
                    for (int other = row; other < row + atoms; ++other) {
                        float mu = (distance - apart(point[i], pair[other])) * std::fabs(pair[other].w);
                        for (int step = 0; step < 3; ++step) mu = mu * (1.5f - 0.5f * mu * mu);
                        cell *= 0.5f * (1.0f - mu);
                    }
                    sums[2 * i + own] += uint64_t(cell * 1099511627776.0f);
                }
            }
        });
    });
    give(sums);
}

static void emies(int observers, int runs)
{
    struct Box { float x, y, z, strength, dipole_x, dipole_y, dipole_z; };
    const float radius = 1.25f;
    std::vector<Place> observer = take<Place>();
    std::vector<Box> boxes = take<Box>();
    std::vector<int> first = take<int>();
    std::vector<Place> source = take<Place>();
    std::vector<float> far_field = take<float>();
    std::vector<int64_t> before = take<int64_t>(), near_field;
    best(runs, [&] { near_field = before; }, [&] {
        parallel(observers, 64, [&](size_t begin, size_t end) {
            for (size_t i = begin; i < end; ++i) {
                Place at = observer[i];
                float far_sum = 0;
                for (size_t b = 0; b < boxes.size(); ++b) {
                    const Box &box = boxes[b];
                    float dx = at.x - box.x, dy = at.y - box.y, dz = at.z - box.z;
                    float squared = std::fma(dz, dz, std::fma(dy, dy, dx * dx));
                    if (squared >= radius * radius) {
                        float inverse = 1.0f / std::sqrt(squared);
                        float dipole = dx * box.dipole_x + dy * box.dipole_y + dz * box.dipole_z;
                        far_sum += inverse * (box.strength + dipole * inverse * inverse);
                    } else {
                        float sum = 0;
                        for (int s = first[b]; s < first[b + 1]; ++s) {
                            float sx = at.x - source[s].x, sy = at.y - source[s].y, sz = at.z - source[s].z;
                            sum += source[s].w / std::sqrt(sx * sx + sy * sy + sz * sz + 1e-4f);
                        }
                        near_field[i] += int64_t(sum * 4294967296.0f);
                    }
                }
                far_field[i] = far_sum;
            }
        });
    });
    give(far_field);
    give(near_field);
}

static void ff(int points, int runs)
{
    struct Point { float x, y; };
    std::vector<Point> position = take<Point>();
    std::vector<int> variation = take<int>();
    std::vector<uint32_t> before = take<uint32_t>(), histogram;
    const int side = int(std::lround(std::sqrt(double(before.size()))));
    const float pi = 3.14159265f;
    auto plot = [&](float x, float y) {
        float column = std::floor((x + 2) * 0.25f * side), row = std::floor((y + 2) * 0.25f * side);
        if (column >= 0 && column < side && row >= 0 && row < side) add(histogram[int(row) * side + int(column)], 1u);
    };
    best(runs, [&] { histogram = before; }, [&] {
        parallel(points, 4096, [&](size_t begin, size_t end) {
            for (size_t i = begin; i < end; ++i) {
                auto [x, y] = position[i];
                float squared = x * x + y * y, length = std::sqrt(squared);
                switch (variation[i]) {
                case 0: plot(x, y); break;
                case 1: plot(x / (squared + 1e-6f), y); break;
                case 2: plot(x / (squared + 1e-6f), y / (squared + 1e-6f)); break;
                case 3: plot((x - y) * (x + y) / (length + 1e-6f), 2 * x * y / (length + 1e-6f)); break;
                case 4: plot(x < 0 ? 2 * x : x, y < 0 ? 0.5f * y : y); break;
                case 5: plot(2 * y / (length + 1), 2 * x / (length + 1)); break;
                case 6: plot(4 * x / (squared + 4), 4 * y / (squared + 4)); break;
                case 7: {
                    float theta = std::atan2(x, y), rise = std::sin(theta), radius = std::pow(length, rise);
                    plot(radius * std::cos(theta), radius * rise);
                    break;
                }
                case 8: {
                    uint32_t bits;
                    std::memcpy(&bits, &x, sizeof bits);
                    float around = 0.2f * (std::atan2(y, x) + 2 * pi * float(bits % 5)), radius = std::pow(length, 0.2f);
                    plot(radius * std::cos(around), radius * std::sin(around));
                    break;
                }
                default: {
                    float theta = 1.25f * std::atan2(y, x) + pi / 4;
                    float around = std::pow(std::fabs(std::cos(theta)), 1.7f) + std::pow(std::fabs(std::sin(theta)), 1.7f);
                    float scale = (length - 0.1f) * std::pow(around, -1.6f) / (length + 1e-6f);
                    plot(x * scale, y * scale);
                }
                }
            }
        });
    });
    give(histogram);
}

static inline uint32_t place(uint32_t key, int function, uint32_t slots)
{
    const uint32_t multipliers[] = {0x9e3779b1u, 0x85ebca6bu, 0xc2b2ae35u, 0x27d4eb2fu};
    uint32_t mixed = (key ^ key >> 15) * multipliers[function];
    return uint64_t(mixed ^ mixed >> 13) * slots >> 32;
}

static void hash(int pairs, int runs)
{
    std::vector<uint64_t> pair = take<uint64_t>(), before = take<uint64_t>(), table;
    const uint32_t slots = uint32_t(before.size());
    auto exchange = [&](uint32_t at, uint64_t moved) {
        if (threads == 1) {
            std::swap(table[at], moved);
            return moved;
        }
        return __atomic_exchange_n(&table[at], moved, __ATOMIC_RELAXED);
    };
    // The function behind the first one that leads a key to a slot.
    auto next = [&](uint32_t key, uint32_t at) {
        for (int function = 0; function < 3; ++function)
            if (place(key, function, slots) == at) return place(key, function + 1, slots);
        return place(key, 0, slots);
    };
    best(runs, [&] { table = before; }, [&] {
        parallel(pairs, 4096, [&](size_t begin, size_t end) {
            for (size_t i = begin; i < end; ++i) {
                uint32_t at = place(uint32_t(pair[i] >> 32), 0, slots);
                uint64_t moved = exchange(at, pair[i]);
                for (uint32_t key; (key = uint32_t(moved >> 32)) != 0xffffffffu;) {
                    at = next(key, at);
                    moved = exchange(at, moved);
                }
            }
        });
    });
    give(table);
}

// Giles' polynomials, the highest power first.
static const double central[] = {
    -3.6444120640178196996e-21, -1.685059138182016589e-19, 1.2858480715256400167e-18, 1.115787767802518096e-17, -1.333171662854620906e-16,
    2.0972767875968561637e-17, 6.6376381343583238325e-15, -4.0545662729752068639e-14, -8.1519341976054721522e-14, 2.6335093153082322977e-12,
    -1.2975133253453532498e-11, -5.4154120542946279317e-11, 1.051212273321532285e-09, -4.1126339803469836976e-09, -2.9070369957882005086e-08,
    4.2347877827932403518e-07, -1.3654692000834678645e-06, -1.3882523362786468719e-05, 0.0001867342080340571352, -0.00074070253416626697512,
    -0.0060336708714301490533, 0.24015818242558961693, 1.6536545626831027356,
};
static const double tail[] = {
    2.2137376921775787049e-09, 9.0756561938885390979e-08, -2.7517406297064545428e-07, 1.8239629214389227755e-08, 1.5027403968909827627e-06,
    -4.013867526981545969e-06, 2.9234449089955446044e-06, 1.2475304481671778723e-05, -4.7318229009055733981e-05, 6.8284851459573175448e-05,
    2.4031110387097893999e-05, -0.0003550375203628474796, 0.00095328937973738049703, -0.0016882755560235047313, 0.0024914420961078508066,
    -0.0037512085075692412107, 0.005370914553590063617, 1.0052589676941592334, 3.0838856104922207635,
};
static const double far_tail[] = {
    -2.7109920616438573243e-11, -2.5556418169965252055e-10, 1.5076572693500548083e-09, -3.7894654401267369937e-09, 7.6157012080783393804e-09,
    -1.4960026627149240478e-08, 2.9147953450901080826e-08, -6.7711997758452339498e-08, 2.2900482228026654717e-07, -9.9298272942317002539e-07,
    4.5260625972231537039e-06, -1.9681778105531670567e-05, 7.5995277030017761139e-05, -0.00021503011930044477347, -0.00013871931833623122026,
    1.0103004648645343977, 4.8499064014085844221,
};

template <size_t N> static inline double polynomial(const double (&coefficients)[N], double at)
{
    double sum = coefficients[0];
    for (size_t term = 1; term < N; ++term) sum = std::fma(sum, at, coefficients[term]);
    return sum;
}

static void iefa(int values, int runs)
{
    std::vector<double> x = take<double>(), result = take<double>();
    best(runs, [] {}, [&] {
        parallel(values, 1024, [&](size_t begin, size_t end) {
            for (size_t i = begin; i < end; ++i) {
                double product = (1 - x[i]) * (1 + x[i]), w = -std::log(product);
                if (product > 0.0019304541362277093)
                    result[i] = x[i] * polynomial(central, w - 3.125);
                else if (product > 1.1253517471925912e-07)
                    result[i] = x[i] * polynomial(tail, std::sqrt(w) - 3.25);
                else
                    result[i] = x[i] * polynomial(far_tail, std::sqrt(w) - 5);
            }
        });
    });
    give(result);
}

static void rt(int rays, int runs)
{
    struct Point { float x, y; };
    struct Sphere { float x, y, z, radius, red, green, blue; };
    std::vector<Point> origin = take<Point>();
    std::vector<Sphere> scene = take<Sphere>();
    std::vector<uint64_t> image = take<uint64_t>();
    best(runs, [] {}, [&] {
        parallel(rays, 256, [&](size_t begin, size_t end) {
            for (size_t ray = begin; ray < end; ++ray) {
                uint64_t nearest = 0;
                for (const Sphere &sphere : scene) {
                    float across = origin[ray].x - sphere.x, down = origin[ray].y - sphere.y;
                    float inside = std::fma(-down, down, std::fma(-across, across, sphere.radius * sphere.radius));
                    if (inside > 0) {
                        float height = std::sqrt(inside), depth = height + sphere.z, shade = height / sphere.radius;
                        auto step = [&](float colour) { return uint32_t(colour * shade * 255.0f); };
                        uint32_t colour = step(sphere.red) << 16 | step(sphere.green) << 8 | step(sphere.blue), bits;
                        std::memcpy(&bits, &depth, sizeof bits);
                        nearest = std::max(nearest, uint64_t(bits) << 32 | colour);
                    }
                }
                image[ray] = nearest;
            }
        });
    });
    give(image);
}

// The time is that of the rounds alone; what the host does between them is not timed for kernels either.
static void sssp(int vertices, int runs)
{
    std::vector<int> before = take<int>(), offsets = take<int>(), edges = take<int>(), weights = take<int>(), costs, updated;
    std::vector<char> changed(vertices);
    auto lower = [&](int &to, int cost) {
        if (threads == 1) {
            to = std::min(to, cost);
            return;
        }
        int found = __atomic_load_n(&to, __ATOMIC_RELAXED);
        while (cost < found && !__atomic_compare_exchange_n(&to, &found, cost, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
    };
    auto start = [&] {
        costs = updated = before;
        for (int vertex = 0; vertex < vertices; ++vertex) changed[vertex] = costs[vertex] != INT32_MAX;
    };
    best(runs, start, [&] {
        double seconds = 0;
        for (bool more = true; more;) {
            Clock::time_point start = Clock::now();
            parallel(vertices, 1024, [&](size_t begin, size_t end) {
                for (size_t vertex = begin; vertex < end; ++vertex) {
                    if (!changed[vertex]) continue;
                    int cost = costs[vertex];
                    for (int edge = offsets[vertex]; edge < offsets[vertex + 1]; ++edge) lower(updated[edges[edge]], cost + weights[edge]);
                }
            });
            seconds += std::chrono::duration<double>(Clock::now() - start).count();
            more = updated != costs;
            for (int vertex = 0; vertex < vertices; ++vertex) changed[vertex] = updated[vertex] != costs[vertex];
            costs = updated;
        }
        return seconds;
    });
    give(costs);
}
