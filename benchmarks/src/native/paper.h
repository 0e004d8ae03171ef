// The programs of Guo, Zhang and Shen (`cpu/*.cu`) for the CPU: the same algorithms, as one would write them for it.
#pragma once
#include "harness.h"

static void reduce(int count, int runs)
{
    std::vector<int> in = take<int>(), sum(1);
    best(runs, [] {}, [&] {
        std::atomic<int> all{0};
        parallel(count, 1 << 18, [&](size_t begin, size_t end) {
            unsigned part = 0;
            for (size_t i = begin; i < end; ++i) part += in[i];
            all += int(part);
        });
        sum[0] = all;
    });
    give(sum);
}

// Puts the elements of `length` pairs in order, or in reverse order.
static inline void compare(uint32_t *keys, uint32_t *values, uint32_t *others, uint32_t *other_values, unsigned length, bool up)
{
    for (unsigned i = 0; i < length; ++i) {
        uint32_t one = keys[i], other = others[i], value = values[i], other_value = other_values[i];
        bool exchange = (one > other) == up;
        keys[i] = exchange ? other : one;
        others[i] = exchange ? one : other;
        values[i] = exchange ? other_value : value;
        other_values[i] = exchange ? value : other_value;
    }
}

static void bitonic(uint32_t *keys, uint32_t *values, unsigned length)
{
    for (unsigned size = 2; size <= length; size *= 2)
        for (unsigned stride = size / 2; stride > 0; stride /= 2)
            for (unsigned low = 0; low < length; low += 2 * stride)
                compare(keys + low, values + low, keys + low + stride, values + low + stride, stride, (low & size) == 0);
}

static void oddeven(uint32_t *keys, uint32_t *values, unsigned length)
{
    for (unsigned size = 2; size <= length; size *= 2) {
        for (unsigned first = 0; first < length; first += size) {
            uint32_t *key = keys + first, *value = values + first;
            unsigned stride = size / 2;
            compare(key, value, key + stride, value + stride, stride, true);
            for (stride /= 2; stride > 0; stride /= 2)
                for (unsigned low = stride; low + 2 * stride < size; low += 2 * stride)
                    compare(key + low, value + low, key + low + stride, value + low + stride, stride, true);
        }
    }
}

static void sorting(int arrays, int runs)
{
    const unsigned length = 1024;
    std::vector<uint32_t> keys = take<uint32_t>(), values = take<uint32_t>();
    std::vector<uint32_t> one_keys, one_values, other_keys, other_values;
    best(runs, [&] { one_keys = other_keys = keys; one_values = other_values = values; }, [&] {
        parallel(arrays, 8, [&](size_t begin, size_t end) {
            for (size_t array = begin; array < end; ++array) bitonic(&one_keys[array * length], &one_values[array * length], length);
        });
        parallel(arrays, 8, [&](size_t begin, size_t end) {
            for (size_t array = begin; array < end; ++array) oddeven(&other_keys[array * length], &other_values[array * length], length);
        });
    });
    give(one_keys);
    give(one_values);
    give(other_keys);
    give(other_values);
}

static void sgemm(int n, int runs)
{
    const float alpha = 1.25f, beta = 0.5f;
    std::vector<float> a = take<float>(), b = take<float>(), before = take<float>(), c;
    best(runs, [&] { c = before; }, [&] {
        parallel(n / 16, 1, [&](size_t begin, size_t end) {
            for (size_t column = 16 * begin; column < 16 * end; column += 16)
                for (int row = 0; row < n; row += 64) {
                    float sums[16][64] = {};
                    for (int k = 0; k < n; ++k)
                        for (int j = 0; j < 16; ++j) {
                            float factor = b[(column + j) * n + k];
                            for (int i = 0; i < 64; ++i) sums[j][i] = fused(a[size_t(k) * n + row + i], factor, sums[j][i]);
                        }
                    for (int j = 0; j < 16; ++j)
                        for (int i = 0; i < 64; ++i) {
                            float &to = c[(column + j) * n + row + i];
                            to = fused(alpha, sums[j][i], beta * to);
                        }
                }
        });
    });
    give(c);
}

static void transpose(int side, int runs)
{
    std::vector<float> in = take<float>(), out(in.size());
    best(runs, [] {}, [&] {
        parallel(side / 32, 1, [&](size_t begin, size_t end) {
            for (size_t ty = 32 * begin; ty < 32 * end; ty += 32)
                for (int tx = 0; tx < side; tx += 32) {
                    float tile[32][33];
                    for (int y = 0; y < 32; ++y)
                        for (int x = 0; x < 32; ++x) tile[x][y] = in[(ty + y) * side + tx + x];
                    for (int y = 0; y < 32; ++y)
                        for (int x = 0; x < 32; ++x) out[size_t(tx + y) * side + ty + x] = tile[y][x];
                }
        });
    });
    give(out);
}

// The sum of products of elements. Sixteen sums are made side by side.
template <class One, class Other> static float dot_of(size_t begin, size_t end, One one, Other other)
{
    float parts[16] = {}, sum = 0;
    size_t i = begin;
    for (; i + 16 <= end; i += 16)
        for (int lane = 0; lane < 16; ++lane) parts[lane] = fused(one(i + lane), other(i + lane), parts[lane]);
    for (; i < end; ++i) sum = fused(one(i), other(i), sum);
    for (float part : parts) sum += part;
    return sum;
}

static void cg(int rows, int runs)
{
    const int steps = 25;
    std::vector<int> offsets = take<int>(), columns = take<int>();
    std::vector<float> values = take<float>(), b = take<float>(), x, r, p, q(rows);
    const size_t grain = 1024;
    std::vector<float> parts((rows + grain - 1) / grain);
    auto dot = [&](const float *one, const float *other) {
        std::fill(parts.begin(), parts.end(), 0.0f);
        parallel(rows, grain, [&](size_t begin, size_t end) {
            parts[begin / grain] = dot_of(begin, end, [&](size_t i) { return one[i]; }, [&](size_t i) { return other[i]; });
        });
        float sum = 0;
        for (float part : parts) sum += part;
        return sum;
    };
    best(runs, [&] { x.assign(rows, 0.0f); r = p = b; }, [&] {
        float rho = dot(r.data(), r.data());
        for (int step = 0; step < steps; ++step) {
            parallel(rows, grain, [&](size_t begin, size_t end) {
                for (size_t row = begin; row < end; ++row)
                    q[row] = dot_of(offsets[row], offsets[row + 1], [&](size_t i) { return values[i]; }, [&](size_t i) { return p[columns[i]]; });
            });
            float alpha = rho / dot(p.data(), q.data());
            parallel(rows, grain, [&](size_t begin, size_t end) {
                for (size_t i = begin; i < end; ++i) {
                    x[i] = fused(alpha, p[i], x[i]);
                    r[i] = fused(-alpha, q[i], r[i]);
                }
            });
            float before = rho;
            rho = dot(r.data(), r.data());
            float beta = rho / before;
            parallel(rows, grain, [&](size_t begin, size_t end) {
                for (size_t i = begin; i < end; ++i) p[i] = fused(beta, p[i], r[i]);
            });
        }
    });
    give(x);
}
