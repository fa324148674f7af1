#!/bin/bash
# PostgreSQL 15 with synchronous_commit = off: few flushes, so that the device sees many writes at a time.
set -euo pipefail
SYNCHRONOUS_COMMIT=off TRANSACTIONS_EACH="${TRANSACTIONS_EACH:-5000}" exec "$(dirname "$0")/postgres.sh" "$@"
