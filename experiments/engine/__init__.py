"""The engine of studies: docs/studies.md is the guide; experiments/run is the front."""
