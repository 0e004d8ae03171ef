// Insertion only: per level a walk to greater keys (ends), CAS of the link just read (fails only by another's
// insertion at that place; then goes on from there). No deletion, so no marks.

// nothing: skip
#define LV 4
// node i: links next[i*LV+l]; node 0 is head, link 0 is the end; key of node i is hash(i)
__device__ int key(int n) { return n ? (n * 29) % 61 + 1 : 0; }
extern "C" __global__ void skip(int *next, int *lv)
{
    int me = threadIdx.x + 1, k = key(me);
    int height = 1 + min(__ffs(me * 0x9e37) - 1, LV - 1);
    int pred[LV], succ[LV];
    int p = 0;
    for (int l = LV - 1; l >= 0; --l) {
        int s = atomicAdd(&next[p * LV + l], 0);
        while (s != 0 && key(s) < k) { p = s; s = atomicAdd(&next[p * LV + l], 0); }
        pred[l] = p; succ[l] = s;
    }
    for (int l = 0; l < height; ++l) {
        for (;;) {
            next[me * LV + l] = succ[l];
            __threadfence();
            int o = atomicCAS(&next[pred[l] * LV + l], succ[l], me);
            if (o == succ[l]) break;
            succ[l] = o;
            while (succ[l] != 0 && key(succ[l]) < k) { pred[l] = succ[l]; succ[l] = atomicAdd(&next[pred[l] * LV + l], 0); }
        }
    }
    lv[me - 1] = height;
}
