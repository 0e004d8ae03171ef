// Words of eight bases in a genome: those with a rare prefix are counted in a table.
//
// RUN: ccc --block 96
// LAUNCH: kmers 2 96 i32:1000 u8[1008]=rand:8 u32[256]=0
// EXPECT: same-memory
extern "C" __global__ void kmers(int n, const unsigned char *__restrict__ genome, unsigned int *__restrict__ table) {
    //#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned int first = genome[i] & 3, second = genome[i + 1] & 3;
        //#CCC if probability(0.06)
        if (first == 2 && second == 3) {
            unsigned short word = 0;
            for (int k = 0; k < 8; ++k) word = (word << 2) | (genome[i + k] & 3);
            unsigned short back = 0;
            for (int k = 0; k < 8; ++k) back = (back << 2) | (~(word >> (2 * k)) & 3);
            unsigned short canonical = word < back ? word : back;
            atomicAdd(&table[(canonical * 40503u >> 8) & 255], 1u);
        }
    }
}
