// EMIES: the potential of sources in boxes, after the nonuniform grid interpolation method (S. Li and others, "Fast
// Electromagnetic Integral-Equation Solvers on Graphics Processing Units", IEEE Antennas and Propagation Magazine 54, 2012).
// One thread per observer. A box near the observer is summed source by source, a far one is looked at as a whole: here by its
// monopole and dipole, where the method interpolates in a grid of amplitudes.
//
// The near field's path is marked, as in the paper. Sums of near boxes are added as integers of 2^-32, because integers can be
// added in any order with the same result.

// A box: its centre, and the total strength and dipole of its sources, which are source[first[b]] up to first[b + 1].
struct Box {
    float x, y, z, strength, dipole_x, dipole_y, dipole_z;
};

extern "C" __global__ void emies(int observers, int boxes, float radius, const float4 *observer, const Box *box,
                                 const int *first, const float4 *source, float *far_field,
                                 unsigned long long *near_field)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= observers) {
        return;
    }
    float x = observer[i].x, y = observer[i].y, z = observer[i].z;
    float far_sum = 0.0f;
#CCC for
    for (int b = 0; b < boxes; ++b) {
        float dx = x - box[b].x, dy = y - box[b].y, dz = z - box[b].z;
        // With its rounding in it, because the CPU decides by it too which boxes are near.
        float squared = fmaf(dz, dz, fmaf(dy, dy, dx * dx));
        if (squared >= radius * radius) {
            float inverse = rsqrtf(squared);
            float dipole = dx * box[b].dipole_x + dy * box[b].dipole_y + dz * box[b].dipole_z;
            far_sum += inverse * (box[b].strength + dipole * inverse * inverse);
        }
#CCC if
        if (squared < radius * radius) {
            // Loaded again, so that the place of the observer does not travel.
            float4 at = observer[i];
            float sum = 0.0f;
            for (int s = first[b]; s < first[b + 1]; ++s) {
                float sx = at.x - source[s].x, sy = at.y - source[s].y, sz = at.z - source[s].z;
                sum += source[s].w * rsqrtf(sx * sx + sy * sy + sz * sz + 1e-4f);
            }
            atomicAdd(&near_field[i], (unsigned long long)(long long)(sum * 4294967296.0f));
        }
    }
    far_field[i] = far_sum;
}
