"""Which kind of targets the queries of data have, and queries with classes: a row for each class of each.

Rules for a class have a head such as colour(green), the class being its last argument. Inside, such a head is an atom
of a predicate of its own, `class_name`, and so is the atom that a row of a query asks for.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from lrnn_cli.errors import LrnnError
from lrnn_cli.language.clauses import Atom, Predicate, Variable, class_name, class_of
from lrnn_cli.language.data import DataSet, Queries
from lrnn_cli.language.template import Template, with_class_heads
from lrnn_cli.semantics.losses import LOSSES
from lrnn_cli.semantics.targets import (
    BINARY,
    CLASSES,
    KINDS,
    REGRESSION,
    TargetKind,
    TargetTask,
    begins,
    standard_numbers,
)


def target_kind(name: str, queries: Queries, task: str | None) -> TargetKind:
    """The kind that is asked for, or the one that targets look like; `name`: of the data, for messages."""
    if queries.classes and task not in (None, CLASSES.name):
        raise LrnnError(
            f"{name}: targets are words, such as {queries.classes[0]}, so --task {task} can't take them; "
            "leave --task out"
        )
    if queries.classes:
        return CLASSES
    target = queries.target[queries.labelled]
    outside = target[(target < 0.0) | (target > 1.0)]
    if task is None:
        return REGRESSION if len(outside) else BINARY
    if task == BINARY.name and len(outside):
        raise LrnnError(
            f"{name}: with --task binary targets are from 0 to 1, but {len(outside)} of {len(target)} are not, the "
            f"first is {outside[0]:g}; leave --task out, or scale the targets"
        )
    return KINDS[task]


def learning_task(data: DataSet, queries: Queries, task: str | None) -> TargetTask:
    """What is learned from these queries of data, all with targets."""
    kind = target_kind(data.name, queries, task)
    if kind is not REGRESSION:
        return TargetTask(kind)
    return regression_task(data.name, queries)


def learned_queries(data: DataSet, queries: Queries, task: TargetTask) -> Queries:
    """Queries, all with targets, as they are learned: numbers as deviations, classes as a row each."""
    if task.kind is not CLASSES:
        return replace(queries, target=task.standard(queries.target))
    queries = as_classes(queries)
    classes = asked_classes(queries)
    for target in classes:
        head = Predicate(target.name, target.arity + 1)
        if head in data.predicates or head in data.background_predicates:
            raise LrnnError(
                f"{data.name}: rules for the classes of {target} have heads of {head}, of which the data have facts or "
                "clauses; rename one of them"
            )
        if len(classes[target]) < 2:
            raise LrnnError(
                f"{data.name}: all queries of {target} have the class {classes[target][0]}; there is nothing to learn "
                "from one class"
            )
    return class_rows(queries, classes)


def target_levels(queries: Queries, kind: TargetKind) -> np.ndarray:
    """(rows,) what folds deal evenly of queries as they are learned; of classes, the number of the right one."""
    if queries.group is None:
        return kind.levels(queries.target)
    right = np.bincount(queries.group, queries.target * queries.predicate_index)
    return np.asarray(right[queries.group])


def regression_task(name: str, queries: Queries) -> TargetTask:
    """The mean and deviation of targets that are numbers, all of one predicate."""
    asked = [queries.predicate[number] for number in np.unique(queries.predicate_index).tolist()]
    if len(asked) > 1:
        raise LrnnError(
            f"{name}: numbers are learned for one target at a time, and there are "
            f"{', '.join(map(str, sorted(asked)))}; keep the queries of one of them"
        )
    outside = LOSSES["squared"].refuses(queries.target).sum()
    if outside:
        raise LrnnError(f"{name}: {outside} of {len(queries)} targets are {LOSSES['squared'].refusal}; scale them")
    return TargetTask(REGRESSION, *standard_numbers(queries.target))


def with_task(template: Template, name: str, queries: Queries) -> Template:
    """A template that says what kind its targets are: that of these queries where it says nothing."""
    settings = template.settings
    kind = target_kind(name, queries, settings.task)
    if kind is CLASSES and not settings.task:
        return with_class_heads(replace(template, settings=replace(settings, task=kind.name)))
    return (
        template if settings.task or kind is BINARY else replace(template, settings=replace(settings, task=kind.name))
    )


def with_standard_numbers(template: Template, name: str, queries: Queries) -> Template:
    """A template of regression with center and scale: those of these queries, all with targets, if it has none."""
    settings = template.settings
    if settings.task != REGRESSION.name or (settings.center, settings.scale) != (0.0, 1.0):
        return template
    task = regression_task(name, queries)
    return replace(template, settings=replace(settings, center=task.center, scale=task.scale))


# Classes


def classes_of(templates: Iterable[Template]) -> dict[Predicate, tuple[str, ...]]:
    """The targets of models and their classes, in alphabetical order."""
    words: dict[Predicate, set[str]] = {}
    for predicate in (rule.head.predicate for template in templates for rule in template.rules):
        target, word = class_of(predicate.name)
        if word:
            words.setdefault(Predicate(target, predicate.arity), set()).add(word)
    return {target: tuple(sorted(own)) for target, own in words.items()}


def as_classes(queries: Queries) -> Queries:
    """Queries whose targets are places of classes; numbers are names of classes if there are no words."""
    if queries.classes:
        return queries
    numbers, place = np.unique(queries.target[queries.labelled], return_inverse=True)
    target = queries.target.copy()
    target[queries.labelled] = place
    words = [str(int(number)) if number.is_integer() else repr(number) for number in numbers.tolist()]
    return replace(queries, target=target, classes=tuple(words))


def asked_classes(queries: Queries) -> dict[Predicate, tuple[str, ...]]:
    """The targets of queries, and the classes that each of them has."""
    classes = {}
    for number in np.unique(queries.predicate_index).tolist():
        own = queries.target[(queries.predicate_index == number) & queries.labelled]
        words = {queries.classes[int(place)] for place in np.unique(own).tolist()}
        classes[queries.predicate[number]] = tuple(sorted(words))
    return classes


def class_rows(queries: Queries, classes: dict[Predicate, tuple[str, ...]]) -> Queries:
    """Queries spread out: a row for each class of each, with the target 1 where it is the right one, else 0.

    The rows of a query whose class is none of these have the target 0; of one without a class they have none. Queries
    of targets that have no classes stay as they are.
    """
    places = [list(enumerate(classes.get(target, ()))) or [(0, "")] for target in queries.predicate]
    predicates: dict[Predicate, int] = {}
    of_target = []
    for target, own in zip(queries.predicate, places, strict=True):
        names = (class_name(target.name, word) if word else target.name for _, word in own)
        of_target.append([predicates.setdefault(Predicate(name, target.arity), len(predicates)) for name in names])
    size = np.array([len(own) for own in places], np.int64)[queries.predicate_index]
    row = np.repeat(np.arange(len(queries)), size)
    own_place = np.arange(len(row)) - np.repeat(np.cumsum(size) - size, size)
    text, right, predicate = [], np.full(len(row), np.nan), np.zeros(len(row), np.int32)
    for number, (query, place) in enumerate(zip(row.tolist(), own_place.tolist(), strict=True)):
        index = int(queries.predicate_index[query])
        predicate[number] = of_target[index][place]
        word = places[index][place][1]
        text.append(_class_text(queries.text[query], word) if word else queries.text[query])
        if queries.labelled[query]:
            right[number] = float(queries.classes[int(queries.target[query])] == word)
    return Queries(
        queries.example[row],
        tuple(predicates),
        predicate,
        queries.argument[row],
        tuple(text),
        right,
        queries.line[row],
        row.astype(np.int32),
    )


def _class_text(query: str, word: str) -> str:
    """A query with a class as its last argument."""
    return f"{query[:-1]},{word})" if query.endswith(")") and not query.startswith("(") else f"{query}({word})"


def query_texts(queries: Queries) -> list[str]:
    """What rows are rows of: the queries as the data have them."""
    words = [class_of(predicate.name)[1] for predicate in queries.predicate]
    texts = []
    for text, number in zip(queries.text, queries.predicate_index.tolist(), strict=True):
        start = text.removesuffix(f"{words[number]})") if words[number] else text
        texts.append(start[:-1] if start.endswith("(") else f"{start[:-1]})" if words[number] else text)
    return texts


def check_classes_known(template: Template, data: DataSet, queries: Queries) -> None:
    """Each class of queries to learn from must have a rule in the template, or it could never be predicted."""
    if template.settings.task != CLASSES.name:
        return
    known = classes_of([template])
    for target, words in asked_classes(as_classes(queries)).items():
        missing = sorted(set(words) - set(known.get(target, ())))
        if missing and target in known:
            raise LrnnError(
                f"{template.name}: no rule is for {class_name_text(target, missing[0])}, which {data.name} asks for; "
                f"add one, such as `_ :: {class_name_text(target, missing[0])}.`"
            )


def class_name_text(target: Predicate, word: str) -> str:
    """The head of rules for a class, with any variables."""
    variables = (Variable(f"X{number}") for number in range(1, target.arity + 1))
    return str(Atom(class_name(target.name, word), tuple(variables)))


def data_for(template: Template, data: DataSet) -> DataSet:
    """Data whose queries ask for what a template says: spread out where that is classes."""
    if data.queries.group is not None:
        return data
    if template.settings.task != CLASSES.name:
        if data.queries.classes:
            raise LrnnError(
                f"{data.name}: targets are words, such as {data.queries.classes[0]}, but {template.name} is not for "
                "classes; its heads name none"
            )
        return data
    return replace(data, queries=class_rows(as_classes(data.queries), classes_of([template])))


def class_columns(queries: Queries, rows: Queries, outputs: np.ndarray, classes: tuple[str, ...]) -> np.ndarray:
    """(queries, classes) what outputs (rows,) of queries that were spread out say, 0 for classes of other targets."""
    shares = np.zeros((len(queries), len(classes)))
    place = {word: number for number, word in enumerate(classes)}
    columns = np.array([place.get(class_of(predicate.name)[1], -1) for predicate in rows.predicate])
    column = columns[rows.predicate_index]
    assert rows.group is not None
    number = np.cumsum(begins(rows.group)) - 1
    shares[number[column >= 0], column[column >= 0]] = outputs[column >= 0]
    return shares
