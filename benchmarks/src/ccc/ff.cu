// FF: fractal flames (S. Draves, "The Fractal Flame Algorithm"; on GPUs by C. Schied and others, GPU Computing Gems Emerald
// Edition, chapter 18). A point goes through one of ten variations, chosen at random, and is counted in the pixel where it
// lands. Neighbouring lanes have different variations, so a warp runs all ten.
//
// The paper collects the three costliest paths. All ten are marked.

// Counts a point of the square from -2 to 2 in its pixel; beyond the square it is not seen.
__device__ __forceinline__ void plot(float x, float y, int side, unsigned *histogram)
{
    float column = (x + 2.0f) * 0.25f * side;
    float row = (y + 2.0f) * 0.25f * side;
    if (column >= 0.0f && column < side && row >= 0.0f && row < side) {
        atomicAdd(&histogram[(int)row * side + (int)column], 1u);
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
        case 1: // sinusoidal
            plot(sine(x), sine(y), side, histogram);
            break;
#CCC case
        case 2: { // spherical
            float scale = 1.0f / (x * x + y * y + 1e-6f);
            plot(x * scale, y * scale, side, histogram);
            break;
        }
#CCC case
        case 3: { // swirl
            float squared = x * x + y * y, turn = sine(squared), keep = cosine(squared);
            plot(x * turn - y * keep, x * keep + y * turn, side, histogram);
            break;
        }
#CCC case
        case 4: { // horseshoe
            float scale = 1.0f / (length(x, y) + 1e-6f);
            plot((x - y) * (x + y) * scale, 2.0f * x * y * scale, side, histogram);
            break;
        }
#CCC case
        case 5: // polar
            plot(atan2f(x, y) * 0.318309886f, length(x, y) - 1.0f, side, histogram);
            break;
#CCC case
        case 6: { // handkerchief
            float theta = atan2f(x, y), radius = length(x, y);
            plot(radius * sine(theta + radius), radius * cosine(theta - radius), side, histogram);
            break;
        }
#CCC case
        case 7: { // heart
            float radius = length(x, y), turned = atan2f(x, y) * radius;
            plot(radius * sine(turned), -radius * cosine(turned), side, histogram);
            break;
        }
#CCC case
        case 9: { // power
            float theta = atan2f(x, y);
            float rise = sine(theta);
            float radius = powf(length(x, y), rise);
            plot(radius * cosine(theta), radius * rise, side, histogram);
            break;
        }
#CCC case
        default: { // spiral
            float theta = atan2f(x, y), radius = length(x, y), scale = 1.0f / (radius + 1e-6f);
            plot((cosine(theta) + sine(radius)) * scale, (sine(theta) - cosine(radius)) * scale, side, histogram);
            break;
        }
        }
    }
}
