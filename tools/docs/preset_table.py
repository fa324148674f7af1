#!/usr/bin/env python3
"""Prints the table of docs/reference/presets.md: geometry and times of each preset, as `flashloom config` has them."""
import os
import pathlib
import subprocess
import tomllib

ROOT = pathlib.Path(os.environ.get("ROOT", pathlib.Path(__file__).resolve().parents[2]))
PROGRAM = os.environ.get("FLASHLOOM", str(ROOT / "build/release/flashloom"))


def in_us(text):
    number, unit = text.split()
    return f"{float(number) * {'ns': 1e-3, 'us': 1, 'ms': 1e3, 's': 1e6}[unit]:,.6g}"


def in_kib(text):
    number, unit = text.split()
    return f"{float(number) * {'B': 2**-10, 'KiB': 1, 'MiB': 2**10}[unit]:g}"


def times(value):
    """One time in us, or those of the pages of a cell, each once, in their order."""
    return ", ".join(dict.fromkeys(map(in_us, [value] if isinstance(value, str) else value)))


def row(name):
    device = tomllib.loads(subprocess.run([PROGRAM, "config", name], capture_output=True, text=True, check=True).stdout)
    nand, ftl = device["nand"], device["ftl"]
    dies = "" if nand["dies"] == 1 else f"x{nand['dies']}"
    return [f"`{name}`", f"{nand['channels']}x{nand['ways']}{dies}x{nand['planes']}",
            in_kib(nand["page_size"]), in_kib(ftl["mapping_unit"]), f"{nand['blocks']}x{nand['pages']}", times(nand["read_time"]), times(nand["program_time"]), times(nand["erase_time"])]


def main():
    print("| preset | channels x ways x planes | page, KiB | mapping unit, KiB | blocks x pages | read, us | program, us | erase, us |")
    print("|---|---|---|---|---|---|---|---|")
    for path in sorted((ROOT / "configs").glob("*.toml")):
        print("| " + " | ".join(map(str, row(path.stem))) + " |")


if __name__ == "__main__":
    main()
