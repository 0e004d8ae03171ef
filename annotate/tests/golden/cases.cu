// Cases of a switch: with braces of their own, without, falling through, the last one; and conditions behind an else.
__global__ void cases(int n, int *a) {
#CCC for
    for (int i = 0; i < n; ++i) {
        switch (a[i]) {
#CCC case
            case 0: { a[i] = i; break; }
#CCC case
            case 1:
            case sizeof(int): a[i] += 2; if (i) { a[i] = 0; } break;
#CCC case
            case 2:
                switch (i) { case 2: a[i] = 3; break; }
                for (;;) break;
                [[fallthrough]];
            case 3: break;
#CCC case
            default: a[i] = i; int last = 4; a[i] += last; break;
        }
#CCC if
        if (a[i] > 1) a[i] = i;
#CCC if
        else if (a[i] > 2) { a[i] = 2 * i;
#CCC if
        } else if (a[i] > 3) a[i] = 0;
    }
}
