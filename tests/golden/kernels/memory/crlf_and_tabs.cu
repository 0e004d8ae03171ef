// Lines end in carriage return and line feed, and tabs stand before directives.
//
// RUN: ccc --block 96
// LAUNCH: plain 2 96 i32:250 i32[250]=below:9:1 i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void plain(int n, const int *__restrict__ k, int *__restrict__ out) {
	/*#CCC for*/
	for (int i = blockIdx.x * blockDim.x + threadIdx.x;
	     i < n;
	     i += gridDim.x * blockDim.x)
	#pragma CCC if

	// a comment between
	  if (__builtin_expect(k[i] > 5, 0))
	    { int h = i; for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5); out[i] = h; }
}
