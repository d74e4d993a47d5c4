from __future__ import annotations

from typing import Any

import click

from lrnn_cli.commands.options import Progress, limit_options, output_option, quiet_option
from lrnn_cli.commands.parameters import Input, Output, claim

WITHOUT = ("charges", "rings", "aromaticity")


class InputTree(Input):
    """A file, or a folder with all files in it."""

    def use(self, path: str, param: click.Parameter, ctx: click.Context) -> None:
        from lrnn_cli.importers.importer import Sources

        for file in Sources([path]).files:
            claim(ctx, param, file)


@click.command("import", no_args_is_help=True)
@click.argument("source", nargs=-1, required=True, type=InputTree())
@click.option("--format", "format_name", metavar="NAME", help="The format of SOURCE (default: told by its content).")
@click.option("--target", metavar="NAME", help="What is asked: a predicate, a relation of triples, or table.column.")
@click.option(
    "--positive",
    multiple=True,
    metavar="CLASS",
    help="A label that means 1; may be given several times. "
    "Other labels mean 0, unless --negative is given (default: labels are numbers).",
)
@click.option(
    "--negative", multiple=True, metavar="CLASS", help="A label that means 0; others that are not positive are faults."
)
@click.option("--classes", is_flag=True, help="Labels in words stay words: query(colour, green).")
@click.option("--label", metavar="NAME", help="The column of a table, or the property of an SDF record, with labels.")
@click.option(
    "--labels",
    type=Input(),
    metavar="CSV",
    help="Labels in a file: a header line, then a name and a label in the first two columns.",
)
@click.option("--name", metavar="NAME", help="The column or property that names examples.")
@click.option("--smiles", metavar="COLUMN", help="The column with SMILES (default: the one called so).")
@click.option(
    "--atom-types",
    type=click.Choice(["sybyl", "element", "both"]),
    default="sybyl",
    show_default=True,
    help="What the unary predicates of atoms are.",
)
@click.option("--hydrogens", is_flag=True, help="Hydrogens are atoms, too, also those that the file does not show.")
@click.option(
    "--without",
    multiple=True,
    type=click.Choice(WITHOUT),
    help="What molecules are told without; may be given several times.",
)
@click.option(
    "--examples",
    type=click.Choice(["auto", "each", "one"]),
    default="auto",
    show_default=True,
    help="How one world with many queries is cut: where it falls apart, one example for each first argument of a "
    "query, or not at all.",
)
@click.option(
    "--negatives",
    type=click.IntRange(0),
    default=1,
    show_default=True,
    metavar="N",
    help="For triples: pairs without a triple to draw for each that has one.",
)
@click.option(
    "--seed", type=click.IntRange(0), default=1, show_default=True, metavar="S", help="Of the pairs that are drawn."
)
@click.option(
    "--skip-faulty", is_flag=True, help="Leave faulty records out and say which (default: nothing is written)."
)
@click.option("--template", type=Output(), metavar="FILE", help="Where a template that comes with the data goes.")
@output_option("The data file to write")
@limit_options
@quiet_option
def import_data(
    source: tuple[str, ...], format_name: str | None, template: str | None, output: str, quiet: bool, **options: Any
) -> None:
    """Data of other systems as data of ours

    SOURCE is a folder or files: Popper, Aleph, srlearn and BoostSRL, NeuraLogic, TUDataset, triples (TSV), tables (CSV,
    Parquet, SQLite), molecules as SDF or as SMILES. What is not understood or not used is named with its place; nothing
    in these files is run. Numbers stay numbers. Labels are numbers, or words of which --positive says which mean 1.

    \b
    Example:
        lrnn import popper/trains2 -o data.pl
        lrnn import molecules.sdf --label activity --positive active -o train.pl
        lrnn import candidates.csv --smiles structure -o candidates.pl
        lrnn import shop.sqlite --target customer.returned -o data.pl
    """
    from lrnn_cli.errors import LrnnError
    from lrnn_cli.importers.importer import Options, Sources, named_importer, recognised_importer
    from lrnn_cli.language.files import write_text
    from lrnn_cli.language.writing import counted

    progress = Progress(quiet)
    for name in ("memory_limit", "time_limit"):
        # They are for the command as a whole.
        del options[name]
    for name in ("positive", "negative", "without"):
        options[name] = frozenset(options[name])
    both = options["positive"] & options["negative"]
    if both:
        raise click.UsageError(f"the label {min(both)} is both positive and negative")
    if options["label"] is not None and options["labels"] is not None:
        raise click.UsageError("labels come from --label or from --labels, not from both")
    chosen = Options(**options, progress=progress.status)
    sources = Sources(source)
    importer = recognised_importer(sources) if format_name is None else named_importer(format_name)
    for name in chosen.given():
        if name not in importer.options:
            flag = "--" + name.replace("_", "-")
            raise click.UsageError(f"{flag} has no meaning for the format {importer.name}; leave it out")
    progress.status(f"reading {importer.what}")
    data = importer.read(sources, chosen)
    if not data.examples:
        raise LrnnError(f"{sources.title}: there is no example in these files")
    if template is not None and data.template is None:
        message = "no template with rules that our language can say came with these data; leave --template out"
        raise LrnnError(f"{sources.title}: {message}")
    write_text(output, data.text())
    if template is not None and data.template is not None:
        write_text(template, data.template)
    for text in data.left_out:
        progress.warn(text)
    for note in data.notes:
        progress.line(f"note: {note}")
    examples, queries = counted(len(data.examples), "example"), counted(data.queries, "query", "queries")
    left_out = f", {len(data.left_out)} left out" if data.left_out else ""
    progress.line(f"{importer.what.partition(':')[0]}: {examples}, {queries}{left_out}")
