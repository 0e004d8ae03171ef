// FF: fractal flames (S. Draves, "The Fractal Flame Algorithm"; on GPUs by C. Schied and others, GPU Computing Gems Emerald
// Edition, chapter 18). A point goes through one of ten variations, chosen at random, and is counted in the pixel where it
// lands. Neighbouring lanes have different variations, so a warp runs all ten.
//
// As in the paper's listing (Figure 7), the first variations are short and the latest long. The paper collects the three costliest paths.
// All ten are marked.

// Counts a point of the square from -2 to 2 in its pixel; beyond the square it is not seen. A coordinate that is too small is a
// huge number without a sign, so that one comparison finds all four sides.
__device__ __forceinline__ void plot(float x, float y, int side, unsigned *histogram)
{
    float scale = 0.25f * side, middle = 0.5f * side;
    int column = __float2int_rd(x * scale + middle);
    int row = __float2int_rd(y * scale + middle);
    if (max((unsigned)column, (unsigned)row) < side) {
        atomicAdd(&histogram[row * side + column], 1u);
    }
}

// As the paper's listing does (Figure 7), a variation calls the library's functions and not the approximations in hardware. Those of
// multiples of pi have no case for huge arguments that would take local memory.
__device__ __forceinline__ float sine(float x)
{
    return sinpif(x * 0.318309886f);
}

__device__ __forceinline__ float cosine(float x)
{
    return cospif(x * 0.318309886f);
}

__device__ __forceinline__ float length(float x, float y)
{
    return sqrtf(x * x + y * y);
}

extern "C" __global__ void ff(int points, int side, const float2 *position, const int *variation, unsigned *histogram)
{
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < points; i += gridDim.x * blockDim.x) {
        int chosen = variation[i];
        float x = position[i].x;
        float y = position[i].y;
        // What a variation needs beside the point it computes itself, so that a task is eight bytes.
        switch (chosen) {
#CCC case
        case 0: // linear
            plot(x, y, side, histogram);
            break;
#CCC case
        case 1: { // hyperbolic, whose sine and cosine of the angle are x / r and y / r
            float scale = 1.0f / (x * x + y * y + 1e-6f);
            plot(x * scale, y, side, histogram);
            break;
        }
#CCC case
        case 2: { // spherical
            float scale = 1.0f / (x * x + y * y + 1e-6f);
            plot(x * scale, y * scale, side, histogram);
            break;
        }
#CCC case
        case 3: { // horseshoe
            float scale = 1.0f / (length(x, y) + 1e-6f);
            plot((x - y) * (x + y) * scale, 2.0f * x * y * scale, side, histogram);
            break;
        }
#CCC case
        case 4: // bent
            plot(x < 0.0f ? 2.0f * x : x, y < 0.0f ? 0.5f * y : y, side, histogram);
            break;
#CCC case
        case 5: { // fisheye
            float scale = 2.0f / (length(x, y) + 1.0f);
            plot(y * scale, x * scale, side, histogram);
            break;
        }
#CCC case
        case 6: { // bubble
            float scale = 4.0f / (x * x + y * y + 4.0f);
            plot(x * scale, y * scale, side, histogram);
            break;
        }
#CCC case
        case 7: { // power
            float theta = atan2f(x, y), rise = sine(theta);
            float radius = powf(length(x, y), rise);
            plot(radius * cosine(theta), radius * rise, side, histogram);
            break;
        }
#CCC case
        case 8: { // julian: one of the five fifth roots of the point
            float turn = 0.2f * (atan2f(y, x) + 6.28318531f * (__float_as_uint(x) % 5));
            float radius = powf(length(x, y), 0.2f);
            plot(radius * cosine(turn), radius * sine(turn), side, histogram);
            break;
        }
#CCC case
        default: { // supershape: a star of five points, round the better the larger the second number
            float theta = 1.25f * atan2f(y, x) + 0.785398163f;
            float around = powf(fabsf(cosine(theta)), 1.7f) + powf(fabsf(sine(theta)), 1.7f);
            float radius = length(x, y), scale = (radius - 0.1f) * powf(around, -1.6f) / (radius + 1e-6f);
            plot(x * scale, y * scale, side, histogram);
            break;
        }
        }
    }
}
