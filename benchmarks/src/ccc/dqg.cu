// DQG: the weights of quadrature points after A. Becke, "A multicenter numerical integration scheme for polyatomic molecules"
// (J. Chem. Phys. 88, 1988), as N. Luehr and others compute them (GPU Computing Gems Emerald Edition, chapter 3). A point
// belongs to one of several molecules of 2 to 80 atoms, and its weight compares the atoms two by two: lanes whose points have few
// atoms wait for those with many.
//
// Molecules are given by their pairs, because there are many more points than pairs: for each atom a row with the places of all and
// one over how far each is apart from it, nothing for itself, negative for the last. So a step knows its pair by one number.
//
// The loop over the first atom of a pair runs as often for every lane as the largest molecule asks (Section 3.2 of the paper). The loop
// over the others is marked in it, because it is as long as the molecule is large: the cell function of one atom, a product over the others.
// Cell functions are added as integers of 2^-40, because integers can be added in any order with the same result.

__device__ __forceinline__ float away(float4 point, float4 atom)
{
    float x = point.x - atom.x, y = point.y - atom.y, z = point.z - atom.z;
    return sqrtf(x * x + y * y + z * z);
}

// A molecule is where its pairs begin, and its number of atoms. Behind the place of a point stands the last pair of its own atom; a
// point has two sums, of the others' cell functions and of that atom's.
extern "C" __global__ void dqg(int points, int most, const float4 *point, const int *molecule, const int2 *molecules,
                               const float4 *pair, unsigned long long *sums)
{
    for (int begin = blockIdx.x * blockDim.x; begin < points; begin += gridDim.x * blockDim.x) {
        int i = begin + threadIdx.x;
        int row = 0, atoms = 0;
        if (i < points) {
            int2 own = molecules[molecule[i]];
            row = own.x, atoms = own.y;
        }
#CCC for
        for (int a = 0; a < most; ++a, row += atoms) {
            if (a < atoms) {
                float4 at = point[i];
                // Which of its sums a task adds to says whose it is, so that nothing else has to travel for that.
                int sum = 2 * i + (row + atoms - 1 == (int)at.w);
                float distance = away(at, pair[row + a]);
                // A row has a factor too many, that of its own atom, which is a half.
                float cell = 2.0f;
#CCC while
                for (int other = row;; ++other) {
                    float4 atom = pair[other];
                    float mu = (distance - away(point[sum >> 1], atom)) * fabsf(atom.w);
                    mu = mu * (1.5f - 0.5f * mu * mu);
                    mu = mu * (1.5f - 0.5f * mu * mu);
                    mu = mu * (1.5f - 0.5f * mu * mu);
                    cell *= 0.5f * (1.0f - mu);
                    if (__float_as_int(atom.w) < 0) {
                        break;
                    }
                }
                atomicAdd(&sums[sum], (unsigned long long)(cell * 1099511627776.0f));
            }
        }
    }
}
