"""What mkdocs.yml leaves to code: pages of the tree outside docs/ on the site, links between all of them, the navigation.

A page of the tree has its place on the site; a link to any other file of the tree leads to a page that shows the file.
A link to what is not there stays as it is, and mkdocs --strict refuses it."""
import pathlib
import posixpath
import re
import sys

from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/docs"))
from page import parse  # noqa: E402 pylint: disable=wrong-import-position

TREE_PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "experiments/*/README.md", "workloads/*/README.md", "bench/*/README.md")
RENAMED = {"README.md": "about.md"}  # docs/index.md is the first page
DOORS = (("Tutorials", "tutorials"), ("How-to", "how-to"), ("Reference", "reference"), ("Explanation", "explanation"))
FIRST = ("first-sweep.md", "drive-from-data-sheet.md", "own-policy.md", "recipes.md")  # of their doors, in this order
FENCE = re.compile(r"(^```[\s\S]*?^```)", re.MULTILINE)
CODE = re.compile(r"(`[^`\n]*`)")
LINK = re.compile(r"(\]\()([^)\s#]*)(#[^)\s]*)?(\))")
LIST_ITEM = re.compile(r"^\s*([*-]|\d+\.) ")
LANGUAGES = {".cpp": "cpp", ".hpp": "cpp", ".toml": "toml", ".py": "python", ".json": "json", ".cmake": "cmake", ".sh": "bash"}
FRAME_WORKER = "assets/javascripts/frame_worker.js"
ELSEWHERE = "https://unpkg.com/iframe-worker/shim"  # what the theme would load
LONGEST = 200_000  # characters of a file that is shown


def tree_pages(root=ROOT):
    """{path in the tree: path on the site}, of pages outside docs/."""
    found = [path.relative_to(root).as_posix() for pattern in TREE_PAGES for path in sorted(root.glob(pattern))]
    return {path: RENAMED.get(path, path) for path in found}


class Places:
    """Where what is in the tree lies on the site."""

    def __init__(self, root=ROOT):
        self.root, self.pages = root, tree_pages(root)
        self.back = {site: tree for tree, site in self.pages.items()}

    def in_tree(self, src_uri):
        return self.back.get(src_uri) or (src_uri.removeprefix("source/").removesuffix(".md") if src_uri.startswith("source/")
                                          else f"docs/{src_uri}")

    def on_site(self, path):
        """The place of a file or folder; None if there is none, or it is none of the tree."""
        here = self.root / path
        if path.startswith("..") or not here.exists():
            return None
        if here.is_dir():
            first = next((f"{path}/{name}" for name in ("README.md", "index.md") if (here / name).exists()), None)
            return self.on_site(first) if first else f"source/{path}.md"
        if path in self.pages:
            return self.pages[path]
        return path.removeprefix("docs/") if path.startswith("docs/") and not path.startswith("docs/schemas/") else f"source/{path}.md"

    def target(self, src_uri, link):
        """The place of what a page links to."""
        if not link or "://" in link or link.startswith("mailto:"):
            return None
        return self.on_site(posixpath.normpath(posixpath.join(posixpath.dirname(self.in_tree(src_uri)), link)))


def without_markers(markdown):
    """The page without the markers of tools/renew-docs; its indented code is fenced, so that code and output stay two blocks."""
    page = parse(markdown)
    for block in reversed(page.blocks):
        before = next((line for line in reversed(page.lines[:block.start]) if line.strip()), "")
        if block.kind == "comment":
            page.lines[block.start:block.end] = [""]
        elif block.kind == "indent" and not LIST_ITEM.match(before) and (block.marker or not before.startswith(" ")):
            code = [line[4:] for line in page.lines[block.start:block.end]]
            page.lines[block.start:block.end] = ["", "```text", *code, "```", ""]
    return "\n".join(page.lines)


def outside_code(markdown, change):
    """The text with all but its code changed."""
    def of_lines(text):
        return "".join(part if part.startswith("`") else change(part) for part in CODE.split(text))
    return "".join(part if number % 2 else of_lines(part) for number, part in enumerate(FENCE.split(markdown)))


def with_gaps(text):
    """Lists that follow a line of text, which Python's Markdown takes for a part of it, get an empty line."""
    lines = []
    for line in text.split("\n"):
        if LIST_ITEM.match(line) and lines and lines[-1].strip() and not LIST_ITEM.match(lines[-1]) and not lines[-1].startswith(" "):
            lines.append("")
        lines.append(line)
    return "\n".join(lines)


def relinked(markdown, src_uri, places):
    def change(match):
        target = places.target(src_uri, match[2])
        if target is None:
            return match[0]
        return f"{match[1]}{posixpath.relpath(target, posixpath.dirname(src_uri) or '.')}{match[3] or ''}{match[4]}"
    return outside_code(markdown, lambda text: LINK.sub(change, text))


def sources_of(markdown, src_uri, places):
    """Places under source/ that a page links to."""
    found = set()
    outside_code(without_markers(markdown), lambda text: found.update(places.target(src_uri, match[2]) for match in LINK.finditer(text)) or text)
    return {place for place in found if place and place.startswith("source/")}


def shown(path, root=ROOT):
    """The page that shows a file or a folder of the tree."""
    here = root / path
    if here.is_dir():
        return f"# {path}\n\nA folder of the tree:\n\n" + "".join(f"* `{entry.name}`\n" for entry in sorted(here.iterdir()))
    text = here.read_text(encoding="utf-8", errors="replace")
    if len(text) > LONGEST:
        text = text[:LONGEST] + "\n...\n"
    fence = "`" * (3 + max((len(run) for run in re.findall(r"`{3,}", text)), default=0))
    return f"# {path}\n\n{fence}{LANGUAGES.get(here.suffix, 'text')}\n{text}\n{fence}\n"


def title_of(path):
    return next((line[2:].strip() for line in path.read_text(encoding="utf-8").split("\n") if line.startswith("# ")), path.stem)


def navigation(root=ROOT):
    docs = root / "docs"
    nav = [{"Flashloom": [{"All pages": "index.md"}, {"README": "about.md"}]}]
    for name, folder in DOORS:
        pages = sorted((path.name for path in (docs / folder).glob("*.md")),
                       key=lambda page: (FIRST.index(page) if page in FIRST else len(FIRST), page))
        nav.append({name: [f"{folder}/{page}" for page in pages]})
    studies = [path for path in tree_pages(root) if path.startswith("experiments/")]
    nav.append({"Studies": [{title_of(root / path): path} for path in studies]})
    adr = [f"adr/{path.name}" for path in sorted((docs / "adr").glob("*.md"), key=lambda path: (path.name[0].isdigit(), path.name))]
    others = [page for page in tree_pages(root).values() if not page.startswith("experiments/") and page not in ("about.md", "CONTRIBUTING.md")]
    nav.append({"For contributors": ["architecture.md", "CONTRIBUTING.md", {"Decisions": adr}, *sorted(others)]})
    return nav


# Events of mkdocs

def on_config(config):
    config.nav = navigation()
    return config


def on_files(files, config):
    places = Places()
    for path, site in places.pages.items():
        files.append(File.generated(config, site, abs_src_path=str(ROOT / path)))
    files.append(File.generated(config, FRAME_WORKER, abs_src_path=str(ROOT / "tools/docs/frame_worker.js")))
    wanted = set()
    for file in files.documentation_pages():
        wanted |= sources_of(file.content_string, file.src_uri, places)
    for place in sorted(wanted):
        files.append(File.generated(config, place, content=shown(places.in_tree(place))))
    return files


def on_page_markdown(markdown, page, **_):
    if page.file.src_uri.startswith("source/"):
        page.meta["search"] = {"exclude": True}
        return markdown
    places = Places()
    return relinked(outside_code(without_markers(markdown), with_gaps), page.file.src_uri, places)


def on_post_page(output, page, **_):
    """In place of a script from elsewhere the page has ours."""
    return output.replace(ELSEWHERE, posixpath.relpath(FRAME_WORKER, posixpath.dirname(page.file.dest_uri) or "."))


def on_post_template(output_content, **_):
    return output_content.replace(ELSEWHERE, f"/{FRAME_WORKER}")
