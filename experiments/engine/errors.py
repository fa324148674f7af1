"""The errors of studies, and helpers for their messages."""
import pathlib

from flashloom.places import line_of, one_of, shown, split_key, visible

__all__ = ["MissingError", "RunError", "StudyError", "line_of", "one_of", "shown", "split_key", "visible", "wrong"]


class StudyError(Exception):
    """Bad input: a message that names the file, the key and what would be valid. Exit code 2."""


class MissingError(StudyError):
    """Something that the project does not contain is not there: the kernel of the guests, a public trace."""


class RunError(Exception):
    """A failure while a study runs. Exit code 1."""


def wrong(path: pathlib.Path, key: str, text: str) -> StudyError:
    """An error at a key of a study.toml; the line is found by the last part of the key."""
    line = line_of(path, key)
    where = f"{shown(path)}:{line}" if line else shown(path)
    return StudyError(f"{where}: {key}: {text}" if key else f"{where}: {text}")
