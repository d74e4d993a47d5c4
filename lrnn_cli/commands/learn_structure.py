from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from lrnn_cli.commands.options import (
    FiniteRange,
    Progress,
    aggregation_option,
    fold_options,
    grounding_options,
    model_in,
    output_name,
    output_option,
)
from lrnn_cli.commands.parameters import RUN_FILES, Input, Output, with_members

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lrnn_cli.structure.algorithm import StructureLearner, StructureOptions
    from lrnn_cli.structure.run_directory import RunDirectory


@click.command("learn-structure", no_args_is_help=True)
@click.argument("data", type=Input())
@output_option("The model file to write")
@click.option(
    "--iterations",
    type=click.IntRange(1),
    help="Iterations at most  [default: 14; 3 with conjunctions of more than 1,000 queries]",
)
@click.option(
    "--rules-per-iteration",
    type=click.IntRange(1),
    default=3,
    show_default=True,
    help="Rules that an iteration adds; 1 is the paper.",
)
@click.option("--dimension", type=click.IntRange(1), default=6, show_default=True, help="Latent predicates in a layer.")
@click.option(
    "--layers",
    type=click.IntRange(1),
    default=2,
    show_default=True,
    help="Layers of latent predicates at most; 1 switches predicate invention off.",
)
@click.option(
    "--arity", type=click.IntRange(1), default=1, show_default=True, help="Arguments of invented predicates at most."
)
@click.option(
    "--start",
    type=click.Choice(["unexplained", "drawn"]),
    default="unexplained",
    show_default=True,
    help="Latent predicates start from what is left unexplained, or drawn as in the paper.",
)
@click.option(
    "--restarts",
    type=click.IntRange(0),
    default=1,
    show_default=True,
    help="So often a search that finds nothing is repeated, latent predicates started anew.",
)
@click.option("--length", type=click.IntRange(1), default=7, show_default=True, help="Literals in a body at most.")
@click.option("--variables", type=click.IntRange(1), default=5, show_default=True, help="Variables in a rule at most.")
@click.option(
    "--beam", type=click.IntRange(1), default=5, show_default=True, help="Rules that the search refines in each step."
)
@click.option(
    "--gain",
    type=FiniteRange(0),
    default=2.0,
    show_default=True,
    help="How much a rule must raise the log likelihood of the targets; 2 is about a likelihood ratio test at 5 %.",
)
@click.option(
    "--epochs", type=click.IntRange(0), default=150, show_default=True, help="Epochs of training after each iteration."
)
@click.option(
    "--final-epochs", type=click.IntRange(0), default=150, show_default=True, help="More epochs after the last one."
)
@click.option(
    "--learning-rate", type=FiniteRange(0, min_open=True), default=0.02, show_default=True, help="Of the optimiser."
)
@click.option(
    "--optimiser", type=click.Choice(["adam", "sgd"]), default="adam", show_default=True, help="What trains weights."
)
@click.option(
    "--batch-size",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Examples in a batch of training; 0 for all of them.",
)
@click.option(
    "--penalty",
    type=FiniteRange(0),
    default=0.1,
    show_default=True,
    help="Training minimises the sum of losses plus this times the sum of squared weights.",
)
@click.option(
    "--loss",
    type=click.Choice(["squared", "log"]),
    default="squared",
    show_default=True,
    help="What training minimises.",
)
@click.option(
    "--object-identity/--no-object-identity",
    default=True,
    show_default=True,
    help="Variables of a rule take different objects.",
)
@aggregation_option("sqrt; mean is the paper", "sqrt")
@click.option(
    "--bias/--no-bias",
    default=True,
    show_default=True,
    help="Targets without arguments have a weighted fact beside their rules.",
)
@click.option(
    "--crisp/--no-crisp",
    default=False,
    show_default=True,
    help="Rules may contain unary predicates of the data beside latent ones.",
)
@click.option(
    "--conjunctions",
    type=click.IntRange(0),
    default=300,
    show_default=True,
    help="Conjunctions of parts at most, where they predict better; 0 leaves the rules of the search as they are.",
)
@click.option("--parts", type=click.IntRange(1), default=6, show_default=True, help="Parts of a conjunction at most.")
@click.option(
    "--pretrain",
    is_flag=True,
    help="First train the clusters of layer 1, without targets, on which unary predicates meet in relations.",
)
@click.option(
    "--validation",
    type=FiniteRange(0, 1, max_open=True),
    default=0.0,
    show_default=True,
    metavar="FRACTION",
    help="Hold out this part of the examples, stop when their loss does not fall, keep the best iteration.",
)
@click.option(
    "--patience",
    type=click.IntRange(1),
    default=3,
    show_default=True,
    help="Iterations without a lower validation loss before learning stops.",
)
@click.option(
    "--budget",
    type=FiniteRange(0, min_open=True),
    metavar="SECONDS",
    help="Stop learning after this time, with the model of the last whole iteration; members of an ensemble share it.",
)
@click.option(
    "--as-in-the-paper",
    is_flag=True,
    help="Other defaults: those of the paper, for all options that differ; options that are given win.",
)
@click.option(
    "--ensemble",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    metavar="N",
    help="Learn N models with seeds S, S+1, ...; the output is the mean of theirs.",
)
@click.option(
    "--run-dir",
    type=Output(*with_members(RUN_FILES)),
    metavar="DIR",
    help="Keep models, rules with scores, embeddings and times of all iterations.",
)
@click.option("--resume", is_flag=True, help="Go on with the run in --run-dir.")
@fold_options(testing=False)
@grounding_options
def learn_structure(
    data: str,
    output: str,
    quiet: bool,
    run_dir: str | None,
    resume: bool,
    ensemble: int,
    as_in_the_paper: bool,
    **options: Any,
) -> None:
    """Learn rules and their weights from the examples and queries of DATA

    Soft clusters of unary predicates first; then, in each iteration, a beam search for the target rules that lower
    the log loss most, latent predicates invented from the best of them, and training of all weights. The model is a
    file of weighted rules that `predict`, `evaluate` and `show` understand.

    \b
    Example:
        lrnn learn-structure data.pl -o model.pl
        lrnn learn-structure train.pl | lrnn evaluate - test.pl
        lrnn learn-structure data.pl --folds 5 --fold 1 --run-dir run1 -o model.pl
    """
    from dataclasses import replace

    from lrnn_cli.commands.session import grounder_session, load_part
    from lrnn_cli.errors import LrnnError
    from lrnn_cli.evaluation.survey import duplicate_groups
    from lrnn_cli.language.files import write_text
    from lrnn_cli.language.template import ensemble_text
    from lrnn_cli.limits import room
    from lrnn_cli.report.estimates import estimate_text, estimate_warnings
    from lrnn_cli.report.model_text import model_text
    from lrnn_cli.report.nothing_learned import nothing_learned_text
    from lrnn_cli.report.summaries import model_statistics
    from lrnn_cli.stages import stage
    from lrnn_cli.structure.algorithm import LearnerFactory
    from lrnn_cli.structure.selection import Selection, default_iterations

    if resume and run_dir is None:
        raise click.UsageError("--resume needs --run-dir")
    progress = Progress(quiet)
    with grounder_session(progress, options) as grounder:
        loaded, examples = load_part(grounder, data, progress, False, options)
        with stage("taking facts from Prolog"):
            knowledge = grounder.knowledge(loaded, examples)
    settings = _settings(options, as_in_the_paper)
    if options["iterations"] is None:
        settings = replace(settings, iterations=default_iterations(loaded.queries, examples, settings))
    learners = LearnerFactory(
        *(loaded, knowledge, settings, progress.status, progress.line, options["jobs"], options["budget"]),
        memory=room(options["memory_limit"]),
        members=ensemble,
    )
    groups = duplicate_groups(loaded, knowledge.tables, knowledge.soft, knowledge.names())
    part = f"{loaded.digest} {examples if examples is not None else 'all'}"
    if examples is None and options["fold"] is not None:
        part += f" fold {options['fold']} of {options['folds']}, seed {options['seed']}"
    members = learners.members_of(examples)
    runs = _Runs(run_dir, resume, part, members)
    selection = Selection(members, learners.of, groups, runs, options["jobs"], progress.status)
    interrupted = False
    try:
        selection.learn()
    except KeyboardInterrupt:
        interrupted = True
    kept = [member for member in selection.members if member.learned.iterations]
    if not kept and interrupted:
        raise KeyboardInterrupt
    for number, member in enumerate(selection.members, 1):
        name = f"model {number} of {ensemble}, " if ensemble > 1 else ""
        learned = member.learned
        if not learned.iterations:
            nothing = f"nothing was learned: {learned.reason}; {learned.remedy}"
            if not kept:
                looked_at = loaded, knowledge, member.words, member.nearest, member.options.gain
                raise LrnnError("\n".join([f"{loaded.name}: {nothing}", *nothing_learned_text(*looked_at)]))
            progress.line(name + nothing)
        elif not interrupted:
            if learned.reason:
                count = len(learned.iterations)
                progress.line(f"{name}stopped after {count} iteration{'s' * (count > 1)}: {learned.reason}")
            runs.finish(number - 1, member)
    seeds = ", ".join(str(member.options.seed) for member in kept)
    comments = [f"model of lrnn: learned from {loaded.name.rsplit('/', 1)[-1]}, seed{'s' * (len(kept) > 1)} {seeds}"]
    comments += [estimate_text(target, estimate) for target, estimate in selection.estimates.items()]
    models = [member.learned.template for member in kept]
    write_text(output, ensemble_text(models, tuple(comments), model_text))
    if interrupted:
        how = f"; go on with --run-dir {run_dir} --resume" if run_dir else ""
        what = f"{len(kept)} of {ensemble} models" if ensemble > 1 else "the model of the last whole iteration"
        progress.warn(f"interrupted: {output_name(output)} holds {what}{how}")
        click.get_current_context().exit(130)
    if len(kept) < ensemble:
        progress.warn(f"{output_name(output)} holds {len(kept)} of {ensemble} models")
    for target, estimate in selection.estimates.items():
        progress.line(estimate_text(target, estimate))
        for warning in estimate_warnings(target, estimate):
            progress.warn(warning)
    statistics = [model_statistics(model) for model in models]
    rules = " + ".join(str(figures["rules"]) for figures in statistics)
    progress.line(f"{rules} rules in {max(figures['layers'] for figures in statistics)} layers{model_in(output)}")


def _settings(options: dict[str, Any], as_in_the_paper: bool) -> StructureOptions:
    """What the command line says of learning, its names being those of `StructureOptions` but for one."""
    from dataclasses import fields

    from lrnn_cli.structure.algorithm import StructureOptions
    from lrnn_cli.structure.paper import with_the_papers_options

    options = {name: value for name, value in options.items() if value is not None}
    named = {("rules" if name == "rules_per_iteration" else name): value for name, value in options.items()}
    chosen = {field.name: named[field.name] for field in fields(StructureOptions) if field.name in named}
    settings = StructureOptions(**chosen)
    return with_the_papers_options(settings, _given_options()) if as_in_the_paper else settings


class _Runs:
    """The run directories of the members of an ensemble; without a folder nothing is kept."""

    def __init__(self, folder: str | None, resume: bool, part: str, members: Sequence[StructureLearner]) -> None:
        import os

        from lrnn_cli.report.model_text import model_text
        from lrnn_cli.structure.run_directory import CONFIGURATION, RunDirectory

        self._open: dict[int, RunDirectory] = {}
        self._going_on: set[int] = set()
        for number, member in enumerate(members if folder is not None else ()):
            name = f"{folder}/member_{number + 1}" if len(members) > 1 else str(folder)
            # A run that was stopped early may not have got to the members after the first.
            if resume and (number == 0 or os.path.exists(f"{name}/{CONFIGURATION}")):
                self._going_on.add(number)
            self._open[number] = RunDirectory(name, member.options, part, number in self._going_on, model_text)

    def restore(self, number: int, learner: StructureLearner) -> None:
        """Let a learner go on where it was recorded before."""
        if number in self._going_on:
            self._open[number].restore(learner)

    def record(self, number: int, learner: StructureLearner) -> None:
        if number in self._open:
            self._open[number].record(learner)

    def finish(self, number: int, learner: StructureLearner) -> None:
        from lrnn_cli.report.summaries import model_statistics

        if number in self._open:
            self._open[number].finish(learner.learned, model_statistics(learner.learned.template))


def _given_options() -> set[str]:
    """The options of the command line, as `StructureOptions` names them."""
    context = click.get_current_context()
    given = {name for name in context.params if context.get_parameter_source(name) is not ParameterSource.DEFAULT}
    return {"rules" if name == "rules_per_iteration" else name for name in given}
