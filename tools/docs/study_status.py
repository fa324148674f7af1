"""The line of a study's README that says of when its numbers are."""
import pathlib
import re
import sys

DATE = re.compile(r"\bof (20\d\d-\d\d-\d\d)")
TREE = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TREE / "experiments"), str(TREE / "python")]
from engine.kept import due_of  # noqa: E402 pylint: disable=wrong-import-position


def status_of(root, folder, now):
    """The line. The date is kept in the line itself (now): a clone need not have a history. None: it has to have one."""
    date = (found := DATE.search(now)) and found[1]
    if not (folder / "summary.csv").exists():
        return date and f"Numbers of {date}, which no summary holds."
    of = f" of {date}" if date else ""
    if due_of(folder, root) is not None:
        return f"Full results{of}, due to be renewed: `experiments/renew {folder.name}`."
    return f"Full results{of or ': current'}."
