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
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from lrnn_cli.allocation import give_back_free_memory, share_free_memory
from lrnn_cli.errors import LimitError, LrnnError
from lrnn_cli.grounding.atoms import AtomIndex
from lrnn_cli.grounding.grounder import Knowledge
from lrnn_cli.grounding.groundings import Groundings
from lrnn_cli.grounding.joins.grounder import JoinedGrounder, chosen_relations
from lrnn_cli.grounding.joins.relations import Literal, TooManyRows, symmetries
from lrnn_cli.grounding.tables import Table
from lrnn_cli.hypotheses.bodies import Candidate, Canonical, Shape
from lrnn_cli.hypotheses.invention import create_layer1_rules, latent_sorts, layer_of, layered, predicate_invention
from lrnn_cli.hypotheses.parts import Conjunction, conjunction_rules
from lrnn_cli.hypotheses.refinement import Language
from lrnn_cli.hypotheses.vocabulary import vocabulary
from lrnn_cli.language.clauses import Atom, Predicate, Rule
from lrnn_cli.language.data import DataSet, Queries
from lrnn_cli.language.template import Settings, Template
from lrnn_cli.network.compile import Compiler, Memory
from lrnn_cli.network.network import Activation, Network, assemble, assemble_all, compile_network
from lrnn_cli.stages import stage
from lrnn_cli.structure.features import Features, Kind, Layer, Target, data_layer
from lrnn_cli.structure.patterns import Columns, frequent_bodies
from lrnn_cli.structure.pretraining import pretrain
from lrnn_cli.structure.scoring import Regression, bounded, entropy, fit
from lrnn_cli.structure.search import SearchOptions, learn_rules
from lrnn_cli.structure.side_by_side import AT_ONCE
from lrnn_cli.structure.starts import strongest, unexplained_parts
from lrnn_cli.training.loop import Epoch, Trained, TrainingOptions, train_weights
from lrnn_cli.training.losses import LOSSES

LARGEST_WEIGHT = 4.0
"""Training starts from refitted weights no larger than this: saturated neurons do not learn."""
STEP_SIZES = 4
"""Training is tried with steps of so many sizes."""
KEPT_ROW_BYTES = 40
"""What a grounding of a rule of the model takes while the network is made."""
SHOWN_BODIES = 3
"""So many bodies that are left out are named at once."""
EXPLAINED = 0.001
"""A target is learned when its log loss is below this part of that of its frequency alone."""


@dataclass(frozen=True)
class StructureOptions:
    dimension: int = 6
    iterations: int = 14
    rules: int = 3
    length: int = 7
    variables: int = 5
    layers: int = 2
    """Latent layers at most; 1 switches invention off."""
    arity: int = 1
    """Invented predicates have so many arguments at most."""
    beam: int = 5
    epochs: int = 150
    final_epochs: int = 150
    learning_rate: float = 0.02
    optimiser: str = "adam"
    batch_size: int = 0
    """Examples in a batch of training; 0 for all."""
    loss: str = "squared"
    object_identity: bool = True
    aggregation: str = "sqrt"
    """What becomes of the groundings of a rule; the mean is the paper's."""
    crisp: bool = False
    """Unary predicates of the data may occur in rules beside latent ones."""
    start: str = "unexplained"
    """Latent predicates start from what is left unexplained, or are drawn as in the paper."""
    restarts: int = 1
    """So often a search that finds nothing is repeated with latent predicates started anew."""
    pretrain: bool = False
    """Train layer 1 on which unary predicates meet in relations before anything else."""
    gain: float = 2.0
    """What a rule must add to the log likelihood of the targets; 2 is about a likelihood ratio test at 5 %."""
    penalty: float = 0.1
    """Training minimises the sum of losses and this times the sum of squared weights."""
    bias: bool = True
    """A target without arguments has a weighted fact."""
    validation: float = 0.0
    """The part of the examples held out to choose the best iteration."""
    patience: int = 3
    """Iterations without a better validation loss after which learning stops."""
    conjunctions: int = 300
    """Conjunctions of parts at most; 0 leaves the rules of Algorithm 1 as they are."""
    parts: int = 6
    """Parts of a conjunction at most."""
    support: int = 5
    """Queries for which a body of a part holds at least."""
    seed: int = 1


@dataclass(frozen=True)
class Iteration:
    """What one iteration did."""

    number: int
    rules: list[tuple[Candidate, float]]
    invented: int
    tried: int
    loss: float
    validation_loss: float | None
    search_seconds: float
    training_seconds: float
    ahead: list[Candidate] = field(default_factory=list)
    """Bodies that latent predicates were invented from when a first search had found nothing."""


@dataclass
class Learned:
    """The rules and weights so far, why learning ended, and the losses of the last training."""

    template: Template
    iterations: list[Iteration] = field(default_factory=list)
    reason: str = ""
    remedy: str = "lower --gain, or look at the data with `lrnn check`"
    """What to do about the reason where nothing was learned."""
    history: list[Epoch] = field(default_factory=list)


@dataclass(frozen=True)
class State:
    """Rules and weights: of latent predicates, of targets, and of parts and their conjunctions in place of these."""

    latent_rules: list[Rule]
    target_rules: dict[Predicate, list[Candidate]]
    part_rules: list[Rule]
    conjunctions: dict[Predicate, list[Rule]]
    weights: dict[str, float]
    learned: Learned


class OutOfTime(Exception):
    """The time limit has passed; the iteration that is under way is given up."""


class StructureLearner:
    """Learns a template and its weights from examples of a data set.

    jobs: threads that score candidates; the result does not depend on them.
    memory: bytes for tables of groundings, 0 for no limit; bodies that need more are left out, which `note` is told.
    """

    def __init__(
        self,
        data: DataSet,
        knowledge: Knowledge,
        examples: list[int] | None,
        options: StructureOptions,
        report: Callable[[str], None] = lambda text: None,
        jobs: int = 1,
        time_limit: float | None = None,
        memory: int = 0,
        note: Callable[[str], None] = lambda text: None,
        queries: Queries | None = None,
    ) -> None:
        """`queries`: those to learn from, in place of all of the examples."""
        self.data = data
        self.options = options
        self.report = report
        self.note = note
        self.jobs = jobs
        self._space = memory
        self._rows: int | None = None
        """Groundings of the rules of the model so far, None while they are not known."""
        self.nearest: dict[Predicate, tuple[str, float]] = {}
        """The best clause that the last search for each target tried, and what it adds to the log likelihood."""
        self.told: set[tuple[Literal, ...]] = set()
        """Bodies that were left out and named; learners may share it."""
        self.deadline = None if time_limit is None else time.monotonic() + time_limit
        self.time_limit = time_limit
        if queries is None:
            chosen = np.arange(len(data.example_name)) if examples is None else np.array(examples)
            queries = data.queries.select(np.isin(data.queries.example, chosen).nonzero()[0])
        targets = {queries.predicate[number] for number in set(queries.predicate_index.tolist())}
        self.words = vocabulary(data, knowledge, queries)
        self.settings = Settings(object_identity=options.object_identity, aggregation=options.aggregation)
        self.activation = Activation.of(self.settings)
        self.queries, self.held_out = self._parts(queries)
        self.grounder = self._grounder(self.queries)
        self.relations = self.grounder.relations
        self.memory = Memory()
        self.targets = self._targets(targets)
        self.features = Features(self.relations, self.activation, options.aggregation, self.targets)
        self.canonical = Canonical(symmetries(self.relations))
        true = [predicate for predicate, table in sorted(self.relations.tables.items()) if len(table)]
        self.unary = [predicate for predicate in true if predicate.arity == 1]
        self.others = tuple(predicate for predicate in true if predicate.arity != 1)
        self.random = np.random.default_rng(options.seed)
        # The state of the algorithm: rules that define latent predicates, and target rules.
        self.latent_rules: list[Rule] = []
        self.target_rules: dict[Predicate, list[Candidate]] = {predicate: [] for predicate in sorted(targets)}
        self.weights: dict[str, float] = {}
        # What has come in the place of target rules: rules that define parts, and conjunctions of them.
        self.part_rules: list[Rule] = []
        self.conjunctions: dict[Predicate, list[Rule]] = {}
        self.best: tuple[float, dict[str, float]] | None = None
        self.learned = Learned(Template((), self.settings))

    # Algorithm 1

    def learn(self, record: Callable[[StructureLearner], None] = lambda learner: None) -> Learned:
        """Run the algorithm, from where it stands; `record` is called after each iteration."""
        self._check()
        share_free_memory()
        learned = self.learned
        try:
            if not learned.iterations:
                self._create_layer1()
            self._weighted_facts()
            if not learned.iterations and not self.options.pretrain:
                self._start_clusters([rule.head.name for rule in self.latent_rules])
            learned.template = self._template()
            while not self._stopping_criterion():
                if self._iterate():
                    record(self)
            if learned.iterations:
                self.final_training()
        except OutOfTime:
            self.stop_for_time()
        except TooManyRows as error:
            raise LimitError(
                f"{self.data.name}: {error.rows:,} groundings of latent predicates take more memory than is allowed; "
                "use a smaller part of the data, or allow more with --memory-limit"
            ) from None
        if self.best is not None:
            self.weights = self.best[1]
            learned.template = self._template()
        return learned

    def _create_layer1(self) -> None:
        self.latent_rules = create_layer1_rules(self.unary, self.options.dimension)
        self._init_weights(self.latent_rules)
        if self.options.pretrain and self.unary:
            self._pretrain()
        self._init_weights([rule for rule in map(self._bias, self.targets) if rule is not None], 0.0)

    def _pretrain(self) -> None:
        """Unsupervised pre-training of layer 1."""
        shape = self.options.dimension, len(self.unary)
        start = np.array([self.weights[rule.clause] for rule in self.latent_rules]).reshape(shape)
        facts = self.others, self.relations, self.unary
        trained, losses = pretrain(start, *facts, self.activation, self.random, check=self.check_time)
        if losses:
            self.report(f"pre-training of layer 1: loss {losses[0]:.5f} to {losses[-1]:.5f}")
        for rule, weight in zip(self.latent_rules, trained.ravel().tolist(), strict=True):
            self.weights[rule.clause] = weight

    def _iterate(self) -> bool:
        """One iteration; false when no rule is found."""
        options, learned = self.options, self.learned
        number = len(learned.iterations) + 1
        started = time.perf_counter()
        give_back_free_memory()
        self._limit_rows()
        with stage("rule learning"):
            found, tried = self._rule_learning(number, options.gain)
            ahead: list[Candidate] = []
            for _ in range(options.restarts):
                if found or not tried:
                    break
                ahead += self._start_anew()
                self.report(f"iteration {number} of {options.iterations}: nothing found, latent predicates start anew")
                # A new start is one more look at chance: what it finds must stand out among all that was tried.
                found, more = self._rule_learning(number, options.gain + float(np.log(tried)))
                tried += more
        self._tell_left_out()
        searched = time.perf_counter()
        if not found:
            learned.reason, learned.remedy = self._why_nothing(number, tried)
            return False
        invented = self._predicate_invention(found)
        loss = self._train_weights(options.epochs)
        self._weighted_facts()
        trained = time.perf_counter()
        learned.template = self._template()
        validation_loss = self._validate()
        seconds = searched - started, trained - searched
        learned.iterations.append(Iteration(number, found, invented, tried, loss, validation_loss, *seconds, ahead))
        shown = "" if validation_loss is None else f", validation loss {validation_loss:.5f}"
        left = (options.iterations - number) * (trained - started)
        self.report(
            f"iteration {number} of {options.iterations}: {len(found)} rules of {tried} candidates in "
            f"{seconds[0]:.1f} s, training {seconds[1]:.1f} s, loss {loss:.5f}{shown}, about {left:.0f} s left"
        )
        return True

    def _stopping_criterion(self) -> bool:
        """Enough iterations, nothing found in the last one, or no better validation loss for some."""
        learned, patience = self.learned, self.options.patience
        losses = [item.validation_loss for item in learned.iterations if item.validation_loss is not None]
        if len(losses) > patience and min(losses[-patience:]) >= min(losses[:-patience]):
            learned.reason = f"the validation loss has not fallen for {patience} iterations"
        return bool(learned.reason) or len(learned.iterations) >= self.options.iterations

    def final_training(self) -> None:
        self.report(f"final training of {len(self.learned.template.rules)} rules")
        self._train_weights(self.options.final_epochs)
        self.learned.template = self._template()
        self._validate()

    def _init_weights(self, rules: list[Rule], weight: float | None = None) -> None:
        for rule in rules:
            if rule.clause not in self.weights:
                drawn = float(self.random.normal(0.0, 0.5))
                self.weights[rule.clause] = drawn if weight is None else weight

    def _weighted_facts(self) -> None:
        """Values of all latent predicates for all atoms, the weights of their rules being fixed."""
        predicates = sorted({rule.head.predicate for rule in self.latent_rules})
        layers: dict[Kind, Layer] = {}
        if predicates:
            template = Template(tuple(self._weighted(self.latent_rules)), self.settings)
            keep = frozenset(predicates)
            with stage("joining groundings"):
                groundings = self.grounder.ground(template, keep)
            with stage("compiling the network"):
                compiler = Compiler(groundings, keep=keep, memory=self.memory)
                network, neuron = assemble_all(compiler)
            values, _ = network.forward(np.array([rule.weight for rule in template.rules], float))
            by_kind: dict[Kind, list[Predicate]] = {}
            for predicate in predicates:
                by_kind.setdefault((layer_of(predicate.name), predicate.arity), []).append(predicate)
            for kind, members in by_kind.items():
                members.sort(key=lambda predicate: int(predicate.name.split("_")[2]))
                group = compiler.groups[compiler.program.groups[members[0]]]
                table = np.stack([values[neuron[predicate][:-1]] for predicate in members])
                names = tuple(predicate.name for predicate in members)
                layers[kind] = Layer(names, group.index, group.shape, table)
            if self.unary:
                layers[0, 1] = data_layer(self.unary, self.relations, layers[1, 1], self.activation)
        self.features.set_layers(layers)

    def _rule_learning(self, iteration: int, gain: float) -> tuple[list[tuple[Candidate, float]], int]:
        """The best rules of all target predicates, each with the log loss after refitting."""
        found: list[tuple[Candidate, float]] = []
        tried = 0
        with ThreadPoolExecutor(self.jobs) as threads:
            for predicate in self.targets:
                started = time.perf_counter()

                def report(tried: int, best: Candidate, loss: float, started: float = started) -> None:
                    rate = tried / (time.perf_counter() - started)
                    rule = self.words.written(best.rule()).clause
                    self.nearest[best.shape.head] = rule, loss
                    self.report(
                        f"iteration {iteration} of {self.options.iterations}: {tried} candidates, {rate:.0f} a second, "
                        f"log loss {loss:.5f}, {rule}"
                    )

                regression = self._regression(predicate)
                if self._explained(regression):
                    continue
                result = learn_rules(
                    predicate,
                    self.words.targets[predicate],
                    self.features,
                    self._language(),
                    regression,
                    SearchOptions(self.options.beam, self.options.rules, gain=gain / regression.count),
                    set(self.target_rules[predicate]),
                    threads,
                    report,
                    self.check_time,
                )
                tried += result.tried
                found += result.rules
                if predicate in self.nearest:
                    # What a clause would have gained over the model without it.
                    rule, loss = self.nearest[predicate]
                    self.nearest[predicate] = rule, (regression.log_loss - loss) * regression.count
                rules = [candidate.rule().clause for candidate in self.target_rules[predicate]]
                rules += [candidate.rule().clause for candidate, _ in result.rules]
                bias = self._bias(predicate)
                names = [*([bias.clause] if bias else []), *rules]
                weights = bounded(result.regression, LARGEST_WEIGHT)
                self.weights.update(zip(names, weights.tolist(), strict=True))
        return found, tried

    def _predicate_invention(self, found: list[tuple[Candidate, float]]) -> int:
        """Add the rules found, and those that the best one of each target makes.

        For latent predicates that target rules use already, weights of new rules start from 0, so as not to undo what
        these mean.
        """
        for candidate, _ in found:
            self.target_rules[candidate.shape.head].append(candidate)
        used = self._used()
        new = self._invented(found)
        self.latent_rules += new
        self._init_weights([rule for rule in new if rule.head.predicate in used], 0.0)
        self._start_invented([rule for rule in new if rule.head.predicate not in used])
        return len(new)

    def _limit_rows(self) -> None:
        """The rules of one iteration, and what is invented from them, may take an even part of what is left."""
        if self._space:
            if self._rows is None:
                self._rows = self._count_rows(self.grounder.ground(self._internal_template()))
            left = self._space // 2 // KEPT_ROW_BYTES - self._rows
            self.features.most_rows = max(1, left // (2 * self.options.rules))

    def _count_rows(self, groundings: Groundings) -> int:
        return sum(len(table) for table in groundings.tables)

    def _tell_left_out(self) -> None:
        """Name the bodies that were left out for the first time, those with the fewest groundings."""
        new = {body: rows for body, rows in self.features.too_large().items() if body not in self.told}
        self.told.update(new)
        if new:
            shown = sorted(new.items(), key=lambda item: (item[1], item[0]))[:SHOWN_BODIES]
            texts = [
                f"{', '.join(map(str, Candidate(Shape(Predicate('', 0), body, ()), ()).atoms()))} ({rows:,} groundings)"
                for body, rows in shown
            ]
            more = f" and {len(new) - len(shown)} more" if len(new) > len(shown) else ""
            self.note(f"left out, since --memory-limit is too small for them: {'; '.join(texts)}{more}")

    def _used(self) -> set[Predicate]:
        """The predicates that some target rule uses, itself or through others, and target predicates."""
        return {rule.head.predicate for rule in self._internal_template().rules}

    def _start_clusters(self, names: list[str]) -> None:
        """Latent predicates of layer 1 start with the parts that unary predicates play in what is left unexplained.

        Where there are too few such parts, others keep the weights that were drawn.
        """
        if self.options.start == "drawn" or not self.unary:
            return
        unary = [predicate.name for predicate in self.unary]
        parts = []
        for predicate in self.targets:
            regression = self._regression(predicate)
            if not self._explained(regression):
                sorts = self.words.targets[predicate]
                facts = self.features, self._language(), regression, unary
                parts += unexplained_parts(predicate, sorts, *facts, self.random)
        free = list(dict.fromkeys(names))
        for name, weights in zip(free, strongest(parts, len(free)), strict=False):
            start = dict(zip(unary, weights.tolist(), strict=True))
            for rule in self.latent_rules:
                if rule.head.name == name:
                    self.weights[rule.clause] = start[rule.body[0].name]
        self._weighted_facts()

    def _start_invented(self, rules: list[Rule]) -> None:
        """Latent predicates of higher layers start as one of the bodies each, as long as there are more bodies.

        They are on where the body holds; weights of the other predicates are drawn.
        """
        if self.options.start != "drawn":
            for group in layered(rules):
                order = self.random.permutation(len(next(iter(group.values()))))
                for (head, own), chosen in zip(group.items(), order.tolist(), strict=False):
                    for rule in self.latent_rules:
                        if rule.head.predicate == head:
                            self.weights[rule.clause] = 0.0
                    self.weights[own[chosen].clause] = 1.0
        self._init_weights(rules)

    def _start_anew(self) -> list[Candidate]:
        """Start the latent predicates that no target rule uses once more; the bodies that they can now mean.

        Clusters start from what is still unexplained. Invented predicates start as the body below the last layer that
        comes closest to a rule: it need not gain anything itself for what is invented from it to gain.
        """
        used = self._used()
        free = [rule for rule in self.latent_rules if rule.head.predicate not in used]
        clusters = [rule for rule in free if layer_of(rule.head.name) == 1]
        for rule in clusters:
            del self.weights[rule.clause]
        self._init_weights(clusters)
        self._weighted_facts()
        self._start_clusters([rule.head.name for rule in clusters])
        ahead = self._closest()
        new = self._invented_from(ahead)
        self.latent_rules += new
        self._init_weights([rule for rule in new if rule.head.predicate in used], 0.0)
        bodies = {rule.clause for body in ahead for rule in self._invention(body)}
        self._start_invented(
            [rule for rule in self.latent_rules if rule.clause in bodies and rule.head.predicate not in used]
        )
        self._weighted_facts()
        return ahead

    def _closest(self) -> list[Candidate]:
        """For each target the body below the last layer that would gain most as a rule, be it enough or not."""
        found = []
        language = self._language()
        layers = {layer: sorts for layer, sorts in language.layers.items() if layer < self.options.layers}
        with ThreadPoolExecutor(self.jobs) as threads:
            for predicate in self.targets:
                regression = self._regression(predicate)
                if self.options.layers > 1 and not self._explained(regression):
                    searched = learn_rules(
                        predicate,
                        self.words.targets[predicate],
                        self.features,
                        replace(language, layers=layers),
                        regression,
                        SearchOptions(self.options.beam, 1, gain=-1.0),
                        set(self.target_rules[predicate]),
                        threads,
                        check=self.check_time,
                    )
                    found += [candidate for candidate, _ in searched.rules]
        return found

    def _invented(self, found: list[tuple[Candidate, float]]) -> list[Rule]:
        """What predicate invention makes of the best rule of each target."""
        best: dict[Predicate, Candidate] = {}
        for candidate, _ in found:
            best.setdefault(candidate.shape.head, candidate)
        return self._invented_from(list(best.values()))

    def _invented_from(self, candidates: list[Candidate]) -> list[Rule]:
        """The rules of predicate invention that are not there yet, up to the last layer."""
        known = {rule.clause for rule in self.latent_rules}
        new: dict[str, Rule] = {}
        for candidate in candidates:
            if candidate.layer < self.options.layers:
                for rule in self._invention(candidate):
                    if rule.clause not in known and self.grounder.fits(rule):
                        new[rule.clause] = rule
        return list(new.values())

    def _invention(self, candidate: Candidate) -> list[Rule]:
        return predicate_invention(candidate, self.options.dimension, self.options.arity)

    def _train_weights(self, epochs: int) -> float:
        """Train all weights that the queries can see."""
        template = self._internal_template()
        network = self._network(template)
        give_back_free_memory()
        options = TrainingOptions(
            loss=self.options.loss,
            optimiser=self.options.optimiser,
            batch_size=self.options.batch_size,
            learning_rate=self.options.learning_rate,
            epochs=epochs,
            l2=self.options.penalty / len(self.queries),
            seed=self.options.seed,
        )
        with stage("training"):
            trained = self._trained(network, template.rules, options)
        for rule, weight in zip(template.rules, trained.weights.tolist(), strict=True):
            self.weights[rule.clause] = weight
        self.learned.history = trained.history
        return trained.epoch.training_loss

    def _network(self, template: Template) -> Network:
        with stage("joining groundings"):
            groundings = self.grounder.ground(template)
        self._rows = self._count_rows(groundings)
        give_back_free_memory()
        with stage("compiling the network"):
            return assemble(Compiler(groundings, memory=self.memory))

    def _trained(self, network: Network, rules: tuple[Rule, ...], options: TrainingOptions) -> Trained:
        """Weights after training: where steps were so large that it did harm, after training with smaller ones."""
        start = np.array([rule.weight for rule in rules], float)
        for shorter in range(STEP_SIZES):
            steps = replace(options, learning_rate=self.options.learning_rate / 4.0**shorter)
            trained = train_weights(network, rules, steps, lambda epoch: self.check_time())
            if trained.interrupted:
                raise KeyboardInterrupt
            first, last = trained.history[0].training_loss, trained.epoch.training_loss
            if last + options.l2 * (trained.weights @ trained.weights) <= first + options.l2 * (start @ start):
                return trained
        return Trained(start, trained.history[0], trained.history[:1])

    def outputs(self, queries: Queries) -> np.ndarray:
        """What the rules and weights so far say of queries (queries,) of the data, learned from or not."""
        template = self._internal_template()
        network = compile_network(self._grounder(queries).ground(template))
        values, _ = network.forward(np.array([rule.weight for rule in template.rules]))
        return network.outputs(values)

    # Conjunctions in the place of target rules

    @property
    def out_of_time(self) -> bool:
        return self.deadline is not None and time.monotonic() > self.deadline

    def stop_for_time(self) -> None:
        self.learned.reason = "the time of --budget is over"
        self.learned.remedy = "allow more with --budget"

    def rows_of(self, predicate: Predicate) -> np.ndarray:
        """The positions of the queries of a target among those that are learned from, in the order of its columns."""
        return np.flatnonzero(self.queries.predicate_index == self.queries.predicate.index(predicate))

    def frequent_bodies(self, predicate: Predicate) -> Columns:
        """Bodies of literals of the data that hold for enough queries of a target."""
        if not self.features.layers:
            # What bodies of the data hold of does not depend on weights.
            latent = create_layer1_rules(self.unary, 1)
            with self.borrowed(
                replace(self.state(), latent_rules=latent, weights={rule.clause: 0.0 for rule in latent})
            ):
                return self.frequent_bodies(predicate)
        with stage("frequent bodies"):
            found, complete = frequent_bodies(
                self.features,
                self._language(),
                predicate,
                self.words.targets[predicate],
                self.options.support,
                self._space // 2,
                self.check_time,
            )
        self._tell_left_out()
        if not complete:
            self.note(
                f"{predicate}: conjunctions are of {len(found)} bodies, since --memory-limit is too small for the "
                "columns of more"
            )
        return found

    def column(self, candidate: Candidate) -> np.ndarray:
        """(queries of the target,) the aggregated rule neurons of a rule, without its weight."""
        return self.features.columns(candidate.shape, [candidate.filling])[:, 0]

    def state(self) -> State:
        return State(
            self.latent_rules, self.target_rules, self.part_rules, self.conjunctions, self.weights, self.learned
        )

    def adopt(self, state: State) -> None:
        """Go on with the rules and weights of a learner of some of the same queries."""
        self._set(state)
        self.learned = state.learned
        if state.learned.iterations:
            self._weighted_facts()
            self.learned.template = self._template()

    def _set(self, state: State) -> None:
        self.latent_rules, self.target_rules = state.latent_rules, state.target_rules
        self.part_rules, self.conjunctions = state.part_rules, state.conjunctions
        self.weights = state.weights

    @contextmanager
    def borrowed(self, state: State) -> Iterator[None]:
        """Rules and what latent predicates mean are inside those of another learner of some of the same queries."""
        own = self.state()
        self._set(state)
        self._weighted_facts()
        try:
            yield
        finally:
            self._set(own)
            self._weighted_facts()

    def replace_rules(self, predicate: Predicate, conjunctions: list[Conjunction], bias: float | None) -> None:
        """Let conjunctions of parts be the target rules of a predicate."""
        known = len({rule.head.predicate for rule in self.part_rules})
        head = Candidate(Shape(predicate, (), ()), ()).rule().head
        defining, rules = conjunction_rules(conjunctions, head, self.activation, known)
        self.part_rules += defining
        self.conjunctions[predicate] = rules
        for rule in [*defining, *rules]:
            assert rule.weight is not None
            self.weights[rule.clause] = rule.weight
        fact = self._bias(predicate)
        if fact is not None and bias is not None:
            self.weights[fact.clause] = bias
        self.learned.template = self._template()

    def restore(
        self,
        weights: dict[str, float],
        latent_rules: list[str],
        random: dict[str, Any],
        iterations: list[Iteration],
        best: tuple[float, dict[str, float]] | None,
    ) -> None:
        """Go on from a state that was recorded: rules are made anew from those that each iteration found.

        A state that does not fit is a ValueError.
        """
        self.latent_rules = create_layer1_rules(self.unary, self.options.dimension)
        for iteration in iterations:
            self.latent_rules += self._invented_from(iteration.ahead)
            self.latent_rules += self._invented(iteration.rules)
            for candidate, _ in iteration.rules:
                self.target_rules[candidate.shape.head].append(candidate)
        if [rule.clause for rule in self.latent_rules] != latent_rules:
            raise ValueError("latent rules")
        self.weights = weights
        self.random.bit_generator.state = random
        self.learned.iterations = iterations
        self.best = best

    # Parts

    def _parts(self, queries: Queries) -> tuple[Queries, Queries | None]:
        """Queries to learn from and those held out: by examples, or one by one where there is one example only."""
        if not self.options.validation:
            return queries, None
        units = queries.example if len(np.unique(queries.example)) > 1 else np.arange(len(queries))
        names = np.unique(units)
        count = round(len(names) * self.options.validation)
        if not 1 <= count < len(names):
            raise LrnnError(
                f"{self.data.name}: --validation {self.options.validation:g} of {len(names)} examples leaves one part "
                "empty; choose another fraction or leave it out"
            )
        held = np.isin(units, np.random.default_rng([self.options.seed, 2]).permutation(names)[:count])
        return queries.select((~held).nonzero()[0]), queries.select(held.nonzero()[0])

    def _grounder(self, queries: Queries) -> JoinedGrounder:
        words = self.words
        identity = self.options.object_identity
        facts = words.tables, words.soft, words.objects
        relations = chosen_relations(*facts, queries, identity, self._space // 2)
        return JoinedGrounder(self.data, relations, queries, self.words.given)

    def _validate(self) -> float | None:
        """The mean loss on queries held out; the best model so far is kept."""
        if self.held_out is None:
            return None
        output = self.outputs(self.held_out)
        loss = float(LOSSES[self.options.loss](output, self.held_out.target)[0].mean())
        if self.best is None or loss < self.best[0]:
            self.best = loss, dict(self.weights)
        return loss

    def _targets(self, predicates: set[Predicate]) -> dict[Predicate, Target]:
        found = {}
        for predicate in sorted(predicates):
            number = self.queries.predicate.index(predicate)
            rows = (self.queries.predicate_index == number).nonzero()[0]
            if not len(rows):
                raise LrnnError(
                    f"{self.data.name}: no query of {predicate} is left to learn from; choose a smaller --validation"
                )
            atoms = Table(self.queries.example[rows], self.queries.argument[rows, : predicate.arity])
            index = AtomIndex([atoms], self.relations.objects)
            place = index.position(atoms.example, atoms.objects)
            found[predicate] = Target(index, place, self.queries.target[rows], self._given_sums(predicate, atoms))
        return found

    def _given_sums(self, predicate: Predicate, atoms: Table) -> np.ndarray | float:
        """What facts of a target predicate, which no body has, add to each of some atoms of it."""
        if predicate not in self.words.given:
            return 0.0
        facts = self.words.given[predicate]
        index = AtomIndex([facts.atoms], self.words.objects)
        # The position -1 of atoms without facts is the last one.
        sums = np.zeros(len(index) + 1)
        sums[index.position(facts.atoms.example, facts.atoms.objects)] = facts.weight
        return np.asarray(sums[index.position(atoms.example, atoms.objects)])

    def _check(self) -> None:
        for predicate, target in self.targets.items():
            if ((target.target < 0.0) | (target.target > 1.0)).any():
                outside = target.target[(target.target < 0.0) | (target.target > 1.0)]
                raise LrnnError(
                    f"{self.data.name}: structure learning takes targets from 0 to 1, but {len(outside)} of "
                    f"{len(target.target)} queries of {predicate} have others, the first {outside[0]:g}; if these are "
                    "quantities, as in regression, scale them to 0 to 1, or make classes of them"
                )
            if len(np.unique(target.target)) < 2:
                raise LrnnError(
                    f"{self.data.name}: all {len(target.target)} queries of {predicate} have the same target; "
                    "there is nothing to learn from one class"
                )
        if not self.unary and not self.others:
            given = [name for name in self.data.predicates if name not in self.targets]
            remedy = "no fact is about an object of a query; are names written the same everywhere?"
            raise LrnnError(
                f"{self.data.name}: there are neither unary predicates nor relations to make rules of; "
                f"{remedy if given else 'add facts to the examples'}"
            )

    def check_time(self) -> None:
        if self.deadline is not None and time.monotonic() > self.deadline:
            raise OutOfTime

    def _regression(self, predicate: Predicate) -> Regression:
        """The current model of a target as a logistic regression over the columns of its rules."""
        target = self.targets[predicate]
        columns = [np.ones(len(target.target))] if self._bias(predicate) else []
        for candidate in self.target_rules[predicate]:
            columns.append(self.features.columns(candidate.shape, [candidate.filling])[:, 0])
        names = [rule.clause for rule in self._rules_of(predicate)]
        matrix = np.stack(columns, 1) if columns else np.zeros((len(target.target), 0))
        start = np.array([self.weights[name] for name in names])
        return fit(matrix, target.target, start, self.activation, target.given)

    def _explained(self, regression: Regression) -> bool:
        return regression.loss < EXPLAINED * entropy(regression.target)

    def _bias(self, predicate: Predicate) -> Rule | None:
        """A weighted fact, for targets without arguments."""
        return Rule(Atom(predicate.name)) if self.options.bias and predicate.arity == 0 else None

    def _rules_of(self, predicate: Predicate) -> list[Rule]:
        bias = self._bias(predicate)
        rules = self.conjunctions.get(predicate)
        if rules is None:
            rules = [candidate.rule() for candidate in self.target_rules[predicate]]
        return [*([bias] if bias else []), *rules]

    def _weighted(self, rules: list[Rule]) -> list[Rule]:
        return [replace(rule, weight=self.weights[rule.clause]) for rule in rules]

    def _internal_template(self) -> Template:
        """The rules with weights that queries can see; latent predicates that nothing uses are left out."""
        target_rules = [rule for predicate in self.targets for rule in self._rules_of(predicate)]
        target_rules = [rule for rule in target_rules if rule.clause in self.weights]
        latent_rules = [rule for rule in [*self.latent_rules, *self.part_rules] if rule.clause in self.weights]
        seen = {atom.predicate for rule in target_rules for atom in rule.body}
        while True:
            rules = [rule for rule in latent_rules if rule.head.predicate in seen]
            grown = seen.union(atom.predicate for rule in rules for atom in rule.body)
            if grown == seen:
                return Template(tuple(self._weighted([*rules, *target_rules])), self.settings, "<learned>")
            seen = grown

    def _template(self) -> Template:
        """The model: the same rules with constants in their places."""
        template = self._internal_template()
        return replace(template, rules=tuple(self.words.written(rule) for rule in template.rules))

    def _language(self) -> Language:
        layers = latent_sorts(self.latent_rules, self.words.sorts)
        if self.options.crisp and 1 in layers:
            layers[0] = layers[1]
        bounds = self.options.length, self.options.variables
        return Language(self.others, self.words.sorts, self.canonical, layers, *bounds)

    def _why_nothing(self, iteration: int, tried: int) -> tuple[str, str]:
        """Why an iteration found no rule, and what to do about it."""
        if not tried and iteration > 1:
            return "the rules explain all targets", self.learned.remedy
        if not tried and self.features.too_large():
            reason = "memory is not allowed for the groundings of any candidate rule"
            return reason, "allow more with --memory-limit"
        if not tried:
            remedy = "allow more --variables or --length, or look at the data with `lrnn check`"
            return "no candidate rule has groundings", remedy
        return f"none of {tried} candidates raises the log likelihood by {self.options.gain:g}", self.learned.remedy


@dataclass(frozen=True)
class LearnerFactory:
    """Makes the learners of an ensemble, or of one model, and those that have not seen some of their queries.

    All of them end when the time of the budget is over; several may share the memory.
    """

    data: DataSet
    knowledge: Knowledge
    options: StructureOptions
    report: Callable[[str], None] = lambda text: None
    note: Callable[[str], None] = lambda text: None
    jobs: int = 1
    budget: float | None = None
    memory: int = 0
    members: int = 1

    def members_of(self, examples: list[int] | None) -> list[StructureLearner]:
        """One learner of the queries of these examples, all if None, for each seed."""
        found = []
        for number in range(self.members):
            own = replace(self.options, seed=self.options.seed + number)
            found.append(self._learner(own, examples, None, self._reporter(number)))
            found[number].told = found[0].told
        return found

    def _reporter(self, number: int) -> Callable[[str], None]:
        name = f"model {number + 1} of {self.members}, " if self.members > 1 else ""
        return lambda text: self.report(name + text)

    def of(self, member: StructureLearner, queries: Queries) -> StructureLearner:
        """A learner like a member, of some of its queries."""
        learner = self._learner(member.options, None, queries, member.report)
        learner.deadline = member.deadline
        learner.told = member.told
        return learner

    def _learner(
        self,
        options: StructureOptions,
        examples: list[int] | None,
        queries: Queries | None,
        report: Callable[[str], None],
    ) -> StructureLearner:
        facts = self.data, self.knowledge, examples, options, report, self.jobs, self.budget
        # In processes side by side each would tell the same.
        note = self.note if options.seed == self.options.seed else lambda text: None
        return StructureLearner(*facts, memory=self.memory // AT_ONCE, note=note, queries=queries)
