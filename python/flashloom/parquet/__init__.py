"""Parquet files as traces: `flashloom trace convert t.parquet OUT` (docs/reference/traces.md)."""
