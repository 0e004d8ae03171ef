// Wait-free: announces, then helps all 32 announced operations once each; fixed bounds.

// nothing: uni
extern "C" __global__ void uni(int *ann, int *total, int *out)
{
    int me = threadIdx.x;
    atomicExch(&ann[me], me + 1);
    for (int i = 0; i < 32; ++i) {
        int j = (me + i) & 31;
        int v = *(volatile int *)&ann[j];
        if (v > 0 && atomicCAS(&ann[j], v, -v) == v) atomicAdd(total, v);
    }
    out[me] = ann[me] < 0;
}
