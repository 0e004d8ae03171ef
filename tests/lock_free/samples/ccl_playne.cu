// Playne & Hawick 2018: connected components of an image, reduction by atomicMin
//
// assumed: _Z15label_reductionPjPKhii
// assumed: _Z7resolvePji
__device__ __inline__ unsigned find_root(volatile unsigned *labels, unsigned label) {
    unsigned next = labels[label];
    while (label != next) { label = next; next = labels[label]; }
    return label;
}
__device__ __inline__ void reduction(unsigned *labels, unsigned l1, unsigned l2) {
    unsigned next1 = l1 != l2 ? ((volatile unsigned *)labels)[l1] : 0;
    unsigned next2 = l1 != l2 ? ((volatile unsigned *)labels)[l2] : 0;
    while (l1 != l2 && l1 != next1) { l1 = next1; next1 = ((volatile unsigned *)labels)[l1]; }
    while (l1 != l2 && l2 != next2) { l2 = next2; next2 = ((volatile unsigned *)labels)[l2]; }
    while (l1 != l2) {
        if (l1 < l2) { unsigned t = l1; l1 = l2; l2 = t; }
        unsigned l3 = atomicMin(&labels[l1], l2);
        l1 = l1 == l3 ? l2 : l3;
    }
}
__global__ void label_reduction(unsigned *labels, const unsigned char *img, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    unsigned char p = img[y * w + x];
    if (y > 0 && img[(y - 1) * w + x] == p && !(x > 0 && img[y * w + x - 1] == p && img[(y - 1) * w + x - 1] == p))
        reduction(labels, y * w + x, (y - 1) * w + x);
    if (x > 0 && img[y * w + x - 1] == p) reduction(labels, y * w + x, y * w + x - 1);
}
__global__ void resolve(unsigned *labels, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) labels[i] = find_root(labels, labels[i]);
}
