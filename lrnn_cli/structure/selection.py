"""What the data can bear: conjunctions of parts or plain rules, few or many, chosen on queries that were held out.

Algorithm 1 is run without a part of the queries; then, on the same queries, conjunctions are boosted over the columns
of frequent bodies and of the rules it found. Whatever predicts the queries held out best is learned again from all.
Small data are held out in turn, so that every query counts; large data once. What was predicted for queries held out
also tells what to expect of new data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from lrnn_cli.semantics.targets import BINARY, REGRESSION, TargetKind
from lrnn_cli.structure.boosting import BoostingOptions
from lrnn_cli.structure.options import ITERATIONS, TELLING, StructureOptions

SMALL = 1000
"""Up to so many queries, each part is held out in turn; of more, only one part is."""
LEAST_COVERED = 2
"""Queries that a body or a conjunction covers, however few there are."""
LARGE_ITERATIONS = 3
WHOLE_ITERATIONS = 2
"""Those on large data about whole examples, yes or no: rules that come later say nothing that conjunctions do not."""
ENOUGH = 0.999
"""The part of the loss explained by the best way that a simpler one has to explain."""
NEARLY = 0.99
"""The same of all conjunctions that were tried, where plenty are wanted."""
PATIENCE = 100
"""After so many conjunctions that predict queries held out no better no more are tried."""
EXPLAINED = 0.002
"""When no more than this part of the loss is left no more conjunctions are tried."""
CLEAN = 0.2
"""Where a way leaves no more than this part of the loss data are clean, and the simplest such way is taken."""
HALF = 0.5
"""Where less of the loss is left there is a concept, which may be one of literals of the data."""
SURELY = 1.0
"""A way is better than another if its loss is less by so many standard errors of the difference."""
SHARES = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3)
"""What is chosen for small data has one of these shares in what the model says; the rest is the frequency's."""
RULES = "plain rules"
FREQUENCY = "nothing but the frequency"
MANY = "many conjunctions"
MANY_SMALL = "many small conjunctions"
FEW = "few conjunctions"
FEW_SHARED = "few shared conjunctions"
WITH_LATENT = " with latent predicates"
TOGETHER = "conjunctions of several ways"

Way = tuple[str, int]
"""Plain rules, nothing but the frequency or a family by its name, and the number of conjunctions."""


@dataclass(frozen=True)
class Estimate:
    """What to expect on new data, from queries held out; `training`: the accuracy on all that was learned from.

    majority: the accuracy of predicting the larger class. For numbers R2 stands in the place of accuracies.
    loss, frequency_loss: squared losses, of the model and of predicting the frequency, or mean, of the target.
    """

    queries: int
    accuracy: float
    majority: float
    loss: float
    frequency_loss: float
    training: float
    measure: str = "accuracy"


@dataclass(frozen=True)
class Family:
    """A way to boost; latent: over the columns of rules with latent predicates too, not of literals of the data alone.

    Such columns were trained on the same targets, so they promise more than they keep where data are few or clean.
    plenty: all conjunctions that were tried are taken unless they are worse than fewer; which number is best on some
    queries held out is mostly chance.
    """

    options: BoostingOptions
    latent: bool
    plenty: bool = False


def settled(
    options: StructureOptions, queries: int, kind: TargetKind = BINARY, with_arguments: bool = False
) -> StructureOptions:
    """Options with what is left open in them: iterations are few on large data, where conjunctions do most.

    Literals of the data stand in rules of classes. Of a few queries a sixth is support enough.
    """
    large = WHOLE_ITERATIONS if kind is BINARY and not with_arguments else LARGE_ITERATIONS
    iterations = large if options.conjunctions and queries > SMALL else ITERATIONS
    return replace(
        options,
        support=min(options.support, max(LEAST_COVERED, queries // 6)),
        iterations=iterations if options.iterations is None else options.iterations,
        crisp=True if options.crisp is None and kind.grouped else options.crisp,
    )


def families(
    options: StructureOptions, queries: int, kind: TargetKind = BINARY, with_arguments: bool = False
) -> dict[str, Family]:
    """The ways to boost that are tried: few sharp rules, for clean data, and many that each say little.

    Each of the many is chosen among some of the columns and queries, drawn anew: rules that differ overfit less. Large
    data bear latent predicates, so what does without them is not tried there, unless targets have arguments: many
    queries may be about few objects. Fewer than 100 queries may not tell which of several columns is the right one:
    shared conjunctions are few, each chosen among some of them, drawn anew, too.
    Numbers may have little noise where they are many, so that conjunctions of a few queries are worth while.
    """
    tenth = max(LEAST_COVERED, queries // 10)
    few = BoostingOptions(
        *(min(options.conjunctions, 60), 0.5, options.parts),
        penalty=min(1.0, queries**2 / 2000),
        covered=min(3, tenth),
        queries=1.0,
        columns=1.0,
    )
    many = BoostingOptions(
        *(options.conjunctions, 0.1, options.parts),
        penalty=min(5.0, queries**2 / 2000),
        covered=min(10, tenth),
        queries=0.7,
        columns=0.2 if queries <= SMALL else 0.1,
    )
    ways = {
        FEW: Family(few, False),
        FEW + WITH_LATENT: Family(few, True),
        MANY: Family(many, False, plenty=queries > SMALL),
        MANY + WITH_LATENT: Family(many, True, plenty=queries > SMALL),
    }
    if queries < TELLING:
        shared = replace(few, columns=max(0.2, queries / TELLING))
        ways |= {FEW_SHARED: Family(shared, False), FEW_SHARED + WITH_LATENT: Family(shared, True)}
    if kind is REGRESSION:
        small = replace(many, penalty=min(2.0, many.penalty), covered=min(5, many.covered), columns=0.5)
        ways |= {
            MANY_SMALL: Family(small, False),
            MANY_SMALL + WITH_LATENT: Family(small, True),
        }
    if queries <= SMALL:
        return ways
    return {name: way for name, way in ways.items() if way.latent or (with_arguments and name == MANY)}


def usual_family(families: Iterable[str]) -> str:
    """The family that is taken unless another way is surely better."""
    return next(name for name in families if name.startswith(MANY))


@dataclass(frozen=True)
class HeldOut:
    """Outputs for queries of a target held out: of plain rules, and of each family after each conjunction.

    target, rules: (queries, classes), one class where a query has none; paths: (conjunctions, queries, classes).
    """

    target: np.ndarray
    rules: np.ndarray
    paths: dict[str, np.ndarray]

    def output(self, name: str, rules: int) -> np.ndarray:
        """After so many conjunctions, or the last one."""
        path = self.paths[name]
        return np.asarray(path[min(rules, len(path) - 1)])


@dataclass(frozen=True)
class Choice:
    """What was best on queries held out, and what to expect of it.

    name: plain rules, nothing but the frequency, a family, or several of these together; conjunctions: how many.
    shares: of it, or of those that are together, and of the frequency; the model says their weighted mean.
    losses: (queries held out,) squared, by that of the frequency.
    """

    name: str
    conjunctions: int
    estimate: Estimate
    shares: dict[Way, float]
    losses: np.ndarray


def may_be_about_literals(options: StructureOptions, kind: TargetKind, choices: Iterable[Choice]) -> bool:
    """Whether rules with literals of the data are worth a try: most of a target is explained without them, not all."""
    return options.crisp is None and kind is BINARY and any(EXPLAINED < way.losses.mean() < HALF for way in choices)


def are_better(choices: Iterable[Choice], others: Iterable[Choice]) -> bool:
    """Whether what was chosen for targets surely predicts better than other choices do, or as well by fewer rules."""
    (losses, size), (other_losses, other_size) = map(_losses_and_size, (choices, others))
    if _is_surely_less(losses, other_losses):
        return True
    return size < other_size and not _is_surely_less(other_losses, losses)


def _losses_and_size(choices: Iterable[Choice]) -> tuple[np.ndarray, int]:
    """The losses (queries,) of all targets, and how many conjunctions were chosen for them."""
    own = list(choices)
    return np.concatenate([way.losses for way in own]), sum(way.conjunctions for way in own)


def path_is_over(losses: list[float]) -> bool:
    """Whether no more conjunctions are tried after these losses on queries held out."""
    return len(losses) - int(np.argmin(losses)) > PATIENCE or losses[-1] < EXPLAINED * losses[0]


class _Ways:
    """What ways say of the queries of all trials that were held out: outputs (queries, classes), and their losses.

    losses: (queries,) of each way; loss: the mean. constant: outputs of the frequency of what was learned from.
    """

    def __init__(self, trials: list[HeldOut], kind: TargetKind) -> None:
        self.kind = kind
        self.target = np.concatenate([trial.target for trial in trials])
        self.frequency_loss = float(self.target.var(axis=0).mean())
        self.outputs: dict[Way, np.ndarray] = {}
        self.losses: dict[Way, np.ndarray] = {}
        self.loss: dict[Way, float] = {}
        self.add((RULES, 0), np.concatenate([trial.rules for trial in trials]))
        for name in trials[0].paths:
            for rules in range(1, max(len(trial.paths[name]) for trial in trials)):
                self.add((name, rules), np.concatenate([trial.output(name, rules) for trial in trials]))
        # A path begins with the frequency.
        first = next(iter(trials[0].paths))
        self.constant = np.concatenate([trial.output(first, 0) for trial in trials])

    def add(self, way: Way, output: np.ndarray) -> None:
        self.outputs[way] = output
        self.losses[way] = ((output - self.target) ** 2).mean(axis=1)
        self.loss[way] = float(self.losses[way].mean())

    def is_surely_less(self, one: Way, other: Way) -> bool:
        return _is_surely_less(self.losses[one], self.losses[other])

    def mean(self, ways: Iterable[Way]) -> np.ndarray:
        return self.kind.mean_output([self.outputs[way] for way in ways])

    def of_names(self, families: dict[str, Family]) -> dict[str, Way]:
        """The best number of conjunctions of each family, and plain rules."""
        ways: dict[str, list[Way]] = {}
        for way in self.loss:
            ways.setdefault(way[0], []).append(way)
        best = {name: self.simplest(own) for name, own in ways.items()}
        for name in (name for name, family in families.items() if family.plenty and name in best):
            all_tried = max(ways[name])
            least = min(self.loss[way] for way in ways[name])
            if self.loss[all_tried] <= least + (1.0 - NEARLY) * max(0.0, self.frequency_loss - least):
                best[name] = all_tried
        return best

    def simplest(self, ways: Iterable[Way]) -> Way:
        """The way with the fewest conjunctions that is nearly as good as the best; none at all are plain rules."""
        ways = _by_size(ways)
        least = min(self.loss[way] for way in ways)
        enough = least + (1.0 - ENOUGH) * max(0.0, self.frequency_loss - least)
        return next(way for way in ways if self.loss[way] <= enough)

    def together(self, best: dict[str, Way]) -> tuple[Way, ...]:
        """Many conjunctions with and without latent predicates, and other ways that are as good as these together.

        best: the way of each name. None where there is only one kind of many conjunctions.
        """
        many = [way for name, way in best.items() if name.startswith(MANY)]
        if len(many) < 2:
            return ()
        least = squared_loss(self.mean(many), self.target)
        return (*many, *(way for way in best.values() if way not in many and self.loss[way] <= least))

    def drawn_to_the_frequency(self, way: Way) -> float:
        """The share of a way, beside that of the frequency, that predicts best; its outputs are drawn so far."""
        drawn = {share: self._with_share(way, share) for share in SHARES}
        share = min(drawn, key=lambda one: squared_loss(drawn[one], self.target))
        self.add(way, drawn[share])
        return share

    def _with_share(self, way: Way, share: float) -> np.ndarray:
        return self.kind.mean_output([self.outputs[way], self.constant], (share, 1.0 - share))


def best_way(
    trials: list[HeldOut],
    families: dict[str, Family],
    kind: TargetKind,
    report: Callable[[str], None],
    can_be_constant: bool = True,
    small: bool = True,
) -> Choice:
    """The way that is best on queries held out, and how good it is there.

    Many conjunctions are what noisy data bear, those with latent predicates and those without together: the least loss
    of another way is often that of the luckiest of them. So it must surely be better, and what is chosen must be surely
    better than the frequency of the target, if that can be all that a model says. Where targets are classes, or data
    are clean, ways that queries held out don't tell apart are equally good, and the simplest is taken. What small data
    that are not clean say is drawn to the frequency, as far as is best.
    """
    ways = _Ways(trials, kind)
    best_of = ways.of_names(families)
    # Where no body is frequent there are plain rules only.
    usual = next((way for name, way in best_of.items() if name.startswith(MANY)), (RULES, 0))
    together = () if kind.grouped or len(ways.target) < TELLING else ways.together(best_of)
    if together:
        usual = TOGETHER, sum(conjunctions for _, conjunctions in together)
        ways.add(usual, ways.mean(together))
    better = [way for way in best_of.values() if ways.is_surely_less(way, usual)]
    best = ways.simplest(better) if better else usual
    as_good = [way for way in _by_size(ways.loss) if not ways.is_surely_less(best, way)]
    clean = CLEAN * ways.frequency_loss
    if kind.grouped and len(ways.target) >= TELLING:
        best = as_good[0]
    elif not kind.grouped:
        best = next((way for way in as_good if ways.loss[way] <= clean), best)
    share = 1.0
    if can_be_constant:
        ways.add((FREQUENCY, 0), ways.constant)
        if not ways.is_surely_less(best, (FREQUENCY, 0)):
            best = FREQUENCY, 0
        elif small and len(ways.target) >= TELLING and ways.loss[best] > clean:
            share = ways.drawn_to_the_frequency(best)
    parts = together if best[0] == TOGETHER else (best,)
    shares = {way: share / len(parts) for way in parts}
    if share < 1.0:
        shares[FREQUENCY, 0] = 1.0 - share
    size = f"{best[1]} " if best[1] else ""
    report(f"held out: {size}{best[0]}, squared loss {ways.loss[best]:.5f}, plain rules {ways.loss[RULES, 0]:.5f}")
    estimate = Estimate(
        queries=len(ways.target),
        accuracy=kind.quality(ways.outputs[best], ways.target),
        majority=kind.trivial(ways.target),
        loss=ways.loss[best],
        frequency_loss=ways.frequency_loss,
        training=0.0,
        measure=kind.measure,
    )
    return Choice(*best, estimate, shares, ways.losses[best] / ways.frequency_loss)


def _by_size(ways: Iterable[Way]) -> list[Way]:
    """Ways with fewer conjunctions first; none at all are plain rules."""
    return sorted(ways, key=lambda way: way[1])


def _is_surely_less(losses: np.ndarray, others: np.ndarray) -> bool:
    """Whether the mean of losses (queries,) is less than that of others of the same queries, by a standard error."""
    difference = others - losses
    return bool(difference.mean() > SURELY * difference.std() / np.sqrt(len(difference)))


def squared_loss(output: np.ndarray, target: np.ndarray) -> float:
    return float(((output - target) ** 2).mean())
