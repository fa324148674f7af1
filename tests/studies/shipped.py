"""Holds the quick forms of a part of the studies and searches of the tree against what they keep (experiments/renew --quick --check).

    shipped.py I/N          the I-th of N parts, which can run beside each other; a family of studies, as uflru_*, is in one part
    shipped.py guests       studies of which every run boots Linux; exit code 77 without a kernel (tools/linux-kernel/build)"""
import contextlib
import io
import sys
import tempfile
import zlib

from case import PROGRAM, ROOT
from engine.kept import folders_of
from engine.renew import main
from engine.parts import load_parts

SKIPPED = 77


def is_of_guests(folder):
    return (folder / "study.toml").is_file() and all(workload.source == "linux" for study in load_parts(folder) for workload in study.workloads)


def folders_in(part):
    if part == "guests":
        return [folder for folder in folders_of(ROOT) if is_of_guests(folder)]
    number, parts = map(int, part.split("/"))
    return [folder for folder in folders_of(ROOT) if not is_of_guests(folder)
            and zlib.crc32(folder.name.split("_")[0].encode()) % parts == number - 1]


def check(part):
    names = [folder.name for folder in folders_in(part)]
    if not names:
        return 0
    with tempfile.TemporaryDirectory(prefix="flashloom-shipped-") as scratch, contextlib.redirect_stdout(io.StringIO()) as said:
        code = main([*names, "--quick", "--check", "--cores", "1", "--program", PROGRAM, "--out", scratch])
    print(said.getvalue())
    return SKIPPED if code == 0 and part == "guests" and "studies: skipped: " in said.getvalue() else code


if __name__ == "__main__":
    sys.exit(check(sys.argv[1]))
