"""The line of a study's README that says of when its numbers are."""
import re
import sys

DATE = re.compile(r"\bof (20\d\d-\d\d-\d\d)")
# Without fingerprints: the day of the last change of the model that moved timed results (who waits first gets room).
MODEL_OF = "2026-11-26"


def is_stale(root, folder, date):
    sys.path.insert(0, str(root / "experiments"))
    try:
        from engine.fingerprint import why_stale  # pylint: disable=import-outside-toplevel
    except ModuleNotFoundError as error:
        if error.name not in ("engine", "engine.fingerprint"):
            raise
        return bool(date and date < MODEL_OF)
    finally:
        sys.path.pop(0)
    return why_stale(folder) is not None


def status_of(root, folder, now):
    """The line. The date is kept in the line itself (now): a clone need not have a history. None: it has to have one."""
    date = (found := DATE.search(now)) and found[1]
    if not (folder / "summary.csv").exists():
        return date and f"Numbers of {date}, which no summary holds."
    of = f" of {date}" if date else ""
    if is_stale(root, folder, date):
        return f"Full results{of}, due to be renewed: `experiments/renew {folder.name}`."
    return f"Full results{of or ': current'}."
