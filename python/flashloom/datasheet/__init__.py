"""A device's data sheet: `flashloom datasheet` (docs/how-to/datasheet.md)."""
from .brief import Figure
from .main import datasheet
from .steady import Window, steady

__all__ = ["Figure", "Window", "datasheet", "steady"]
