"""Grounding by SWI-Prolog."""
