"""The network once more, as flat arrays for compiled code (`training/kernels.py`).

Rules with one head and one table have their neurons in the same columns of `aggregation`. Such rules are a *bundle*: a
rectangle of neurons (rules, columns), whose bodies are not written down neuron by neuron. In each column a bundle meets
few different body atoms, its *slots*; with 243 rules over chains of three atoms there are 15. Slot 0 is atom 0, whose
value is 0. Bodies are words over slots, and words that begin alike share the nodes of a tree, up to their last slots:

    node value     product of exp(-a * value) over the slots on the way from the root, or the sum of the values
    rule neuron    1 / (1 + exp(-a * bias[rule]) * node value * exp(-a * value of the last slot)),
                   or sigm(a * (bias[rule] + node value + value of the last slot))

Products need no exponential for a rule neuron. They are taken when no value can be large enough to leave the range of
floating-point numbers, and sums otherwise.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from lrnn_cli.grounding.atoms import multiset_ids
from lrnn_cli.network.network import Level, Network
from lrnn_cli.semantics.activations import SQUASHINGS
from lrnn_cli.semantics.aggregations import SELECTING, Linear
from lrnn_cli.semantics.targets import begins

LARGEST_EXPONENT = 300.0
"""Products of exponentials are taken while the exponents of all their factors add up to no more than this."""
TILE = 64
"""Columns of a bundle that are computed at a time."""
LANES = 8
FEW = 4
"""Tiles of FEW columns or more are widened to a multiple of LANES, for vector instructions."""


class Bundles(NamedTuple):
    """All levels in one: atoms, columns and bundles are numbered through, in the order of evaluation.

    level_atom, level_column: (levels + 1,) where the atoms and columns of each level begin
    fact_sum, linear: (atoms,)
    aggregation_start, direct_start: (atoms + 1,) where those of an atom begin: the columns it aggregates and the
    weights that enter it directly, which are learned facts and rules all of whose body atoms are crisp, so that they
    are constant
    column_bundle: (columns,)
    column_start, rule_start, node_start, slot_start: (bundles + 1,) where the columns, rules, nodes and slots of each
    bundle begin; slots: (bundles,) how many there are in a column
    slot_atom: body atoms, slots of a column side by side
    node_parent, node_slot: nodes of each bundle, numbered from 0, its root, parents before children
    rule: rules of each bundle; rule_node, rule_slot: its body, the last atom of which is apart
    aggregation_value: what each column counts for, where aggregation is linear
    bias, bias_factor: (rules of the template,) bias[rule] and exp(-a * bias[rule])
    query_first, query_last: (queries,) where the classes of each begin and end, itself where there are none
    """

    level_atom: np.ndarray
    level_column: np.ndarray
    fact_sum: np.ndarray
    linear: np.ndarray
    aggregation_start: np.ndarray
    aggregation_column: np.ndarray
    aggregation_value: np.ndarray
    direct_start: np.ndarray
    direct_rule: np.ndarray
    direct_value: np.ndarray
    column_bundle: np.ndarray
    column_start: np.ndarray
    rule_start: np.ndarray
    rule: np.ndarray
    rule_node: np.ndarray
    rule_slot: np.ndarray
    node_start: np.ndarray
    node_parent: np.ndarray
    node_slot: np.ndarray
    slots: np.ndarray
    slot_start: np.ndarray
    slot_atom: np.ndarray
    bias: np.ndarray
    bias_factor: np.ndarray
    query_atom: np.ndarray
    query_first: np.ndarray
    query_last: np.ndarray
    target: np.ndarray
    levels: int
    squashing: int
    """Its number among SQUASHINGS."""
    selecting: int
    """The number of the aggregation among SELECTING, -1 where it is linear."""
    steepness: float
    offset: float
    underivable: float
    grouped: bool
    """Whether queries have classes."""
    products: bool
    """Whether nodes are products."""


class Parts(NamedTuple):
    """What each part of the data needs of the network, a part being an example, or everything.

    atom_start, column_start: (parts * levels + 1,) where the atoms and columns of a part at a level begin
    query_start: (parts + 1,)
    """

    atom_start: np.ndarray
    atom: np.ndarray
    column_start: np.ndarray
    column: np.ndarray
    query_start: np.ndarray
    query: np.ndarray


class _Bundle(NamedTuple):
    """rule, rule_node, rule_slot: (rules,); slot_atom: (columns, slots); node_parent, node_slot: (nodes,)."""

    rule: np.ndarray
    rule_node: np.ndarray
    rule_slot: np.ndarray
    slot_atom: np.ndarray
    node_parent: np.ndarray
    node_slot: np.ndarray


def bundled(network: Network) -> Bundles:
    bundles: list[_Bundle] = []
    aggregations, directs = [csr_array((1, 0))], [csr_array((1, network.rules))]
    level_atom, level_column = [1], [0]
    for level in network.levels:
        own, matrix, direct = _level_bundles(level, network)
        bundles += own
        aggregations.append(matrix)
        directs.append(direct)
        level_atom.append(level.last)
        level_column.append(level_column[-1] + matrix.shape[1])
    counts = np.array([len(bundle.slot_atom) for bundle in bundles], np.int64)
    slots = np.array([bundle.slot_atom.shape[1] for bundle in bundles], np.int64)
    activation = network.activation
    products = _products_are_safe(network)
    marks = begins(network.query_group)
    (first,), group = marks.nonzero(), np.cumsum(marks) - 1
    return Bundles(
        level_atom=np.array(level_atom, np.int64),
        level_column=np.array(level_column, np.int64),
        fact_sum=np.concatenate([np.zeros(1), *(level.fact_sum for level in network.levels)]),
        linear=np.concatenate([np.ones(1, bool), *(level.linear for level in network.levels)]),
        aggregation_start=_starts(np.concatenate([np.diff(matrix.indptr) for matrix in aggregations])),
        aggregation_column=_joined(
            [matrix.indices + first for matrix, first in zip(aggregations, [0, *level_column], strict=False)]
        ),
        aggregation_value=np.concatenate([matrix.data for matrix in aggregations]),
        direct_start=_starts(np.concatenate([np.diff(direct.indptr) for direct in directs])),
        direct_rule=_joined([direct.indices for direct in directs]),
        direct_value=np.concatenate([direct.data for direct in directs]),
        column_bundle=np.repeat(np.arange(len(bundles), dtype=np.int32), counts),
        column_start=_starts(counts),
        rule_start=_starts([len(bundle.rule) for bundle in bundles]),
        rule=_joined([bundle.rule for bundle in bundles]),
        rule_node=_joined([bundle.rule_node for bundle in bundles]),
        rule_slot=_joined([bundle.rule_slot for bundle in bundles]),
        node_start=_starts([len(bundle.node_slot) for bundle in bundles]),
        node_parent=_joined([bundle.node_parent for bundle in bundles]),
        node_slot=_joined([bundle.node_slot for bundle in bundles]),
        slots=slots.astype(np.int32),
        slot_start=_starts(counts * slots),
        slot_atom=_joined([bundle.slot_atom.ravel() for bundle in bundles]),
        bias=network.bias,
        bias_factor=activation.factors(network.bias) if products else np.ones(network.rules),
        query_atom=network.query_atom.astype(np.int32),
        query_first=first[group],
        query_last=np.append(first[1:], len(group))[group],
        target=network.target.astype(float),
        levels=len(network.levels),
        squashing=SQUASHINGS.index(activation.family.squashing),
        selecting=-1 if isinstance(network.aggregation, Linear) else SELECTING.index(network.aggregation),
        steepness=activation.steepness,
        offset=activation.offset,
        underivable=network.output.underivable,
        grouped=network.output.kind.grouped,
        products=products,
    )


def everything(bundles: Bundles) -> Parts:
    """The whole network as one part."""
    atoms, columns = len(bundles.fact_sum), len(bundles.column_bundle)
    return Parts(
        bundles.level_atom - 1,
        np.arange(1, atoms, dtype=np.int32),
        bundles.level_column,
        np.arange(columns, dtype=np.int32),
        np.array([0, len(bundles.target)], np.int64),
        np.arange(len(bundles.target), dtype=np.int32),
    )


def parts_of(network: Network, bundles: Bundles, queries_of: list[np.ndarray]) -> Parts:
    """Atoms and columns that each set of queries can see: reached downwards, for all sets at once."""
    sets = len(queries_of)
    query = np.concatenate(queries_of)
    query_start = _starts([len(chosen) for chosen in queries_of])
    owner = np.repeat(np.arange(sets), np.diff(query_start))
    seen_by_level: dict[int, csr_array] = {}

    def reach(owners: csr_array, atoms: csr_array) -> None:
        """Note atoms that sets see: owners (sets, x), atoms (x, atoms)."""
        below = np.searchsorted(bundles.level_atom, atoms.indices, "right") - 1
        for number in np.unique(below[below >= 0]).tolist():
            level = network.levels[number]
            seen = owners @ _columns_of(atoms, below == number, level.first, level.last - level.first)
            before = seen_by_level.get(number)
            seen_by_level[number] = seen if before is None else before + seen

    identity = csr_array((np.ones(len(query), bool), (owner, np.arange(len(query)))), (sets, len(query)))
    queried = csr_array(
        (np.ones(len(query), bool), bundles.query_atom[query], np.arange(len(query) + 1)),
        shape=(len(query), network.atoms),
    )
    reach(identity, queried)
    kept: list[tuple[csr_array, csr_array]] = []
    for number in range(bundles.levels - 1, -1, -1):
        level = network.levels[number]
        size = level.last - level.first
        seen = seen_by_level.pop(number, csr_array((sets, size), dtype=bool))
        rows = slice(bundles.aggregation_start[level.first], bundles.aggregation_start[level.last])
        first_column, last_column = bundles.level_column[number : number + 2].tolist()
        matrix = csr_array(
            (
                np.ones(rows.stop - rows.start, bool),
                bundles.aggregation_column[rows] - first_column,
                bundles.aggregation_start[level.first : level.last + 1] - rows.start,
            ),
            shape=(size, last_column - first_column),
        )
        columns = seen @ matrix
        reach(columns, _slots_of_columns(bundles, first_column, last_column))
        seen.sort_indices()
        columns.sort_indices()
        kept.append((_shifted(seen, level.first), _shifted(columns, first_column)))
    kept.reverse()
    atom_start, atom = _interleaved([atoms for atoms, _ in kept], sets)
    column_start, column = _interleaved([columns for _, columns in kept], sets)
    return Parts(atom_start, atom, column_start, column, query_start, query.astype(np.int32))


def _level_bundles(level: Level, network: Network) -> tuple[list[_Bundle], csr_array, csr_array]:
    """The bundles of a level, its aggregation (atoms, columns of bundles), and direct weights (atoms, rules)."""
    atoms = level.last - level.first
    constant = np.logical_not(level.body_atom.any(0))
    ones = np.ones(len(level.learned_atom))
    learned = csr_array((ones, (level.learned_atom, level.learned_rule)), (atoms, network.rules))
    direct = csr_array(_constants(level, network, constant) + learned)
    direct.sort_indices()

    order = np.lexsort((level.rule, level.column))
    order = order[np.logical_not(constant[order])]
    rule, column, body_atom = level.rule[order], level.column[order], level.body_atom[:, order]
    used, start, counts = np.unique(column, return_index=True, return_counts=True)
    if not len(used):
        return [], csr_array((atoms, 0)), direct
    kind = multiset_ids(start, rule, np.ones(len(rule), np.int64))
    by_kind = np.argsort(kind, kind="stable")
    bundles = []
    for chosen in np.split(by_kind, np.cumsum(np.bincount(kind))[:-1]):
        neurons = start[chosen] + np.arange(counts[chosen[0]])[:, None]
        bundles.append(_bundle(rule[neurons[:, 0]], body_atom[:, neurons]))
    matrix = csr_array(level.aggregation.scipy[:, used[by_kind]])
    matrix.sort_indices()
    return bundles, matrix, direct


def _constants(level: Level, network: Network, constant: np.ndarray) -> csr_array:
    """(atoms, rules) aggregations of the rule neurons that are constant."""
    atoms, columns = level.aggregation.shape
    values = network.activation.rules(network.bias[level.rule])
    if isinstance(network.aggregation, Linear):
        rules = level.rule[constant]
        by_column = csr_array((values[constant], (level.column[constant], rules)), (columns, network.rules))
        return csr_array(level.aggregation.scipy @ by_column)
    segments = level.segments
    aggregated = network.aggregation.segments(values[segments.neuron], segments.start)
    chosen = constant[segments.neuron[segments.start]]
    return csr_array((aggregated[chosen], (segments.atom[chosen], segments.rule[chosen])), (atoms, network.rules))


def _bundle(rule: np.ndarray, body_atom: np.ndarray) -> _Bundle:
    """A bundle from its rules (rules,) and their bodies (widest body, rules, columns)."""
    width, rules, columns = body_atom.shape
    nothing = np.zeros(columns, np.int32)
    number_of = {nothing.tobytes(): 0}
    atoms = [nothing]
    slot = np.zeros((width, rules), np.int64)
    for position, index in zip(*np.nonzero(body_atom.any(2)), strict=True):
        row = body_atom[position, index]
        number = number_of.setdefault(row.tobytes(), len(atoms))
        if number == len(atoms):
            atoms.append(row)
        slot[position, index] = number
    rule_slot = np.zeros(rules, np.int64)
    for position in range(width):
        # A slot that another one follows goes to the tree, the last one stays with the rule.
        rule_slot, slot[position] = (
            np.where(slot[position] > 0, slot[position], rule_slot),
            np.where(slot[position] > 0, rule_slot, 0),
        )
    node = np.zeros(rules, np.int64)
    parents, slots = [np.zeros(1, np.int64)], [np.zeros(1, np.int64)]
    nodes = 1
    for word in slot:
        inside = word > 0
        keys, rank = np.unique(node[inside] * len(atoms) + word[inside], return_inverse=True)
        parents.append(keys // len(atoms))
        slots.append(keys % len(atoms))
        node[inside] = nodes + rank
        nodes += len(keys)
    return _Bundle(rule, node, rule_slot, np.stack(atoms, 1), np.concatenate(parents), np.concatenate(slots))


def _products_are_safe(network: Network) -> bool:
    """Whether no product of exponentials of body values can leave the range of numbers, whatever the weights.

    Atoms that are squashed are between 0 and 1. Others are as large as their facts, or any size when these are learned
    or rules derive them.
    """
    if network.activation.family.squashing.of_product is None:
        return False
    largest = np.ones(network.atoms)
    for level in network.levels:
        values = largest[level.first : level.last]
        values[level.linear] = np.abs(level.fact_sum[level.linear])
        values[level.linear & (np.diff(level.aggregation.indptr) > 0)] = np.inf
        values[level.learned_atom[level.linear[level.learned_atom]]] = np.inf
    largest[0] = 0.0
    bodies = max((float(largest[level.body_atom].sum(0).max(initial=0.0)) for level in network.levels), default=0.0)
    bias = float(np.abs(network.bias).max(initial=0.0))
    return network.activation.steepness * (bodies + bias) <= LARGEST_EXPONENT


def _slots_of_columns(bundles: Bundles, first: int, last: int) -> csr_array:
    """Which atoms the bodies in columns `first` to `last` have, (columns, atoms)."""
    counts = bundles.slots[bundles.column_bundle[first:last]]
    if first == last:
        return csr_array((0, len(bundles.fact_sum)), dtype=bool)
    begin = bundles.slot_start[bundles.column_bundle[first]]
    atoms = bundles.slot_atom[begin : begin + counts.sum()]
    return csr_array((np.ones(len(atoms), bool), atoms, _starts(counts)), shape=(last - first, len(bundles.fact_sum)))


def _columns_of(matrix: csr_array, chosen: np.ndarray, first: int, width: int) -> csr_array:
    """The chosen entries of a matrix, all in the columns from `first` on."""
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))[chosen]
    return csr_array((np.ones(len(rows), bool), (rows, matrix.indices[chosen] - first)), (matrix.shape[0], width))


def _shifted(matrix: csr_array, by: int) -> csr_array:
    """The same entries with other numbers for their columns."""
    return csr_array((matrix.data, matrix.indices + by, matrix.indptr), (matrix.shape[0], matrix.shape[1] + by))


def _interleaved(matrices: list[csr_array], rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of all matrices, row 0 of each before row 1 of each: where they begin, and their column numbers."""
    if not matrices:
        return np.zeros(1, np.int64), np.zeros(0, np.int32)
    lengths = np.stack([np.diff(matrix.indptr) for matrix in matrices], 1)
    starts = _starts(lengths.ravel())
    result = np.empty(starts[-1], np.int32)
    for number, matrix in enumerate(matrices):
        shift = np.repeat(starts[:-1].reshape(rows, -1)[:, number] - matrix.indptr[:-1], lengths[:, number])
        result[shift + np.arange(len(matrix.indices))] = matrix.indices
    return starts, result


def _starts(counts: np.ndarray | list[int]) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def _joined(arrays: list[np.ndarray]) -> np.ndarray:
    return np.concatenate([np.zeros(0, np.int32), *arrays]).astype(np.int32)
