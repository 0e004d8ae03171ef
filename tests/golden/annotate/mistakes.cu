// Every wrong directive of a file is reported at once, each at its line.
//
// RUN: annotate
// REFUSED: line 16: unknown CCC directive `fro`
// REFUSED: line 18: stands in no loop with #CCC for
// REFUSED: line 19: needs a for loop
// REFUSED: line 23: `4096` is not a block size
// REFUSED: line 24: has no option `soon`
// REFUSED: line 24: has a CCC directive already
// REFUSED: line 26: `2` is not a probability
// REPORT: did you mean `#CCC for`?
// REPORT: 1 to 1024
// REPORT: more than 0 and at most 1

__global__ void k(int n, int *data) {
#CCC fro
    for (int i = 0; i < n; ++i) {
#CCC if
#CCC for
        if (data[i]) data[i] = 7;
    }

#CCC for block(4096)
#CCC for soon
    for (int i = 0; i < n; ++i)
#CCC if probability(2)
        if (data[i]) data[i] = 1;
}

