"""The engine of studies: docs/studies.md is the guide; experiments/run is the front."""
import pathlib
import sys

# Of the Python package, which names points the same way; nothing that needs pandas is loaded.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))
