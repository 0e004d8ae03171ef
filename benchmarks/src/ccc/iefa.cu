// IEFA: the inverse error function in double precision, by the three polynomials of M. Giles, "Approximating the erfinv
// function" (GPU Computing Gems Jade Edition, chapter 10). Which of them applies depends on w = -log(1 - x^2): below 6.25
// the central one, below 16 that of the tail, else that of the far tail. That can be asked of 1 - x^2 itself, so that each of the three
// is a function of x alone and takes the logarithm for itself.
//
// The paper collects all three paths, and so does this. A task is the index of a value, which its path loads again, because a loaded
// value would double the stack. What is no number goes the last way.

// exp(-6.25) and exp(-16).
#define CENTRAL 0.0019304541362277093
#define TAIL 1.1253517471925912e-07

__device__ __forceinline__ double central(double x)
{
    double w = -log((1.0 - x) * (1.0 + x));
    const double coefficients[] = {
        -3.6444120640178196996e-21, -1.685059138182016589e-19, 1.2858480715256400167e-18, 1.115787767802518096e-17,
        -1.333171662854620906e-16, 2.0972767875968561637e-17, 6.6376381343583238325e-15, -4.0545662729752068639e-14,
        -8.1519341976054721522e-14, 2.6335093153082322977e-12, -1.2975133253453532498e-11, -5.4154120542946279317e-11,
        1.051212273321532285e-09, -4.1126339803469836976e-09, -2.9070369957882005086e-08, 4.2347877827932403518e-07,
        -1.3654692000834678645e-06, -1.3882523362786468719e-05, 0.0001867342080340571352, -0.00074070253416626697512,
        -0.0060336708714301490533, 0.24015818242558961693, 1.6536545626831027356,
    };
    double p = coefficients[0];
#pragma unroll
    for (int term = 1; term < 23; ++term) {
        p = fma(p, w - 3.125, coefficients[term]);
    }
    return p * x;
}

__device__ __forceinline__ double tail(double x)
{
    const double coefficients[] = {
        2.2137376921775787049e-09, 9.0756561938885390979e-08, -2.7517406297064545428e-07, 1.8239629214389227755e-08,
        1.5027403968909827627e-06, -4.013867526981545969e-06, 2.9234449089955446044e-06, 1.2475304481671778723e-05,
        -4.7318229009055733981e-05, 6.8284851459573175448e-05, 2.4031110387097893999e-05, -0.0003550375203628474796,
        0.00095328937973738049703, -0.0016882755560235047313, 0.0024914420961078508066, -0.0037512085075692412107,
        0.005370914553590063617, 1.0052589676941592334, 3.0838856104922207635,
    };
    double s = sqrt(-log((1.0 - x) * (1.0 + x))) - 3.25;
    double p = coefficients[0];
#pragma unroll
    for (int term = 1; term < 19; ++term) {
        p = fma(p, s, coefficients[term]);
    }
    return p * x;
}

__device__ __forceinline__ double far_tail(double x)
{
    const double coefficients[] = {
        -2.7109920616438573243e-11, -2.5556418169965252055e-10, 1.5076572693500548083e-09, -3.7894654401267369937e-09,
        7.6157012080783393804e-09, -1.4960026627149240478e-08, 2.9147953450901080826e-08, -6.7711997758452339498e-08,
        2.2900482228026654717e-07, -9.9298272942317002539e-07, 4.5260625972231537039e-06, -1.9681778105531670567e-05,
        7.5995277030017761139e-05, -0.00021503011930044477347, -0.00013871931833623122026, 1.0103004648645343977,
        4.8499064014085844221,
    };
    double s = sqrt(-log((1.0 - x) * (1.0 + x))) - 5.0;
    double p = coefficients[0];
#pragma unroll
    for (int term = 1; term < 17; ++term) {
        p = fma(p, s, coefficients[term]);
    }
    return p * x;
}

extern "C" __global__ void iefa(int values, const double *x, double *result)
{
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < values; i += gridDim.x * blockDim.x) {
        double at = x[i], product = (1.0 - at) * (1.0 + at);
#CCC if
        if (product > CENTRAL) {
            result[i] = central(x[i]);
        }
#CCC if
        else if (product > TAIL) {
            result[i] = tail(x[i]);
        }
#CCC if
        else if (!(product > TAIL)) {
            result[i] = far_tail(x[i]);
        }
    }
}
