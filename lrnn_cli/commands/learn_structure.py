from __future__ import annotations

from typing import Any

import click

from lrnn_cli.commands.options import (
    FiniteRange,
    Progress,
    aggregation_option,
    fold_options,
    grounding_options,
    output_option,
)


@click.command("learn-structure", no_args_is_help=True)
@click.argument("data")
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
@click.option("--learning-rate", type=FiniteRange(0, min_open=True), default=0.02, show_default=True, help="Of Adam.")
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
    help="Stop learning after this time, with the model of the last whole iteration.",
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
    "--run-dir", metavar="DIR", help="Keep models, rules with scores, embeddings and times of all iterations."
)
@click.option("--resume", is_flag=True, help="Go on with the run in --run-dir.")
@fold_options(testing=False)
@grounding_options
def learn_structure(
    data: str, output: str, quiet: bool, run_dir: str | None, resume: bool, ensemble: int, **options: Any
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
    from dataclasses import replace

    from lrnn_cli.commands.session import chosen_examples, grounder_session, load_data
    from lrnn_cli.errors import LrnnError
    from lrnn_cli.language.files import check_writable, write_text
    from lrnn_cli.language.template import ensemble_text
    from lrnn_cli.report.model_text import model_text
    from lrnn_cli.report.summaries import model_statistics
    from lrnn_cli.stages import stage
    from lrnn_cli.structure.algorithm import StructureLearner, StructureOptions
    from lrnn_cli.structure.run_directory import RunDirectory

    check_writable(output)
    if resume and run_dir is None:
        raise click.UsageError("--resume needs --run-dir")
    progress = Progress(quiet)
    with grounder_session(progress, options) as grounder:
        loaded = load_data(grounder, data, progress)
        examples = chosen_examples(grounder, loaded, testing=False, options=options)
        if not len(loaded.queries):
            raise LrnnError(f"{loaded.name}: there is no query in these data; add query(Atom, Target). to the examples")
        with stage("taking facts from Prolog"):
            knowledge = grounder.knowledge(loaded)
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
        penalty=options["penalty"],
        loss=options["loss"],
        object_identity=options["object_identity"],
        aggregation=options["aggregation"],
        crisp=options["crisp"],
        start=options["start"],
        restarts=options["restarts"],
        pretrain=options["pretrain"],
        validation=options["validation"],
        patience=options["patience"],
        seed=options["seed"],
    )
    members = []
    interrupted = False
    for number in range(1, ensemble + 1):
        member = f"model {number} of {ensemble}, " if ensemble > 1 else ""

        def report(text: str, member: str = member) -> None:
            progress.status(member + text)

        own = replace(settings, seed=settings.seed + number - 1)
        learner = StructureLearner(loaded, knowledge, examples, own, report, options["jobs"], options["budget"])
        run = None
        if run_dir is not None:
            part = f"{loaded.digest} {examples if examples is not None else 'all'}"
            folder = f"{run_dir}/member_{number}" if ensemble > 1 else run_dir
            run = RunDirectory(folder, own, part, resume, model_text)
            if resume:
                run.restore(learner)
        try:
            learner.learn((lambda learner: None) if run is None else run.record)
        except KeyboardInterrupt:
            interrupted = True
        learned = learner.learned
        if not learned.iterations:
            if interrupted:
                break
            hint = "lower --gain, or look at the data with `lrnn check`"
            raise LrnnError(f"{loaded.name}: nothing was learned: {learned.reason}; {hint}")
        members.append(learned.template)
        if interrupted:
            break
        if learned.reason:
            count = len(learned.iterations)
            progress.line(f"{member}stopped after {count} iteration{'s' * (count > 1)}: {learned.reason}")
        if run is not None:
            run.finish(learned, model_statistics(learned.template))
    if not members:
        raise KeyboardInterrupt
    seeds = f"seed {settings.seed}" if ensemble == 1 else f"seeds {settings.seed} to {settings.seed + ensemble - 1}"
    comments = (f"model of lrnn: learned from {loaded.name.rsplit('/', 1)[-1]}, {seeds}",)
    write_text(output, ensemble_text(members, comments, model_text))
    if interrupted:
        how = f"; go on with --run-dir {run_dir} --resume" if run_dir else ""
        models = f"{len(members)} of {ensemble} models" if ensemble > 1 else "the model of the last whole iteration"
        progress.warn(f"interrupted: {output} holds {models}{how}")
        click.get_current_context().exit(130)
    statistics = [model_statistics(member) for member in members]
    rules = " + ".join(str(figures["rules"]) for figures in statistics)
    progress.line(f"{rules} rules in {max(figures['layers'] for figures in statistics)} layers, model in {output}")
