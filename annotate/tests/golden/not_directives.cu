// What only looks like a directive: in strings, raw strings, comments, behind code.
#include <cstdio>
#define TEXT "#CCC for"
/*
#CCC for
*/
const char *raw = R"cuda(
#CCC for
for (;;) { )" (
)cuda";
const char *spliced = "\
#CCC if \
";
/// #CCC if in documentation
__global__ void live(int n, int *a) {
  #CCC for
  for (int i = 0; i < n; ++i) { a[i] += n; // #CCC directives are described elsewhere
    char c = '"', d = '\'', e = '{';
    int big = 1'000'000;
    const char *s = "for (;;) \" } // " R"(" } )";
    #CCC if
    if (a[i] == c + d + e + big + s[0]) a[i] = 0x1'F;
  }
}
