// Dynamic shared memory is seen as integers and, further up, as bytes; the branch writes through one and the rest reads through the other.
//
// RUN: ccc --block 96 --shared 4096
// LAUNCH: shared_two_views 1 96 shared=4096 i32:500 i32[1000]=below:40:1 i32[1000]=0
// LAUNCH: shared_two_views 1 33 shared=4096 i32:77 i32[1000]=below:40:2 i32[1000]=0
// EXPECT: same-memory

extern __shared__ int room[];

extern "C" __global__ void shared_two_views(int n, const int *__restrict__ in, int *__restrict__ out) {
    unsigned char *bytes = reinterpret_cast<unsigned char *>(room);
    for (int k = threadIdx.x; k < n; k += blockDim.x) room[k] = in[k] * 0x1010101;
    __syncthreads();
//#CCC for
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        int v = in[i];
//#CCC if
        if (v > 20) {
            int h = i;
            for (int k = 0; k < v; ++k) h = h * 48271 + v;
            bytes[4 * i + 2] = h >> 8;
        }
        out[i] = room[i];
    }
}
