"""Figures of a data sheet, by gnuplot in the style of the program's (plots/datasheet.gp)."""
import os
import pathlib
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence

from ..errors import RunFailed
from ..program import find_program

Block = Sequence[Sequence[float | str]]


def scripts() -> pathlib.Path | None:
    """The folder of plots/datasheet.gp: of a source tree, or of an installation, beside the program."""
    folder = find_program().parent
    for place in (folder / "plots", folder.parents[1] / "plots", folder.parent / "share/flashloom/plots"):
        if (place / "datasheet.gp").is_file():
            return place
    return None


def drawn(kind: str, blocks: Mapping[str, Block], x_label: str, y_label: str, log: str = "") -> str:
    """A figure as an SVG element, of blocks of rows by their titles; empty without gnuplot. `kind`: as plots/datasheet.gp has it.
    Throws RunFailed."""
    place = scripts()
    if place is None or shutil.which("gnuplot") is None:
        return ""
    with tempfile.TemporaryDirectory() as folder:
        text = "\n\n\n".join("\n".join([f'"{title}"'] * (kind != "matrix") + [" ".join(map(cell, row)) for row in rows])
                           for title, rows in blocks.items())
        (pathlib.Path(folder) / "table.txt").write_text(text + "\n", encoding="utf-8")
        told = subprocess.run(["gnuplot", "-c", str(place / "datasheet.gp"), folder, kind, str(len(blocks)), x_label, y_label, log],
                              env=os.environ | {"GNUPLOT_LIB": str(place)}, capture_output=True, text=True, check=False)
        figure = pathlib.Path(folder) / "figure.svg"
        if told.returncode != 0:
            raise RunFailed(f"datasheet: gnuplot: {told.stderr.strip()}")
        svg = figure.read_text(encoding="utf-8")
        return svg[svg.index("<svg"):]


def cell(value: float | str) -> str:
    return f'"{value}"' if isinstance(value, str) else f"{value:.9g}"
