// SSSP: one round of relaxations for the shortest paths from one source (P. Harish and P. Narayanan, "Accelerating Large Graph
// Algorithms on the GPU Using CUDA", HiPC 2007), in the form of Figure 8 of the CCC paper: a bit per vertex says whether its
// cost has become less, and what its neighbours would cost goes to a second array, so that a round reads no cost of its own.
//
// The host makes the next round's costs and bits. As in the paper, the path of a vertex is marked and in it the loop over its edges.

extern "C" __global__ void sssp(int vertices, const unsigned *changed, const int *costs, int *updated, const int *offsets,
                                const int *edges, const int *weights)
{
#CCC for
    for (int vertex = blockIdx.x * blockDim.x + threadIdx.x; vertex < vertices; vertex += gridDim.x * blockDim.x) {
        unsigned bits = changed[vertex >> 5];
#CCC if
        if (bits >> (vertex & 31) & 1) {
            // Nothing in the kernel writes costs. Said so, the compiler leaves the load here, before the test of the edges, where it can be
            // hoisted.
            int cost = __ldg(&costs[vertex]);
#CCC for
            for (int edge = offsets[vertex], end = offsets[vertex + 1]; edge < end; ++edge) {
                atomicMin(&updated[edges[edge]], cost + weights[edge]);
            }
        }
    }
}
