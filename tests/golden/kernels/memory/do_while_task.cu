// A task is a do-while loop with `continue` in it.
//
// RUN: ccc --block 96
// LAUNCH: search 2 96 i32:200 i32[200]=below:1000:1 i32[256]=iota i32[200]=0
// EXPECT: same-memory
extern "C" __global__ void search(int n, const int *__restrict__ key, const int *__restrict__ sorted, int *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int low = 0, high = 255, wanted = key[i] & 255, steps = 0;
//#CCC while
        do {
            ++steps;
            int mid = (low + high) / 2;
            if (sorted[mid] < wanted) { low = mid + 1; continue; }
            if (sorted[mid] > wanted) { high = mid - 1; continue; }
            low = high = mid; break;
        } while (low < high);
        out[i] = low * 100 + steps;
    }
}
