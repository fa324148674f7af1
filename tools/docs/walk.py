"""A tutorial as its reader takes it: all its commands in their order, in one folder."""
import pathlib
import tempfile

import sandbox
from page import COMMENT
from sources import SourceError

SHOWN_ONLY = ("output", "held", "given")


def is_command(block):
    return block.kind in ("indent", "fence") and not block.language and (
        block.marker is None or COMMENT.match(block.marker.text)[1] not in SHOWN_ONLY)


def text_of(page, block):
    lines = page.lines[block.start:block.end]
    return "\n".join(lines[1:-1] if block.kind == "fence" else [line[4:] for line in lines])


def outputs_of(page, root, program):
    """{line of a marker: what its block is to show}: what the commands above have printed, or those of the marker. Throws
    SourceError with the line, at the first command that fails."""
    said, printed = {}, ""
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        sandbox.begin(folder, root, program)

        def run(command, line):
            done = sandbox.run(command, folder, root)
            if done.returncode:
                raise SourceError(f"`{command}` ended with {done.returncode}: {done.stderr.strip()[-300:]}", line)
            return done.stdout

        for block in page.blocks:
            if is_command(block):
                printed = run(text_of(page, block), block.start)
            elif block.kind == "comment" and (match := COMMENT.match(block.text))[1] == "output":
                command = match[2].split("\n")[0].strip()
                said[block.start] = run(command[1:], block.start) if command.startswith(":") else printed
    return said
