"""examples/notebooks: each runs, and is committed without outputs."""
import os
import unittest

from case import ROOT, PackageCase

try:
    import ipykernel  # noqa: F401
    import matplotlib  # noqa: F401
    import nbclient
    import nbformat
except ImportError as missing:
    raise unittest.SkipTest(f"no {missing.name}: ./check installs it in .venv") from None

RUNS_WITH = "Release"  # the same in every build
NOTEBOOKS = sorted((ROOT / "examples/notebooks").glob("*.ipynb"))


class Notebooks(PackageCase):
    def test_there_are_some_and_they_are_bare(self):
        self.assertGreaterEqual(len(NOTEBOOKS), 3)
        for path in NOTEBOOKS:
            notebook = nbformat.read(path, as_version=4)
            nbformat.validate(notebook)
            for cell in notebook.cells:
                if cell.cell_type == "code":
                    self.assertEqual((cell.outputs, cell.execution_count), ([], None), path.name)

    def test_they_run(self):
        environment = os.environ | {"PYTHONPATH": str(ROOT / "python"), "IPYTHONDIR": str(self.scratch)}
        environment.pop("MPLBACKEND")  # the notebook kernel's own backend, which makes pictures
        for path in NOTEBOOKS:
            with self.subTest(path.name):
                notebook = nbformat.read(path, as_version=4)
                client = nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(self.scratch)}})
                client.execute(env=environment)
                outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
                self.assertFalse([output for output in outputs if "Warning" in output.get("text", "")])
                drawn = [cell for cell in notebook.cells if "plot." in cell.source and cell.cell_type == "code"]
                pictures = [output for output in outputs if "image/png" in output.get("data", {})]
                self.assertEqual(len(pictures), len(drawn))


if __name__ == "__main__":
    unittest.main()
