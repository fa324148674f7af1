"""Files that are written whole or not at all."""
import contextlib
import os
import pathlib
from collections.abc import Iterator
from typing import TextIO


@contextlib.contextmanager
def whole_file(path: pathlib.Path) -> Iterator[TextIO]:
    """A text file that gets its name when it is complete. Processes that write the same one do not mix: the last wins."""
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with open(part, "w", newline="", encoding="utf-8") as file:
            yield file
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def write_whole(path: pathlib.Path, text: str) -> None:
    with whole_file(path) as file:
        file.write(text)
