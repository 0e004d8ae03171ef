// One level of a breadth-first search, annotated for collaborative context collection.
//
// Each thread looks at every (grid size)-th vertex. Most vertices are not in the current level, so in most iterations
// only a few lanes of a warp have neighbours to visit while the others wait, and of those, most wait for the one with the
// most neighbours. The directives below name the loop over vertices and the loop over neighbours in it; the rewritten kernel
// collects edges and visits neighbours with full warps. This is the shape of Figure 1(a) in "Efficient Warp Execution in
// Presence of Divergence with Collaborative Context Collection" (MICRO 2015). `#CCC if` above the condition would collect
// vertices as well; what a vertex takes before its loop is too little for that to pay.
//
// Try it:
//     pxrw ccc examples/bfs.cu -o bfs.ptx      rewrites the kernel and says what was done
//     pxrw bench bfs                           runs the original and the rewritten kernel on a graph and compares them
//
// The host sets levels[source] = 0 and all other levels to -1, then launches the kernel with level = 0, 1, 2, ... until
// a launch leaves *changed at 0. The edges of vertex v are edges[offsets[v]] up to edges[offsets[v + 1] - 1].
//
// Plain nvcc does not know `#CCC`. Written as `//#CCC for` (or `#pragma CCC for`, about which nvcc warns), the directives
// mean the same to pxrw and nothing to nvcc, and the file compiles with both.

// Puts a neighbour that no level has reached yet into the next level. Two threads may do that to one vertex at the same
// time; both write the same number.
__device__ void visit(int neighbour, int level, int *levels, int *changed)
{
    if (levels[neighbour] < 0) {
        levels[neighbour] = level + 1;
        *changed = 1;
    }
}

extern "C" __global__ void bfs(int vertices, int level, int *levels, const int *offsets, const int *edges, int *changed)
{
#CCC for
    for (int vertex = blockIdx.x * blockDim.x + threadIdx.x; vertex < vertices; vertex += gridDim.x * blockDim.x) {
        if (levels[vertex] == level) {
#CCC for
            for (int edge = offsets[vertex], end = offsets[vertex + 1]; edge < end; ++edge) {
                visit(edges[edge], level, levels, changed);
            }
        }
    }
}
