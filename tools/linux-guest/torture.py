"""Runs in a guest of `flashloom torture --linux`: one phase (prepare, work or check) of one scenario.

    torture.py prepare|work|check SCENARIO SEED [ACKNOWLEDGED]

"work" writes "ack N" to the guest's serial line once the drive has acknowledged operation N as durable; the host cuts the
power at a random instant. "check" runs in a fresh kernel with the file of acknowledged operations. It prints a line
"LOST ..." and ends with exit code 3 if an acknowledged operation is missing or the data are inconsistent.
"""
import ctypes
import fcntl
import glob
import hashlib
import mmap
import os
import struct
import subprocess
import sys

DRIVE = "/dev/nvme0n1"
PLACE = "/mnt/drive"
SERIAL_LINE = "/dev/ttyS0"
OPERATIONS = 120  # operations of "work": more than complete before any cut
UUID = "5f0c4f8e-0000-4000-8000-000000000001"
LOST = 3

FILE_SYSTEMS = {
    "ext4": (["mkfs.ext4", "-q", "-F", "-U", UUID, "-E", f"hash_seed={UUID},lazy_itable_init=0"], "ext4", ""),
    "ext4-journal": (["mkfs.ext4", "-q", "-F", "-U", UUID, "-E", f"hash_seed={UUID},lazy_itable_init=0"], "ext4",
                     "data=journal"),
    "xfs": (["mkfs.xfs", "-q", "-f", "-m", f"uuid={UUID}"], "xfs", ""),
    "f2fs": (["mkfs.f2fs", "-q", "-f", "-U", UUID], "f2fs", ""),
}
CHECKS = {"ext4": ["e2fsck", "-f", "-n"], "xfs": ["xfs_repair", "-n"], "f2fs": ["fsck.f2fs", "--dry-run"]}
DATABASES = ["sqlite-wal", "sqlite-rollback", "rocksdb", "postgresql"]
RAW = ["raw", "raw-fua", "raw-atomic"]
SCENARIOS = [*FILE_SYSTEMS, *DATABASES, *RAW]


class Lost(Exception):
    """Acknowledged data are lost or inconsistent."""


def content(seed, number, size):
    """The bytes of an operation, which depend only on seed and number."""
    block = hashlib.sha256(f"{seed} {number}".encode()).digest()
    return (block * (size // len(block) + 1))[:size]


def size_of(seed, number):
    """The size of an operation's file: 1 to 40,000 bytes, mostly at most 5,000."""
    draw = int.from_bytes(hashlib.sha256(f"size {seed} {number}".encode()).digest()[:8], "little")
    return 1 + draw % (40_000 if draw % 5 == 0 else 5_000)


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def must(*command):
    code, said = run(*command)
    if code != 0:
        raise SystemExit(f"{' '.join(command)}: {said}")


def file_system(scenario):
    """The file system of a scenario; databases use ext4."""
    return FILE_SYSTEMS[scenario if scenario in FILE_SYSTEMS else "ext4"]


def mount(scenario):
    _, kind, options = file_system(scenario)
    os.makedirs(PLACE, exist_ok=True)
    must("mount", "-t", kind, *(["-o", options] if options else []), DRIVE, PLACE)


def sync_folder(path):
    folder = os.open(path, os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)


# File systems: each operation writes and syncs a new file; each third one also replaces the file "newest" by a rename. Each
# ends with a sync of the folder.

def work_files(seed):
    for number in range(OPERATIONS):
        path = f"{PLACE}/file{number}"
        with open(path, "wb", buffering=0) as file:
            file.write(content(seed, number, size_of(seed, number)))
            os.fsync(file.fileno())
        if number % 3 == 0:
            with open(f"{PLACE}/new", "wb", buffering=0) as file:
                file.write(b"%d\n" % number)
                os.fsync(file.fileno())
            os.rename(f"{PLACE}/new", f"{PLACE}/newest")
        sync_folder(PLACE)
        yield number


def check_files(seed, acknowledged):
    for number in acknowledged:
        path = f"{PLACE}/file{number}"
        if not os.path.exists(path):
            raise Lost(f"file{number} is not there")
        with open(path, "rb") as file:
            if file.read() != content(seed, number, size_of(seed, number)):
                raise Lost(f"file{number} has other bytes")
    renamed = [number for number in acknowledged if number % 3 == 0]
    if renamed:
        if not os.path.exists(f"{PLACE}/newest"):
            raise Lost(f"\"newest\" is not there where {renamed[-1]} was acknowledged")
        with open(f"{PLACE}/newest", "rb") as file:
            text = file.read()
        if not text.endswith(b"\n") or not text[:-1].isdigit() or int(text) < renamed[-1]:
            raise Lost(f"\"newest\" says {text!r} where {renamed[-1]} was acknowledged")


# Databases: each operation is a transaction of three rows.

PARTS = 3


class Sqlite:
    JOURNALS = {"sqlite-wal": "WAL", "sqlite-rollback": "DELETE"}

    def __init__(self, scenario, is_new):
        import sqlite3
        self.error = sqlite3.DatabaseError
        self.database = sqlite3.connect(f"{PLACE}/data.db", isolation_level=None)
        self.ask(f"PRAGMA journal_mode={self.JOURNALS[scenario]}")
        # EXTRA: with FULL a committed transaction may be rolled back, since the removal of its journal is not synced
        # (sqlite.org/pragma.html#pragma_synchronous); these tests have seen it.
        self.ask("PRAGMA synchronous=EXTRA")
        if is_new:
            self.ask("CREATE TABLE rows (operation INTEGER, part INTEGER, bytes BLOB)")

    def ask(self, statement, values=()):
        try:
            return self.database.execute(statement, values).fetchall()
        except self.error as error:
            raise Lost(f"the database: {error}") from error

    def commit(self, number, parts):
        self.ask("BEGIN")
        for part, data in enumerate(parts):
            self.ask("INSERT INTO rows VALUES (?, ?, ?)", (number, part, data))
        self.ask("COMMIT")

    def read(self):
        said = self.ask("PRAGMA integrity_check")
        if said != [("ok",)]:
            raise Lost(f"integrity_check: {said[0][0]}")
        return self.ask("SELECT operation, part, bytes FROM rows")

    def close(self):
        self.database.close()


class RocksDb:
    """By the C interface of librocksdb. The small write buffer has files flushed and compacted."""

    def __init__(self, _scenario, is_new):
        import ctypes.util
        try:
            self.library = ctypes.CDLL(ctypes.util.find_library("rocksdb") or "librocksdb.so.7.8")
        except OSError as error:
            raise SystemExit(f"RocksDB is not installed: {error}") from error
        options = self.call("rocksdb_options_create")
        for option, value in (("create_if_missing", is_new), ("paranoid_checks", 1), ("write_buffer_size", 1 << 16),
                              ("target_file_size_base", 1 << 16), ("max_bytes_for_level_base", 1 << 18)):
            self.call("rocksdb_options_set_" + option, options, value)
        self.database = self.try_to("rocksdb_open", options, f"{PLACE}/data.db".encode())
        self.synced = self.call("rocksdb_writeoptions_create")
        self.call("rocksdb_writeoptions_set_sync", self.synced, 1)

    def call(self, name, *arguments):
        function = getattr(self.library, name)
        function.restype = ctypes.c_ubyte if name.endswith("_valid") else ctypes.c_void_p
        return function(*(ctypes.c_size_t(each) if isinstance(each, int) else each for each in arguments))

    def try_to(self, name, *arguments):
        error = ctypes.c_char_p()
        found = self.call(name, *arguments, ctypes.byref(error))
        if error.value:
            raise Lost(f"{name}: {error.value.decode()}")
        return found

    def commit(self, number, parts):
        batch = self.call("rocksdb_writebatch_create")
        for part, data in enumerate(parts):
            key = b"%d %d" % (number, part)
            self.call("rocksdb_writebatch_put", batch, key, len(key), data, len(data))
        self.try_to("rocksdb_write", self.database, self.synced, batch)
        self.call("rocksdb_writebatch_destroy", batch)

    def read(self):
        at = self.call("rocksdb_create_iterator", self.database, self.call("rocksdb_readoptions_create"))
        self.call("rocksdb_iter_seek_to_first", at)
        size = ctypes.c_size_t()
        while self.call("rocksdb_iter_valid", at):
            key, data = (ctypes.string_at(self.call(name, at, ctypes.byref(size)), size.value)
                         for name in ("rocksdb_iter_key", "rocksdb_iter_value"))
            yield *map(int, key.split()), data
            self.call("rocksdb_iter_next", at)
        self.try_to("rocksdb_iter_get_error", at)
        self.call("rocksdb_iter_destroy", at)

    def close(self):
        self.call("rocksdb_close", self.database)


class Postgres:
    FOLDER = f"{PLACE}/data"
    LOG = "/tmp/server.log"
    PROGRAM = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]

    def __init__(self, _scenario, is_new):
        found = glob.glob("/usr/lib/postgresql/*/bin")
        if not found:
            raise SystemExit("PostgreSQL is not installed")
        self.programs = found[-1]
        os.environ |= {"LC_ALL": "C", "PGHOST": "/tmp", "PGUSER": "postgres", "PGDATABASE": "postgres", "PGDATA": self.FOLDER}
        os.chmod("/tmp", 0o1777)
        if is_new:
            must("chown", "postgres", PLACE)
            must(*self.PROGRAM, f"{self.programs}/initdb", "-k", "--wal-segsize=1", "-A", "trust", "-U", "postgres")
        elif os.path.exists(f"{self.FOLDER}/postmaster.pid"):
            os.remove(f"{self.FOLDER}/postmaster.pid")  # of the kernel before; its number may be taken in this one
        settings = "-c listen_addresses= -c unix_socket_directories=/tmp -c max_connections=10"
        code, said = run(*self.PROGRAM, f"{self.programs}/pg_ctl", "-w", "-t", "600", "-l", self.LOG, "-o", settings, "start")
        if code != 0:
            if os.path.exists(self.LOG):
                with open(self.LOG, encoding="utf-8") as log:
                    said = log.read()
            raise Lost(f"PostgreSQL does not start: {said.strip().splitlines()[-1]}")
        self.shell = subprocess.Popen([f"{self.programs}/psql", "-qAt", "-v", "ON_ERROR_STOP=1"], text=True,
                                      stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        if is_new:
            self.ask("CREATE EXTENSION amcheck; CREATE TABLE rows (operation integer, part integer, bytes bytea, "
                     "PRIMARY KEY (operation, part)); SELECT 1", 1)

    def ask(self, statement, lines):
        self.shell.stdin.write(statement + ";\n")
        self.shell.stdin.flush()
        return [self.shell.stdout.readline() for _ in range(lines)]

    def commit(self, number, parts):
        rows = (f"({number}, {part}, '\\x{data.hex()}')" for part, data in enumerate(parts))
        if "" in self.ask(f"INSERT INTO rows VALUES {', '.join(rows)} RETURNING part", len(parts)):
            raise SystemExit("PostgreSQL refuses a row")

    def read(self):
        code, said = run(f"{self.programs}/pg_amcheck", "--heapallindexed")
        if code != 0:
            raise Lost(f"pg_amcheck: {said.strip()}")
        code, said = run(f"{self.programs}/psql", "-At", "-c", "SELECT operation, part, encode(bytes, 'hex') FROM rows")
        if code != 0:
            raise Lost(f"PostgreSQL: {said.strip()}")
        for line in said.splitlines():
            number, part, data = line.split("|")
            yield int(number), int(part), bytes.fromhex(data)

    def close(self):
        self.shell.communicate()
        must(*self.PROGRAM, f"{self.programs}/pg_ctl", "-w", "-t", "600", "stop")


def connect(scenario, is_new=False):
    """A new database, or one that must be there."""
    return {"rocksdb": RocksDb, "postgresql": Postgres}.get(scenario, Sqlite)(scenario, is_new)


def parts_of(seed, number):
    return [content(seed, number * PARTS + part, size_of(seed, number) // 8) for part in range(PARTS)]


def work_database(database, seed):
    for number in range(OPERATIONS):
        database.commit(number, parts_of(seed, number))
        yield number


def check_database(scenario, seed, acknowledged):
    database = connect(scenario)
    rows = {}
    for number, part, data in database.read():
        rows.setdefault(number, {})[part] = data
    database.close()
    for number in {*acknowledged, *rows}:
        if rows.get(number) != dict(enumerate(parts_of(seed, number))):
            raise Lost(f"transaction {number} is not whole")


# The raw drive: each operation writes 8 KiB to a new address or over an earlier write, then flushes. "raw-fua" uses force unit
# access instead of the flush, in a command that bypasses the block layer, which would add a flush. "raw-atomic" reuses a few
# addresses, and checks the data by mapping units, which no power cut may tear, instead of sectors.

RAW_BYTES = 8192
UNIT = 4096
SECTOR = 512
ATOMIC_PLACES = 4
SUBMIT_IO = 0x40304e42  # NVME_IOCTL_SUBMIT_IO, linux/nvme_ioctl.h
FORCE_UNIT_ACCESS = 1 << 14
NVME_WRITE = 1


def raw_place(scenario, number):
    if scenario == "raw-atomic":
        return number % ATOMIC_PLACES * RAW_BYTES
    return (number - 2 if number % 3 == 2 else number) * RAW_BYTES


def work_raw(scenario, seed):
    drive = os.open(DRIVE, os.O_RDWR | os.O_DIRECT)
    buffer = mmap.mmap(-1, RAW_BYTES)
    address = ctypes.addressof(ctypes.c_char.from_buffer(buffer))
    for number in range(OPERATIONS):
        buffer[:] = content(seed, number, RAW_BYTES)
        place = raw_place(scenario, number)
        if scenario == "raw-fua":
            command = bytearray(struct.pack("=BBHHHQQQIIHH4x", NVME_WRITE, 0, FORCE_UNIT_ACCESS, RAW_BYTES // SECTOR - 1, 0,
                                            0, address, place // SECTOR, 0, 0, 0, 0))
            if fcntl.ioctl(drive, SUBMIT_IO, command) != 0:
                raise SystemExit("the drive refuses a write")
        else:
            os.pwrite(drive, buffer, place)
            os.fsync(drive)
        yield number


def check_raw(scenario, seed, acknowledged):
    drive = os.open(DRIVE, os.O_RDONLY)
    newest = {raw_place(scenario, number): number for number in acknowledged}
    following = max(acknowledged, default=-1) + 1  # the cut may have left all or part of this write
    whole = UNIT if scenario == "raw-atomic" else SECTOR
    for place, number in newest.items():
        versions = [number, *([following] if raw_place(scenario, following) == place else [])]
        data = os.pread(drive, RAW_BYTES, place)
        for at in range(0, RAW_BYTES, whole):
            if data[at:at + whole] not in (content(seed, n, RAW_BYTES)[at:at + whole] for n in versions):
                raise Lost(f"write {number} at {place + at}")


def prepare(scenario):
    if scenario in RAW:
        return
    must(*file_system(scenario)[0], DRIVE)
    mount(scenario)
    if scenario in DATABASES:
        connect(scenario, is_new=True).close()
    must("umount", PLACE)


def work(scenario, seed):
    if scenario not in RAW:
        mount(scenario)
    database = connect(scenario) if scenario in DATABASES else None
    reports = os.open(SERIAL_LINE, os.O_WRONLY | os.O_NOCTTY)
    os.write(reports, b"begin\n")
    operations = (work_files(seed) if scenario in FILE_SYSTEMS else
                  work_database(database, seed) if database else work_raw(scenario, seed))
    for number in operations:
        os.write(reports, b"ack %d\n" % number)


def check(scenario, seed, acknowledged):
    if scenario in RAW:
        return check_raw(scenario, seed, acknowledged)
    try:
        mount(scenario)
    except SystemExit as error:
        raise Lost(f"it does not mount: {error}") from error
    if scenario in FILE_SYSTEMS:
        check_files(seed, acknowledged)
    else:
        check_database(scenario, seed, acknowledged)
    must("umount", PLACE)
    _, kind, _ = file_system(scenario)
    code, said = run(*CHECKS[kind], DRIVE)
    if code != 0:
        raise Lost(f"{CHECKS[kind][0]}: {said.strip().splitlines()[-1]}")


def main(phase, scenario, seed, acknowledged_file=None):
    if phase == "prepare":
        prepare(scenario)
    elif phase == "work":
        work(scenario, seed)
    else:
        with open(acknowledged_file, encoding="ascii") as file:
            acknowledged = [int(line) for line in file]
        try:
            check(scenario, seed, acknowledged)
        except (Lost, OSError) as lost:
            print(f"LOST {lost}")
            sys.exit(LOST)


if __name__ == "__main__":
    main(*sys.argv[1:])
