// Moves of knights on boards: bit boards of 64 squares, where more than two knights are left.
//
// RUN: ccc --block 96
// LAUNCH: knights 2 96 i32:1000 u64[1000]=rand:9 u64[1000]=0 u8[1000]=0
// EXPECT: same-memory
extern "C" __global__ void knights(int n, const unsigned long long *board, unsigned long long *attacked, unsigned char *count) {
    //#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned long long b = board[i] & (board[i] >> 3) & (board[i] << 9);
        //#CCC if independent
        if (__popcll(b) > 9) {
            unsigned long long all = 0;
            while (b) {
                int square = __ffsll(b) - 1;
                b &= b - 1;
                unsigned long long k = 1ull << square;
                all |= (k << 17) & 0xfefefefefefefefeull;
                all |= (k << 10) & 0xfcfcfcfcfcfcfcfcull;
                all |= (k >> 15) & 0xfefefefefefefefeull;
                all |= (k >> 17) & 0x7f7f7f7f7f7f7f7full;
            }
            attacked[i] = all;
            count[i] = __popcll(all);
        }
    }
}
