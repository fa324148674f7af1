"""Fits keys of a device to measurements of a drive: `flashloom fit` (docs/how-to/fit.md is the guide).

    from flashloom.fit import fit
    found = fit("fit.toml")          # found.keys["nand.read_time"].low, .high; found.folder / "device.toml"
"""
from .main import fit
from .report import Fitted

__all__ = ["Fitted", "fit"]
