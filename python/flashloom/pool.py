"""Processes side by side, within limits on cores and on memory."""
import os
import pathlib
import subprocess
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import IO

from .errors import FlashloomError, Interrupted, RunFailed
from .program import error_of, start, stop

FIRST_NEED = 512 * 2**20  # bytes that a run is taken to need until one has told
MARGIN = 1.1  # on what the largest run so far has needed
POLL_S = 0.01
PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass
class Task:
    """A process to run: `log` gets all it says. `need`: bytes of memory that it is known to need at least."""
    command: Sequence[str]
    log: pathlib.Path
    need: int = 0


@dataclass
class _Running:
    number: int
    task: Task
    process: "subprocess.Popen[str]"
    log: IO[str]
    reserved: int
    peak: int = 0


class Pool:
    """Runs tasks, at most `jobs` at a time, that together keep below `memory` bytes.

    A run is taken to need as much as the largest one so far and a tenth more (512 MiB before one has ended), and is begun when
    there is room for that. What runs is watched: when all together pass the limit, the youngest is stopped and begun again
    later; one that passes it alone fails.
    """

    def __init__(self, jobs: int, memory: int) -> None:
        self.jobs = max(1, jobs)
        self.memory = memory
        self.largest = 0  # bytes of any run so far
        self.restarts = 0
        self._waiting: deque[tuple[int, Task]] = deque()
        self._running: list[_Running] = []

    def run(self, tasks: Sequence[Task]) -> Iterator[tuple[int, FlashloomError | None]]:
        """Number of each task that has ended, and how: None is success. When this is left (Ctrl-C, an exception, close()) no process
        remains."""
        self._waiting = deque(enumerate(tasks))
        try:
            while self._waiting or self._running:
                self._begin()
                failed = self._watch()
                if failed is not None:
                    yield failed
                ended = [running for running in self._running if running.process.poll() is not None]
                for running in ended:
                    self._running.remove(running)
                    running.log.close()
                    self.largest = max(self.largest, running.peak)
                    yield running.number, self._outcome(running)
                if not ended:
                    time.sleep(POLL_S)
        except KeyboardInterrupt:
            raise Interrupted() from None
        finally:
            stop([running.process for running in self._running])
            for running in self._running:
                running.log.close()
            self._running = []

    def heard(self, peak: int) -> None:
        """What a run that has ended says it needed, in bytes."""
        self.largest = max(self.largest, peak)

    def _need(self, task: Task) -> int:
        return max(task.need, int(self.largest * MARGIN) if self.largest else FIRST_NEED)

    def _begin(self) -> None:
        while self._waiting and len(self._running) < self.jobs:
            number, task = self._waiting[0]
            need = self._need(task)
            if self._running and need + sum(running.reserved for running in self._running) > self.memory:
                return
            self._waiting.popleft()
            log = open(task.log, "w", encoding="utf-8")  # pylint: disable=consider-using-with
            self._running.append(_Running(number, task, start(task.command, log, log), log, need))

    def _watch(self) -> tuple[int, FlashloomError] | None:
        """Looks what memory is in use; stops the youngest if it is too much."""
        used = 0
        for running in self._running:
            resident = resident_bytes(running.process.pid)
            running.peak = max(running.peak, resident)
            running.reserved = max(running.reserved, running.peak)
            used += resident
        if used <= self.memory or not self._running:
            return None
        youngest = self._running.pop()
        youngest.process.kill()
        youngest.process.wait()
        youngest.log.close()
        if not self._running:
            return youngest.number, RunFailed(f"one run alone takes more than the {self.memory} bytes that memory= allows",
                                              None, tuple(youngest.task.command))
        self.restarts += 1
        youngest.task.need = int(max(youngest.peak * 2, *(running.peak for running in self._running)) * MARGIN)
        self._waiting.appendleft((youngest.number, youngest.task))
        return None

    @staticmethod
    def _outcome(running: _Running) -> FlashloomError | None:
        code = running.process.returncode
        if code in (130, -2):
            raise Interrupted()
        if code == 0:
            return None
        return error_of(code, running.task.command, running.task.log.read_text(encoding="utf-8", errors="replace"))


def resident_bytes(pid: int) -> int:
    """Memory of a process; 0 if it has ended, or where there is no /proc."""
    try:
        with open(f"/proc/{pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * PAGE
    except (OSError, IndexError, ValueError):
        return 0
