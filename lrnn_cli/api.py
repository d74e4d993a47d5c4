"""The library: all that the commands do, for Python.

    import lrnn_cli as lrnn

    with lrnn.Session() as session:
        training, testing = session.read("trains.pl").fold(1, folds=5)
        learning = lrnn.learn(training, iterations=3)
        print(lrnn.evaluate(learning.model, testing).values["accuracy"])

Facts stay in the SWI-Prolog of a session; what is returned are values. Modules that compute are imported by the
functions that need them, while SWI-Prolog starts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, fields, replace
from functools import cached_property
from importlib import import_module
from os import PathLike, fspath
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from lrnn_cli.errors import LrnnError, TrainingError
from lrnn_cli.evaluation.parts import FoldOptions
from lrnn_cli.grounding.options import SessionOptions
from lrnn_cli.language.facts import Example, examples_source
from lrnn_cli.language.files import Source, checked_source, read_source
from lrnn_cli.limits import MB, default_limit, room
from lrnn_cli.settings import check_settings
from lrnn_cli.stages import stage
from lrnn_cli.threads import one_thread

if TYPE_CHECKING:
    import numpy as np

    from lrnn_cli.baselines.options import BaselineOptions, KernelOptions, TreeOptions
    from lrnn_cli.evaluation.explanation import Explanations
    from lrnn_cli.evaluation.metrics import Metrics
    from lrnn_cli.evaluation.predictions import Predictions
    from lrnn_cli.evaluation.survey import Survey
    from lrnn_cli.grounding.grounder import Knowledge
    from lrnn_cli.grounding.groundings import Groundings
    from lrnn_cli.grounding.program import Program
    from lrnn_cli.grounding.session import GroundingSession
    from lrnn_cli.grounding.tables import SoftFacts, Table
    from lrnn_cli.hypotheses.options import ChainOptions
    from lrnn_cli.language.clauses import Predicate, Rule
    from lrnn_cli.language.data import DataSet, Queries
    from lrnn_cli.language.template import Template
    from lrnn_cli.network.drawing import Drawing
    from lrnn_cli.network.model import Model
    from lrnn_cli.simplification.options import SimplificationOptions
    from lrnn_cli.simplification.simplification import Simplified
    from lrnn_cli.structure.learning import Learning
    from lrnn_cli.structure.options import StructureOptions
    from lrnn_cli.structure.side_by_side import Spread
    from lrnn_cli.training.loop import Epoch, Trained
    from lrnn_cli.training.options import TrainingOptions

__all__ = [
    "BaselineOptions",
    "ChainOptions",
    "Data",
    "Example",
    "FoldOptions",
    "KernelOptions",
    "LrnnError",
    "Session",
    "SessionOptions",
    "SimplificationOptions",
    "StructureOptions",
    "Training",
    "TrainingOptions",
    "TreeOptions",
    "draw",
    "evaluate",
    "explain",
    "ground",
    "learn",
    "learn_baseline",
    "load_groundings",
    "make_template",
    "predict",
    "predict_with_trees",
    "save_groundings",
    "simplify",
    "structure_options",
    "train",
]

OPTIONS = {
    "BaselineOptions": "lrnn_cli.baselines.options",
    "KernelOptions": "lrnn_cli.baselines.options",
    "TreeOptions": "lrnn_cli.baselines.options",
    "ChainOptions": "lrnn_cli.hypotheses.options",
    "SimplificationOptions": "lrnn_cli.simplification.options",
    "StructureOptions": "lrnn_cli.structure.options",
    "TrainingOptions": "lrnn_cli.training.options",
}
"""Where options of learners are. They are imported when they are used: who predicts need not wait for them."""
DATA = "data in Prolog facts"
TEMPLATE = "a template or model of weighted rules"
Options = TypeVar("Options")
Path = str | PathLike[str]


def __getattr__(name: str) -> Any:
    if name not in OPTIONS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(OPTIONS[name]), name)


def _silent(text: str) -> None:
    """Nobody wants to know."""


class Session:
    """Reads files and grounds templates, with SWI-Prolog or another grounder; leaving it frees all facts.

    report: called with what is going on; note: with what is worth keeping; warn: with what is probably not meant.
    """

    def __init__(
        self,
        options: SessionOptions | None = None,
        *,
        report: Callable[[str], None] = _silent,
        note: Callable[[str], None] = _silent,
        warn: Callable[[str], None] = _silent,
        **settings: Any,
    ) -> None:
        self.options = _chosen(SessionOptions, options, settings)
        self.report = report
        self.note = note
        self.warn = warn
        limit = self.options.memory_limit
        self.memory = room(default_limit() if limit is None else limit)
        """Bytes for data and tables, 0 for no limit."""
        self._closing = ExitStack()
        self._grounders: list[GroundingSession] = []
        self._loaded = 0
        self._open()

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._grounders.clear()
        self._closing.close()

    def _open(self) -> None:
        from lrnn_cli.grounding.grounder import GrounderOptions, open_grounder

        jobs = self.options.jobs
        # Prolog takes this for its stacks and once more for what clauses derive; this process holds the tables.
        stacks = self.memory // 4 // jobs // MB
        limits = jobs, stacks, self.options.time_limit, self.report, self.warn, self.memory // 2
        grounder = open_grounder(self.options.grounder, GrounderOptions(*limits))
        self._grounders.append(self._closing.enter_context(grounder))
        # What nearly all work needs is imported while SWI-Prolog starts.
        import_module("lrnn_cli.network.network")

    def grounder(self, number: int = 0) -> GroundingSession:
        """The grounder of the data that were read as this one, from 0."""
        if not self._grounders:
            raise LrnnError("the session is closed; use data while it is open, or take them with in_memory() before")
        return self._grounders[number]

    def read(self, path: Path, split_by: str | None = None) -> Data:
        """The examples of a data file; - is standard input.

        split_by: NAME/ARITY of a predicate, or `query`, whose first arguments the only example is cut by.
        """
        return self._load(read_source(fspath(path), DATA), split_by)

    def read_text(self, text: str, name: str = "<text>", split_by: str | None = None) -> Data:
        """The examples in the text of a data file."""
        return self._load(checked_source(name, text.encode(), DATA), split_by)

    def read_examples(self, examples: Sequence[Example], background: str = "") -> Data:
        """Examples made in Python; `background`: facts and clauses that hold in all of them."""
        data = self._load(examples_source(examples, background))
        if len(data) != len(examples):
            raise LrnnError(f"{data.name}: {len(examples)} examples hold {len(data)}; leave begin and end out of facts")
        return data

    def _load(self, source: Source, split_by: str | None = None) -> Data:
        """A grounder holds one data set: the second has one of its own."""
        self.grounder()
        self.report(f"reading {source.name}")
        with stage("reading data"):
            if self._loaded == len(self._grounders):
                self._open()
            self._loaded += 1
            grounder = self._grounders[self._loaded - 1]
            content = grounder.load(source)
        if split_by is not None:
            with stage("splitting data"):
                content = grounder.load(self._split(grounder, content, split_by))
        return Data(self, self._loaded - 1, content)

    def _split(self, grounder: GroundingSession, content: DataSet, by: str) -> Source:
        """Data of one example as those of several."""
        from lrnn_cli.evaluation.splitting import split_examples

        split = split_examples(content, *grounder.relations(content), grounder.names(content), by)
        self.note(f"{split.examples:,} examples, split by {by}")
        if split.left_out:
            self.warn(f"{split.left_out:,} facts are about objects of no example and are left out")
        return split.source

    def read_template(self, path: Path) -> Template:
        """A template or model file that is not an ensemble."""
        return self.grounder().read_template(read_source(fspath(path), TEMPLATE))

    def template_of_text(self, text: str, name: str = "<template>") -> Template:
        """The template in the text of a file."""
        return self.grounder().read_template(checked_source(name, text.encode(), TEMPLATE))

    def read_model(self, path: Path) -> Model:
        """A model file."""
        return self._model(read_source(fspath(path), TEMPLATE))

    def model_of_text(self, text: str | bytes, name: str = "<model>") -> Model:
        """The model in the text of a model file."""
        return self._model(checked_source(name, text.encode() if isinstance(text, str) else text, TEMPLATE))

    def _model(self, source: Source) -> Model:
        members = self.grounder().read_model(source)
        from lrnn_cli.network.model import Model

        return Model(tuple(members))


@dataclass(frozen=True)
class Data:
    """Examples of a session and their queries, or a part of them: `examples` are their places, None for all.

    A part of one example has some of its queries.
    """

    session: Session
    number: int
    content: DataSet
    examples: tuple[int, ...] | None = None

    def __len__(self) -> int:
        return len(self.content.example_name) if self.examples is None else len(self.examples)

    @property
    def name(self) -> str:
        return self.content.name

    @property
    def example_names(self) -> list[str]:
        names = self.content.example_name
        return list(names) if self.examples is None else [names[place] for place in self.examples]

    @property
    def grounder(self) -> GroundingSession:
        return self.session.grounder(self.number)

    @cached_property
    def queries(self) -> Queries:
        """Those of this part."""
        return self.content.queries.of_examples(self.examples)

    @cached_property
    def knowledge(self) -> Knowledge:
        """All that is true in the examples of this part."""
        with stage("taking facts from Prolog"):
            return self.grounder.knowledge(self.content, self.examples)

    def in_memory(self) -> Data:
        """Take the facts, so that `learn` can go on when the session is closed, and memory is free for it."""
        _ = self.knowledge
        return self

    def part(self, examples: Sequence[int]) -> Data:
        """Some examples, by their places in the file."""
        return replace(self, examples=tuple(examples))

    def asking(self, content: DataSet) -> Data:
        """The same with the queries of `content`, which is the same data with others; facts that were taken stay."""
        other = replace(self, content=content)
        other.__dict__.update({name: self.__dict__[name] for name in FACTS if name in self.__dict__})
        return other

    def fold(self, fold: int, folds: int | None = None, **options: Any) -> tuple[Data, Data]:
        """What to learn from and what to test on in a fold of a crossvalidation; see `FoldOptions`."""
        chosen = FoldOptions(fold, folds, **options)
        return self.of_fold(chosen, testing=False), self.of_fold(chosen, testing=True)

    def of_fold(self, options: FoldOptions, testing: bool) -> Data:
        """The examples of a fold when testing, all others when learning; all examples where no fold is chosen.

        Where there is one example only, the same of its queries.
        """
        from lrnn_cli.evaluation.folds import choose_part

        check_settings(options)
        duplicates = None
        drawn = options.fold is not None and not self.content.example_fold.any() and len(self.content.example_name) > 1
        if drawn and options.group_duplicates:
            with stage("finding duplicates"):
                duplicates = self.duplicates
        numbers = options.folds, options.fold, options.seed
        content, chosen = choose_part(self.content, *numbers, testing, duplicates)
        data = self if content is self.content else self.asking(content)
        return data if chosen is None else data.part(chosen)

    def assigned_folds(self, options: FoldOptions) -> np.ndarray:
        """(examples of the file,) the folds from 1 that would be drawn, those of the file where no number is given."""
        from lrnn_cli.evaluation.folds import assign_folds, deals_queries

        if options.folds is None or deals_queries(self.content):
            return self.content.example_fold
        duplicates = self.duplicates if options.group_duplicates else None
        return assign_folds(self.content, options.folds, options.seed, duplicates)

    def folds_of_queries(self, options: FoldOptions) -> np.ndarray | None:
        """(queries of the file,) the folds from 1 that would be drawn, None where folds are of examples."""
        from lrnn_cli.evaluation.folds import assign_query_folds, deals_queries

        if options.folds is None or not deals_queries(self.content):
            return None
        return assign_query_folds(self.content, options.folds, options.seed)

    @cached_property
    def names(self) -> list[str]:
        """The names of all objects of the file, in their order, as Prolog writes them."""
        return self.grounder.names(self.content)

    @cached_property
    def relations(self) -> tuple[dict[Predicate, Table], dict[Predicate, SoftFacts]]:
        """The facts of the file: all atoms, and the weighted ones."""
        return self.grounder.relations(self.content)

    @cached_property
    def duplicates(self) -> np.ndarray:
        """(examples of the file,) the number of the group of each: equal up to the names of their objects."""
        from lrnn_cli.evaluation.survey import duplicate_groups

        return duplicate_groups(self.content, *self.relations, self.names)

    def survey(self, folds: np.ndarray, rules: Sequence[Rule] = ()) -> Survey:
        """Duplicates among the examples of the file, whose folds are given; rules: of a template for them."""
        from lrnn_cli.evaluation.survey import survey

        return survey(self.content, *self.relations, self.names, folds, rules)

    def checked(self) -> Data:
        """The same, if this part has a query or the data have none."""
        if len(self.content.queries) and not len(self.queries):
            raise LrnnError(f"{self.name}: there is no query in the chosen part of these data; choose another fold")
        return self

    def labelled(self) -> Data:
        """The same with those queries that have a target; there must be one. How many others there are is noted."""
        if not len(self.content.queries):
            from lrnn_cli.language.lookalikes import examples_of_others

            hint = examples_of_others(list(self.content.predicates))
            message = "there is no query in these data; add query(Atom, Target). to the examples"
            raise LrnnError(f"{self.name}: {message}{hint}")
        tell_unlabelled(self.name, self.checked().queries, self.session.note)
        known = self.content.queries.labelled
        return self if known.all() else self.asking(self.content.asking(known.nonzero()[0]))

    def asked(self, model: Model, target: str | None = None) -> Data:
        """The same with queries of `target`, NAME/ARITY, for all objects that fit by their sorts.

        Without a target, examples that have no query are asked for the targets of the model that have no arguments.
        """
        from lrnn_cli.evaluation.questions import (
            all_atoms,
            asked_predicate,
            targets_without_arguments,
            unasked_examples,
            ways_to_ask,
        )

        members = model.members
        if target is not None:
            knowledge = self.grounder.knowledge(self.content)
            predicate = asked_predicate(target, members)
            return self.asking(all_atoms(predicate, self.content, knowledge, self.examples, members))
        unasked = unasked_examples(self.content, self.examples)
        if not len(unasked):
            return self.checked()
        asking = self.asking(targets_without_arguments(self.content, members, unasked))
        if not len(self.content.queries) and not len(asking.content.queries):
            raise LrnnError(
                f"{self.name}: there is no query in these data; add query(Atom). to the examples, or ask for all that "
                f"fits with {ways_to_ask(members)}"
            )
        left = len(unasked_examples(asking.checked().content, self.examples))
        if left:
            examples = len(self.content.example_name) if self.examples is None else len(self.examples)
            self.session.note(
                f"{left:,} of {examples:,} examples have no query and get no output; ask with {ways_to_ask(members)}"
            )
        return asking


FACTS = ("knowledge", "names", "relations", "duplicates")
"""What data keep that does not depend on their queries."""


def tell_unlabelled(name: str, queries: Queries, note: Callable[[str], None]) -> None:
    """Note how many queries have no target; none with one is an error."""
    others = int((~queries.labelled).sum())
    if others and others == len(queries):
        raise LrnnError(
            f"{name}: no query has a target here, and this command needs some: query(Atom, Target). "
            "`lrnn predict` asks for outputs without"
        )
    if others:
        note(f"{others:,} of {len(queries):,} queries have no target and are left out")


def _chosen(kind: type[Options], options: Options | None, settings: dict[str, Any]) -> Options:
    """Options, some of them changed, within their bounds."""
    known = {field.name for field in fields(kind)}  # type: ignore[arg-type]
    unknown = sorted(set(settings) - known)
    if unknown:
        raise LrnnError(f"there is no option {unknown[0]}; options are {', '.join(sorted(known))}")
    chosen = kind(**settings) if options is None else replace(options, **settings)  # type: ignore[type-var]
    check_settings(chosen)
    return chosen


def _examples(data: Data) -> list[int] | None:
    return None if data.examples is None else list(data.examples)


# Learning


def structure_options(as_in_the_paper: bool = False, **settings: Any) -> StructureOptions:
    """Options of structure learning; those that are not given are ours, or the paper's."""
    from lrnn_cli.structure.options import StructureOptions

    options = _chosen(StructureOptions, None, settings)
    if as_in_the_paper:
        from lrnn_cli.structure.paper import with_the_papers_options

        return with_the_papers_options(options, set(settings))
    return options


def learn(
    data: Data,
    options: StructureOptions | None = None,
    *,
    ensemble: int = 1,
    budget: float | None = None,
    run_directory: Path | None = None,
    resume: bool = False,
    note: Callable[[str], None] = _silent,
    spread: Spread | None = None,
    **settings: Any,
) -> Learning:
    """Learn rules and their weights; see `StructureOptions` for the settings.

    ensemble: so many models with seeds that follow each other; budget: seconds for all of them.
    run_directory: a folder that keeps all iterations, and with `resume` is gone on with.
    note: called with what is worth keeping; spread: runs what members do, on other machines than this one.
    """
    data = data.labelled()
    knowledge = data.knowledge
    from lrnn_cli.evaluation.survey import duplicate_groups
    from lrnn_cli.structure.learning import LearningTask, learn_model
    from lrnn_cli.structure.options import StructureOptions
    from lrnn_cli.structure.side_by_side import side_by_side

    with one_thread():
        groups = duplicate_groups(data.content, knowledge.tables, knowledge.soft, knowledge.names())
        session = data.session
        facts = data.content, knowledge, _examples(data), groups
        task = LearningTask(*facts, session.report, note, session.options.jobs, session.memory, spread or side_by_side)
        folder = None if run_directory is None else fspath(run_directory)
        return learn_model(task, _chosen(StructureOptions, options, settings), ensemble, budget, folder, resume)


def learn_baseline(data: Data, options: BaselineOptions | None = None, **settings: Any) -> tuple[Model, list[str]]:
    """Learn with nFOIL or, where the options are `KernelOptions`, kFOIL: a model, and remarks on how that went."""
    from lrnn_cli.baselines.options import BaselineOptions

    kind = type(options) if options is not None else BaselineOptions
    chosen = _chosen(kind, options, settings)
    data = data.labelled()
    knowledge = data.knowledge
    from lrnn_cli.baselines.clausal import baseline_model, learn_baseline

    with one_thread():
        learned = learn_baseline(data.content, knowledge, _examples(data), chosen, data.session.report)
        return baseline_model(learned, data.name, chosen), learned.remarks


def predict_with_trees(
    learner: str, training: Data, testing: Data, options: TreeOptions | None = None, **settings: Any
) -> tuple[Predictions, list[str]]:
    """Learn with "forest" or "lightgbm" from one part of data and predict another, with remarks on the features."""
    if not len(testing.queries):
        raise LrnnError(f"{testing.name}: there is no query in the fold to predict; choose another fold")
    training, testing = training.labelled(), testing.labelled()
    everything = testing.grounder.knowledge(testing.content)
    import numpy as np

    from lrnn_cli.baselines.options import TreeOptions
    from lrnn_cli.baselines.trees import predict_with_trees
    from lrnn_cli.evaluation.predictions import Predictions

    chosen = _chosen(TreeOptions, options, settings)
    trees = predict_with_trees(learner, testing.content, everything, training.queries, testing.queries, chosen)
    outputs, queries = trees.output, testing.queries
    found = queries, testing.content.example_name, outputs, np.stack([outputs]), trees.kind, queries.classes
    return Predictions(*found), trees.remarks


def make_template(data: Data, options: ChainOptions | None = None, **settings: Any) -> Template:
    """The template that experts write by hand: chains of objects, and soft clusters of their predicates."""
    from lrnn_cli.hypotheses.chains import made_template
    from lrnn_cli.hypotheses.options import ChainOptions

    data = data.labelled()
    relations, _ = data.grounder.relations(data.content, data.examples)
    queries = data.queries
    if queries.classes:
        from lrnn_cli.language.targets import asked_classes, class_rows

        queries = class_rows(queries, asked_classes(queries))
    content = replace(data.content, queries=queries)
    return made_template(content, relations, data.names, _chosen(ChainOptions, options, settings))


# Templates


def ground(template: Template, data: Data, names: bool = True) -> Groundings:
    """All active groundings of a template in the examples of data that queries can see.

    Without `names` of objects they can be trained, but not saved or shown.
    """
    with stage("grounding"):
        return data.grounder.ground_program(*planned(template, data), data.examples, names)


def planned(template: Template, data: Data) -> tuple[Program, DataSet]:
    """What has to be grounded, and data with the queries that the template answers."""
    from lrnn_cli.language.targets import check_classes_known, with_task

    template = with_task(template, data.name, data.checked().queries)
    check_classes_known(template, data.content, data.queries)
    return data.grounder.plan(template, data.content)


def save_groundings(groundings: Groundings, path: Path) -> None:
    """Write a grounding file."""
    from lrnn_cli.grounding.groundings import save_groundings

    with stage("writing groundings"):
        save_groundings(groundings, fspath(path))


def load_groundings(path: Path) -> Groundings:
    """Read a grounding file."""
    from lrnn_cli.grounding.groundings import load_groundings

    with stage("loading groundings"):
        return load_groundings(fspath(path))


@dataclass(frozen=True)
class Training:
    """A trained model, and how its training went."""

    model: Model
    trained: Trained

    def history(self) -> str:
        """Losses by epoch as CSV."""
        from lrnn_cli.training.history import history_csv

        return history_csv(self.trained.history)


def train(
    groundings: Groundings,
    options: TrainingOptions | None = None,
    *,
    report: Callable[[Epoch], None] = lambda epoch: None,
    note: Callable[[str], None] = _silent,
    **settings: Any,
) -> Training:
    """Learn the weights of the rules; see `TrainingOptions` for the settings.

    report: called after each epoch; note: with what is worth keeping.
    """
    from lrnn_cli.language.targets import with_standard_numbers
    from lrnn_cli.network.model import Model
    from lrnn_cli.network.network import compile_network
    from lrnn_cli.semantics.targets import kind_of
    from lrnn_cli.training.loop import train_weights
    from lrnn_cli.training.options import TrainingOptions

    chosen = _chosen(TrainingOptions, options, settings)
    template, queries = groundings.template, groundings.queries
    tell_unlabelled(groundings.data_name, queries, note)
    groundings = groundings.asking(queries.labelled.nonzero()[0])
    template = with_standard_numbers(template, groundings.origin, groundings.queries)
    groundings = replace(groundings, program=replace(groundings.program, template=template))
    with one_thread():
        with stage("compiling the network"):
            network = compile_network(groundings)
        with stage("training"):
            try:
                trained = train_weights(network, template.rules, chosen, report)
            except TrainingError as error:
                raise TrainingError(f"{groundings.origin}: {error}") from None
    names = (name.rsplit("/", 1)[-1] for name in (template.name, groundings.data_name))
    loss = kind_of(template.settings).loss_name(chosen.loss)
    comments = (
        "model of lrnn: {} trained on {}".format(*names),
        f"{loss} loss {trained.epoch.decisive_loss!r} after epoch {trained.epoch.epoch}, seed {chosen.seed}",
    )
    model = template.with_weights([float(weight) for weight in trained.weights])
    return Training(Model((model,), comments), trained)


# Models


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

    chosen = _chosen(SimplificationOptions, options, settings)
    data = data.labelled()
    regrounder = Regrounder(data.grounder, data.content, data.examples, data.session.warn)
    with one_thread():
        kind = kind_of(model.members[0].settings)
        bad = badness(chosen.metric, data.name, kind)
        return simplify_model(model, data.name, regrounder.ground, bad, chosen, data.session.report)
