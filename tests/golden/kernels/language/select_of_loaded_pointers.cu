// A linked list in one array: the branch writes to the node that the element's first link names, the rest follows the links by index.
//
// RUN: ccc --block 96
// LAUNCH: select_of_loaded_pointers 2 96 i32:200 i32[200]=below:3:1 i32[800]=below:50:3 i32[200]=0
// LAUNCH: select_of_loaded_pointers 1 33 i32:77 i32[200]=below:3:2 i32[800]=below:50:4 i32[200]=0
// EXPECT: same-memory

struct Node { int link, value, pad[2]; };

extern "C" __global__ void select_of_loaded_pointers(int n, const int *__restrict__ in, Node *nodes, int *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        Node *node = nodes + i;
        Node copy = *node;
//#CCC if
        if (in[i] == 2) {
            Node fresh = copy;
            for (int k = 0; k < 5; ++k) fresh.value = fresh.value * 31 + copy.pad[k & 1];
            fresh.pad[in[i] & 1] = fresh.value >> 3;
            *node = fresh;
        }
        out[i] = node->value + nodes[i].pad[0];
    }
}
