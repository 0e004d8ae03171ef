// DQG: the weights of quadrature points after A. Becke, "A multicenter numerical integration scheme for polyatomic molecules"
// (J. Chem. Phys. 88, 1988), as N. Luehr and others compute them (GPU Computing Gems Emerald Edition, chapter 3). A point
// belongs to one of several molecules of 2 to 80 atoms, and its weight compares the atoms two by two: lanes whose points have few
// atoms wait for those with many.
//
// Molecules are given by their pairs, because there are many more points than pairs: for each atom a row with the places of all and
// how far each is apart from it, nothing for itself, negative for the last. So a step knows its pair by one number.
//
// The loop over the first atom of a pair runs as often for every lane as the largest molecule asks (Section 3.2 of the paper), and
// the path of an atom that the lane's molecule has is marked: the cell function of one atom, a product over the others. The loop over
// the others is marked in it, because it is as long as the molecule is large. Sums of cell functions are added as integers of 2^-40,
// because integers can be added in any order with the same result.

__device__ __forceinline__ float away(float4 point, float4 atom)
{
    float x = point.x - atom.x, y = point.y - atom.y, z = point.z - atom.z;
    return sqrtf(x * x + y * y + z * z);
}

// A molecule is where its pairs begin, and its number of atoms. Behind the place of a point stands the last pair of its own atom.
extern "C" __global__ void dqg(int points, int most, const float4 *point, const int *molecule, const int2 *molecules,
                               const float4 *pair, float *home, unsigned long long *total)
{
    for (int begin = blockIdx.x * blockDim.x; begin < points; begin += gridDim.x * blockDim.x) {
        int i = begin + threadIdx.x;
        int atoms = 0;
        if (i < points) {
            atoms = molecules[molecule[i]].y;
        }
#CCC for
        for (int a = 0; a < most; ++a) {
#CCC if
            if (a < atoms) {
                int2 own = molecules[molecule[i]];
                int row = own.x + a * own.y, last;
                float distance = away(point[i], pair[row + a]);
                float cell = 1.0f;
#CCC while
                for (int at = row;; ++at) {
                    // The point is loaded here and not before the loop, so that it does not travel with the task.
                    float4 other = pair[at];
                    float apart = fabsf(other.w);
                    float mu = apart == 0.0f ? -1.0f : (distance - away(point[i], other)) / apart;
                    mu = mu * (1.5f - 0.5f * mu * mu);
                    mu = mu * (1.5f - 0.5f * mu * mu);
                    mu = mu * (1.5f - 0.5f * mu * mu);
                    cell *= 0.5f * (1.0f - mu);
                    if (__float_as_int(other.w) < 0) {
                        last = at;
                        break;
                    }
                }
                if (last == (int)point[i].w) {
                    home[i] = cell;
                }
                atomicAdd(&total[i], (unsigned long long)(cell * 1099511627776.0f));
            }
        }
    }
}
