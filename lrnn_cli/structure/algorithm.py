"""Algorithm 1 of the paper, in its order and words.

R <- createLayer1Rules(E, d); W <- initWeights(R); (F, V) <- weightedFacts(E, R, W)
while not StoppingCriterion:
    bestRule  <- ruleLearning(F, V, R)
    bestRules <- predicateInvention(bestRule)
    R <- R u bestRules
    W <- trainWeights(R, E, W)
    (F, V) <- weightedFacts(E, R, W)
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from lrnn_cli.errors import LrnnError
from lrnn_cli.grounding.tables import SoftFacts, Table
from lrnn_cli.language.clauses import Atom, Predicate, Rule
from lrnn_cli.language.data import DataSet
from lrnn_cli.language.template import Settings, Template
from lrnn_cli.network.atoms import AtomIndex
from lrnn_cli.network.compile import Compiler, Memory
from lrnn_cli.network.network import Activation, assemble, assemble_all
from lrnn_cli.structure.bodies import Candidate, Canonical
from lrnn_cli.structure.features import Features, LatentLayer, Target
from lrnn_cli.structure.invention import create_layer1_rules, predicate_invention
from lrnn_cli.structure.joined import JoinedGrounder, chosen_relations
from lrnn_cli.structure.refinement import Language
from lrnn_cli.structure.relations import argument_sorts, symmetries
from lrnn_cli.structure.scoring import Regression, fit
from lrnn_cli.structure.search import SearchOptions, learn_rules
from lrnn_cli.training.loop import TrainingOptions, train_weights

LARGEST_WEIGHT = 4.0
"""Weights of a refit are cut to this size before training: saturated neurons do not learn."""


@dataclass(frozen=True)
class StructureOptions:
    dimension: int = 6
    iterations: int = 14
    rules: int = 3
    length: int = 6
    variables: int = 5
    layers: int = 2
    """Latent layers at most; 1 switches invention off."""
    beam: int = 5
    epochs: int = 150
    final_epochs: int = 300
    learning_rate: float = 0.02
    loss: str = "squared"
    object_identity: bool = True
    gain: float = 1e-4
    seed: int = 1


@dataclass(frozen=True)
class Iteration:
    """What one iteration did."""

    number: int
    rules: list[tuple[Candidate, float]]
    invented: int
    tried: int
    loss: float
    search_seconds: float
    training_seconds: float


@dataclass
class Learned:
    """The rules and weights so far."""

    template: Template
    iterations: list[Iteration] = field(default_factory=list)
    reason: str = ""


class StructureLearner:
    """Learns a template and its weights from examples of a data set."""

    def __init__(
        self,
        data: DataSet,
        tables: dict[Predicate, Table],
        soft: dict[Predicate, SoftFacts],
        examples: list[int] | None,
        options: StructureOptions,
        report: Callable[[str], None] = lambda text: None,
    ) -> None:
        self.options = options
        self.report = report
        chosen = np.arange(len(data.example_name)) if examples is None else np.array(examples)
        queries = data.queries.select(np.isin(data.queries.example, chosen).nonzero()[0])
        targets = {queries.predicate[number] for number in set(queries.predicate_index.tolist())}
        tables = {predicate: table for predicate, table in tables.items() if predicate not in targets}
        self.settings = Settings(object_identity=options.object_identity)
        self.activation = Activation.of(self.settings)
        self.relations = chosen_relations(data, tables, queries, chosen, options.object_identity)
        self.grounder = JoinedGrounder(data, self.relations, soft, queries)
        self.queries = queries
        self.memory = Memory()
        self.targets = self._targets(targets)
        self.features = Features(self.relations, self.activation, self.targets)
        self.sorts = argument_sorts(self.relations.tables, self.relations.objects)
        self.canonical = Canonical(symmetries(self.relations.tables))
        self.unary = [predicate for predicate in sorted(self.relations.tables) if predicate.arity == 1]
        self.random = np.random.default_rng(options.seed)
        # The state of the algorithm: rules that define latent predicates, and target rules.
        self.latent_rules: list[Rule] = []
        self.target_rules: dict[Predicate, list[Candidate]] = {predicate: [] for predicate in sorted(targets)}
        self.weights: dict[str, float] = {}
        self.learned = Learned(Template((), self.settings))

    def _targets(self, predicates: set[Predicate]) -> dict[Predicate, Target]:
        found = {}
        for predicate in sorted(predicates):
            number = self.queries.predicate.index(predicate)
            rows = (self.queries.predicate_index == number).nonzero()[0]
            index = AtomIndex([self.relations.starts[predicate]], self.relations.objects)
            place = index.position(self.queries.example[rows], self.queries.argument[rows, : predicate.arity])
            found[predicate] = Target(index, place, self.queries.target[rows])
        return found

    # Algorithm 1

    def learn(self, record: Callable[[StructureLearner], None] = lambda learner: None) -> Learned:
        """Run the algorithm, from where it stands; `record` is called after each iteration."""
        options = self.options
        learned = self.learned
        for predicate, target in self.targets.items():
            if ((target.target < 0.0) | (target.target > 1.0)).any():
                raise LrnnError(
                    f"{self.grounder.data.name}: structure learning takes targets from 0 to 1, but some queries of "
                    f"{predicate} have others; scale them"
                )
            if len(np.unique(target.target)) < 2:
                raise LrnnError(
                    f"{self.grounder.data.name}: all {len(target.target)} queries of {predicate} have the same target; "
                    "there is nothing to learn from one class"
                )
        if not self.unary and not any(predicate.arity > 1 for predicate in self.relations.tables):
            raise LrnnError(
                f"{self.grounder.data.name}: there are neither unary predicates nor relations to make rules of; "
                "add facts to the examples"
            )
        if not learned.iterations:
            self.latent_rules = create_layer1_rules(self.unary, options.dimension)
            self._init_weights(self.latent_rules)
            self._init_weights([rule for rule in map(self._bias, self.targets) if rule is not None], 0.0)
        self._weighted_facts()
        learned.template = self._template()
        for number in range(len(learned.iterations) + 1, options.iterations + 1):
            started = time.perf_counter()
            found, tried = self._rule_learning(number)
            searched = time.perf_counter()
            if not found:
                learned.reason = self._why_nothing(tried)
                break
            invented = self._add(found)
            loss = self._train_weights(options.epochs if number < options.iterations else options.final_epochs)
            self._weighted_facts()
            trained = time.perf_counter()
            learned.template = self._template()
            iteration = Iteration(number, found, invented, tried, loss, searched - started, trained - searched)
            learned.iterations.append(iteration)
            self.report(
                f"iteration {number}: {len(found)} rules of {tried} candidates in {iteration.search_seconds:.1f} s, "
                f"training {iteration.training_seconds:.1f} s, loss {loss:.5f}"
            )
            record(self)
        return learned

    def restore(
        self,
        weights: dict[str, float],
        latent_rules: list[str],
        target_rules: list[Candidate],
        random: dict[str, Any],
        iterations: list[Iteration],
    ) -> None:
        """Go on from a state that was recorded: rules that define latent predicates are made anew from the others."""
        self.latent_rules = create_layer1_rules(self.unary, self.options.dimension)
        for iteration in iterations:
            self.latent_rules += self._invented(iteration.rules[0][0])
        if [rule.clause for rule in self.latent_rules] != latent_rules:
            raise LrnnError("the recorded run does not fit these data and options; start a new one")
        for candidate in target_rules:
            self.target_rules[candidate.shape.head].append(candidate)
        self.weights = weights
        self.random.bit_generator.state = random
        self.learned.iterations = iterations

    def _init_weights(self, rules: list[Rule], weight: float | None = None) -> None:
        for rule in rules:
            if rule.clause not in self.weights:
                drawn = float(self.random.normal(0.0, 0.5))
                self.weights[rule.clause] = drawn if weight is None else weight

    def _weighted_facts(self) -> None:
        """Values of all latent predicates for all atoms, the weights of their rules being fixed."""
        predicates = sorted({rule.head.predicate for rule in self.latent_rules})
        layers: dict[int, LatentLayer] = {}
        if predicates:
            template = Template(tuple(self._weighted(self.latent_rules)), self.settings)
            keep = frozenset(predicates)
            compiler = Compiler(self.grounder.ground(template, keep), keep=keep, memory=self.memory)
            network, neuron = assemble_all(compiler)
            values, _ = network.forward(np.array([rule.weight for rule in template.rules], float))
            by_layer: dict[int, list[Predicate]] = {}
            for predicate in predicates:
                by_layer.setdefault(int(predicate.name.split("_")[1]), []).append(predicate)
            for layer, members in by_layer.items():
                members.sort(key=lambda predicate: int(predicate.name.split("_")[2]))
                group = compiler.groups[compiler.program.groups[members[0]]]
                table = np.stack([values[neuron[predicate][:-1]] for predicate in members])
                layers[layer] = LatentLayer(group.index, group.shape, table)
        self.features.set_layers(layers)

    def _rule_learning(self, iteration: int) -> tuple[list[tuple[Candidate, float]], int]:
        """The best rules of all target predicates, each with the log loss after refitting."""
        found: list[tuple[Candidate, float]] = []
        tried = 0
        for predicate in self.targets:
            regression = self._regression(predicate)
            options = SearchOptions(self.options.beam, self.options.rules, gain=self.options.gain)

            def report(tried: int, best: Candidate, loss: float) -> None:
                self.report(f"iteration {iteration}: {tried} candidates, log loss {loss:.5f}, {best.rule().clause}")

            result = learn_rules(
                predicate,
                self._head_sorts(predicate),
                self.features,
                self._language(),
                self.options.dimension,
                regression,
                options,
                report,
            )
            tried += result.tried
            found += result.rules
            rules = [candidate.rule().clause for candidate in self.target_rules[predicate]]
            rules += [candidate.rule().clause for candidate, _ in result.rules]
            bias = self._bias(predicate)
            names = [*([bias.clause] if bias else []), *rules]
            for name, weight in zip(names, result.regression.weights.tolist(), strict=True):
                self.weights[name] = max(-LARGEST_WEIGHT, min(LARGEST_WEIGHT, weight))
        return found, tried

    def _regression(self, predicate: Predicate) -> Regression:
        """The current model of a target as a logistic regression over the columns of its rules."""
        target = self.targets[predicate]
        columns = [np.ones(len(target.target))] if self._bias(predicate) else []
        for candidate in self.target_rules[predicate]:
            columns.append(self.features.columns(candidate.shape, np.array([candidate.filling], int))[:, 0])
        names = [rule.clause for rule in self._rules_of(predicate)]
        matrix = np.stack(columns, 1) if columns else np.zeros((len(target.target), 0))
        start = np.array([self.weights[name] for name in names])
        return fit(matrix, target.target, start, self.activation)

    def _add(self, found: list[tuple[Candidate, float]]) -> int:
        """Add the rules found, and those that the best of them makes."""
        for candidate, _ in found:
            self.target_rules[candidate.shape.head].append(candidate)
        new = self._invented(found[0][0])
        self.latent_rules += new
        self._init_weights(new)
        return len(new)

    def _invented(self, best: Candidate) -> list[Rule]:
        """The rules of predicate invention that are not there yet, up to the last layer."""
        if best.layer >= self.options.layers:
            return []
        known = {rule.clause for rule in self.latent_rules}
        return [rule for rule in predicate_invention(best, self.options.dimension) if rule.clause not in known]

    def _train_weights(self, epochs: int) -> float:
        """Train all weights that the queries can see."""
        template = self._template()
        network = assemble(Compiler(self.grounder.ground(template), memory=self.memory))
        options = TrainingOptions(
            loss=self.options.loss, learning_rate=self.options.learning_rate, epochs=epochs, seed=self.options.seed
        )
        trained = train_weights(network, template.rules, options)
        for rule, weight in zip(template.rules, trained.weights.tolist(), strict=True):
            self.weights[rule.clause] = weight
        return trained.epoch.training_loss

    # Parts

    def _bias(self, predicate: Predicate) -> Rule | None:
        """A weighted fact, for targets without arguments."""
        return Rule(Atom(predicate.name)) if predicate.arity == 0 else None

    def _rules_of(self, predicate: Predicate) -> list[Rule]:
        bias = self._bias(predicate)
        return [*([bias] if bias else []), *(candidate.rule() for candidate in self.target_rules[predicate])]

    def _weighted(self, rules: list[Rule]) -> list[Rule]:
        return [replace(rule, weight=self.weights[rule.clause]) for rule in rules]

    def _template(self) -> Template:
        """The rules that queries can see; latent predicates that nothing uses are left out."""
        target_rules = [rule for predicate in self.targets for rule in self._rules_of(predicate)]
        seen = {atom.predicate for rule in target_rules for atom in rule.body}
        while True:
            rules = [rule for rule in self.latent_rules if rule.head.predicate in seen]
            grown = seen.union(atom.predicate for rule in rules for atom in rule.body)
            if grown == seen:
                return Template(tuple(self._weighted([*rules, *target_rules])), self.settings, "<learned>")
            seen = grown

    def _language(self) -> Language:
        arity = dict.fromkeys(self.features.layers, 1)
        covered = frozenset(self.sorts[predicate][0] for predicate in self.unary)
        relations = tuple(predicate for predicate in sorted(self.relations.tables) if predicate.arity > 1)
        return Language(
            relations, self.sorts, self.canonical, covered, arity, self.options.length, self.options.variables
        )

    def _head_sorts(self, predicate: Predicate) -> tuple[int, ...]:
        """The sort of each argument of a target: that of a fact with the same objects."""
        atoms = self.targets[predicate].index.atoms
        found = []
        for position in range(predicate.arity):
            objects = np.unique(atoms.objects[:, position])
            sorts = {
                self.sorts[other][place]
                for other, table in self.relations.tables.items()
                for place in range(other.arity)
                if np.isin(table.objects[:, place], objects).any()
            }
            found.append(sorts.pop() if len(sorts) == 1 else -1)
        return tuple(found)

    def _why_nothing(self, tried: int) -> str:
        if not tried:
            return "no candidate rule has groundings; allow more variables or literals, or look at the data"
        return f"none of {tried} candidates lowers the log loss by {self.options.gain:g}"
