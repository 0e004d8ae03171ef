// Statements without braces: nested ifs whose else belongs to the inner one, a do-while, a switch, a loop, each the body of a marked if.
//
// RUN: ccc --block 96 --lower-occupancy
// LAUNCH: k 2 96 i32:450 i32[450]=below:20:1 i32[450]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC if
        if (v & 1) if (v & 2) out[i] = 5; else out[i] = i * 3; // else of the inner one
        else if (v == 4)
#CCC if
            if (i & 1) do { out[i] += 7; } while (out[i] < i); else out[i] = 77;
        else
#CCC if
            if (v == 6)
                switch (i & 3) case 0: case 2: out[i] = 9;
            else if (v == 8) for (int j = 0; j < (i & 7); ++j) if (j & 1) out[i] += j; else out[i] ^= j;
            else
#CCC if
                if (v == 10) { out[i] = 1; } else out[i] = 2;
    }
}
