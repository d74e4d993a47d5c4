from __future__ import annotations

from typing import Any

import click

from lrnn_cli.commands.options import Progress, fold_options, grounding_options, output_option


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
@click.option("--length", type=click.IntRange(1), default=6, show_default=True, help="Literals in a body at most.")
@click.option("--variables", type=click.IntRange(1), default=5, show_default=True, help="Variables in a rule at most.")
@click.option(
    "--beam", type=click.IntRange(1), default=5, show_default=True, help="Rules that the search refines in each step."
)
@click.option(
    "--gain",
    type=click.FloatRange(0),
    default=1e-4,
    show_default=True,
    help="How much a rule must lower the mean log loss.",
)
@click.option(
    "--epochs", type=click.IntRange(0), default=150, show_default=True, help="Epochs of training after each iteration."
)
@click.option(
    "--final-epochs", type=click.IntRange(0), default=300, show_default=True, help="Epochs after the last one."
)
@click.option(
    "--learning-rate", type=click.FloatRange(0, min_open=True), default=0.02, show_default=True, help="Of Adam."
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
@click.option(
    "--run-dir", metavar="DIR", help="Keep models, rules with scores, embeddings and times of all iterations."
)
@click.option("--resume", is_flag=True, help="Go on with the run in --run-dir.")
@fold_options(testing=False)
@grounding_options
def learn_structure(data: str, output: str, quiet: bool, run_dir: str | None, resume: bool, **options: Any) -> None:
    """Learn rules and their weights from the examples and queries of DATA

    Soft clusters of unary predicates first; then, in each iteration, a beam search for the target rules that lower
    the log loss most, latent predicates invented from the best of them, and training of all weights. The model is a
    file of weighted rules that `predict`, `evaluate` and `show` understand.

    \b
    Example:
        lrnn learn-structure data.pl -o model.pl
        lrnn learn-structure data.pl --folds 5 --fold 1 --run-dir run1 -o model.pl
    """
    from lrnn_cli.commands.session import grounder_session, load_data
    from lrnn_cli.errors import LrnnError
    from lrnn_cli.evaluation.folds import choose_examples
    from lrnn_cli.language.files import check_writable, write_text
    from lrnn_cli.report.summaries import model_statistics
    from lrnn_cli.structure.algorithm import StructureLearner, StructureOptions
    from lrnn_cli.structure.run_directory import RunDirectory

    check_writable(output)
    if resume and run_dir is None:
        raise click.UsageError("--resume needs --run-dir")
    progress = Progress(quiet)
    with grounder_session(progress, options) as grounder:
        loaded = load_data(grounder, data, progress)
        examples = choose_examples(loaded, options["folds"], options["fold"], options["seed"], testing=False)
        if not len(loaded.queries):
            raise LrnnError(f"{loaded.name}: there is no query in these data; add query(Atom, Target). to the examples")
        if loaded.background:
            progress.warn("background clauses are not used by structure learning yet")
        relations, soft = grounder.relations(loaded)
    settings = StructureOptions(
        dimension=options["dimension"],
        iterations=options["iterations"],
        rules=options["rules_per_iteration"],
        length=options["length"],
        variables=options["variables"],
        layers=options["layers"],
        beam=options["beam"],
        gain=options["gain"],
        epochs=options["epochs"],
        final_epochs=options["final_epochs"],
        learning_rate=options["learning_rate"],
        loss=options["loss"],
        object_identity=options["object_identity"],
        seed=options["seed"],
    )
    learner = StructureLearner(loaded, relations, soft, examples, settings, progress.status)
    run = None
    if run_dir is not None:
        part = f"{loaded.digest} {examples if examples is not None else 'all'}"
        run = RunDirectory(run_dir, settings, part, resume)
        if resume:
            run.restore(learner)
    interrupted = False
    try:
        learner.learn((lambda learner: None) if run is None else run.record)
    except KeyboardInterrupt:
        interrupted = True
    learned = learner.learned
    if not learned.iterations:
        if interrupted:
            raise KeyboardInterrupt
        hint = "lower --gain, or look at the data with `lrnn check`"
        raise LrnnError(f"{loaded.name}: nothing was learned: {learned.reason}; {hint}")
    if learned.reason:
        progress.line(f"stopped after {len(learned.iterations)} iterations: {learned.reason}")
    statistics = model_statistics(learned.template)
    comments = (
        f"model of lrnn: learned from {loaded.name.rsplit('/', 1)[-1]}, seed {settings.seed}",
        ", ".join(f"{name}: {value}" for name, value in statistics.items()),
    )
    write_text(output, learned.template.text(comments))
    if interrupted:
        how = f"; go on with --run-dir {run_dir} --resume" if run_dir else ""
        progress.warn(f"interrupted: {output} holds the model of iteration {learned.iterations[-1].number}{how}")
        click.get_current_context().exit(130)
    if run is not None:
        run.finish(statistics)
    progress.line(f"{statistics['rules']} rules in {statistics['layers']} layers, model in {output}")
