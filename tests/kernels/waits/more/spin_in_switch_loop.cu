// A switch of six cases with a spin loop in some of them, in a loop whose turns take different cases.
// HANGS: O3 G
// ENDS: 0 0 0 128 128 128 256

extern "C" __global__ void k(int *data, int n)
{
    for (int step = 0; step < n + 2; ++step) {
        int kind = (threadIdx.x + step) % 6;
        switch (kind) {
        case 0:
        case 2:
        case 4: {
            int which = kind / 2;
            while (atomicCAS(&data[which], 0, 1) != 0)
                ;
            __threadfence();
            volatile int *total = data + 3 + which;
            *total = *total + 1;
            __threadfence();
            atomicExch(&data[which], 0);
            break;
        }
        case 1:
            atomicAdd(&data[6], 2);
            break;
        default:
            break;
        }
    }
}
