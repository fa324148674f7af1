#!/bin/bash
# SQLite: the same order book twice, in WAL mode and with a rollback journal (both synchronous = FULL, 1 MiB of page
# cache): small transactions of inserts, updates, look-ups and deletes, then VACUUM.
set -euo pipefail
. "$(dirname "$0")/evict.sh"

readonly transactions="${TRANSACTIONS:-2500}"

statements() {  # JOURNAL_MODE
  awk -v mode="$1" -v transactions="$transactions" 'BEGIN {
    srand(7)
    print "PRAGMA journal_mode = " mode "; PRAGMA synchronous = FULL; PRAGMA cache_size = -1024;"
    print "CREATE TABLE orders (id INTEGER PRIMARY KEY, customer INTEGER, status INTEGER, note TEXT);"
    print "CREATE INDEX orders_customer ON orders (customer);"
    print "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40000)"
    print "INSERT INTO orders SELECT i, i * 7919 % 10007, 0, hex(randomblob(120)) FROM n;"
    for (t = 1; t <= transactions; ++t) {
      print "BEGIN IMMEDIATE;"
      for (i = 0; i < 4; ++i)
        printf "INSERT INTO orders (customer, status, note) VALUES (%d, 0, hex(randomblob(120)));\n", rand() * 10007
      for (i = 0; i < 3; ++i)
        printf "UPDATE orders SET status = status + 1 WHERE id = %d;\n", 1 + rand() * 40000
      printf "SELECT sum(length(note)) FROM orders WHERE customer = %d;\n", rand() * 10007
      if (t % 8 == 0) printf "DELETE FROM orders WHERE customer = %d;\n", rand() * 10007
      print "COMMIT;"
    }
    print "VACUUM;"
  }'
}

case "$1" in
  prepare) ;;
  run)
    start_evicting 1 "$VOLUME"
    for mode in WAL DELETE; do
      statements "$mode" | sqlite3 -bail "$VOLUME/$mode.db" >/dev/null
    done
    stop_evicting
    rm "$VOLUME/WAL.db"
    ;;
esac
