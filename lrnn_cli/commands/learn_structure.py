from __future__ import annotations

from typing import Any

import click
from click.core import ParameterSource

from lrnn_cli.commands.options import (
    FiniteRange,
    Progress,
    aggregation_option,
    fold_options,
    grounding_options,
    output_option,
)
from lrnn_cli.commands.parameters import RUN_FILES, Input, Output, with_members


@click.command("learn-structure", no_args_is_help=True)
@click.argument("data", type=Input())
@output_option("", "The model file to write")
@click.option("--iterations", type=click.IntRange(1), default=14, show_default=True, help="Iterations at most.")
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
    "--arity", type=click.IntRange(1), default=1, show_default=True, help="Arguments of invented latent predicates."
)
@click.option("--length", type=click.IntRange(1), default=6, show_default=True, help="Literals in a body at most.")
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
        lrnn learn-structure data.pl --folds 5 --fold 1 --run-dir run1 -o model.pl
    """
    import os
    import time
    from dataclasses import replace

    from lrnn_cli.commands.session import chosen_examples, grounder_session, load_data
    from lrnn_cli.errors import LrnnError
    from lrnn_cli.language.files import write_text
    from lrnn_cli.language.template import ensemble_text
    from lrnn_cli.limits import room
    from lrnn_cli.report.model_text import model_text
    from lrnn_cli.report.summaries import model_statistics
    from lrnn_cli.stages import stage
    from lrnn_cli.structure.algorithm import StructureLearner, StructureOptions
    from lrnn_cli.structure.paper import with_the_papers_options
    from lrnn_cli.structure.run_directory import RunDirectory

    if resume and run_dir is None:
        raise click.UsageError("--resume needs --run-dir")
    progress = Progress(quiet)
    with grounder_session(progress, options) as grounder:
        loaded = load_data(grounder, data, progress)
        examples = chosen_examples(grounder, loaded, testing=False, options=options)
        if not len(loaded.queries):
            raise LrnnError(f"{loaded.name}: there is no query in these data; add query(Atom, Target). to the examples")
        with stage("taking facts from Prolog"):
            knowledge = grounder.knowledge(loaded, examples)
    settings = StructureOptions(
        dimension=options["dimension"],
        iterations=options["iterations"],
        rules=options["rules_per_iteration"],
        length=options["length"],
        variables=options["variables"],
        layers=options["layers"],
        arity=options["arity"],
        beam=options["beam"],
        gain=options["gain"],
        epochs=options["epochs"],
        final_epochs=options["final_epochs"],
        learning_rate=options["learning_rate"],
        optimiser=options["optimiser"],
        batch_size=options["batch_size"],
        penalty=options["penalty"],
        bias=options["bias"],
        loss=options["loss"],
        object_identity=options["object_identity"],
        aggregation=options["aggregation"],
        crisp=options["crisp"],
        pretrain=options["pretrain"],
        validation=options["validation"],
        patience=options["patience"],
        seed=options["seed"],
    )
    if as_in_the_paper:
        settings = with_the_papers_options(settings, _given_options())
    members = []
    seeds = []
    nothing = ""
    interrupted = False
    started = time.monotonic()
    for number in range(1, ensemble + 1):
        member = f"model {number} of {ensemble}, " if ensemble > 1 else ""

        def report(text: str, member: str = member) -> None:
            progress.status(member + text)

        own = replace(settings, seed=settings.seed + number - 1)
        budget = options["budget"]
        if budget is not None:
            # What is left is for this member and those after it.
            budget = max(0.0, budget - (time.monotonic() - started)) / (ensemble - number + 1)
        learner = StructureLearner(
            *(loaded, knowledge, examples, own, report, options["jobs"], budget),
            memory=room(options["memory_limit"]),
            note=progress.line,
        )
        run = None
        if run_dir is not None:
            part = f"{loaded.digest} {examples if examples is not None else 'all'}"
            folder = f"{run_dir}/member_{number}" if ensemble > 1 else run_dir
            # A run that was stopped has no folders yet of the members after that.
            going_on = resume and (number == 1 or os.path.exists(folder))
            run = RunDirectory(folder, own, part, going_on, model_text)
            if going_on:
                run.restore(learner)
        try:
            learner.learn((lambda learner: None) if run is None else run.record)
        except KeyboardInterrupt:
            interrupted = True
        learned = learner.learned
        if not learned.iterations:
            if interrupted:
                break
            # What other members have learned is not lost.
            nothing = f"nothing was learned: {learned.reason}; {learned.remedy}"
            if ensemble > 1:
                progress.line(member + nothing)
            continue
        members.append(learned.template)
        seeds.append(own.seed)
        if interrupted:
            break
        if learned.reason:
            count = len(learned.iterations)
            progress.line(f"{member}stopped after {count} iteration{'s' * (count > 1)}: {learned.reason}")
        if run is not None:
            run.finish(learned, model_statistics(learned.template))
    if not members and interrupted:
        raise KeyboardInterrupt
    if not members:
        raise LrnnError(f"{loaded.name}: {nothing}")
    if len(members) < ensemble and not interrupted:
        progress.warn(f"{output} holds {len(members)} of {ensemble} models: in the others {nothing}")
    drawn = f"seeds {seeds[0]} to {seeds[-1]}" if len(seeds) == ensemble else f"seeds {', '.join(map(str, seeds))}"
    drawn = f"seed {seeds[0]}" if ensemble == 1 else drawn
    comments = (f"model of lrnn: learned from {loaded.name.rsplit('/', 1)[-1]}, {drawn}",)
    write_text(output, ensemble_text(members, comments, model_text))
    if interrupted:
        how = f"; go on with --run-dir {run_dir} --resume" if run_dir else ""
        models = f"{len(members)} of {ensemble} models" if ensemble > 1 else "the model of the last whole iteration"
        progress.warn(f"interrupted: {output} holds {models}{how}")
        click.get_current_context().exit(130)
    statistics = [model_statistics(member) for member in members]
    rules = " + ".join(str(figures["rules"]) for figures in statistics)
    progress.line(f"{rules} rules in {max(figures['layers'] for figures in statistics)} layers, model in {output}")


def _given_options() -> set[str]:
    """The options of the command line, as `StructureOptions` names them."""
    context = click.get_current_context()
    given = {name for name in context.params if context.get_parameter_source(name) is not ParameterSource.DEFAULT}
    return {"rules" if name == "rules_per_iteration" else name for name in given}
