#!/bin/bash
# PostgreSQL 15: pgbench initialises a small bank and runs its TPC-B-like transactions, fsync on, with small buffers and a
# small log, so that check points come often, as they do on a loaded server. SYNCHRONOUS_COMMIT=off in the environment
# lets commits return before their log is durable.
set -euo pipefail
. "$(dirname "$0")/evict.sh"

readonly bin=/usr/lib/postgresql/15/bin
readonly scale=5 clients=4 transactions_each="${TRANSACTIONS_EACH:-3200}"
readonly data="$VOLUME/data"

as_postgres() { runuser -u postgres -- env PGHOST="$SCRATCH" LC_ALL=C "$@"; }

server_start() {
  as_postgres "$bin/pg_ctl" --silent --wait --pgdata "$data" --log "$SCRATCH/server.log" start >/dev/null
}

server_stop() { as_postgres "$bin/pg_ctl" --silent --wait --pgdata "$data" --mode fast stop; }

case "$1" in
  prepare)
    install -d -o postgres -g postgres -m 700 "$data"
    as_postgres "$bin/initdb" --pgdata "$data" --auth trust --locale C --encoding UTF8 --wal-segsize 4 >/dev/null
    cat >>"$data/postgresql.conf" <<CONFIGURATION
listen_addresses = ''
unix_socket_directories = '$SCRATCH'
shared_buffers = 16MB
max_wal_size = 48MB
min_wal_size = 24MB
checkpoint_timeout = 30s
synchronous_commit = ${SYNCHRONOUS_COMMIT:-on}
autovacuum_naptime = 5s
CONFIGURATION
    ;;
  run)
    server_start
    trap server_stop EXIT  # also after a failure: a server would hold the volume
    as_postgres createdb bench
    as_postgres "$bin/pgbench" --initialize --quiet --scale "$scale" bench 2>/dev/null
    start_evicting 2 "$data/base"
    as_postgres "$bin/pgbench" --client "$clients" --transactions "$transactions_each" --random-seed 7 --no-vacuum bench >&2
    stop_evicting
    ;;
esac
