"""Simplification of a model: rules and body literals go whose removal does not make it worse on data.

Greedy backward elimination. Each rule is weighed by the model without it, exactly; then the cheapest go first, in
batches that grow while they are accepted and shrink when one is not. Literals are weighed by the rule without them in
its present groundings; those that seem to cost little are tried by grounding again. What is accepted has always been
grounded and evaluated as a model of its own, and is never worse than the first one by more than the tolerance. The
weights that are left are trained a little after each round, which often lets more rules go in the next.

Where a number of rules is asked for, the cheapest go beyond the tolerance, until no more are left.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from lrnn_cli.errors import GroundingError, NetworkError
from lrnn_cli.grounding.groundings import Groundings
from lrnn_cli.grounding.program import Facts, Program
from lrnn_cli.language.clauses import Atom, Predicate, Rule, Variable
from lrnn_cli.language.template import Template
from lrnn_cli.network.compile import Compiler, Memory
from lrnn_cli.network.model import Model, model_weights
from lrnn_cli.network.model_text import in_layers
from lrnn_cli.network.network import Network, assemble
from lrnn_cli.simplification.condensing import Condensed, Definitions, TargetRule, condense
from lrnn_cli.simplification.options import SimplificationOptions
from lrnn_cli.simplification.removal import Removal
from lrnn_cli.training.loop import train_weights
from lrnn_cli.training.options import TrainingOptions

LITERAL_CHECKS = 30
"""How often the data are grounded to try shorter rules, at most."""
WORTH_ANOTHER_ROUND = 0.05
"""The part of the rules that a round must drop for another to follow."""
AT_ONCE = 0.25
"""The part of the rules that a round drops, at most, beyond the tolerance: what others cost changes by it."""
LEARNING_RATE = 0.005
"""The weights are good already; larger steps would spoil them first."""

MANY_RULES = 100
"""So many target rules, and more, are condensed before each is weighed alone."""

Item = TypeVar("Item")
Badness = Callable[[np.ndarray, np.ndarray], float]
"""How bad outputs are for targets, as `Network.compared` gives them."""


@dataclass(frozen=True)
class Dropped:
    """A rule, a literal of a rule that stays, or a copy of another rule, to which its weight was added.

    alone: how much worse the model was without it and nothing else; of a literal, while groundings stay what they are.
    """

    kind: str
    rule: Rule
    alone: float = 0.0
    literal: Atom | None = None


@dataclass(frozen=True)
class Evaluated:
    """A model, its network over the data, and what it gives."""

    model: Template
    program: Program
    network: Network
    weights: np.ndarray
    outputs: np.ndarray
    badness: float


@dataclass(frozen=True)
class Simplified:
    """What is left of a model, and how each of its members got there; interrupted: Ctrl-C ended it."""

    model: Model
    simplifiers: list[Simplifier]
    interrupted: bool


def simplify_model(
    model: Model,
    data_name: str,
    ground: Callable[[Template], Groundings],
    badness: Badness,
    options: SimplificationOptions,
    report: Callable[[str], None] = lambda text: None,
) -> Simplified:
    """Simplify the members of a model one by one; an interruption keeps what has been reached."""
    for member in model.members:
        model_weights(member)
    simplifiers: list[Simplifier] = []
    interrupted = False
    try:
        for member in model.members:
            simplifiers.append(Simplifier(member, ground, badness, options, report))
            simplifiers[-1].run()
    except KeyboardInterrupt:
        interrupted = True
    if interrupted and not any(simplifier.dropped for simplifier in simplifiers):
        raise KeyboardInterrupt
    smaller = *(simplifier.now.model for simplifier in simplifiers), *model.members[len(simplifiers) :]
    names = (name.rsplit("/", 1)[-1] for name in (model.name, data_name))
    sizes = (sum(len(member.rules) for member in members) for members in (model.members, smaller))
    comments = "model of lrnn: {} simplified on {}".format(*names), "{} rules before, {} after".format(*sizes)
    return Simplified(Model(tuple(map(in_layers, smaller)), comments, layered=True), simplifiers, interrupted)


class Simplifier:
    """Simplifies one model. `now` is the smallest model so far; an interruption leaves it valid.

    ground: groundings of a model over the data
    """

    def __init__(
        self,
        model: Template,
        ground: Callable[[Template], Groundings],
        badness: Badness,
        options: SimplificationOptions,
        report: Callable[[str], None] = lambda text: None,
    ) -> None:
        self.options = options
        self.dropped: list[Dropped] = []
        self._ground = ground
        self._badness = badness
        self._report = report
        self._memory = Memory()
        self._most = options.most_rules
        self._checks = LITERAL_CHECKS if options.literals else 0
        self.first = self.now = self._evaluate(model)
        unit = self.first.network.output.unit(options.metric)
        self._limit = self.first.badness + options.tolerance * unit

    def run(self) -> None:
        """Drop what can go within the tolerance; then, if there are still too many rules, the cheapest beyond it.

        Many target rules are condensed instead: weighing each alone would take minutes. As few as were asked for learn
        the outputs of the first model: of targets they would learn what is chance, as there are still many weights.
        """
        self._merge_copies()
        if self._condense():
            if self._most is None:
                return
            self.retrain(self.first.outputs)
        else:
            self._most = None
            self._eliminate()
            self._most = self.options.most_rules
        if self.too_many:
            self._eliminate()

    def _eliminate(self) -> None:
        """Drop rules, then literals, until no literal can go."""
        while True:
            self._rounds()
            # Beyond the tolerance, what has been reached is the limit for all else.
            self._limit = max(self._limit, self.now.badness)
            before = len(self.dropped)
            self._drop_literals()
            if len(self.dropped) == before:
                return
            self.retrain()

    @property
    def too_many(self) -> bool:
        """There are more rules than may be left."""
        return self._most is not None and len(self.now.model.rules) > self._most

    def _tolerated(self, badness: float, before: int, after: int, alone: bool) -> bool:
        """Whether a model may have so many rules after a step, and be so bad.

        Beyond the tolerance, only a rule that goes alone may leave fewer rules than were asked for.
        """
        most = self._most
        return badness <= self._limit or (most is not None and before > most and (alone or after >= most))

    def _rounds(self) -> None:
        """Drop rules and train what is left, until little more can go."""
        while True:
            before = len(self.dropped)
            self._merge_copies()
            self.drop_rules()
            dropped = len(self.dropped) - before
            if dropped:
                self.retrain()
            if not dropped or (dropped <= WORTH_ANOTHER_ROUND * len(self.now.model.rules) and not self.too_many):
                return

    def _evaluate(self, model: Template) -> Evaluated:
        groundings = self._ground(model)
        network = assemble(Compiler(groundings, memory=self._memory))
        weights = np.array([rule.weight for rule in model.rules], float)
        return self._evaluated(model, groundings.program, network, weights)

    def _evaluated(self, model: Template, program: Program, network: Network, weights: np.ndarray) -> Evaluated:
        values, _ = network.forward(weights)
        outputs = network.outputs(values)
        return Evaluated(model, program, network, weights, outputs, self._badness(*network.compared(outputs)))

    # Rules

    def _merge_copies(self) -> None:
        """Rules that are equal but for weights and names of variables count once, with the sum of their weights."""
        rules = self.now.model.rules
        copies: dict[object, list[int]] = {}
        for index, rule in enumerate(rules):
            copies.setdefault(index if rule.fixed else canonical(rule), []).append(index)
        merged = tuple(
            replace(rules[same[0]], weight=float(self.now.weights[same].sum())) if len(same) > 1 else rules[same[0]]
            for same in copies.values()
        )
        if len(merged) < len(rules):
            dropped = [Dropped("copy", rules[index]) for same in copies.values() for index in same[1:]]
            self._accept(replace(self.now.model, rules=merged), dropped)

    def _accept(self, model: Template, dropped: list[Dropped], anyway: bool = False) -> bool:
        """Go on with a model in which this has been dropped, if it is within the limit, or anyway."""
        tried = self._evaluate(model)
        if tried.badness > self._limit and not anyway:
            return False
        self.now = tried
        self.dropped += dropped
        return True

    def drop_rules(self) -> None:
        """Without rules that do not matter, as many at a time as can go together."""
        now = self.now
        rules = now.model.rules
        removal = Removal(now.network, now.program, now.weights)
        batches: list[list[Dropped]] = []
        alone: dict[int, float] = {}

        def take(indices: Sequence[int]) -> bool:
            """Do without these rules and those that are of no use without them, within the limit."""
            left = removal.kept.copy()
            left[list(indices)] = False
            gone = (removal.kept & ~live_rules(rules, now.program.facts, left)).nonzero()[0].tolist()
            before = int(removal.kept.sum())
            if not self._allowed(removal, gone) or not self._tolerated(
                self._badness_without(removal, gone), before, before - len(gone), len(indices) == 1
            ):
                return False
            batches.append([Dropped("rule", rules[index], alone.get(index, 0.0)) for index in gone])
            removal.take(gone)
            self._report(f"simplify: {removal.kept.sum()} of {len(rules)} rules are left")
            return True

        fixed = np.array([rule.fixed for rule in rules])
        take((~now.network.used_rules & ~fixed).nonzero()[0].tolist())
        candidates = (removal.kept & ~fixed).nonzero()[0].tolist()
        for number, index in enumerate(candidates, 1):
            self._report(f"simplify: weighing rule {number} of {len(candidates)}")
            alone[index] = self._badness_without(removal, [index]) - now.badness
        in_batches(self._to_drop(alone), take)
        # Without the rules the model must be what the network said. Should it not be, fewer go.
        while dropped := [item for batch in batches for item in batch]:
            gone = {id(item.rule) for item in dropped}
            left = tuple(rule for rule in rules if id(rule) not in gone)
            if self._accept(replace(now.model, rules=left), dropped, anyway=self.too_many):
                return
            batches = batches[: len(batches) // 2]

    def _condense(self) -> bool:
        """Do without many target rules, and literals of them, at once; weights of the others make up for them."""
        now, network = self.now, self.now.network
        removal = Removal(network, now.program, now.weights)
        rules = removal.target_rules()
        if len(rules) < MANY_RULES or len({rule.number for rule in rules}) < len(rules):
            return False
        slope = network.activation.slope(network.activation.atoms(removal.inputs))
        importance = np.where(removal.linear, 1.0, slope) ** 2

        def input_of(condensed: Condensed) -> np.ndarray:
            return np.asarray(np.stack([rule.column for rule in condensed.rules], 1) @ condensed.weights)

        given = Condensed(tuple(rules), now.weights[[rule.number for rule in rules]])
        first = input_of(given)

        definitions = Definitions(now.model.rules)
        before = definitions.size(rules)

        def accepted(condensed: Condensed, alone: bool) -> bool:
            """Whether the outputs are within the limit, or there were too many rules."""
            nonlocal before
            self._report(f"simplify: {len(condensed.rules)} of {len(rules)} target rules are left")
            bad = self._badness(*network.compared(removal.outputs_of(removal.inputs + input_of(condensed) - first)))
            after = definitions.size(condensed.rules)
            tolerated = self._tolerated(bad, before, after, alone)
            before = after if tolerated else before
            return tolerated

        condensed = condense(rules, given.weights, importance, network.activation, definitions, accepted)
        shorter, dropped = self._condensed(rules, condensed)
        return bool(dropped) and self._accept(replace(now.model, rules=shorter), dropped, anyway=self.too_many)

    def _condensed(self, rules: Sequence[TargetRule], condensed: Condensed) -> tuple[tuple[Rule, ...], list[Dropped]]:
        """Rules of the model with the target rules that are left, without those that nothing uses then; what went."""
        left = {
            rule.number: (rule.places, float(weight))
            for rule, weight in zip(condensed.rules, condensed.weights, strict=True)
        }
        kept: list[Rule] = []
        dropped = []
        targets = {rule.number for rule in rules}
        for number, rule in enumerate(self.now.model.rules):
            if number not in targets or rule.fixed:
                kept.append(rule)
            elif number not in left:
                dropped.append(Dropped("rule", rule))
            else:
                places, weight = left[number]
                gone = [atom for place, atom in enumerate(rule.body) if place not in places]
                dropped += [Dropped("literal", rule, literal=atom) for atom in gone]
                kept.append(replace(rule, body=tuple(rule.body[place] for place in places), weight=weight))
        live = live_rules(kept, self.now.program.facts, np.ones(len(kept), bool)).tolist()
        dropped += [Dropped("rule", rule) for rule, alive in zip(kept, live, strict=True) if not alive]
        return tuple(rule for rule, alive in zip(kept, live, strict=True) if alive), dropped

    def _badness_without(self, removal: Removal, indices: Sequence[int]) -> float:
        return self._badness(*self.now.network.compared(removal.outputs(indices)))

    def _allowed(self, removal: Removal, indices: Sequence[int]) -> bool:
        """Each predicate that is asked for still has rules or facts."""
        left = removal.kept.copy()
        left[indices] = False
        program = self.now.program
        defined = {program.rules[index].head for index in left.nonzero()[0]}
        return all(name in defined or program.facts.has(name) for name in program.facts.queried)

    def _affordable(self, alone: dict[Item, float]) -> list[Item]:
        """Those that would leave the model within the limit, cheapest first."""
        slack = self._limit - self.now.badness
        return sorted((item for item, cost in alone.items() if cost <= slack), key=lambda item: alone[item])

    def _to_drop(self, alone: dict[int, float]) -> list[int]:
        """Rules to try, cheapest first: if there are too many, some beyond the limit."""
        affordable = self._affordable(alone)
        if not self.too_many:
            return affordable
        least = max(1, round(AT_ONCE * len(self.now.model.rules)))
        return sorted(alone, key=lambda rule: alone[rule])[: max(len(affordable), least)]

    # Literals

    def _drop_literals(self) -> None:
        alone = {}
        if self._checks:
            for index, rule in enumerate(self.now.model.rules):
                self._report(f"simplify: weighing the literals of rule {index + 1} of {len(self.now.model.rules)}")
                for place in range(len(rule.body) if not rule.fixed else 0):
                    if can_drop(rule, place):
                        alone[index, rule.body[place]] = self._badness_ignoring(index, place) - self.now.badness

        rules = dict(enumerate(self.now.model.rules))

        def attempt(batch: Sequence[tuple[int, Atom]]) -> bool:
            """Do without these literals, and without rules that nothing uses then."""
            nonlocal rules
            shorter = dict(rules)
            dropped = []
            for index, atom in batch:
                if index in shorter and can_drop(shorter[index], place := shorter[index].body.index(atom)):
                    dropped.append(Dropped("literal", shorter[index], alone[index, atom], atom))
                    shorter[index] = without_literal(shorter[index], place)
            if not dropped or not self._checks:
                return False
            live = live_rules(list(shorter.values()), self.now.program.facts, np.ones(len(shorter), bool))
            for index in [index for index, alive in zip(shorter, live.tolist(), strict=True) if not alive]:
                dropped.append(Dropped("rule", shorter.pop(index)))
            self._checks -= 1
            self._report(f"simplify: grounding without {len(batch)} literals, {self._checks} more trials")
            try:
                accepted = self._accept(replace(self.now.model, rules=tuple(shorter.values())), dropped)
            except (GroundingError, NetworkError):
                # A literal may have kept atoms from depending on themselves, or a guard from what it can't compare.
                return False
            rules = shorter if accepted else rules
            return accepted

        in_batches(self._affordable(alone), attempt)

    def _badness_ignoring(self, index: int, place: int) -> float:
        """Of the model when rule `index` does without its body atom at `place` but keeps its groundings."""
        program, network = self.now.program, self.now.network
        soft = [is_soft(program, name) for name, _ in program.rules[index].body]
        bias = network.bias.copy()
        bias[index] = network.activation.rule_bias(len(soft) - 1, soft.count(False) - (not soft[place]))
        levels = network.levels
        if soft[place]:
            row = soft[:place].count(True)
            levels = tuple(
                replace(level, body_atom=_blanked(level.body_atom, row, level.rule == index))
                if row < len(level.body_atom)
                else level
                for level in levels
            )
        return self._evaluated(
            self.now.model, program, replace(network, levels=levels, bias=bias), self.now.weights
        ).badness

    # Weights

    def retrain(self, wanted: np.ndarray | None = None) -> None:
        """Train what is left; weights that make the model worse are not kept.

        wanted: (queries,) outputs to learn in place of targets
        """
        now = self.now
        options = TrainingOptions(loss=self.options.loss, epochs=self.options.epochs, learning_rate=LEARNING_RATE)
        trained = train_weights(
            now.network if wanted is None else replace(now.network, target=wanted),
            now.model.rules,
            options,
            lambda epoch: self._report(f"simplify: training, epoch {epoch.epoch} of {options.epochs}"),
        )
        model = now.model.with_weights([float(weight) for weight in trained.weights])
        retrained = self._evaluated(model, now.program, now.network, trained.weights)
        if retrained.badness <= now.badness:
            self.now = retrained
        if trained.interrupted:
            raise KeyboardInterrupt


def _blanked(body_atom: np.ndarray, row: int, neurons: np.ndarray) -> np.ndarray:
    """Bodies (widest body, rule neurons) without what stands in a row of some neurons."""
    body_atom = body_atom.copy()
    body_atom[row, neurons] = 0
    return body_atom


def in_batches(queue: Sequence[Item], attempt: Callable[[Sequence[Item]], bool]) -> None:
    """Offer items in order: twice as many after a success, half as many after a failure, an item alone only once."""
    size = 1
    while queue:
        batch = queue[:size]
        if attempt(batch):
            queue = queue[size:]
            size *= 2
        elif len(batch) == 1:
            queue = queue[1:]
        else:
            size = len(batch) // 2


def live_rules(rules: Sequence[Rule], facts: Facts, kept: np.ndarray) -> np.ndarray:
    """(rules,) those of `kept` whose bodies can be derived and whose heads lead to a query."""
    heads = {rule.head.predicate for rule in rules}
    body = [{atom.predicate for atom in rule.body} for rule in rules]
    live = set(kept.nonzero()[0].tolist())
    while True:
        missing = heads - {rules[index].head.predicate for index in live}
        gone = {index for index in live if any(not facts.has(predicate) for predicate in body[index] & missing)}
        if not gone:
            break
        live -= gone
    wanted: set[Predicate] = set()
    frontier = set(facts.queried)
    while frontier:
        wanted |= frontier
        frontier = {name for index in live if rules[index].head.predicate in frontier for name in body[index]} - wanted
    return np.array([index in live and rule.head.predicate in wanted for index, rule in enumerate(rules)], bool)


def canonical(rule: Rule) -> tuple[object, ...]:
    """Equal for rules that differ in weights and names of variables only."""
    names: dict[str, str] = {}

    def renamed(atom: Atom) -> Atom:
        terms = (
            Variable(names.setdefault(term.name, f"V{len(names)}")) if isinstance(term, Variable) else term
            for term in atom.arguments
        )
        return Atom(atom.name, tuple(terms))

    atoms = tuple(renamed(atom) for atom in (rule.head, *rule.body))
    for name in (name for guard in rule.guards for name in guard.variables):
        names.setdefault(name, f"V{len(names)}")
    return (*atoms, *(guard.renamed(names) for guard in rule.guards))


def is_soft(program: Program, predicate: Predicate) -> bool:
    """Its atoms have neurons with values of their own."""
    return predicate in program.groups or predicate in program.soft or predicate in program.mixed


def can_drop(rule: Rule, place: int) -> bool:
    """Without this body atom a rule stays safe and in as few connected parts, with some body."""
    rest = rule.body[:place] + rule.body[place + 1 :]
    bound = {name for atom in rest for name in atom.variables}
    needed = {*rule.head.variables, *(name for guard in rule.guards for name in guard.variables)}
    return bool(rest) and needed.isdisjoint(set(rule.body[place].variables) - bound) and parts(rest) <= parts(rule.body)


def without_literal(rule: Rule, place: int) -> Rule:
    return replace(rule, body=rule.body[:place] + rule.body[place + 1 :])


def parts(body: Sequence[Atom]) -> int:
    """How many parts a body has that share no variable."""
    groups: list[set[str]] = []
    for atom in body:
        joined = set(atom.variables)
        separate = []
        for names in groups:
            if names & joined:
                joined |= names
            else:
                separate.append(names)
        groups = [*separate, joined]
    return len(groups)
