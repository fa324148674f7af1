#!/bin/bash
# IOzone 3.489: write, rewrite, read, reread of files of 4 KiB to 16 MiB in records of 4 KiB, or of RECORDS (options of
# IOzone) in the environment; no fsync before close (-c).
set -euo pipefail

case "$1" in
  prepare) ;;
  run)
    cd "$VOLUME"
    iozone -a -c -i 0 -i 1 ${RECORDS:--r 4k} -n 4k -g 16m >"$SCRATCH/iozone.txt"
    ;;
esac
