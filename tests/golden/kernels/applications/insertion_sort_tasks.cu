// Sorting of short segments in place: each task is the steps of one segment, which moves between lanes.
//
// RUN: ccc --block 96
// LAUNCH: sort 2 96 i32:1000 u8[1000]=rand:10 u16[8000]=rand:11
// EXPECT: same-memory
extern "C" __global__ void sort(int n, const unsigned char *__restrict__ length, unsigned short *__restrict__ data) {
    //#CCC for
    for (int s = blockIdx.x * blockDim.x + threadIdx.x; s < n; s += gridDim.x * blockDim.x) {
        unsigned short *segment = data + 8 * s;
        int end = length[s] & 7, at = 1;
        //#CCC while
        while (at < end) {
            if (at > 0 && segment[at] < segment[at - 1]) {
                unsigned short t = segment[at];
                segment[at] = segment[at - 1];
                segment[at - 1] = t;
                --at;
            }
            else ++at;
        }
    }
}
