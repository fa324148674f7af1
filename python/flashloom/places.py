"""Where in an input something is wrong, and how that is said."""
import difflib
import pathlib
import re
from collections.abc import Iterable


def visible(text: str) -> str:
    """A message with what a terminal would obey shown as "\\x1b": it quotes names and values as they are."""
    return re.sub(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", lambda found: f"\\x{ord(found[0]):02x}", text)


def shown(path: pathlib.Path) -> str:
    """A path as short as it can be said here."""
    try:
        return str(path.resolve().relative_to(pathlib.Path.cwd()))
    except ValueError:
        return str(path)


def line_of(path: pathlib.Path, key: str) -> int:
    """Line in which a dotted key is written: the first one behind the table that it is in; 0 if it is not found."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return 0
    at = 0
    for part in (word.split("[")[0].strip('"') for word in split_key(key)):
        for number in range(at, len(lines)):
            text = lines[number].split("#")[0]
            if any(text[i:i + len(part)] == part and not (text[:i][-1:].isalnum() or text[i + len(part):][:1].isalnum())
                   for i in range(len(text))):
                at = number
                break
        else:
            return at + 1 if at else 0
    return at + 1 if key else 0


def split_key(key: str) -> list[str]:
    """The parts of a dotted key; a part in quotes keeps its dots."""
    parts: list[str] = [""]
    quoted = False
    for char in key:
        if char == '"':
            quoted = not quoted
        elif char == "." and not quoted:
            parts.append("")
        else:
            parts[-1] += char
    return parts


def one_of(names: Iterable[str], given: str | None = None) -> str:
    """ "valid: a, b, c", with a guess in front at what was meant."""
    known = [str(name) for name in names]
    near = difflib.get_close_matches(given, known, 1) if given else []
    guess = f"did you mean {near[0]}? " if near else ""
    return f"{guess}valid: {', '.join(known) if known else 'none'}"
