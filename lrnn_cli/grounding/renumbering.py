"""Some examples of data as data of their own: what is computed from them then takes no memory for the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from lrnn_cli.grounding.grounder import Knowledge
from lrnn_cli.grounding.objects import ObjectNames
from lrnn_cli.grounding.tables import SoftFacts, Table
from lrnn_cli.language.data import DataSet


def own_data(data: DataSet, knowledge: Knowledge, examples: np.ndarray) -> tuple[DataSet, Knowledge]:
    """The examples at these ascending places with what is true in them, examples and objects numbered anew."""
    knowledge = knowledge.part(examples)
    first, size = data.first_object[examples], data.first_object[examples + 1] - data.first_object[examples]
    start = np.concatenate([[0], np.cumsum(size)]).astype(np.int32)
    number = np.full(len(data.example_name), -1, np.int32)
    number[examples] = np.arange(len(examples), dtype=np.int32)
    given = int(data.first_object[-1])
    # Objects that evaluation made come after all others, and stay.
    made = np.arange(given, knowledge.objects)
    kept = np.concatenate([np.repeat(first - start[:-1], size) + np.arange(start[-1]), made])

    def renumbered(table: Table) -> Table:
        example = number[table.example]
        shift = (start[:-1] - first).astype(np.int32)[example][:, None]
        objects = np.where(table.objects < given, table.objects + shift, table.objects + np.int32(start[-1] - given))
        return Table(example, objects.astype(np.int32))

    queries = data.queries.of_examples(examples.tolist())
    asked = renumbered(Table(queries.example, queries.argument))
    chosen = replace(
        data,
        example_name=tuple(data.example_name[place] for place in examples.tolist()),
        example_line=data.example_line[examples],
        example_fold=data.example_fold[examples],
        example_facts=data.example_facts[examples],
        first_object=start,
        queries=replace(queries, example=asked.example, argument=np.where(queries.argument < 0, -1, asked.objects)),
    )
    soft = {name: SoftFacts(renumbered(facts.atoms), facts.weight) for name, facts in knowledge.soft.items()}
    tables = {name: renumbered(table) for name, table in knowledge.tables.items()}
    return chosen, replace(
        knowledge, tables=tables, soft=soft, objects=len(kept), names=partial(_names, knowledge.names, kept)
    )


def _names(names: Callable[[], Sequence[str]], objects: np.ndarray) -> ObjectNames:
    """Those of some objects."""
    return ObjectNames.of(names()).part(objects)
