"""Fits keys of a device to measurements of a drive: `flashloom fit` (docs/how-to/fit.md is the guide).

    from flashloom.fit import fit
    found = fit("fit.toml")          # found.keys["nand.read_time"].low, .high; found.folder / "device.toml"

Intervals come from the profile of the sum of squares: the covariance matrix is singular as soon as one key has no effect,
ignores bounds, and belongs to one point. Refused: Optuna (hundreds of evaluations more, no intervals), lmfit (starts from
a covariance, stops at bounds), SciPy's least squares (twice the evaluations in narrow valleys).
"""
from .main import fit
from .report import Fitted

__all__ = ["Fitted", "fit"]
