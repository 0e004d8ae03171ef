// Numbers in decimal: digits go to a local array before the rare branch reads them.
//
// RUN: ccc --block 96
// REFUSED: line 14: uses local memory
extern "C" __global__ void decimal(int n, const unsigned int *__restrict__ number, unsigned char *__restrict__ text) {
    //#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned char digit[10];
        unsigned int x = number[i] >> (number[i] & 31);
        int count = 0;
        do { digit[count++] = '0' + x % 10; x /= 10; } while (x);
        //#CCC if
        if (count >= 4) {
            for (int k = 0; k < count; ++k) text[12 * i + k] = digit[count - 1 - k];
            text[12 * i + count] = '!';
        }
    }
}
