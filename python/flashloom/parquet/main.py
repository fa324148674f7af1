"""The command: `flashloom trace convert` of a Parquet file, which begins this module with its words."""
import argparse
import contextlib
import subprocess
import sys
import tempfile
from collections.abc import Sequence

import pyarrow
import pyarrow.csv
import pyarrow.parquet

from ..errors import BadInput
from ..exit_code import exit_code
from ..program import error_of, find_program


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser("flashloom trace convert")
    parser.add_argument("--format", default="")
    parser.add_argument("--format-option", action="append", default=[])
    parser.add_argument("trace")
    parser.add_argument("out")
    given = parser.parse_args(words)
    reading = ["--format", given.format] if given.format else []
    for option in given.format_option:
        reading += ["--format-option", option]
    return exit_code(lambda: convert(given.trace, given.out, reading))


def convert(trace: str, out: str, reading: Sequence[str]) -> None:
    """Passes the rows as CSV, with the columns' names as its first line, to the program, which reads and writes them as any table.
    Throws BadInput, RunFailed."""
    command = [str(find_program()), "trace", "convert", "/dev/stdin", out, *reading]
    try:
        table = pyarrow.parquet.ParquetFile(trace)
        with tempfile.TemporaryFile("w+") as errors:
            with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=errors) as process:
                with contextlib.suppress(BrokenPipeError):
                    write_rows(table, process)
            errors.seek(0)
            said = errors.read().replace("/dev/stdin", trace)
    except (pyarrow.ArrowException, OSError) as problem:
        raise BadInput(f"{trace}: {problem}") from None
    if process.returncode != 0:
        raise error_of(process.returncode, command, said)
    sys.stderr.write(said)


def write_rows(table: pyarrow.parquet.ParquetFile, process: "subprocess.Popen[bytes]") -> None:
    """Ends the process before it sees an end of input, which would look like that of the trace, if the file cannot be read."""
    assert process.stdin is not None
    options = pyarrow.csv.WriteOptions(quoting_style="needed")
    with process.stdin as pipe, pyarrow.csv.CSVWriter(pipe, table.schema_arrow, write_options=options) as csv:
        try:
            for batch in table.iter_batches():
                csv.write(batch)
        except BrokenPipeError:
            raise
        except BaseException:
            process.terminate()
            process.wait()
            raise
