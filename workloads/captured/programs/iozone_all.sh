#!/bin/bash
# IOzone with all its records, of 4 KiB to 16 MiB.
set -euo pipefail
RECORDS="-y 4k -q 16m" exec "$(dirname "$0")/iozone.sh" "$@"
