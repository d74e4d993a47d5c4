"""The roles that unary predicates play in what the rules so far leave unexplained: where soft clusters start.

Bodies of at most one relation and two unary predicates of the data, target :- r(V1, V2), p(V1), q(V2), are compared by
the score test: a matrix with a row for each p and a column for each q. Predicates that play the same role have like
rows, so the leading singular vectors span the roles; turned so that each has few large entries, they are the weights of
clusters that play them. A cluster that is drawn mixes roles: rules over it gain too little to be found, and what would
be invented from them never is.

By chance alone a score has deviation 1. Draws are added to it, so that other seeds start elsewhere where the data leave
that open, and a second start differs from the first.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from lrnn_cli.hypotheses.bodies import Candidate, Shape
from lrnn_cli.hypotheses.refinement import Language, first_relations
from lrnn_cli.language.clauses import Predicate
from lrnn_cli.structure.features import Features
from lrnn_cli.structure.scoring import Regression

DRAWN = 0.5
"""The deviation of the draws that are added to scores: a quarter of the variance that chance gives them."""
ROTATIONS = 50
"""Steps in which singular vectors are turned."""
COMBINATIONS = 20_000
"""A matrix with more entries than this is left out."""
LIKE = 0.9
"""Roles with a larger cosine are one."""
DIGITS = 9
"""Roles are compared to so many: the two of one pair of singular vectors are equally strong, up to rounding."""


@dataclass(frozen=True)
class Role:
    """Weights of unary predicates, the largest of size 1, and how far from chance it is that this role matters."""

    strength: float
    weights: np.ndarray


def unexplained_roles(
    target: Predicate,
    head_sorts: tuple[int, ...],
    features: Features,
    language: Language,
    regression: Regression,
    unary: Sequence[str],
    random: np.random.Generator,
) -> list[Role]:
    """The roles that unary predicates play in what a regression leaves unexplained."""
    row = {name: number for number, name in enumerate(unary)}
    roles = []
    for shape in _shapes(target, language, head_sorts):
        if features.collapsed(shape) is None:
            continue
        first, second = features.fillings(shape, 0), features.fillings(shape, 1)
        if not first or not second or len(first) * len(second) > COMBINATIONS:
            continue
        scores = np.stack([regression.scores(features.columns(shape, [(p, q) for q in second])) for p in first])
        left, strength, right = np.linalg.svd(scores + DRAWN * random.normal(size=scores.shape), full_matrices=False)
        # The largest singular value that draws of deviation 1 would have.
        chance = np.sqrt(len(first)) + np.sqrt(len(second))
        rank = max(1, int((strength > chance).sum()))
        for names, vectors in ((first, left[:, :rank]), (second, right[:rank].T)):
            for role in simple_structure(vectors * strength[:rank]).T:
                weights = np.zeros(len(unary))
                weights[[row[name] for name in names]] = role / role[np.abs(role).argmax()]
                roles.append(Role(float(np.sqrt(role @ role)) / chance, weights))
    return roles


def strongest(roles: list[Role], count: int) -> list[np.ndarray]:
    """The weights of so many roles, at most, that are unlike each other."""
    chosen: list[np.ndarray] = []
    for role in sorted(roles, key=lambda role: -round(role.strength, DIGITS)):
        if len(chosen) == count:
            break
        size = np.sqrt(role.weights @ role.weights)
        if all(role.weights @ other < LIKE * size * np.sqrt(other @ other) for other in chosen):
            chosen.append(role.weights)
    return chosen


def _shapes(target: Predicate, language: Language, head_sorts: tuple[int, ...]) -> Iterator[Shape]:
    """Bodies with two slots of unary predicates: of variables of one relation, or of the head, or of one variable."""
    for first, second in itertools.combinations_with_replacement(range(max(target.arity, 1)), 2):
        yield Shape(target, (), (((first,), 0), ((second,), 0)))
    bodies = [Shape(target, (literal,), ()) for literal in first_relations(target, language, head_sorts)]
    for body in sorted({language.canonical(Candidate(body, ())).shape for body in bodies}):
        for first, second in itertools.combinations(range(body.variables), 2):
            yield Shape(target, body.relations, (((first,), 0), ((second,), 0)))


def simple_structure(vectors: np.ndarray) -> np.ndarray:
    """Columns turned, within the space they span, so that each has few large entries: the varimax criterion.

    Roles that matter alike have like singular values, and then singular vectors are any mixture of them.
    """
    rotation = np.eye(vectors.shape[1])
    for _ in range(ROTATIONS):
        turned = vectors @ rotation
        left, _, right = np.linalg.svd(vectors.T @ (turned**3 - turned * (turned**2).mean(axis=0)))
        rotation = left @ right
    return np.asarray(vectors @ rotation)
