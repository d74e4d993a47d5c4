"""What rules are made of: the predicates that are true of examples, restricted and sorted as the data file asks.

An argument with the sort `constant` takes constants: its predicate becomes one predicate for each constant that occurs
often enough, with the other arguments. charge(X, 3), as `charge(_, 3)` of one argument, is then a unary predicate like
any other; rules are written with the constant in its place. Conditions on arguments that hold numbers, charge(X, C),
C >= 0.21, are predicates of the other arguments as well, and so are comparisons of two such arguments; which ones there
are is told by `conditions`. A relation that some objects have to themselves, same(X, X), is a unary predicate of these
objects, too.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from lrnn_cli.errors import Fault, LrnnError, faults_error
from lrnn_cli.grounding.grounder import Knowledge
from lrnn_cli.grounding.joins.relations import Literal, Relations
from lrnn_cli.grounding.tables import SoftFacts, Table, row_keys
from lrnn_cli.hypotheses.sorts import OTHER, ArgumentSorts, called_by
from lrnn_cli.language.clauses import Atom, Constant, Goal, Guard, Predicate, Rule, Term, Variable, class_of, quoted
from lrnn_cli.language.data import CONSTANT, NUMBER, Bias, DataSet, Queries, measured

CONSTANTS = 100
"""So many constants of a predicate, the most frequent ones, can occur in rules."""
LATENT_NAME = re.compile(r"(latent_\d+_\d+|part_\d+)\Z")


@dataclass(frozen=True)
class Condition:
    """What is asked of the number at an argument: comparisons with constants, none for any number."""

    tests: tuple[tuple[str, Constant], ...] = ()

    def __str__(self) -> str:
        return " ".join(f"{name} {constant}" for name, constant in self.tests) or "_"

    def guards(self, value: Variable) -> list[Guard]:
        """The comparisons of a variable; with itself if there are none, so that it is one that holds a number."""
        terms: list[tuple[str, Term]] = [*self.tests] or [("=:=", value)]
        return [_guard(value, name, term) for name, term in terms]


def _guard(value: Term, name: str, term: Term) -> Guard:
    """A comparison of a variable with a constant or a variable."""
    end = (f" {name} ", str(term), "") if isinstance(term, Variable) else (f" {name} {term}",)
    return Guard(("", str(value), *end), goal=Goal("guard", name, (value, term)))


Pattern = tuple[Constant | Condition | int | None, ...]
"""What stands at each argument of a predicate: None for the variables of an atom, one after the other, or the place of
one of them, once more."""


@dataclass(frozen=True)
class NumericArgument:
    """An argument that holds one number for each choice of the `free` ones, so conditions on it are about these."""

    predicate: Predicate
    place: int
    free: tuple[int, ...]


@dataclass(frozen=True)
class Comparison:
    """Two numbers of facts beside each other: `left` and `right` are variables of the body, of which the first ones are
    the arguments of the predicate that is made of it, and all others are numbers.
    """

    body: tuple[Literal, ...]
    arity: int
    left: int
    operator: str
    right: int

    @property
    def numbers(self) -> tuple[int, ...]:
        """The variables that are numbers."""
        return tuple(sorted({place for _, places in self.body for place in places if place >= self.arity}))

    def terms(self, arguments: tuple[Term, ...], fresh: Iterator[Variable]) -> dict[int, Term]:
        """What stands for each variable: the arguments of an atom, and new variables."""
        return {**dict(enumerate(arguments)), **{number: next(fresh) for number in self.numbers}}

    def guards(self, term: Mapping[int, Term]) -> list[Guard]:
        """The comparison; numbers that it is not about are compared with themselves, as those of any condition."""
        pairs = [(self.left, self.operator, self.right)]
        pairs += [(number, "=:=", number) for number in self.numbers if number not in (self.left, self.right)]
        return [_guard(term[left], name, term[right]) for left, name, right in pairs]


@dataclass(frozen=True)
class Conditions:
    """Those that are made predicates: on the numbers of each argument, and between two numbers."""

    thresholds: Mapping[NumericArgument, tuple[Condition, ...]] = field(default_factory=dict)
    comparisons: tuple[Comparison, ...] = ()


@dataclass(frozen=True)
class NamedSort:
    """A sort, the name we give it, its objects, and the arguments that hold them; those of numbers are all `number`."""

    number: int
    name: str
    objects: np.ndarray
    arguments: tuple[tuple[Predicate, int], ...]


@dataclass(frozen=True)
class Vocabulary:
    """Tables and weighted facts of predicates, sorts of arguments, and how predicates with constants are written.

    targets: the sorts of the arguments of target predicates, -1 where nothing tells.
    patterns: for predicates made of others, the name and the arguments of these.
    given: facts of target predicates, which no body has but whose weights their atoms get.
    numeric: arguments that hold numbers, each with a sort of its own; numbers: (objects,) those that objects are.
    conditions: those on numbers that have become predicates; conditioned: what each of these predicates is about.
    comparisons: of predicates that compare two numbers.
    """

    tables: dict[Predicate, Table]
    soft: dict[Predicate, SoftFacts]
    sorts: dict[Predicate, tuple[int, ...]]
    targets: dict[Predicate, tuple[int, ...]]
    objects: int
    patterns: dict[str, tuple[str, Pattern]]
    given: dict[Predicate, SoftFacts]
    numeric: dict[Predicate, tuple[int, ...]] = field(default_factory=dict)
    numbers: np.ndarray = field(default_factory=lambda: np.zeros(0))
    conditions: Conditions = field(default_factory=Conditions)
    conditioned: dict[str, Hashable] = field(default_factory=dict)
    comparisons: dict[str, Comparison] = field(default_factory=dict)

    def pattern(self, predicate: Predicate) -> tuple[str, Pattern]:
        """The name and the arguments that a predicate is written with."""
        return self.patterns.get(predicate.name, (predicate.name, (None,) * predicate.arity))

    def written(self, rule: Rule) -> Rule:
        """A rule as the model file has it; variables for numbers come after the others."""
        if not self.patterns and not self.comparisons:
            return rule
        taken = {name for atom in (rule.head, *rule.body) for name in atom.variables}
        fresh = (Variable(f"V{number}") for number in itertools.count(1) if f"V{number}" not in taken)
        body: list[Atom] = []
        guards = list(rule.guards)
        for atom in rule.body:
            comparison = self.comparisons.get(atom.name)
            literals: list[tuple[Predicate, tuple[Term, ...]]] = [(atom.predicate, atom.arguments)]
            if comparison is not None:
                term = comparison.terms(atom.arguments, fresh)
                literals = [(name, tuple(term[place] for place in places)) for name, places in comparison.body]
                guards += comparison.guards(term)
            for predicate, arguments in literals:
                plain, conditions = self._written(predicate, arguments, fresh)
                body.append(plain)
                guards += conditions
        return replace(rule, body=tuple(body), guards=tuple(guards))

    def _written(
        self, predicate: Predicate, given: tuple[Term, ...], fresh: Iterator[Variable]
    ) -> tuple[Atom, list[Guard]]:
        """An atom with constants and variables for numbers in their places, and the conditions on these."""
        name, pattern = self.pattern(predicate)
        free = iter(given)
        arguments: list[Term] = []
        guards: list[Guard] = []
        for item in pattern:
            if isinstance(item, Condition):
                value = next(fresh)
                guards += item.guards(value)
                arguments.append(value)
            elif isinstance(item, int):
                arguments.append(given[item])
            else:
                arguments.append(next(free) if item is None else item)
        return Atom(name, tuple(arguments)), guards

    def numeric_arguments(self, predicate: Predicate) -> Iterator[NumericArgument]:
        """Arguments whose number is told by the arguments that hold none or, if it is not, by all other ones."""
        table, numeric = self.tables[predicate], self.numeric[predicate]
        for place in numeric:
            others = tuple(other for other in range(predicate.arity) if other != place)
            objects = tuple(other for other in others if other not in numeric)
            for free in dict.fromkeys((objects, others)):
                keys = row_keys([table.example, *table.objects[:, list(free)].T], len(table))
                if len(np.unique(keys)) == len(table):
                    yield NumericArgument(predicate, place, free)
                    break

    def named_sorts(self) -> list[NamedSort]:
        """Sorts with a name each: that of a unary predicate of all its objects, else of its first argument."""
        places: dict[int, list[tuple[Predicate, int]]] = {}
        for predicate, sorts in self.sorts.items():
            for place, sort in enumerate(sorts):
                places.setdefault(sort, []).append((predicate, place))
        named: dict[str, NamedSort] = {}
        numbers: list[NamedSort] = []
        for sort, arguments in places.items():
            objects = np.unique(np.concatenate([self.tables[name].objects[:, place] for name, place in arguments]))
            if arguments[0][1] in self.numeric.get(arguments[0][0], ()):
                numbers.append(NamedSort(sort, NUMBER, objects, tuple(arguments)))
                continue
            unary = (name for name, _ in arguments if name.arity == 1 and len(self.tables[name]) == len(objects))
            first, place = next((argument for argument in arguments if argument[0].arity > 1), arguments[0])
            name = next((predicate.name for predicate in unary), f"{first.name}_{place + 1}")
            while name in named or name in (CONSTANT, NUMBER):
                name += "_"
            named[name] = NamedSort(sort, name, objects, tuple(arguments))
        return [*named.values(), *numbers]


def vocabulary(data: DataSet, knowledge: Knowledge, queries: Queries) -> Vocabulary:
    """The vocabulary for rules of the target predicates of these queries, which don't occur in bodies.

    It is that of the examples with these queries: nothing of others, kept to test what is learned, has a part in it.
    Without any query it is that of all examples.
    """
    targets = {queries.predicate[number] for number in np.unique(queries.predicate_index).tolist()}
    names = sorted(predicate for predicate in knowledge.tables if predicate not in targets)
    clash = next((predicate for predicate in names if LATENT_NAME.match(predicate.name)), None)
    if clash is not None:
        raise LrnnError(f"{data.name}: {clash} has the name of a latent predicate; rename it in the data")
    _check(data, knowledge, {asked_for(target) for target in targets})
    if len(queries):
        knowledge = connected_part(knowledge.part(np.unique(queries.example)), queries)
    tables = {predicate: table for predicate, table in knowledge.tables.items() if predicate not in targets}
    soft = {predicate: facts for predicate, facts in knowledge.soft.items() if predicate in tables}
    given = {target: _all_weights(target, knowledge) for target in targets if target in knowledge.tables}
    numbers = knowledge.numbers()
    floats = called_by(knowledge.names()) == OTHER
    if not data.bias:
        inferred = ArgumentSorts(tables, knowledge.names())
        heads = {target: _inferred(queries, target, inferred) for target in targets}
        numeric = {name: _hold_floats(table, floats, numbers) for name, table in tables.items()}
        numeric = {name: places for name, places in numeric.items() if places}
        return Vocabulary(tables, soft, inferred.sorts, heads, knowledge.objects, {}, given, numeric, numbers)
    number: dict[str, int] = {}
    for bias in data.bias:
        for sort in bias.sorts:
            number.setdefault(sort, len(number))
    own = itertools.count(len(number))
    of_numbers: dict[str, int] = {}
    chosen: dict[Predicate, Table] = {}
    chosen_soft: dict[Predicate, SoftFacts] = {}
    sorts: dict[Predicate, tuple[int, ...]] = {}
    patterns: dict[str, tuple[str, Pattern]] = {}
    numeric = {}
    heads = {}
    for bias in data.bias:
        predicate = bias.predicate
        asked = [target for target in targets if asked_for(target) == predicate]
        if asked:
            heads.update({target: tuple(number[sort] for sort in bias.sorts) for target in asked})
            continue
        if predicate not in tables:
            continue
        instances = [(predicate, tables[predicate], soft.get(predicate))]
        if CONSTANT in bias.sorts:
            instances = []
            for name, pattern, table, facts in _with_constants(bias, knowledge):
                patterns[name] = (predicate.name, pattern)
                instances.append((Predicate(name, table.objects.shape[1]), table, facts))
        free = [sort for sort in bias.sorts if sort != CONSTANT]
        for instance, table, facts in instances:
            chosen[instance] = table
            if facts is not None:
                chosen_soft[instance] = facts
            held = _hold_floats(table, floats, numbers)
            places = tuple(at for at, sort in enumerate(free) if measured(sort) is not None or at in held)
            sorts[instance] = tuple(
                of_numbers.setdefault(_measure(sort) or f"{instance} {place}", next(own))
                if place in places
                else number[sort]
                for place, sort in enumerate(free)
            )
            numeric[instance] = places
    numeric = {name: places for name, places in numeric.items() if places}
    undeclared = targets - set(heads)
    if undeclared:
        inferred = ArgumentSorts(chosen, knowledge.names(), sorts)
        heads |= {target: _inferred(queries, target, inferred) for target in undeclared}
    return Vocabulary(chosen, chosen_soft, sorts, heads, knowledge.objects, patterns, given, numeric, numbers)


def _measure(sort: str) -> str:
    """What numbers of a declared sort measure: those that measure the same are of one sort; nothing for `number`."""
    name = measured(sort)
    return sort if name is None else name


def asked_for(target: Predicate) -> Predicate:
    """What queries name: the target itself, or that which it is one class of."""
    return Predicate(class_of(target.name)[0], target.arity)


def with_reflexive(words: Vocabulary) -> Vocabulary:
    """Also unary predicates of objects that have a relation to themselves, at least two for a relation.

    For rules whose variables take different objects: same(X, Y) never holds of one object there.
    """
    tables, soft, sorts, patterns = dict(words.tables), dict(words.soft), dict(words.sorts), dict(words.patterns)
    for predicate, table in words.tables.items():
        if predicate.arity != 2 or predicate.name in patterns or len(set(sorts[predicate])) > 1:
            continue
        rows = _reflexive(table)
        if len(rows) < 2:
            continue
        loop = Predicate(f"{quoted(predicate.name)}(X, X)", 1)
        patterns[loop.name] = (predicate.name, (None, 0))
        sorts[loop] = sorts[predicate][:1]
        tables[loop] = Table(table.example[rows], table.objects[rows, :1])
        if predicate in soft:
            facts = soft[predicate]
            rows = _reflexive(facts.atoms)
            soft[loop] = SoftFacts(Table(facts.atoms.example[rows], facts.atoms.objects[rows, :1]), facts.weight[rows])
    return replace(words, tables=tables, soft=soft, sorts=sorts, patterns=patterns)


def connected_part(knowledge: Knowledge, queries: Queries) -> Knowledge:
    """What a body can be about: facts that are connected with the objects of queries, if all of these have objects.

    Literals of a body share variables with the head or with each other, so other facts have no part in any grounding.
    Of a thousand trains in one interpretation, those that no query asks for are left out.
    """
    arity = np.array([predicate.arity for predicate in queries.predicate], np.int64)
    if not len(queries) or not arity[queries.predicate_index].all():
        return knowledge
    reached = np.zeros(knowledge.objects + 1, bool)
    # Arguments beyond the arity of a query are -1, the last place.
    reached[queries.argument] = True
    reached[-1] = False
    count = -1
    relations = [table.objects for table in knowledge.tables.values() if table.objects.shape[1] > 1]
    while count != (count := int(reached.sum())):
        for objects in relations:
            reached[objects[reached[objects].any(axis=1)]] = True
    # temperature(21.5) says something of the whole example.
    reached[:-1] |= called_by(knowledge.names()) == OTHER
    if reached[:-1].all():
        return knowledge
    tables = {name: _rows(table, _all_of(table, reached)) for name, table in knowledge.tables.items()}
    soft = {}
    for name, facts in knowledge.soft.items():
        kept = _all_of(facts.atoms, reached)
        soft[name] = SoftFacts(_rows(facts.atoms, kept), facts.weight[kept])
    return replace(
        knowledge,
        tables={name: table for name, table in tables.items() if len(table)},
        soft={name: facts for name, facts in soft.items() if len(facts.weight)},
    )


def _all_of(table: Table, chosen: np.ndarray) -> np.ndarray:
    """(rows,) whether all objects of a row are chosen (objects,)."""
    return np.asarray(chosen[table.objects].all(axis=1))


def _rows(table: Table, kept: np.ndarray) -> Table:
    return table if kept.all() else Table(table.example[kept], table.objects[kept])


def _hold_floats(table: Table, floats: np.ndarray, numbers: np.ndarray) -> tuple[int, ...]:
    """The arguments that hold numbers alone, not all of them integers; floats, numbers: (objects,)."""
    held = table.objects
    some, all_numbers = floats[held].any(axis=0), ~np.isnan(numbers[held]).any(axis=0)
    return tuple((some & all_numbers).nonzero()[0].tolist())


def _all_weights(predicate: Predicate, knowledge: Knowledge) -> SoftFacts:
    """All facts of a predicate with their weights, each atom once."""
    table = knowledge.tables[predicate]
    soft = {predicate: knowledge.soft[predicate]} if predicate in knowledge.soft else {}
    relations = Relations({}, soft, {}, knowledge.objects, False)
    return SoftFacts(table, relations.weights(predicate, table.example, table.objects))


def _check(data: DataSet, knowledge: Knowledge, targets: set[Predicate]) -> None:
    faults = []
    declared = [sort for bias in data.bias for sort in bias.sorts if measured(sort) is not None]
    numbers = knowledge.numbers() if declared else np.zeros(0)
    for bias in data.bias:
        if bias.predicate not in knowledge.tables and bias.predicate not in targets:
            message = f"bias for {bias.predicate}, which is true of nothing in these data; mend its name or arity"
            faults.append(Fault(bias.line, bias.column, message))
        elif set(bias.sorts) == {CONSTANT} or (bias.predicate in targets and CONSTANT in bias.sorts):
            message = f"bias for {bias.predicate}: constants leave no argument for variables; give another sort"
            faults.append(Fault(bias.line, bias.column, message))
        elif bias.predicate not in targets:
            places = [place for place, sort in enumerate(bias.sorts) if measured(sort) is not None]
            held = knowledge.tables[bias.predicate].objects[:, places].ravel()
            others = held[np.isnan(numbers[held])] if places else held
            if len(others):
                name = knowledge.names()[others[0]]
                message = f"bias for {bias.predicate}: {name} is no number that floats hold exactly; give another sort"
                faults.append(Fault(bias.line, bias.column, message))
    if faults:
        raise faults_error(data.name, faults)


def _with_constants(bias: Bias, knowledge: Knowledge) -> list[tuple[str, Pattern, Table, SoftFacts | None]]:
    """One predicate for each frequent choice of constants: name, pattern, facts and weighted facts."""
    table = knowledge.tables[bias.predicate]
    soft = knowledge.soft.get(bias.predicate)
    names = np.array(knowledge.names(), object)
    fixed = [place for place, sort in enumerate(bias.sorts) if sort == CONSTANT]
    free = [place for place, sort in enumerate(bias.sorts) if sort != CONSTANT]
    texts = [tuple(row) for row in names[table.objects[:, fixed]].tolist()]
    soft_texts = [] if soft is None else [tuple(row) for row in names[soft.atoms.objects[:, fixed]].tolist()]
    rows: dict[tuple[str, ...], list[int]] = {}
    for row, text in enumerate(texts):
        rows.setdefault(text, []).append(row)
    frequent = sorted((text for text in rows if len(rows[text]) > 1), key=lambda text: (-len(rows[text]), text))
    instances: list[tuple[str, Pattern, Table, SoftFacts | None]] = []
    for text in sorted(frequent[:CONSTANTS]):
        constants = dict(zip(fixed, text, strict=True))
        pattern = tuple(Constant(constants[place]) if place in constants else None for place in range(len(bias.sorts)))
        chosen = rows[text]
        facts = None
        if soft is not None:
            weighted = [row for row, other in enumerate(soft_texts) if other == text]
            atoms = Table(soft.atoms.example[weighted], soft.atoms.objects[np.ix_(weighted, free)])
            facts = SoftFacts(atoms, soft.weight[weighted])
        name = pattern_name(bias.predicate.name, pattern)
        instances.append((name, pattern, Table(table.example[chosen], table.objects[np.ix_(chosen, free)]), facts))
    return instances


def pattern_name(name: str, pattern: Pattern) -> str:
    """What a predicate that is made of another one is called by."""
    return f"{quoted(name)}({', '.join('_' if item is None else str(item) for item in pattern)})"


def _reflexive(table: Table) -> np.ndarray:
    """The rows of a binary relation with the same object twice."""
    return np.nonzero(table.objects[:, 0] == table.objects[:, 1])[0]


def _inferred(queries: Queries, target: Predicate, sorts: ArgumentSorts) -> tuple[int, ...]:
    """The sort of each argument of a target: that of facts with the same objects, -1 where nothing tells."""
    chosen = queries.predicate_index == queries.predicate.index(target)
    return tuple(sorts.of_objects(queries.argument[chosen, position]) for position in range(target.arity))
