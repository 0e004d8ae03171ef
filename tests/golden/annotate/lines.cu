// Markers stand on the lines of what they mark, so that every line keeps its number, and the directives' own lines are empty.
//
// RUN: annotate
// CHECK: extern "C" __global__ void k
// CHECK-NEXT: $()
// CHECK-NEXT: for_begin 1 const block 128 line 15
// CHECK-SAME: for (int i = threadIdx.x; i < n; i += blockDim.x)
// CHECK-NEXT: $()
// CHECK-NEXT: if (data[i])
// CHECK-SAME: if_begin 2 loop 1 line 17
// CHECK-SAME: if_end 2
// CHECK-NEXT: for_end 1
extern "C" __global__ void k(int n, int *data) {
#CCC for const block(128)
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
#CCC if
        if (data[i]) data[i] = 7 / data[i];
    }
}
