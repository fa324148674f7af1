"""RocksDB's db_bench and ldb, the shell of SQLite, and PostgreSQL on ext4 in a guest."""
import pathlib
import unittest

from suites import GuestCase, needs, takes_long

UUID = "5f0c4f8e-0000-4000-8000-000000000005"
LARGE = ["nand.blocks=1024"]  # 400 MiB
MOUNT = (f"mkfs.ext4 -q -F -U {UUID} -E hash_seed={UUID},lazy_itable_init=0 /dev/nvme0n1\nmkdir -p /mnt/d\n"
         "mount /dev/nvme0n1 /mnt/d\ncd /mnt/d\n")
CLEAN = "cd /; umount /mnt/d && e2fsck -f -n /dev/nvme0n1"
BENCH = "db_bench --db=/mnt/d/db --num=5000 --value_size=400 --statistics=0 --benchmarks="
LDB = "ldb --db=/mnt/d/"
ROCKSDB = {
    "fillseq": BENCH + "fillseq", "overwrite": BENCH + "overwrite --use_existing_db", "fillrandom": BENCH + "fillrandom",
    "readrandom": BENCH + "readrandom --use_existing_db", "readseq": BENCH + "readseq,readreverse --use_existing_db",
    "seekrandom": BENCH + "seekrandom --use_existing_db --seek_nexts=10", "fillsync": BENCH + "fillsync --num=200",
    "fill100K": BENCH + "fill100K --num=200", "deleterandom": BENCH + "fillrandom,deleterandom",
    "updaterandom": BENCH + "updaterandom --use_existing_db", "mergerandom": BENCH + "mergerandom --merge_operator=put",
    "readwhilewriting": BENCH + "fillseq,readwhilewriting --threads=2 --reads=2000",
    "direct": BENCH + "fillrandom,readrandom --use_direct_reads --use_direct_io_for_flush_and_compaction",
    "mmap": BENCH + "fillrandom,readrandom --mmap_read --compression_type=none",
    "compact": BENCH + "fillrandom,compact,verifychecksum --write_buffer_size=262144 --target_file_size_base=262144",
    "transactions": BENCH + "randomtransaction --transaction_db --num=500",
    "universal": BENCH + "fillrandom,overwrite,verifychecksum --compaction_style=1 --write_buffer_size=262144",
    "blob": BENCH + "fillrandom,flush,readrandom --enable_blob_files --min_blob_size=100",
    "checkconsistency": LDB + "db checkconsistency", "manifest": LDB + "db manifest_dump",
    "files": LDB + "db list_live_files_metadata",
    "sst": "sst_dump --file=/mnt/d/db --command=verify",
    "put": f"for i in $(seq 9); do {LDB}l --create_if_missing put k$i v$i; done",
    "get": f'test "$({LDB}l get k5)" = v5', "delete": f"{LDB}l delete k5 && ! {LDB}l get k5 | grep -q v5",
    "scan": f"test $({LDB}l scan | wc -l) = 8", "batchput": f'{LDB}l batchput a b c d && test "$({LDB}l get c)" = d',
    "dump_and_load": f"{LDB}l dump | sed '/==>/!d;s/^Keys.*//' > /tmp/dump; {LDB}m --create_if_missing load < /tmp/dump && "
                     f"test $({LDB}m scan | wc -l) = 10",
    "checkpoint": f"{LDB}l checkpoint --checkpoint_dir=/mnt/d/c && test $({LDB}c scan | wc -l) = 10",
    "backup": f"{LDB}l backup --backup_dir=/mnt/d/b && {LDB}r restore --backup_dir=/mnt/d/b && "
              f"test $({LDB}r scan | wc -l) = 10",
    "repair": f"rm /mnt/d/c/CURRENT; {LDB}c repair && test $({LDB}c scan | wc -l) = 10",
    "again_after_mount": f"sync; cd /; umount /mnt/d; mount /dev/nvme0n1 /mnt/d; {LDB}db checkconsistency && "
                         f"test $({LDB}l scan | wc -l) = 10",
    "clean": CLEAN,
}
ROWS = ("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {}) "
        "INSERT INTO t SELECT i, i * 7 % 1000, hex(randomblob(40)) FROM n;")


def sqlite(statements, wanted="ok", database="a.db"):
    """The last line that the shell prints must be the wanted one."""
    return f'test "$(sqlite3 -bail {database} "{statements}" | tail -n 1)" = "{wanted}"'


CHECK = " PRAGMA integrity_check;"
SQLITE = {
    "create": sqlite("CREATE TABLE t(a INTEGER PRIMARY KEY, b, c);" + ROWS.format(5000) + CHECK),
    "index": sqlite("CREATE INDEX i ON t(b); CREATE INDEX j ON t(c, b);" + CHECK),
    "select": sqlite("SELECT count(*) FROM t WHERE b = 7;", "5"),
    "update": sqlite("UPDATE t SET c = upper(c) || b WHERE b % 3 = 0;" + CHECK),
    "delete": sqlite("DELETE FROM t WHERE b % 5 = 0; SELECT count(*) FROM t;", "4000"), "vacuum": sqlite("VACUUM;" + CHECK),
    "wal": sqlite("PRAGMA journal_mode=WAL; UPDATE t SET b = b + 1;" + CHECK),
    "checkpoint": sqlite("UPDATE t SET b = b - 1; PRAGMA wal_checkpoint(TRUNCATE);", "0|0|0"),
    "rollback_mode": sqlite("PRAGMA journal_mode=DELETE;", "delete"),
    "rollback": sqlite("BEGIN; DELETE FROM t; ROLLBACK; SELECT count(*) FROM t;", "4000"),
    "spill": sqlite("PRAGMA cache_size=10; BEGIN; UPDATE t SET c = hex(randomblob(60)); COMMIT;" + CHECK),
    "synchronous": "for i in $(seq 30); do echo \"INSERT INTO t(b) VALUES($i);\"; done | sqlite3 -bail a.db && " +
                   sqlite("SELECT count(*) FROM t;", "4030"),
    "mmap": sqlite("PRAGMA mmap_size=16777216; SELECT count(*) FROM t;", "4030"),
    "attach": sqlite("ATTACH 'b.db' AS b; CREATE TABLE b.u AS SELECT * FROM t; SELECT count(*) FROM b.u;", "4030"),
    "two_files_at_once": sqlite("ATTACH 'b.db' AS b; BEGIN; DELETE FROM b.u WHERE b = 7; "
                                "DELETE FROM t WHERE b = 7; COMMIT;" + CHECK),
    "dump": "sqlite3 a.db .dump | sqlite3 c.db && sqlite3 a.db .sha3sum > /tmp/1 && "
            "sqlite3 c.db .sha3sum > /tmp/2 && cmp /tmp/1 /tmp/2",
    "backup": "sqlite3 a.db '.backup d.db' && cmp -i 100 a.db d.db",
    "recover": "sqlite3 a.db .recover | sqlite3 e.db && " +
               sqlite("PRAGMA integrity_check;", database="e.db"),
    "fts5": sqlite("CREATE VIRTUAL TABLE f USING fts5(x); INSERT INTO f SELECT 'word' || b FROM t; "
                   "INSERT INTO f(f) VALUES('integrity-check'); SELECT 'ok';"),
    "page_64k": sqlite("PRAGMA page_size=65536; VACUUM;" + CHECK, database="d.db"),
    "killed": "mkfifo /tmp/f; sqlite3 a.db < /tmp/f & writer=$!\n"
              "(echo 'BEGIN IMMEDIATE; PRAGMA cache_size=5; UPDATE t SET c = hex(randomblob(50));'; sleep 2) > /tmp/f & "
              "sleep 1; kill -9 $writer; wait; " + sqlite("PRAGMA integrity_check;"),
    "again_after_mount": "cd /; umount /mnt/d; mount /dev/nvme0n1 /mnt/d; cd /mnt/d; " + sqlite("PRAGMA integrity_check;"),
    "clean": CLEAN,
}
PREPARE_POSTGRES = """export PATH=$PATH:$(ls -d /usr/lib/postgresql/*/bin) LC_ALL=C
export PGDATA=/mnt/d/data PGHOST=/tmp PGUSER=postgres PGDATABASE=postgres
as() { setpriv --reuid=postgres --regid=postgres --clear-groups "$@"; }
chmod 1777 /tmp
"""
START = ("as pg_ctl -w -t 600 -l /tmp/server.log "
         "-o '-c listen_addresses= -c unix_socket_directories=/tmp -c max_connections=10' start")
POSTGRES = {
    "initdb": "chown postgres /mnt/d && as initdb -k --wal-segsize=1 -A trust -U postgres", "start": START,
    "pgbench_init": "pgbench -i -s 1 -q", "pgbench": "pgbench -n -c 2 -t 50",
    "pgbench_prepared": "pgbench -n -M prepared -c 2 -t 50",
    "pgbench_select": "pgbench -n -S -t 200", "pgbench_consistent":
    'test "$(psql -At -c "SELECT sum(abalance) = (SELECT sum(bbalance) FROM pgbench_branches) AND sum(abalance) = '
    '(SELECT sum(delta) FROM pgbench_history) FROM pgbench_accounts")" = t',
    "amcheck": "psql -q -c 'CREATE EXTENSION amcheck' && pg_amcheck --heapallindexed",
    "vacuum": "vacuumdb -q --full --analyze", "reindex": "reindexdb -q && pg_amcheck --heapallindexed",
    "dump_and_restore": "pg_dump > /tmp/dump && createdb other && psql -q -v ON_ERROR_STOP=1 -f /tmp/dump other > /dev/null",
    "immediate_stop": f"pgbench -n -c 2 -t 20 && as pg_ctl -m immediate stop && {START}",
    "amcheck_after_it": "pg_amcheck --heapallindexed",
    "stop": "as pg_ctl -w stop", "checksums": "as pg_checksums --check",
    "again_after_mount": f"cd /; umount /mnt/d; mount /dev/nvme0n1 /mnt/d; {START} && "
                         "pg_amcheck --heapallindexed && as pg_ctl -w stop",
    "clean": CLEAN,
}


class RocksDb(GuestCase):
    @needs("mkfs.ext4", "e2fsck", "apt-get")
    @takes_long(20)
    def test_suite(self):
        files = self.unpacked("rocksdb-tools", "librocksdb7.8", "libgflags2.2", "libsnappy1v5")
        library = next(files.glob("usr/lib/*/librocksdb.so*")).parent
        self.run_cases("rocksdb", ROCKSDB, f"{MOUNT}export PATH=$PATH:{files}/usr/bin LD_LIBRARY_PATH={library}\n",
                       "--memory", "512 MiB", sets=LARGE)


class SqliteShell(GuestCase):
    @needs("mkfs.ext4", "e2fsck", "sqlite3")
    @takes_long(7)
    def test_suite(self):
        self.run_cases("sqlite", SQLITE, MOUNT, sets=LARGE)


@unittest.skipIf(not list(pathlib.Path("/usr/lib/postgresql").glob("*/bin/pg_amcheck")), "not installed: postgresql")
class Postgres(GuestCase):
    @needs("mkfs.ext4", "e2fsck", "setpriv")
    @takes_long(40)
    def test_suite(self):
        self.run_cases("postgresql", POSTGRES, MOUNT + PREPARE_POSTGRES, "--memory", "512 MiB", sets=LARGE)


if __name__ == "__main__":
    unittest.main()
