"""The library: all that the commands do, for Python.

    import lrnn_cli as lrnn

    with lrnn.Session() as session:
        training, testing = session.read("trains.pl").fold(1, folds=5)
        learning = lrnn.learn(training, iterations=3)
        print(lrnn.evaluate(learning.model, testing).values["accuracy"])

Facts stay in the SWI-Prolog of a session; what is returned are values. Modules that compute are imported by the
functions that need them, while SWI-Prolog starts.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lrnn_cli.api.data import Data
    from lrnn_cli.api.learning import learn, learn_baseline, make_template, predict_with_trees, structure_options
    from lrnn_cli.api.models import draw, evaluate, explain, predict, simplify
    from lrnn_cli.api.sessions import Session
    from lrnn_cli.api.training import Training, ground, load_groundings, save_groundings, train
    from lrnn_cli.baselines.options import BaselineOptions, KernelOptions, TreeOptions
    from lrnn_cli.errors import LrnnError
    from lrnn_cli.evaluation.parts import FoldOptions
    from lrnn_cli.grounding.options import SessionOptions
    from lrnn_cli.hypotheses.options import ChainOptions
    from lrnn_cli.language.facts import Example
    from lrnn_cli.simplification.options import SimplificationOptions
    from lrnn_cli.structure.options import StructureOptions
    from lrnn_cli.training.options import TrainingOptions

__all__ = [
    "BaselineOptions",
    "ChainOptions",
    "Data",
    "Example",
    "FoldOptions",
    "KernelOptions",
    "LrnnError",
    "Session",
    "SessionOptions",
    "SimplificationOptions",
    "StructureOptions",
    "Training",
    "TrainingOptions",
    "TreeOptions",
    "draw",
    "evaluate",
    "explain",
    "ground",
    "learn",
    "learn_baseline",
    "load_groundings",
    "make_template",
    "predict",
    "predict_with_trees",
    "save_groundings",
    "simplify",
    "structure_options",
    "train",
]

PLACES = {
    "api.data": ("Data",),
    "api.learning": ("learn", "learn_baseline", "make_template", "predict_with_trees", "structure_options"),
    "api.models": ("draw", "evaluate", "explain", "predict", "simplify"),
    "api.sessions": ("Session",),
    "api.training": ("Training", "ground", "load_groundings", "save_groundings", "train"),
    "baselines.options": ("BaselineOptions", "KernelOptions", "TreeOptions"),
    "errors": ("LrnnError",),
    "evaluation.parts": ("FoldOptions",),
    "grounding.options": ("SessionOptions",),
    "hypotheses.options": ("ChainOptions",),
    "language.facts": ("Example",),
    "simplification.options": ("SimplificationOptions",),
    "structure.options": ("StructureOptions",),
    "training.options": ("TrainingOptions",),
}
"""The modules that names are in, imported when a name of them is used: who predicts does not wait for others."""
MODULE = {name: f"lrnn_cli.{module}" for module, names in PLACES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in MODULE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(MODULE[name]), name)
