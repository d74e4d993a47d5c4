"""Covers of crisp clauses: the queries that a body is true of, for all refinements of a clause at once.

A clause keeps the table of its groundings. A refinement extends it by a relation; the unary predicates that are true of
the objects in each row then tell at once what all fillings of the open slots cover.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csc_array

from lrnn_cli.grounding.atoms import AtomIndex
from lrnn_cli.grounding.joins.cache import Cache
from lrnn_cli.grounding.joins.relations import Literal, Relations
from lrnn_cli.grounding.tables import Table, distinct, most_rows
from lrnn_cli.hypotheses.bodies import OPEN, Candidate, Canonical, Shape
from lrnn_cli.hypotheses.refinement import Language, paths, refinements
from lrnn_cli.language.clauses import Predicate

ANYTHING = Predicate("", 1)
"""True of all objects with unary facts: what a body that begins with a unary predicate is joined with."""
OPEN_SLOTS = 2
"""So many unary literals, at most, come with a relation."""
ROWS = 2_000_000
"""Refinements with more groundings than about this many are left out."""
KNOWN_COLUMNS = 8
"""Rows of about so many columns are what memory is allowed for."""
FILLINGS = 10
"""So many fillings of a grounding, in the mean, are tried."""
KEPT_BYTES = 200_000_000
"""Covers of refinements are kept up to this size in all: the next clause is searched for among many of the same."""


@dataclass(frozen=True)
class UnaryFacts:
    """Unary predicates, the objects of each; those of object o have the numbers predicate[first[o]:first[o + 1]]."""

    names: tuple[str, ...]
    holders: list[np.ndarray]
    first: np.ndarray
    predicate: np.ndarray

    @staticmethod
    def of(tables: dict[Predicate, Table], objects: int) -> UnaryFacts:
        unary = [predicate for predicate in sorted(tables) if predicate.arity == 1]
        holders = [tables[predicate].objects[:, 0] for predicate in unary]
        number = np.repeat(np.arange(len(unary)), [len(holder) for holder in holders])
        holder = np.concatenate([np.zeros(0, np.int32), *holders])
        first = np.concatenate([[0], np.cumsum(np.bincount(holder, minlength=objects))])
        names = tuple(predicate.name for predicate in unary)
        return UnaryFacts(names, holders, first, number[np.argsort(holder, kind="stable")])

    def true_of(self, number: int, objects: np.ndarray) -> np.ndarray:
        """Whether a predicate is true of each of some objects."""
        holds = np.zeros(len(self.first) - 1, bool)
        holds[self.holders[number]] = True
        return np.asarray(holds[objects])

    def count(self, places: list[np.ndarray]) -> int:
        """How many `fillings` there are."""
        counts = [self.first[column + 1] - self.first[column] for column in places]
        return int(np.prod(counts, axis=0).sum())

    def fillings(self, places: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        """All choices of a predicate for each place, given columns (rows,) of objects: the row, the choice.

        A choice is one number: that of the predicate at the last place, plus len(names) times that before it, ...
        """
        row = np.arange(len(places[0]))
        choice = np.zeros(len(row), np.int64)
        for column in places:
            start = self.first[column[row]]
            count = self.first[column[row] + 1] - start
            place = np.arange(count.sum()) + np.repeat(start - (np.cumsum(count) - count), count)
            row = np.repeat(row, count)
            choice = np.repeat(choice, count) * len(self.names) + self.predicate[place]
        return row, choice


@dataclass(frozen=True)
class CoveringClause:
    """A clause in the form in which it was refined, its groundings, and (query atoms,) which of them it covers."""

    candidate: Candidate
    table: Table
    cover: np.ndarray


@dataclass(frozen=True)
class Refinement:
    """A refinement with open slots, and all their fillings that have groundings.

    covers: (query atoms, fillings) true where a filling covers; choice: (fillings,) as `UnaryFacts.fillings` has it
    """

    candidate: Candidate
    covers: csc_array
    choice: np.ndarray

    @property
    def bytes(self) -> int:
        return int(self.covers.indices.nbytes + self.covers.data.nbytes)


class AsGiven(Canonical):
    """Leaves bodies as they are, so that refinements begin with the literals of their parents."""

    def __call__(self, candidate: Candidate) -> Candidate:
        return candidate


class Coverage:
    """Clauses for one target predicate, their refinements, and what they cover. `atoms` are those of its queries."""

    def __init__(
        self, relations: Relations, target: Predicate, atoms: Table, language: Language, head_sorts: tuple[int, ...]
    ) -> None:
        unary = [table for predicate, table in sorted(relations.tables.items()) if predicate.arity == 1]
        tables = dict(relations.tables)
        if unary:
            example, objects = zip(*((table.example, table.objects) for table in unary), strict=True)
            tables[ANYTHING] = distinct(Table(np.concatenate(example), np.concatenate(objects)))
        self.unary = UnaryFacts.of(relations.tables, relations.objects)
        self.identity = relations.identity
        self.relations = replace(relations, tables=tables, identity=False, memory=0)
        self.start = relations.joined(target, ())
        self.index = AtomIndex([atoms], relations.objects)
        self.target = target
        self._language = replace(language, canonical=AsGiven(language.canonical.symmetries))
        self._head_sorts = head_sorts
        self.most = min(ROWS, most_rows(relations.memory, KNOWN_COLUMNS) or ROWS)
        """Refinements with more groundings are left out."""
        self._marks = np.random.default_rng(1).integers(0, 2**63, len(self.index), np.uint64)
        self.left_out = 0
        self._degrees: dict[tuple[Predicate, int], np.ndarray] = {}
        self._refinements: Cache[Candidate, list[Refinement]] = Cache(
            min(KEPT_BYTES, relations.memory or KEPT_BYTES), lambda known: sum(refinement.bytes for refinement in known)
        )

    def empty(self) -> CoveringClause:
        """The clause without a body, which covers all queries."""
        return CoveringClause(Candidate(Shape(self.target, (), ()), ()), self.start, np.ones(len(self.index), bool))

    def mark(self, cover: np.ndarray) -> np.uint64:
        """A number that stands for a cover (query atoms,): the sum of random numbers, modulo 2^64."""
        return np.uint64(self._marks[cover].sum())

    def marks(self, covers: csc_array) -> np.ndarray:
        """The marks of covers (query atoms, clauses), none of them empty."""
        return np.add.reduceat(self._marks[covers.indices], covers.indptr[:-1])

    def refinements(self, clause: CoveringClause) -> list[Refinement]:
        """All refinements that cover something, variants only once."""
        return self._refinements.recall(clause.candidate, lambda: self._refined(clause))

    def filled(self, clause: CoveringClause, refinement: Refinement, number: int) -> CoveringClause:
        """The clause that a refinement of another becomes by its filling of this number."""
        shape = refinement.candidate.shape
        choice = int(refinement.choice[number])
        names = list(refinement.candidate.filling)
        table = self._extended(clause, shape)
        for slot in reversed(_open_slots(refinement.candidate)):
            choice, predicate = divmod(choice, len(self.unary.names))
            names[slot] = self.unary.names[predicate]
            keep = self.unary.true_of(predicate, table.objects[:, shape.slots[slot][0][0]])
            table = Table(table.example[keep], table.objects[keep])
        cover = np.zeros(len(self.index), bool)
        cover[refinement.covers.indices[slice(*refinement.covers.indptr[number : number + 2])]] = True
        return CoveringClause(Candidate(shape, tuple(names)), table, cover)

    def _refined(self, clause: CoveringClause) -> list[Refinement]:
        candidate = clause.candidate
        bodies = refinements(candidate, self._language, self._head_sorts)
        if not candidate.shape.length and self.target.arity > 1:
            bodies += paths(self.target, self._language, self._head_sorts)
        different: dict[Candidate, Candidate] = {}
        for body in bodies:
            if len(_open_slots(body)) <= OPEN_SLOTS:
                different.setdefault(self._turned(body, candidate.shape), body)
        tables: dict[tuple[tuple[Literal, ...], int], Table] = {}
        covering = []
        for body in different.values():
            key = body.shape.relations, body.shape.variables
            if key not in tables:
                tables[key] = self._extended(clause, body.shape)
            if len(tables[key]):
                covering.append(self._covers(body, tables[key]))
        return [refinement for refinement in covering if len(refinement.choice)]

    def _turned(self, body: Candidate, parent: Shape) -> Candidate:
        """One form for refinements whose last relation has its arguments in an order that makes no difference."""
        shape = body.shape
        if len(shape.relations) == len(parent.relations):
            return body
        *others, (predicate, variables) = shape.relations
        forms = []
        for order in self._language.canonical.symmetries.get(predicate, ()):
            names = list(range(parent.variables))
            arguments = tuple(variables[position] for position in order)
            names += [variable for variable in arguments if variable >= parent.variables]
            number = {variable: place for place, variable in enumerate(names)}
            if len(number) < shape.variables:
                # A path of several relations.
                return body
            slots = sorted(
                ((tuple(number[variable] for variable in place), layer), name)
                for (place, layer), name in zip(shape.slots, body.filling, strict=True)
            )
            literal = predicate, tuple(number[variable] for variable in arguments)
            turned = Shape(shape.head, (*others, literal), tuple(slot for slot, _ in slots))
            forms.append(Candidate(turned, tuple(name for _, name in slots)))
        return min(forms, default=body)

    def _extended(self, clause: CoveringClause, shape: Shape) -> Table:
        """The groundings of a clause, joined with the relations that a refinement has beside its own."""
        table = clause.table
        for literal in shape.relations[len(clause.candidate.shape.relations) :]:
            table = self._joined(table, literal)
        if table.objects.shape[1] < shape.variables:
            table = self._joined(table, (ANYTHING, (shape.variables - 1,)))
        return table

    def _joined(self, table: Table, literal: Literal) -> Table:
        """Add a literal: joined at its first known variable, then compared at the others.

        So an index of single arguments does for all literals.
        """
        predicate, variables = literal
        width = table.objects.shape[1]
        final = max([width, *(variable + 1 for variable in variables)])
        arguments: list[int] = []
        compared: list[int] = []
        for variable in variables:
            if variable < width and any(other < width for other in arguments):
                arguments.append(final + len(compared))
                compared.append(variable)
            else:
                arguments.append(variable)
        if self._rows(table, predicate, arguments) > self.most:
            self.left_out += 1
            return Table(np.zeros(0, np.int32), np.zeros((0, final), np.int32))
        joined = self.relations.extended(table, (predicate, tuple(arguments)))
        keep = np.ones(len(joined), bool)
        for number, variable in enumerate(compared):
            keep &= joined.objects[:, final + number] == joined.objects[:, variable]
        if self.identity:
            for new in range(width, final):
                keep &= (joined.objects[:, :new] != joined.objects[:, new : new + 1]).all(1)
        return Table(joined.example[keep], joined.objects[keep, :final])

    def _rows(self, table: Table, predicate: Predicate, arguments: list[int]) -> int:
        """How many rows a join at the first known variable gives."""
        known = [place for place, variable in enumerate(arguments) if variable < table.objects.shape[1]]
        if not known:
            return len(self.relations.tables[predicate])
        if (predicate, known[0]) not in self._degrees:
            column = self.relations.tables[predicate].objects[:, known[0]]
            self._degrees[predicate, known[0]] = np.bincount(column, minlength=self.relations.objects)
        return int(self._degrees[predicate, known[0]][table.objects[:, arguments[known[0]]]].sum())

    def _covers(self, body: Candidate, table: Table) -> Refinement:
        atom = self.index.position(table.example, table.objects[:, : self.target.arity])
        slots = _open_slots(body)
        choice = np.zeros(len(atom), np.int64)
        if slots:
            places = [table.objects[:, body.shape.slots[slot][0][0]] for slot in slots]
            if self.unary.count(places) > FILLINGS * self.most:
                self.left_out += 1
                return Refinement(body, csc_array((len(self.index), 0), dtype=bool), np.zeros(0, np.int64))
            row, choice = self.unary.fillings(places)
            atom = atom[row]
        pairs = np.unique(choice * len(self.index) + atom)
        choices, first = np.unique(pairs // len(self.index), return_index=True)
        shape = len(self.index), len(choices)
        covered = np.ones(len(pairs), bool), pairs % len(self.index), np.append(first, len(pairs))
        return Refinement(body, csc_array(covered, shape), choices)


def _open_slots(candidate: Candidate) -> list[int]:
    return [slot for slot, name in enumerate(candidate.filling) if name == OPEN]
