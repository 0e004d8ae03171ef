// The branch writes a __device__ array through a pointer that may also be a parameter; the rest reads the array itself.
//
// RUN: ccc --block 96
// LAUNCH: device_array_selected 1 96 i32:250 i32[1000]=below:40:1 i32[1000]=0 i32[250]=0
// LAUNCH: device_array_selected 1 33 i32:77 i32[1000]=below:40:2 i32[1000]=0 i32[250]=0
// EXPECT: same-memory

__device__ int room[250];

extern "C" __global__ void device_array_selected(int n, const int *__restrict__ in, int *spill, int *__restrict__ out) {
    for (int k = threadIdx.x; k < n; k += blockDim.x) room[k] = k;
    __syncthreads();
//#CCC for
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        int *to = in[i] & 1 ? room : spill;
//#CCC if
        if (in[i] > 20) {
            int h = i;
            for (int k = 0; k < in[i]; ++k) h = h * 48271 + k;
            to[i] = h;
        }
        out[i] = room[i];
    }
}
