"""A file server or a database on a file system of /dev/nvme0n1, in a guest of `flashloom linux`.

    workload.py fileserver|sqlite ext4|xfs|f2fs [whole]

Prepares the file system, announces the start of the measurement, and does its work; "whole": a quarter of the work, all of
it measured, preparation included. It draws everything from a fixed seed, so that each file system and each drive gets the
same operations. Writes the latencies that the guest saw to /out/answers.json.
"""
import json
import os
import random
import subprocess
import sys
import time

DRIVE = "/dev/nvme0n1"
PLACE = "/mnt/drive"
UUID = "5f0c4f8e-0000-4000-8000-000000000003"
MAKE = {
    # Options that keep mkfs from trimming the drive, so that it stays in its used state.
    "ext4": ["mkfs.ext4", "-q", "-F", "-b", "4096", "-U", UUID, "-E",
             f"hash_seed={UUID},lazy_itable_init=0,lazy_journal_init=0,nodiscard"],
    "xfs": ["mkfs.xfs", "-q", "-f", "-K", "-m", f"uuid={UUID}"],
    "f2fs": ["mkfs.f2fs", "-q", "-f", "-t", "0", "-U", UUID],
}

FILES = 2400  # files that the file server starts with: 150 MiB of a drive of 400 MiB
MEAN_FILE = 64 << 10
APPEND = 16 << 10
TURNS = 6000  # operations of the file server
TRANSACTIONS = 6000
ROWS = 100_000  # rows that the database starts with
ROW = 200       # bytes


def run(*command):
    subprocess.run(command, check=True)


class Clock:
    """Records latencies of operations in simulated time; the guest's own computing takes no simulated time."""

    def __init__(self):
        self.latencies = {}

    def time(self, name, operation):
        begin = time.monotonic_ns()
        operation()
        self.latencies.setdefault(name, []).append(time.monotonic_ns() - begin)

    def report(self, elapsed_s):
        every = sorted(each for times in self.latencies.values() for each in times)
        at = lambda share: every[min(int(share * len(every)), len(every) - 1)]
        return {"operations": len(every), "elapsed_s": elapsed_s, "operations_per_s": len(every) / elapsed_s,
                "p50_us": at(0.5) / 1e3, "p99_us": at(0.99) / 1e3, "p999_us": at(0.999) / 1e3, "max_us": every[-1] / 1e3,
                "by_operation": {name: {"count": len(times), "mean_us": sum(times) / len(times) / 1e3}
                                 for name, times in sorted(self.latencies.items())}}


class FileServer:
    """After filebench's fileserver: creates and writes, appends to, reads and deletes files. It syncs each new file and append, as a
    server does that promises durability."""

    def __init__(self):
        self.draw = random.Random(1)
        self.bytes = self.draw.randbytes(1 << 20)
        self.files = []
        self.made = 0

    def prepare(self):
        for _ in range(FILES):
            self.create(sync=False)

    def create(self, sync=True):
        name = f"{PLACE}/d{self.made % 16}/f{self.made}"
        os.makedirs(os.path.dirname(name), exist_ok=True)
        self.made += 1
        size = max(int(self.draw.gammavariate(1.5, MEAN_FILE / 1.5)), 1)
        with open(name, "wb", buffering=0) as file:
            for begin in range(0, size, len(self.bytes)):
                file.write(self.bytes[:min(size - begin, len(self.bytes))])
            if sync:
                os.fsync(file.fileno())
        self.files.append(name)

    def append(self):
        with open(self.draw.choice(self.files), "ab", buffering=0) as file:
            file.write(self.bytes[:self.draw.randint(1, APPEND)])
            os.fsync(file.fileno())

    def read(self):
        with open(self.draw.choice(self.files), "rb", buffering=0) as file:
            while file.read(1 << 20):
                pass

    def delete(self):
        os.unlink(self.files.pop(self.draw.randrange(len(self.files))))

    def work(self, clock):
        for _ in range(TURNS):
            kind = self.draw.choice(["create", "delete", "append", "read"])
            clock.time(kind, getattr(self, kind))


class Database:
    """SQLite with a write-ahead log: a transaction reads four random rows and writes three random rows."""

    def __init__(self):
        self.draw = random.Random(1)

    def prepare(self):
        import sqlite3
        self.database = sqlite3.connect(f"{PLACE}/data.db", isolation_level=None)
        for setting in ("journal_mode=WAL", "synchronous=FULL", "cache_size=200"):
            self.database.execute(f"PRAGMA {setting}")
        self.database.execute("CREATE TABLE rows (id INTEGER PRIMARY KEY, bytes BLOB)")
        self.database.execute("BEGIN")
        self.database.executemany("INSERT INTO rows VALUES (?, ?)",
                                  ((number, self.draw.randbytes(ROW)) for number in range(ROWS)))
        self.database.execute("COMMIT")

    def transaction(self):
        self.database.execute("BEGIN IMMEDIATE")
        for _ in range(4):
            self.database.execute("SELECT bytes FROM rows WHERE id = ?", (self.draw.randrange(ROWS),)).fetchone()
        for _ in range(3):
            self.database.execute("UPDATE rows SET bytes = ? WHERE id = ?",
                                  (self.draw.randbytes(ROW), self.draw.randrange(ROWS)))
        self.database.execute("COMMIT")

    def work(self, clock):
        for _ in range(TRANSACTIONS):
            clock.time("transaction", self.transaction)
        self.database.close()


def main(kind, file_system, whole=None):
    if whole:
        for name in ("FILES", "TURNS", "TRANSACTIONS", "ROWS"):
            globals()[name] //= 4
    run(*MAKE[file_system], DRIVE)
    os.makedirs(PLACE, exist_ok=True)
    # With "discard" the file system trims deleted blocks at once, which gives the drive's garbage collection invalid pages.
    run("mount", "-t", file_system, "-o", "discard", DRIVE, PLACE)
    workload = {"fileserver": FileServer, "sqlite": Database}[kind]()
    workload.prepare()
    os.sync()
    with open("/proc/sys/vm/drop_caches", "w", encoding="ascii") as caches:
        caches.write("3")
    if not whole:
        with open("/dev/ttyS0", "wb", buffering=0) as line:
            line.write(b"measure\n")
    clock = Clock()
    begin = time.monotonic_ns()
    workload.work(clock)
    os.sync()
    answers = clock.report((time.monotonic_ns() - begin) / 1e9)
    with open("/out/answers.json", "w", encoding="ascii") as file:
        json.dump(answers, file, indent=1)
    run("umount", PLACE)


main(*sys.argv[1:])
