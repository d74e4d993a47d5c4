"""Rules from data: structure learning, the baselines, and templates as experts write them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from os import fspath
from typing import TYPE_CHECKING, Any

from lrnn_cli.api.data import Data
from lrnn_cli.api.settings import Path, chosen_options, silent
from lrnn_cli.errors import LrnnError
from lrnn_cli.threads import one_thread

if TYPE_CHECKING:
    import numpy as np

    from lrnn_cli.baselines.options import BaselineOptions, TreeOptions
    from lrnn_cli.evaluation.predictions import Predictions
    from lrnn_cli.hypotheses.options import ChainOptions
    from lrnn_cli.language.template import Template
    from lrnn_cli.network.model import Model
    from lrnn_cli.structure.learning import Learning
    from lrnn_cli.structure.options import StructureOptions
    from lrnn_cli.structure.side_by_side import Spread


def structure_options(as_in_the_paper: bool = False, **settings: Any) -> StructureOptions:
    """Options of structure learning; those that are not given are ours, or the paper's."""
    from lrnn_cli.structure.options import StructureOptions

    options = chosen_options(StructureOptions, None, settings)
    if as_in_the_paper:
        from lrnn_cli.structure.paper import with_the_papers_options

        return with_the_papers_options(options, set(settings))
    return options


def learn(
    data: Data,
    options: StructureOptions | None = None,
    *,
    ensemble: int = 1,
    budget: float | None = None,
    run_directory: Path | None = None,
    resume: bool = False,
    note: Callable[[str], None] = silent,
    spread: Spread | None = None,
    **settings: Any,
) -> Learning:
    """Learn rules and their weights; see `StructureOptions` for the settings.

    ensemble: so many models with seeds that follow each other; budget: seconds for all of them.
    run_directory: a folder that keeps all iterations, and with `resume` is gone on with.
    note: called with what is worth keeping; spread: runs what members do, on other machines than this one.
    """
    data = data.labelled()
    facts = data.content, data.knowledge, _examples(data)
    from lrnn_cli.evaluation.survey import duplicate_groups
    from lrnn_cli.structure.learning import LearningTask, learn_model, learned_part
    from lrnn_cli.structure.options import StructureOptions
    from lrnn_cli.structure.side_by_side import side_by_side

    chosen = chosen_options(StructureOptions, options, settings)
    with one_thread():
        content, knowledge, examples = learned_part(*facts, chosen.seed, note)
        session = data.session
        limits = session.options.jobs, session.memory, spread or side_by_side

        def groups() -> np.ndarray:
            return duplicate_groups(content, knowledge.tables, knowledge.soft, knowledge.names())

        task = LearningTask(content, knowledge, examples, groups, session.report, note, *limits)
        folder = None if run_directory is None else fspath(run_directory)
        return learn_model(task, chosen, ensemble, budget, folder, resume)


def learn_baseline(data: Data, options: BaselineOptions | None = None, **settings: Any) -> tuple[Model, list[str]]:
    """Learn with nFOIL or, where the options are `KernelOptions`, kFOIL: a model, and remarks on how that went."""
    from lrnn_cli.baselines.options import BaselineOptions

    kind = type(options) if options is not None else BaselineOptions
    chosen = chosen_options(kind, options, settings)
    data = data.labelled()
    knowledge = data.knowledge
    from lrnn_cli.baselines.clausal import baseline_model, learn_baseline

    with one_thread():
        learned = learn_baseline(data.content, knowledge, _examples(data), chosen, data.session.report)
        return baseline_model(learned, data.name, chosen), learned.remarks


def predict_with_trees(
    learner: str, training: Data, testing: Data, options: TreeOptions | None = None, **settings: Any
) -> tuple[Predictions, list[str]]:
    """Learn with "forest" or "lightgbm" from one part of data and predict another, with remarks on the features."""
    if not len(testing.queries):
        raise LrnnError(f"{testing.name}: there is no query in the fold to predict; choose another fold")
    training, testing = training.labelled(), testing.labelled()
    everything = testing.grounder.knowledge(testing.content)
    import numpy as np

    from lrnn_cli.baselines.options import TreeOptions
    from lrnn_cli.baselines.trees import predict_with_trees
    from lrnn_cli.evaluation.predictions import Predictions

    chosen = chosen_options(TreeOptions, options, settings)
    trees = predict_with_trees(learner, testing.content, everything, training.queries, testing.queries, chosen)
    outputs, queries = trees.output, testing.queries
    fields = queries, testing.content.example_name, outputs, np.stack([outputs]), trees.kind, queries.classes
    return Predictions(*fields), trees.remarks


def make_template(data: Data, options: ChainOptions | None = None, **settings: Any) -> Template:
    """The template that experts write by hand: chains of objects, and soft clusters of their predicates."""
    from lrnn_cli.hypotheses.chains import made_template
    from lrnn_cli.hypotheses.options import ChainOptions

    data = data.labelled()
    relations, _ = data.grounder.relations(data.content, data.examples)
    queries = data.queries
    if queries.classes:
        from lrnn_cli.language.targets import asked_classes, class_rows

        queries = class_rows(queries, asked_classes(queries))
    content = replace(data.content, queries=queries)
    return made_template(content, relations, data.names, chosen_options(ChainOptions, options, settings))


def _examples(data: Data) -> list[int] | None:
    return None if data.examples is None else list(data.examples)
