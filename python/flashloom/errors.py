"""What can go wrong, as exceptions: the exit codes of the program, with what it said."""
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .result import Result


class FlashloomError(Exception):
    """The base of all. `exit_code` is the program's (None: it never ran), `command` its command line, `stderr` all it said."""

    def __init__(self, message: str, exit_code: int | None = None, command: tuple[str, ...] = (), stderr: str = "") -> None:
        super().__init__(message)
        self.exit_code = exit_code
        self.command = command
        self.stderr = stderr


class BadInput(FlashloomError, ValueError):
    """Exit code 2: bad input; the message names file, line, key or option, and says what would be valid."""


class RunFailed(FlashloomError, RuntimeError):
    """Exit code 1, or the program was killed: the run began and did not succeed."""


class Interrupted(FlashloomError, KeyboardInterrupt):
    """Exit code 130, or Ctrl-C here: the run was stopped, and its process has ended. A KeyboardInterrupt, too. `result` is
    what run() had measured so far, marked `partial`, or None."""

    def __init__(self, message: str = "interrupted", result: "Result | None" = None) -> None:
        super().__init__(message, 130)
        self.result = result


class FlashloomWarning(UserWarning):
    """A run went well, but may not mean what it seems to."""
