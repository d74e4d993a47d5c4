from __future__ import annotations

from typing import TYPE_CHECKING

import click

from lrnn_cli.commands.options import Progress, output_option, quiet_option
from lrnn_cli.commands.parameters import Input

if TYPE_CHECKING:
    from lrnn_cli.language.sdf import Labels, Molecule


@click.command("import-sdf", no_args_is_help=True)
@click.argument("file", type=Input())
@click.option("--label-property", metavar="NAME", help="The property of a record that is its label.")
@click.option(
    "--labels",
    type=Input(),
    metavar="CSV",
    help="Labels in a file: a header line, then a name and a label in the first two columns.",
)
@click.option(
    "--positive",
    multiple=True,
    metavar="LABEL",
    help="A label that means 1; may be given several times. "
    "Other labels mean 0, unless --negative is given (default: labels are numbers).",
)
@click.option(
    "--negative", multiple=True, metavar="LABEL", help="A label that means 0; others that are not positive are faults."
)
@click.option("--name-property", metavar="NAME", help="The property that names a molecule (default: its first line).")
@click.option("--target", default="active", show_default=True, metavar="NAME", help="The predicate of the queries.")
@click.option(
    "--atom-types",
    type=click.Choice(["sybyl", "element", "both"]),
    default="sybyl",
    show_default=True,
    help="What the unary predicates of atoms are.",
)
@click.option("--hydrogens", is_flag=True, help="Hydrogens are atoms, too, also those that the file does not show.")
@click.option(
    "--skip-faulty", is_flag=True, help="Leave faulty records out and say which (default: nothing is written)."
)
@output_option("The data file to write")
@quiet_option
def import_sdf(
    file: str,
    label_property: str | None,
    labels: str | None,
    positive: tuple[str, ...],
    negative: tuple[str, ...],
    name_property: str | None,
    target: str,
    atom_types: str,
    hydrogens: bool,
    skip_faulty: bool,
    output: str,
    quiet: bool,
) -> None:
    """Molecules of a structure-data file (SDF) as data

    Atoms and bonds are objects with types: c3(a1), bond(a1, a2, b1), bond(a2, a1, b1), b_1(b1). A record that RDKit
    does not understand, or that has no label, is reported with its number and line. Without labels the data have no
    queries. RDKit is an extra: pip install 'lrnn[rdkit]'.

    \b
    Example:
        lrnn import-sdf molecules.sdf --label-property activity -o data.pl
        lrnn import-sdf nci.sdf.gz --labels labels.csv --positive active --hydrogens -o data.pl.gz
    """
    from lrnn_cli.errors import faults_error
    from lrnn_cli.language.files import read_source, write_text
    from lrnn_cli.language.sdf import data_text, molecules, read_records

    if label_property is not None and labels is not None:
        raise click.UsageError("labels come from --label-property or from --labels, not from both")
    labelled = label_property is not None or labels is not None
    if (positive or negative) and not labelled:
        raise click.UsageError("--positive and --negative need --label-property or --labels")
    progress = Progress(quiet)
    source = read_source(file, "a structure-data file (SDF)")
    given = _labels(label_property, labels, positive, negative) if labelled else None
    records = read_records(source, name_property)
    progress.status(f"reading {len(records)} records")
    found, faulty = molecules(records, hydrogens, atom_types)
    faults = [fault for _, fault in faulty]
    targets = None
    if given is not None:
        pairs = [(molecule, given.target(molecule.record)) for molecule in found]
        faults += [value for _, value in pairs if not isinstance(value, float)]
        found = [molecule for molecule, value in pairs if isinstance(value, float)]
        targets = [value for _, value in pairs if isinstance(value, float)]
        unused = sorted({*(given.table or {})} - {record.name for record in records})
        if unused:
            progress.warn(f"{given.table_name}: {len(unused)} names are those of no record, such as {unused[0]}")
    if faults and not (skip_faulty and found):
        raise faults_error(source.name, faults)
    for fault in sorted(faults):
        progress.warn(f"{source.name}:{fault.line}:{fault.column}: {fault.message}; left out")
    write_text(output, data_text(found, targets, target, _names(found, progress)))
    what = f"{len(found)} molecules" + (f", {len(faults)} records left out" if faults else "")
    progress.line(what if labelled else f"{what}, no queries, since there are no labels")


def _labels(
    label_property: str | None, labels: str | None, positive: tuple[str, ...], negative: tuple[str, ...]
) -> Labels:
    from lrnn_cli.language.files import read_source
    from lrnn_cli.language.sdf import Labels, read_labels

    words = frozenset(positive), frozenset(negative)
    if words[0] & words[1]:
        raise click.UsageError(f"the label {min(words[0] & words[1])} is both positive and negative")
    if labels is None:
        return Labels(label_property, None, "", *words)
    source = read_source(labels, "a table of labels")
    return Labels(None, read_labels(source), source.name, *words)


def _names(found: list[Molecule], progress: Progress) -> list[str]:
    """Names of molecules; their numbers in the file where names are missing or repeated."""
    names = [molecule.record.name for molecule in found]
    if all(names) and len(set(names)) == len(names):
        return names
    progress.line("names are missing or repeated, so molecules are called m1, m2, ... by the numbers of their records")
    return [f"m{molecule.record.number}" for molecule in found]
