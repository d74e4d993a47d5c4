"""A model in use: its outputs, how good they are and why, its drawing, and a simpler model."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lrnn_cli.api.data import Data
from lrnn_cli.api.settings import chosen_options
from lrnn_cli.threads import one_thread

if TYPE_CHECKING:
    import numpy as np

    from lrnn_cli.evaluation.explanation import Explanations
    from lrnn_cli.evaluation.metrics import Metrics
    from lrnn_cli.evaluation.predictions import Predictions
    from lrnn_cli.grounding.groundings import Groundings
    from lrnn_cli.network.drawing import Drawing
    from lrnn_cli.network.model import Model
    from lrnn_cli.simplification.options import SimplificationOptions
    from lrnn_cli.simplification.simplification import Simplified


def predict(model: Model, data: Data, target: str | None = None) -> Predictions:
    """Outputs of a model for all queries of data; of an ensemble the mean of its members' outputs.

    target: NAME/ARITY that is asked of all objects that fit by their sorts, instead of the queries of data. Examples
    without any query are asked for the targets of the model that have no arguments.
    """
    return _outputs(model, data.asked(model, target))


def _outputs(model: Model, data: Data) -> Predictions:
    """For the queries that data have."""
    from lrnn_cli.evaluation.predictions import predict_queries

    with one_thread():
        return predict_queries(data.grounder, model, data.content, data.examples, data.session.warn)


def evaluate(model: Model, data: Data) -> Metrics:
    """How well a model predicts the targets of data, with metrics of each member of an ensemble."""
    predictions = _outputs(model, data.labelled())
    from lrnn_cli.evaluation.metrics import evaluate_predictions

    return evaluate_predictions(predictions)


def explain(
    model: Model,
    data: Data,
    example: str | None = None,
    query: str | None = None,
    *,
    depth: int = 5,
    top: int = 3,
    member: str | None = None,
    target: str | None = None,
) -> Explanations:
    """Why a model gives queries of an example their outputs: the first three, or all of one atom.

    depth: atoms are explained down to so many rules below the query; top: the strongest inputs of an atom and
    groundings of a rule. The example may be left out where there is one only, the member of an ensemble may not.
    target: see `predict`.
    """
    from lrnn_cli.evaluation.explanation import explained_queries

    return explained_queries(*_one_example(model, member, data, example, target), query, depth, top)


def draw(
    model: Model,
    data: Data | None = None,
    example: str | None = None,
    query: str | None = None,
    *,
    neurons: int = 60,
    top: int = 40,
    least_weight: float = 0.0,
    member: str | None = None,
    target: str | None = None,
) -> Drawing:
    """A model, the strongest rules of it, or its network for one query of an example, the strongest neurons of it.

    target: see `predict`.
    """
    from lrnn_cli.evaluation.drawing import query_drawing
    from lrnn_cli.evaluation.one_example import choose_member
    from lrnn_cli.network.drawing import Drawing, template_dot

    if data is None:
        return Drawing(template_dot(choose_member(model, member), top, least_weight))
    return query_drawing(*_one_example(model, member, data, example, target), query, neurons)


def _one_example(
    model: Model, member: str | None, data: Data, example: str | None, target: str | None
) -> tuple[Groundings, np.ndarray]:
    """Groundings of a member of a model in one example, and its weights (rules,)."""
    from lrnn_cli.evaluation.one_example import choose_example, choose_member, ground_example
    from lrnn_cli.evaluation.questions import targets_without_arguments, unasked_examples

    chosen = choose_member(model, member)
    place = choose_example(data.content, example)
    if target is not None or not len(data.content.queries):
        data = data.part([place]).asked(replace(model, members=(chosen,)), target)
    else:
        unasked = unasked_examples(data.content, [place])
        data = data.asking(targets_without_arguments(data.content, [chosen], unasked))
    return ground_example(data.grounder, chosen, data.content, place)


def simplify(model: Model, data: Data, options: SimplificationOptions | None = None, **settings: Any) -> Simplified:
    """Drop rules and literals that do not matter on data; see `SimplificationOptions` for the settings."""
    from lrnn_cli.evaluation.metrics import badness
    from lrnn_cli.grounding.regrounding import Regrounder
    from lrnn_cli.semantics.targets import kind_of
    from lrnn_cli.simplification.options import SimplificationOptions
    from lrnn_cli.simplification.simplification import simplify_model

    chosen = chosen_options(SimplificationOptions, options, settings)
    data = data.labelled()
    regrounder = Regrounder(data.grounder, data.content, data.examples, data.session.warn)
    with one_thread():
        kind = kind_of(model.members[0].settings)
        bad = badness(chosen.metric, data.name, kind)
        return simplify_model(model, data.name, regrounder.ground, bad, chosen, data.session.report)
