// RT: a ray tracer without reflections (J. Sanders and E. Kandrot, "CUDA by Example", chapter 6). One parallel ray per pixel
// is tried against every sphere; the nearest hit gives the pixel its shade. Few rays hit a given sphere.
//
// Depth and shade are one 64-bit number, the depth in the upper half, so that the nearest hit is an atomic maximum and hits
// may be found in any order. The arithmetic says where it rounds, so that the CPU finds the same bits. Lanes of one warp go through the outer loop together; the inner loop is marked, as is the path
// of a hit. The paper marks the same path.

struct Sphere {
    float x, y, z, radius;
};

// What a pixel has of a hit: the depth, made a number that is larger the nearer it is, and the sphere with its shade.
__device__ __forceinline__ unsigned long long seen(float depth, float shade, int sphere)
{
    // Depths are above 0, where floating-point numbers are ordered as their bits.
    unsigned low = (unsigned)sphere << 16 | (unsigned)(shade * 65535.0f);
    return (unsigned long long)__float_as_uint(depth) << 32 | low;
}

extern "C" __global__ void ray_trace(int width, int rays, int spheres, const Sphere *scene, unsigned long long *image)
{
    for (int first = blockIdx.x * blockDim.x; first < rays; first += gridDim.x * blockDim.x) {
        int ray = first + threadIdx.x;
        float x = (float)(ray % width);
        float y = (float)(ray / width);
#CCC for
        for (int i = 0; i < spheres; ++i) {
            float across = x - scene[i].x;
            float down = y - scene[i].y;
            float inside = fmaf(-down, down, fmaf(-across, across, scene[i].radius * scene[i].radius));
#CCC if
            if (inside > 0.0f && ray < rays) {
                float height = sqrtf(inside);
                float depth = height + scene[i].z;
                atomicMax(&image[ray], seen(depth, height / scene[i].radius, i));
            }
        }
    }
}
