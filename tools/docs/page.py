"""A Markdown page as renew-docs sees it: its lines, blocks (code, tables), and the comments that are markers."""
import re
from dataclasses import dataclass, field

COMMENT = re.compile(r"<!-- (output|numbers|command|given|held|status)\b(.*?)-->", re.DOTALL)


class MarkerError(Exception):
    """A marker that cannot be read: the line (from 0) and what is wrong."""

    def __init__(self, line, what):
        super().__init__(what)
        self.line = line


@dataclass
class Block:
    kind: str  # "fence", "indent", "table", "comment"
    start: int
    end: int  # the line behind it
    text: str = ""
    marker: "Block" = None
    language: str = ""


@dataclass
class Page:
    lines: list
    blocks: list = field(default_factory=list)


def comment_at(lines, start):
    end = start
    while "-->" not in lines[end]:
        end += 1
        if end == len(lines):
            raise MarkerError(start, "the comment does not end")
    return Block("comment", start, end + 1, "\n".join(lines[start:end + 1]))


def block_at(lines, at):
    """The block that begins in a line; None if that line is prose."""
    line, end = lines[at], at + 1
    if line.startswith("```"):
        while end < len(lines) and not lines[end].startswith("```"):
            end += 1
        return Block("fence", at, min(end + 1, len(lines)), language=line[3:].strip())
    if line.startswith("<!--"):
        return comment_at(lines, at)
    if line.startswith("|"):
        while end < len(lines) and lines[end].startswith("|"):
            end += 1
        return Block("table", at, end)
    if line.startswith("    ") and (at == 0 or not lines[at - 1].strip() or lines[at - 1].endswith("-->")):
        while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
            end += 1
        while not lines[end - 1].strip():
            end -= 1
        return Block("indent", at, end)
    return None


def parse(text):
    page = Page(text.split("\n"))
    at, marker = 0, None
    while at < len(page.lines):
        block = block_at(page.lines, at)
        if block is None:
            if page.lines[at].strip():
                marker = None
            at += 1
            continue
        if block.kind == "comment":
            if not COMMENT.match(block.text):
                raise MarkerError(at, "no marker; valid: <!-- output, numbers, command, given, held by or status ... -->")
            marker = block
        else:
            block.marker, marker = marker, None
        page.blocks.append(block)
        at = block.end
    return page
