"""The site of the documentation (tools/site): it is whole, works without a network, and no broken link gets into it."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
RUNS_WITH = "Release"  # the same in every build
DOORS = ("tutorials", "how-to", "reference", "explanation")
# What a browser loads by itself.
LOADED = re.compile(r'<(?:script|img|iframe|source)[^>]*\bsrc="([^"]*)"|<link[^>]*\bhref="([^"]*)"')


def build(root, out):
    """The finished process of mkdocs."""
    return subprocess.run([sys.executable, "-B", "-m", "mkdocs", "build", "--strict", "--site-dir", out], cwd=root, capture_output=True,
                          text=True, check=False, timeout=300,
                          env=os.environ | {"NO_MKDOCS_2_WARNING": "1", "PYTHONDONTWRITEBYTECODE": "1"})


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory(prefix="flashloom-site-")
        cls.addClassCleanup(scratch.cleanup)
        cls.site = pathlib.Path(scratch.name)
        done = build(ROOT, cls.site)
        if done.returncode != 0:
            raise AssertionError(done.stdout + done.stderr)
        cls.pages = {path.relative_to(cls.site).as_posix(): path.read_text(encoding="utf-8") for path in cls.site.rglob("*.html")}

    def test_all_pages_are_there(self):
        wanted = [path.relative_to(ROOT / "docs").as_posix().removesuffix(".md") for path in (ROOT / "docs").rglob("*.md")
                  if path.name != "README.md"]
        wanted += [f"{path.parent.relative_to(ROOT).as_posix()}/index" for path in ROOT.glob("experiments/*/README.md")]
        self.assertEqual([page for page in [*wanted, "about", "CONTRIBUTING"] if f"{page}.html" not in self.pages], [])

    def test_nothing_is_loaded_from_elsewhere(self):
        for name, page in self.pages.items():
            loaded = [link for pair in LOADED.findall(page) for link in pair if link]
            self.assertGreater(len(loaded), 0, name)
            self.assertEqual([link for link in loaded if "//" in link], [], name)

    def test_markers_do_not_show(self):
        self.assertEqual([name for name, page in self.pages.items() if re.search(r"<!-- (output|numbers|held|given|status)", page)], [])

    def test_the_search_finds_pages_but_not_sources(self):
        index = json.loads((self.site / "search/search_index.json").read_text(encoding="utf-8"))
        found = {doc["location"].split("#")[0] for doc in index["docs"]}
        self.assertLessEqual({"reference/presets.html", "experiments/ways_or_channels/index.html", "about.html"}, found)
        self.assertEqual([place for place in found if place.startswith("source/")], [])

    def test_the_first_page_leads_to_each_other(self):
        index = (ROOT / "docs/index.md").read_text(encoding="utf-8")
        for door in DOORS:
            for path in (ROOT / "docs" / door).glob("*.md"):
                self.assertIn(f"]({door}/{path.name})", index)


class Links(unittest.TestCase):
    """In a tree of a few pages."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="flashloom-site-")
        self.addCleanup(scratch.cleanup)
        self.root = pathlib.Path(scratch.name) / "tree"
        shutil.copytree(ROOT / "tools/docs", self.root / "tools/docs", ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "mkdocs.yml", self.root)
        for name, text in {"README.md": "# Tree\n\n[pages](docs/index.md)\n", "CONTRIBUTING.md": "# Rules\n\n## Add a key\n",
                           "docs/architecture.md": "# Architecture\n", "docs/reference/nand.md": "# NAND\n\n## Read times\n",
                           "experiments/a/README.md": "# A study\n\n[nand](../../docs/reference/nand.md#read-times)\n",
                           "models/die.hpp": "int a;  // [not a link](nowhere.md)\n", "examples/one/main.cpp": "int main() {}\n"}.items():
            self.write(name, text)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def built(self, links):
        self.write("docs/index.md", f"# Index\n\n{links}\n")
        return build(self.root, self.root.parent / "out")

    def expect(self, links, *hrefs):
        done = self.built(links)
        self.assertEqual(done.returncode, 0, done.stderr)
        page = (self.root.parent / "out/index.html").read_text(encoding="utf-8")
        for href in hrefs:
            self.assertIn(f'href="{href}"', page)

    def refused(self, links, *words):
        done = self.built(links)
        self.assertNotEqual(done.returncode, 0)
        for word in words:
            self.assertIn(word, done.stdout + done.stderr)

    def test_what_lies_outside_of_docs_is_on_the_site(self):
        self.expect("[r](../README.md) [c](../CONTRIBUTING.md#add-a-key) [a](../experiments/a/README.md) [a](../experiments/a) "
                    "[h](../models/die.hpp) [e](../examples) `[no](link.md)`\n\n    [no](link.md)\n",
                    "about.html", "CONTRIBUTING.html#add-a-key", "experiments/a/index.html", "source/models/die.hpp.html",
                    "source/examples.html")

    def test_broken_links_are_refused(self):
        self.refused("[x](reference/none.md)", "reference/none.md")
        self.refused("[x](../models/none.hpp)", "../models/none.hpp")
        self.refused("[x](reference/nand.md#write-times)", "write-times")
        self.refused("![x](images/none.png)", "images/none.png")


if __name__ == "__main__":
    unittest.main()
