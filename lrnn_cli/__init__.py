"""Lifted relational neural networks from Prolog facts, on the command line."""

import os

__version__ = "0.1.0"

# One thread for matrix products, before NumPy is imported: sums in another order would give other bytes on another
# number of processors, and work that is worth threads has its own (--jobs).
for _library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")
