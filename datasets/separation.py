"""How well the latent predicates of a model tell the planted clusters of the bundled molecules apart.

    lrnn learn-structure datasets/molecules/molecules.pl --fold 1 -o model.pl
    python datasets/separation.py model.pl --fold 1

prints for each latent predicate the area under the ROC curve with which its value tells some objects from others:

    donor, acceptor, neutral    the atoms of a hidden cluster from all other atoms
    hub                         hubs from other donors
    pair                        bonds between two hubs from other single bonds between donors

The area is 1 or 0 when the predicate separates them fully (0 when its value is lower for them), 0.5 when it tells
nothing. Hubs have the types of other donors, and so have pairs: only a predicate that sees neighbours can tell them.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from generate import CLUSTERS

from lrnn_cli.errors import LrnnError
from lrnn_cli.evaluation.folds import choose_examples
from lrnn_cli.evaluation.metrics import auc_roc
from lrnn_cli.grounding.grounder import GrounderOptions, open_grounder
from lrnn_cli.grounding.groundings import Groundings
from lrnn_cli.grounding.tables import Table
from lrnn_cli.language.clauses import Predicate
from lrnn_cli.language.files import read_source
from lrnn_cli.network.compile import Compiler
from lrnn_cli.network.network import assemble_all
from lrnn_cli.report.tables import text_table

MOLECULES = Path(__file__).resolve().parent / "molecules" / "molecules.pl"


@dataclass(frozen=True)
class Group:
    """Objects to be told from others: (objects,) who is a member, and who is among those that are compared."""

    member: np.ndarray
    compared: np.ndarray

    def area(self, value: np.ndarray) -> float:
        """The area under the ROC curve of values (objects,)."""
        return auc_roc(value[self.compared], self.member[self.compared])

    def means(self, value: np.ndarray) -> tuple[float, float]:
        """The mean of values (objects,) for members and for those they are compared with."""
        return float(value[self.compared & self.member].mean()), float(value[self.compared & ~self.member].mean())


def planted_groups(tables: dict[Predicate, Table], objects: int, chosen: np.ndarray) -> dict[str, Group]:
    """What is to be told from what, in the molecules that are chosen (examples,)."""
    inside = np.zeros(objects, bool)
    for table in tables.values():
        inside[table.objects[np.isin(table.example, chosen)]] = True

    def marked(numbers: np.ndarray) -> np.ndarray:
        found = np.zeros(objects, bool)
        found[numbers] = True
        return found

    def members(*names: str) -> np.ndarray:
        return marked(np.concatenate([tables[Predicate(name, 1)].objects[:, 0] for name in names]))

    clusters = {name: members(*atom_types) for name, atom_types in CLUSTERS.items()}
    donor, atoms = clusters["donor"], np.any(list(clusters.values()), axis=0)
    first, second, bond = tables[Predicate("bond", 3)].objects.T
    hub = donor & marked(first[members("b_2")[bond] & clusters["acceptor"][second]])
    pair = marked(bond[hub[first] & hub[second]])
    between_donors = members("b_1") & marked(bond[donor[first] & donor[second]])
    groups = {name: Group(member, inside & atoms) for name, member in clusters.items()}
    return {**groups, "hub": Group(hub, inside & donor), "pair": Group(pair, inside & between_donors)}


def latent_values(groundings: Groundings, weights: np.ndarray) -> dict[Predicate, np.ndarray]:
    """The values of all unary predicates that the model defines, for all objects (objects,)."""
    target = set(groundings.queries.predicate)
    latent = {rule.head.predicate for rule in groundings.template.rules if len(rule.head.arguments) == 1} - target
    compiler = Compiler(groundings, keep=frozenset(latent))
    network, neuron = assemble_all(compiler)
    values, _ = network.forward(weights)
    found = {}
    for predicate in sorted(latent):
        group = compiler.groups[compiler.program.groups[predicate]]
        found[predicate] = np.full(groundings.objects, network.activation.underivable)
        found[predicate][group.index.atoms.objects[:, 0]] = values[neuron[predicate][group.value_class]]
    return found


def separation(values: dict[Predicate, np.ndarray], groups: dict[str, Group]) -> str:
    """A table of areas under the ROC curve, and for each group the predicate that separates it best."""
    areas = {
        predicate: {name: group.area(value) for name, group in groups.items()} for predicate, value in values.items()
    }
    rows = [(predicate.name, *(f"{area:.4f}" for area in row.values())) for predicate, row in areas.items()]
    best = []
    for name, group in groups.items():
        predicate = max(areas, key=lambda predicate: abs(areas[predicate][name] - 0.5))
        member, other = group.means(values[predicate])
        best.append((name, predicate.name, f"{areas[predicate][name]:.4f}", f"{member:.4f}", f"{other:.4f}"))
    header = ("group", "best predicate", "area", "mean value", "of others")
    return (
        text_table(("predicate", *groups), rows, range(1, len(groups) + 1)) + "\n" + text_table(header, best, (2, 3, 4))
    )


def report(model: str, data_path: str, fold: int | None) -> str:
    """What the command prints for a model file and the molecules, of one fold only if wanted."""
    with open_grounder("swi", GrounderOptions()) as grounder:
        template = grounder.read_template(read_source(model, "a learned model"))
        data = grounder.load(read_source(data_path, "the bundled molecules"))
        examples = choose_examples(data, None, fold, 1, testing=True)
        groundings = grounder.ground(template, data, examples)
        tables, _ = grounder.relations(data)
    weights = [rule.weight for rule in template.rules]
    if None in weights:
        raise LrnnError(f"{template.name}: some rules have no weight; train the template first")
    chosen = np.arange(len(data.example_name)) if examples is None else np.array(examples)
    values = latent_values(groundings, np.array(weights, float))
    if not values:
        raise LrnnError(f"{template.name}: there is no latent predicate in this model")
    return separation(values, planted_groups(tables, groundings.objects, chosen))


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Latent predicates of a model beside the planted clusters")
    parser.add_argument("model", help="a model that was learned from the bundled molecules, or their trained template")
    parser.add_argument("--data", default=str(MOLECULES), help="the molecules (default: the bundled ones)")
    parser.add_argument("--fold", type=int, help="use atoms of this fold only")
    arguments = parser.parse_args()
    try:
        print(report(arguments.model, arguments.data, arguments.fold), end="")
    except LrnnError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
