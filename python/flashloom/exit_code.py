"""How a command in Python ends."""
import sys
from collections.abc import Callable

from .errors import BadInput, FlashloomError, Interrupted
from .places import visible


def exit_code(command: Callable[[], None]) -> int:
    """Carries out a command: 0 done, 1 a run failed, 2 bad input, 130 interrupted. Says on stderr what went wrong."""
    try:
        command()
        return 0
    except (Interrupted, KeyboardInterrupt):
        print("flashloom: interrupted; the same command goes on from here", file=sys.stderr)
        return 130
    except BadInput as problem:
        print(visible(f"flashloom: error: {problem}"), file=sys.stderr)
        return 2
    except (FlashloomError, OSError) as problem:
        print(visible(f"flashloom: error: {problem}"), file=sys.stderr)
        return 1
