"""The engine of studies, started by experiments/run; docs/how-to/studies.md is the guide."""
import pathlib
import sys

# The engine shares code with the Python package, such as the naming of points; it imports no module that needs pandas.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))
