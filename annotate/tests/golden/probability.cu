// How probable it is that a lane takes a path, behind each directive that marks one.
__global__ void probability(int n, int *a) {
#CCC for
    for (int i = 0; i < n; ++i) {
#CCC if probability(0.25) // a quarter
        if (a[i]) a[i] = 1;
        switch (a[i]) {
#CCC case probability( 1e-30 )
            case 2: a[i] = 3; break;
            default: a[i] = 4; break;
        }
        {
#CCC while probability(1)
            while (a[i] > 5) --a[i];
        }
        {
#CCC for probability(.5)
            for (int j = 0; j < a[i]; ++j) a[j] = 6;
        }
#CCC recursive probability(0.1250)
        deeper(a, i);
    }
}
