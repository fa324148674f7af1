"""Configurations of other simulators, and fio's command lines: `flashloom import` (docs/how-to/import.md)."""
