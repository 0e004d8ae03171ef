// Bodies with and without braces, with and without else, on one line and on many.
__global__ void shapes(int n, int *a) {
  #CCC for
  for (int i = 0; i < n; ++i)
    #CCC if
    if (a[i]) a[i] = 1;

  #CCC for const block(128)
  for (int i = 0; i < n; ++i) {
    #CCC if
    if (a[i]) { a[i] = 2; } else { a[i] = 3; }
    #CCC if
    if (a[i] == 4)
    {
      a[i] = 5;
    }
    else if (a[i] == 6)
      a[i] = 7;
    else
      #CCC if
      if (a[i] == 8)
        a[i] = 9;
      else
        a[i] = 10;
  }

  if (n > 7)
    #CCC for block( 64 ) const
    for (int i = 0; i < n; ++i) ;
  else
    for (int j = 0; j < n; ++j)
      #CCC for
      for (int i = 0; i < j; ++i)
        #CCC if
        if (a[i]) if (a[j]) a[i] = 11; else a[j] = 12;

again:
  #CCC for
  for (;;) {
    #CCC if
    if (a[0] > n) ;
    #CCC if
    if (a[1]++ > n) { do a[2]++; while (a[2] < n); goto again; }
    switch (a[3]) { case 1: break; default:
      #CCC if
      if (a[4]) { switch (n) { case 2: a[5] = 1; } }
    }
    #CCC if
    if (a[6])
      #CCC for
      for (int k = 0; k < n; ++k) a[k] = k;
  }
}
