#!/bin/sh
# Nsight Compute without a GPU, for the tests: runs the program that it is given, and writes a table like the one of `ncu --csv --page raw`. The
# launches are those in the log of the fake driver; the n-th has 1000 n instructions of warps, of which three quarters of the lanes are active, and i n of
# the i-th metric behind the first three.
#
#   $FAKE_NCU_SAYS   what it writes instead of a table
case "$1" in --version) echo 'Version 2025.3.1.0 (build 1) (public-release)'; exit ;; esac
metrics= table=
while :; do
  case "$1" in
    --csv) shift ;;
    --metrics) metrics=$2; shift 2 ;;
    --log-file) table=$2; shift 2 ;;
    --*) shift 2 ;;
    *) break ;;
  esac
done
FAKE_CUDA_LOG="$table.launches" "$@"
if [ -n "$FAKE_NCU_SAYS" ]; then echo "$FAKE_NCU_SAYS" > "$table"; exit 1; fi
{
  echo "==PROF== Connected to process 1 ($1)"
  echo "\"ID\",\"Kernel Name\",\"$(echo "$metrics" | sed 's/,/","/g')\""
  echo "\"\",\"\",\"$(echo "$metrics" | sed 's/[^,]*/inst/g; s/,/","/g')\""
  sed -n 's/^launch \([^ ]*\) .*/\1/p' "$table.launches" | awk -v metrics="$metrics" '{
    n = split(metrics, names, ","); printf "\"%d\",\"%s\"", NR - 1, $1
    for (i = 1; i <= n; i++) printf ",\"%d.000000\"", (i == 1 ? 1000 : i == 2 ? 24000 : i == 3 ? 16000 : i) * NR
    printf "\n"
  }'
} > "$table"
