#!/bin/sh
# workload.sh KIND FILE_SYSTEM: for `flashloom linux`; see workload.py.
exec python3 -B "${0%/*}/workload.py" "$@"
