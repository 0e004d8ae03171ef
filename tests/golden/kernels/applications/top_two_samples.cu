// The two largest scores of each row, kept in registers; rows with a high first score are scanned.
//
// RUN: ccc --block 96
// LAUNCH: top 2 96 i32:1000 f32[1016]=rand:20 f32[2000]=0 i16[2000]=-1
// EXPECT: same-memory
extern "C" __global__ void top(int n, const float *score, float2 *best, short2 *place) {
    //#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const float *row = score + i;
        //#CCC if independent
        if (row[0] > 0.6f) {
            float2 b = make_float2(-1.0f, -1.0f);
            short2 p = make_short2(-1, -1);
            for (short k = 0; k < 16; ++k) {
                float s = row[k];
                if (s > b.x) { b.y = b.x; p.y = p.x; b.x = s; p.x = k; }
                else if (s > b.y) { b.y = s; p.y = k; }
            }
            best[i] = b;
            place[i] = p;
        }
    }
}
