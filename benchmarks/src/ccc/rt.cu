// RT: a ray tracer without reflections (J. Sanders and E. Kandrot, "CUDA by Example", chapter 6). A parallel ray is tried
// against every sphere; the nearest hit gives it its colour. Few rays hit a given sphere.
//
// The paper marks the path of a hit, and so does this. The loop over rays and the loop over spheres are one, so that a warp's contexts
// outlive a ray. Depth and colour are one 64-bit number, the depth in the upper half, so that the nearest hit is an atomic maximum
// and hits may be found in any order. The arithmetic says where it rounds, so that the CPU finds the same bits.

struct Sphere {
    float x, y, z, radius, red, green, blue;
};

// One of 256 steps of a colour.
__device__ __forceinline__ unsigned step(float colour, float shade)
{
    return (unsigned)(colour * shade * 255.0f);
}

extern "C" __global__ void ray_trace(int rays, int spheres, const float2 *origin, const Sphere *scene,
                                     unsigned long long *image)
{
    int ray = blockIdx.x * blockDim.x + threadIdx.x;
    if (ray >= rays) {
        return;
    }
    float2 from = origin[ray];
#CCC for
    for (int i = 0; ray < rays;) {
        float across = from.x - scene[i].x;
        float down = from.y - scene[i].y;
        float inside = fmaf(-down, down, fmaf(-across, across, scene[i].radius * scene[i].radius));
#CCC if
        if (inside > 0.0f) {
            float height = sqrtf(inside);
            // Above 0, where floating-point numbers are ordered as their bits.
            float depth = height + scene[i].z;
            float shade = height / scene[i].radius;
            unsigned colour = step(scene[i].red, shade) << 16 | step(scene[i].green, shade) << 8 | step(scene[i].blue, shade);
            atomicMax(&image[ray], (unsigned long long)__float_as_uint(depth) << 32 | colour);
        }
        if (++i == spheres) {
            i = 0;
            ray += gridDim.x * blockDim.x;
            if (ray < rays) {
                from = origin[ray];
            }
        }
    }
}
