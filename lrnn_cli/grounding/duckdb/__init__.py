"""Grounding by SQL joins of DuckDB, for function-free programs."""
