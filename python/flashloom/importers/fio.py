"""A command line of fio as a job file, as fio's init.c reads it: options ahead of the first --name are of all jobs."""
import json
import os
import re
import shlex
from collections.abc import Sequence

from ..errors import BadInput
from ..places import one_of
from ..program import said
from .draft import Row

# Of fio's program, not of a job.
PROGRAM = {
    "output", "output-format", "latency-log", "bandwidth-log", "minimal", "append-terse", "terse-version", "eta", "eta-interval", "eta-newline",
    "status-interval", "version", "help", "cpuclock-test", "crctest", "cmdhelp", "enghelp", "showcmd", "readonly", "section", "alloc-size",
    "warnings-fatal", "max-jobs", "server", "daemonize", "client", "remote-config", "idle-prof", "inflate-log", "trigger-file", "trigger-timeout",
    "trigger", "trigger-remote", "aux-path", "debug", "parse-only", "merge-blktrace-only", "status-directory",
}
PROGRAM_FLAGS = {
    "append-terse", "bandwidth-log", "help", "latency-log", "merge-blktrace-only", "minimal", "parse-only", "readonly", "showcmd", "version",
    "warnings-fatal",
}
# Options of jobs that stand for themselves; all others have a value.
FLAGS = {
    "blocksize_unaligned", "bs_unaligned", "exitall", "exitall_on_error", "fixedbufs", "group_reporting", "hipri", "new_group", "nonvectored",
    "norandommap", "refill_buffers", "registerfiles", "sqthread_poll", "stonewall", "thread", "time_based", "verify_only", "wait_for_previous",
    "zero_buffers",
}
MEANT_AS_VALUE = re.compile(r"-?\d.*|[^-].*")


def read_fio(line: str) -> tuple[str, list[Row]]:
    """The job file, and what became of each option. Throws BadInput."""
    words = words_of(line)
    known = options_known()
    rows: list[Row] = []
    parts: list[tuple[str, list[str]]] = [("global", [])]
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if not word.startswith("-") or word in ("-", "--"):
            raise BadInput(f'import fio: "{word}" is no option: a job file goes to flashloom run --job as it is')
        name, equals, value = word.lstrip("-").partition("=")
        flag = name in FLAGS or name in PROGRAM_FLAGS
        if not equals and not flag and at < len(words) and MEANT_AS_VALUE.fullmatch(words[at]):
            value, equals = words[at], "="
            at += 1
        if name in PROGRAM:
            rows.append(Row(f"--{name}", value, "left out", "of fio's program, not of a job", False))
        elif name == "name":
            if not value or re.search(r"[\[\]\n]", value):
                raise BadInput(f'import fio: --name: "{value}" is no name of a job')
            parts.append((value, []))
        elif name not in known:
            raise BadInput(f"import fio: --{name}: no option of fio that flashloom knows; {did_you_mean(name, known)}")
        else:
            if not equals and not flag:
                raise BadInput(f"import fio: --{name}: has no value")
            if re.search(r"[\n;#]", value):
                raise BadInput(f'import fio: --{name}: a job file cannot have "{value}"')
            parts[-1][1].append(f"{name}={value}" if equals else name)
            rows.append(Row(f"--{name}", value, "left out" if known[name].startswith("inert") else "taken", known[name], False))
    if all(title == "global" for title, _ in parts):
        raise BadInput("import fio: has no --name: fio begins no job")
    text = "".join(f"\n[{title}]\n" + "".join(f"{option}  # --{option.partition('=')[0]}\n" for option in options) for title,
                   options in parts if options or title != "global")
    return f"# {' '.join(line.split())}\n{text}", rows


def words_of(line: str) -> list[str]:
    """The words behind fio, up to the shell's end of the command."""
    lexer = shlex.shlex(line.replace("\\\r\n", " ").replace("\\\n", " ").strip(), posix=True, punctuation_chars="|&;<>")
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        words = list(lexer)
    except ValueError as error:
        raise BadInput(f"import fio: {str(error).lower()} in the command line") from None
    end = next((i for i, word in enumerate(words) if re.fullmatch(r"[|&;<>]+", word)), len(words))
    if end < len(words) and words[end].startswith((">", "<")) and end and words[end - 1] in ("1", "2"):
        end -= 1
    words = words[:end]
    if words and words[0].startswith("-"):
        begin = 0
    else:  # sudo, taskset, assignments ahead of fio
        begin = next((i + 1 for i, word in enumerate(words) if re.fullmatch(r"fio([-.\d]*|\.exe)", os.path.basename(word))), 0)
        if not begin:
            raise BadInput('import fio: has no fio; valid: as "fio --name=x --rw=randread --bs=4k"')
    for word in words[begin:]:
        if found := re.search(r"\$\{?\w+\}?|\$\(|`", word):
            raise BadInput(f'import fio: "{found[0]}" in "{word}" is the shell\'s: put its value there')
    return words[begin:]


def options_known() -> dict[str, str]:
    """Options of fio by name and alias, with what flashloom says of each."""
    known = {}
    for entry in json.loads(said("list", "fio_option", "--json")):
        for name in (entry["name"], *entry["aliases"]):
            known[name] = entry["summary"]
    return known


def did_you_mean(name: str, known: Sequence[str] | dict[str, str]) -> str:
    return one_of(known, name).split("valid:")[0] + "flashloom list fio_option"
