"""The command `flashloom`: the program of this package, in this process's place."""
import os
import signal
import sys

from .program import packaged_programs


def main() -> None:
    """Never returns. Exit code 2 if the package has no program."""
    given = os.environ.get("FLASHLOOM_PROGRAM")
    for path in [given] if given else packaged_programs():
        if os.access(path, os.X_OK):
            signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # Python ignores it, and `flashloom ... | head` would be an error
            os.environ.setdefault("FLASHLOOM_PYTHON", sys.executable)  # `flashloom fit` is in Python
            os.execv(path, [str(path), *sys.argv[1:]])
    print("flashloom: error: this package has no program; build it, or name it in FLASHLOOM_PROGRAM", file=sys.stderr)
    sys.exit(2)


if __name__ == "__main__":
    main()
