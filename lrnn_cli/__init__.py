"""Lifted relational neural networks from Prolog facts, on the command line."""

__version__ = "0.1.0"
