// DQG: the weights of quadrature points after A. Becke, "A multicenter numerical integration scheme for polyatomic molecules"
// (J. Chem. Phys. 88, 1988), as N. Luehr and others compute them (GPU Computing Gems Emerald Edition, chapter 3). A point
// belongs to one of several molecules of 2 to 80 atoms, and its weight compares the atoms two by two: lanes whose points have few
// atoms wait for those with many.
//
// The loop over the first atom of a pair runs as often for every lane as the largest molecule asks (Section 3.2 of the paper), and
// the path of an atom that the lane's molecule has is marked: the cell function of one atom, a product over the others. The loop over
// the others is marked in it, because it is as long as the molecule is large. Sums of cell functions are added as integers of 2^-40,
// because integers can be added in any order with the same result.

extern "C" __global__ void dqg(int points, int most, const float4 *point, const int *molecule, const int *first,
                               const float4 *atom, float *home, unsigned long long *total)
{
    for (int begin = blockIdx.x * blockDim.x; begin < points; begin += gridDim.x * blockDim.x) {
        int i = begin + threadIdx.x;
        int atoms = 0;
        if (i < points) {
            atoms = first[molecule[i] + 1] - first[molecule[i]];
        }
#CCC for
        for (int a = 0; a < most; ++a) {
#CCC if
            if (a < atoms) {
                // Loaded here and not before the loop, so that none of it travels with the task.
                float x = point[i].x, y = point[i].y, z = point[i].z;
                int from = first[molecule[i]], to = first[molecule[i] + 1];
                float4 own = atom[from + a];
                float ox = x - own.x, oy = y - own.y, oz = z - own.z;
                float distance = sqrtf(ox * ox + oy * oy + oz * oz);
                float cell = 1.0f;
#CCC for
                for (int b = from; b < to; ++b) {
                    float4 other = atom[b];
                    float px = x - other.x, py = y - other.y, pz = z - other.z;
                    float ax = own.x - other.x, ay = own.y - other.y, az = own.z - other.z;
                    float apart = sqrtf(ax * ax + ay * ay + az * az);
                    float mu = b == from + a ? -1.0f : (distance - sqrtf(px * px + py * py + pz * pz)) / apart;
                    mu = mu * (1.5f - 0.5f * mu * mu);
                    mu = mu * (1.5f - 0.5f * mu * mu);
                    mu = mu * (1.5f - 0.5f * mu * mu);
                    cell *= 0.5f * (1.0f - mu);
                }
                if (a == (int)point[i].w) {
                    home[i] = cell;
                }
                atomicAdd(&total[i], (unsigned long long)(cell * 1099511627776.0f));
            }
        }
    }
}
