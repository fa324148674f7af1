"""Renews a page: what its markers say, what stands there, and what should."""
import re

from page import COMMENT, MarkerError, parse
from sources import SourceError, check_cut, cut
from study_status import status_of
from walk import outputs_of

NUMBER = r"([-−+]?\d+(?:,\d{3})*(?:\.\d+)?)"
OTHER = r"[-−+]?\d[\d,.]*"
VALUE = re.compile(r"(?:(min|max|mean)\()?([^()*:]+?)\)?(?:\*([-\d.e]+))?(?::(\d+))?")
# Three decimal numbers are a measurement, unless they are settings (key=0.5), code of a language, or said to be given.
DECIMAL = re.compile(r"(?<![\w.=])\d+\.\d+(?![\w.])")
MEASURED_AT_LEAST = 3
DATED = re.compile(r"[Mm]easured (?:by )?20\d\d-\d\d-\d\d, version \d+\.\d+\.\d+")


class Renewal:
    """One page. `wrong` has (line, what stands there, what should); `failed` has (line, why)."""

    def __init__(self, path, root, sources):
        self.path, self.root, self.sources = path, root, sources
        self.text = path.read_text(encoding="utf-8")
        self.wrong, self.failed, self.held = [], [], 0
        self.commands = {}
        page = parse(self.text)
        self.walked = None  # of a tutorial: what its commands printed
        if path.parent.name == "tutorials":
            try:
                self.walked = outputs_of(page, root, sources.checked_program())
            except SourceError as error:
                self.failed.append((error.line, str(error)))
                self.walked = {}
        self.numbers(page)
        self.blocks(page)
        self.new_text = "\n".join(page.lines)
        self.dating()

    def differ(self, line, there, should):
        self.held += 1
        if there != should:
            self.wrong.append((line, there, should))

    # Numbers

    def numbers(self, page):
        for block in page.blocks:
            match = COMMENT.match(block.text) if block.kind == "comment" else [None, None]
            if match[1] == "command":
                name, colon, command = match[2].partition(":")
                if not colon or not command.strip():
                    raise MarkerError(block.start, "write <!-- command NAME: a shell command -->")
                self.commands[name.strip()] = re.sub(r"\s*\n\s*", " ", command.strip())
            elif match[1] == "numbers":
                end = block.end
                while end < len(page.lines) and page.lines[end].strip():
                    end += 1
                self.paragraph(page, block, match[2], end)

    def paragraph(self, page, marker, said, end):
        """The numbers of the lines below a marker, up to an empty one. The number of lines does not change."""
        before = []
        for rule in re.split(r"\n(?! )", said.strip("\n ")):
            line = marker.start + page.lines[marker.start:marker.end].index(rule.split("\n")[0]) if rule else marker.start
            pattern, arrow, source = (re.sub(r"\s+", " ", part).strip() for part in rule.partition(" <- "))
            parts = [part.strip() for part in source.split(";")]
            if len(parts) == len(before):  # what is left out is as in the line above
                parts = [part or above for part, above in zip(parts, before)]
            before = parts
            *source, values = parts[:-1] + [parts[-1].split()]
            if not arrow or len(source) not in (1, 2) or not values or not all(VALUE.fullmatch(value) for value in values):
                raise MarkerError(line, "write TEXT WITH # <- STUDY; ROW; METRIC..., or ... <- COMMAND; PATH...")
            text = "\n".join(page.lines[marker.end:end])
            found = list(re.finditer(re.escape(pattern).replace(r"\ ", r"\s+").replace(r"\#", NUMBER).replace(r"\~", OTHER), text))
            if len(found) != 1:
                raise MarkerError(line, f"{pattern!r} stands {len(found)} times in the paragraph below, not once")
            if len(found[0].groups()) != len(values):
                raise MarkerError(line, f"{len(values)} values for {len(found[0].groups())} numbers (#)")
            for index, value in reversed(list(enumerate(values, 1))):
                at, there = found[0].start(index), found[0][index]
                try:
                    should = written(self.value(source, value, line), value, there)
                except SourceError as error:
                    self.failed.append((line, str(error)))
                    continue
                self.differ(marker.end + text.count("\n", 0, at), there, should)
                text = text[:at] + should + text[at + len(there):]
            page.lines[marker.end:end] = text.split("\n")

    def value(self, source, value, line):
        how, name, _, _ = VALUE.fullmatch(value).groups()
        if len(source) == 1:
            if source[0] not in self.commands:
                raise MarkerError(line, f"no <!-- command {source[0]}: ... --> above")
            found = self.sources.json_value(self.commands[source[0]], name)
            if isinstance(found, bool) or not isinstance(found, (int, float)):
                raise SourceError(f"{name} of {source[0]} is {found!r}, no number")
            return found
        study, _, table = source[0].partition("/")
        path = source[0] if source[0].endswith(".csv") else f"experiments/{study}/{table or 'summary'}.csv"
        return self.sources.cell(self.root / path, source[1], name, how)

    # Blocks

    def blocks(self, page):
        for at, block in reversed(list(enumerate(page.blocks))):  # from the end: a block may change its number of lines
            if block.kind != "comment":
                continue
            match = COMMENT.match(block.text)
            following = page.blocks[at + 1] if at + 1 < len(page.blocks) and page.blocks[at + 1].marker is block else None
            if match[1] == "status":
                self.status(page, block)
            elif match[1] == "held" and not (self.root / match[2].strip().removeprefix("by ")).exists():
                raise MarkerError(block.start, "write <!-- held by PATH -->, a file of the tree")
            elif match[1] in ("output", "given", "held") and following is None:
                raise MarkerError(block.start, f"no block behind <!-- {match[1]} -->")
            elif match[1] == "output":
                shown = [other for other in page.blocks[:at] if other.kind in ("indent", "fence") and not other.language][-1:]
                self.output(page, block, match[2], following, shown)

    def output(self, page, marker, said, block, shown):
        first, *rules = [line.strip() for line in said.split("\n")]
        if first and not first.startswith(":"):
            raise MarkerError(marker.start, f"{first!r}: write <!-- output -->, or <!-- output: a shell command -->")
        rules = [rule for rule in rules if rule]
        for number, rule in enumerate(rules, 1):
            if wrong := check_cut(rule):
                raise MarkerError(marker.start + number, wrong)
        inner = slice(block.start + 1, block.end - 1) if block.kind == "fence" else slice(block.start, block.end)
        indent = "    " if block.kind == "indent" else ""
        there = [line[len(indent):] for line in page.lines[inner]]
        kept = []
        while there and (there[0].startswith("$ ") or kept and kept[-1].endswith("\\")):
            kept.append(there.pop(0))
        if first:
            command = first[1:].strip()
        elif kept:
            command = "\n".join(kept)[2:]
        elif shown:
            lines = page.lines[shown[0].start:shown[0].end]
            lines = lines[1:-1] if shown[0].kind == "fence" else lines
            *before, command = re.split(r"(?<!\\)\n", "\n".join(line.strip() for line in lines if line.strip()))
            command = "\n".join(["{", *before, "} >&2", command]) if before else command
        else:
            raise MarkerError(marker.start, "no command: none in the marker, none with $ in the block, no block above")
        try:
            if self.walked is not None and marker.start not in self.walked:
                return
            lines = cut(self.sources.output(command) if self.walked is None else self.walked[marker.start], rules)
        except (SourceError, re.error) as error:
            self.failed.append((block.start, str(error)))
            return
        self.held += 1
        first_line = inner.start + len(kept)
        for number, (old, new) in enumerate(zip(there + [None] * len(lines), lines + [None] * (len(there) - len(lines)))):
            if old != new:
                self.wrong.append((first_line + number, old, new))
                break
        page.lines[inner] = [(indent + line).rstrip() for line in kept + lines]

    def status(self, page, marker):
        line = marker.end
        there = page.lines[line] if line < len(page.lines) else ""
        should = status_of(self.root, self.path.parent, there)
        if should is None:
            raise MarkerError(marker.start, "no date: write the day of the numbers below, as: Numbers of 2026-11-30")
        self.differ(line, there, should)
        page.lines[line:line + 1] = [should]

    # What is not held says when it was measured.

    def dating(self):
        page = parse(self.text)
        if self.path.parent.parent.name == "experiments":
            if not any(block.kind == "comment" and block.text.startswith("<!-- status") for block in page.blocks):
                self.failed.append((0, "a study's README says of when its numbers are, in a line below <!-- status -->"))
            return
        if self.path.name == "CONTRIBUTING.md":
            return
        sections = [i for i, line in enumerate(page.lines) if line.startswith("#")
                    and not any(b.kind == "fence" and b.start < i < b.end for b in page.blocks)]
        for block in page.blocks:
            if block.kind == "comment" or block.marker or block.language:
                continue
            text = "\n".join(page.lines[block.start:block.end])
            if len(DECIMAL.findall(re.sub(r"`[^`\n]*`", "", text))) < MEASURED_AT_LEAST:
                continue
            begin = max((i for i in sections if i <= block.start), default=0)
            end = min((i for i in sections if i > block.start), default=len(page.lines))
            preface = page.lines[:sections[1] if len(sections) > 1 else None]  # may date the whole page
            if not DATED.search(" ".join(preface + page.lines[begin:end])):
                self.failed.append((block.start, "numbers without a marker, and no \"Measured YYYY-MM-DD, version X\" in this section"))


def written(number, value, there):
    """A value in the form of the number that stands there: its decimals unless the marker says others, thousands, sign."""
    _, _, scale, digits = VALUE.fullmatch(value).groups()
    number = float(number) * float(scale or 1)
    text = f"{number:{'+' if there[0] == '+' else ''}{',' if ',' in there else ''}.{int(digits or len(there.partition('.')[2]))}f}"
    if float(text.replace(",", "")) == 0:
        text = text.replace("-", "")
    return text.replace("-", "−") if there[0] == "−" else text
