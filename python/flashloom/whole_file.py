"""Files that are written whole or not at all."""
import contextlib
import os
import pathlib
from collections.abc import Iterator
from typing import TextIO


@contextlib.contextmanager
def whole_file(path: pathlib.Path) -> Iterator[TextIO]:
    """A text file that gets its name when it is complete. Processes that write the same one do not mix: the last wins.

    A symbolic link is followed, and stays. What is no regular file (a device, a FIFO) is written through. OSError names
    the file.
    """
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            with open(path, "w", newline="", encoding="utf-8") as file:
                yield file
            return
        target = pathlib.Path(os.path.realpath(path))
        part = target.with_name(f"{target.name}.{os.getpid()}.part")
        try:
            with open(part, "w", newline="", encoding="utf-8") as file:
                yield file
            os.replace(part, target)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        if error.filename is None:  # of a write: which file it was, nobody has said
            error.filename = str(path)
        raise


def write_whole(path: pathlib.Path, text: str) -> None:
    """Writes a text file as a whole; see whole_file."""
    with whole_file(path) as file:
        file.write(text)
