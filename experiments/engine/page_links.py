"""The links of a study's README on its page: a path seen from the README becomes one seen from the page, and what is not there, or
could run a script, is no link."""
import html
import os
import pathlib
import re
import urllib.parse
from typing import Any

import markdown
import markdown.treeprocessors

ROOT = pathlib.Path(__file__).resolve().parents[2]
SITE = ROOT / "out" / "site"  # the documentation as pages, where it has been built
# Allowed targets of links: a web page, a mail address, or a relative path, whose first part has no colon.
ADDRESS = re.compile(r"(https?:|mailto:|//|[\w.,+~%@ -]*([/?#]|$))", re.ASCII | re.IGNORECASE)
COMMENT = re.compile(r"<!--.*?-->\n?", re.DOTALL)
TITLE = re.compile(r"\s*# .*\n")
ELSEWHERE = re.compile(r"(https?:|mailto:|//|#|$)", re.IGNORECASE)


class _Addresses(markdown.treeprocessors.Treeprocessor):
    """Moves the target of each link and image, or removes it."""

    def __init__(self, converter: markdown.Markdown, folder: pathlib.Path, out: pathlib.Path) -> None:
        super().__init__(converter)
        self.folder = folder
        self.out = out

    def run(self, root: Any) -> None:
        for element in root.iter():
            for key in ("href", "src"):
                if key not in element.attrib:
                    continue
                moved = moved_link(html.unescape(element.attrib[key]), self.folder, self.out)
                if moved is None:
                    del element.attrib[key]
                else:
                    element.set(key, moved)


def moved_link(link: str, folder: pathlib.Path, out: pathlib.Path) -> str | None:
    """A link of a file in `folder` as seen from a page in `out`; None for a scheme other than ADDRESS allows, or if the file is not
    there. A page of the documentation is linked as HTML if its site has been built."""
    if not ADDRESS.match(link):
        return None
    if ELSEWHERE.match(link):
        return link
    path, mark, rest = re.match(r"([^?#]*)([?#]?)(.*)", link, re.DOTALL).groups()  # type: ignore[union-attr]
    target = pathlib.Path(os.path.normpath(folder.resolve() / urllib.parse.unquote(path)))
    if target.is_relative_to(ROOT / "docs") and target.suffix == ".md":
        page = SITE / target.relative_to(ROOT / "docs").with_suffix("")
        target = next((there for there in (page.with_suffix(".html"), page / "index.html") if there.is_file()), target)
    if not target.exists():
        return None
    return urllib.parse.quote(os.path.relpath(target, out.resolve())) + mark + rest


def markup(text: str, folder: pathlib.Path, out: pathlib.Path) -> str:
    """Converts the Markdown of a file in `folder` to HTML for a page in `out`, which has its title, without comments. It escapes HTML
    within the text, so that the page runs no scripts but its own."""
    converter = markdown.Markdown(extensions=["tables", "fenced_code"])
    converter.preprocessors.deregister("html_block")
    converter.inlinePatterns.deregister("html")
    converter.treeprocessors.register(_Addresses(converter, folder, out), "addresses", -1)  # runs after all others
    plain = COMMENT.sub("", text)
    title = TITLE.match(plain)
    return converter.convert(plain[title.end():] if title else plain)
