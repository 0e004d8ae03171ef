// Rays through a tree of boxes that is walked by skip links, without a stack.
//
// RUN: ccc --block 96
// LAUNCH: trace 2 96 i32:1000 f32[256]=rand:2 f32[1000]=rand:3 i32[1000]=0 f32[1000]=0
// EXPECT: same-memory
struct Hit { int count; float nearest; };
extern "C" __global__ void trace(int n, const float *__restrict__ box, const float *__restrict__ ray, int *__restrict__ hits, float *__restrict__ nearest) {
    //#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const float r = ray[i];
        Hit hit = {0, 1e30f};
        //#CCC while
        for (int node = 0; node < 255;) {
            float d = fabsf(box[node] - r);
            bool inside = d < 0.3f;
            if (inside) { ++hit.count; hit.nearest = fminf(hit.nearest, d); node += 1; }
            else node += 1 + (node & 6);
        }
        hits[i] = hit.count;
        nearest[i] = hit.nearest;
    }
}
