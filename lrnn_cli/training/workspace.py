"""Arrays that compiled steps (`kernels.py`) work on, made once for a network and used again in each step."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lrnn_cli.network.bundles import FEW, LANES, TILE, Bundles

LOSS, GRADIENT, UPDATE = 0, 1, 2
"""Tasks of compiled steps: the loss only; its gradient, too; and a step of the optimiser."""
OPTIMISER_NUMBERS = {"sgd": 0, "adam": 1}
SGD = OPTIMISER_NUMBERS["sgd"]


class Selection(NamedTuple):
    """What one step computes.

    atom, level_atom: atoms, and where those of each level begin
    column: columns, those of a tile together
    level_tile: (levels + 1,) where the tiles of each level begin
    tile_bundle, tile_first, tile_count, tile_width: of each tile its bundle, its columns, and how wide its arrays are
    tile_fired: where its rule neurons begin

    The others are for making a selection. step, atom_step, column_step, bundle_step: the number of this selection,
    and of the last one that had an atom, column or bundle; bundle_count, bundle_place: (bundles,) how many columns it
    has, and where the next one goes; level_bundle, level_column: bundles and columns of one level as they are found
    """

    atom: np.ndarray
    level_atom: np.ndarray
    column: np.ndarray
    level_tile: np.ndarray
    tile_bundle: np.ndarray
    tile_first: np.ndarray
    tile_count: np.ndarray
    tile_width: np.ndarray
    tile_fired: np.ndarray
    step: np.ndarray
    atom_step: np.ndarray
    column_step: np.ndarray
    bundle_step: np.ndarray
    bundle_count: np.ndarray
    bundle_place: np.ndarray
    level_bundle: np.ndarray
    level_column: np.ndarray


class Work(NamedTuple):
    """Values and slopes, used again in each step.

    value, factor, slope: (atoms,) of atom neurons: value, factor of products, and derivative of the loss
    summed, column_slope: (columns,) weighted sums of rule neurons, and derivative
    fired: values of rule neurons, tile by tile
    fired_slope: derivatives by these, and fired_place, fired_step: (columns,) where those of a column begin and how far
    each is from the next, where aggregation is not linear
    node, node_slope, slot, slot_slope, total: arrays of one tile
    gradient: (rules of the template,)
    """

    value: np.ndarray
    factor: np.ndarray
    slope: np.ndarray
    summed: np.ndarray
    column_slope: np.ndarray
    fired: np.ndarray
    fired_slope: np.ndarray
    fired_place: np.ndarray
    fired_step: np.ndarray
    node: np.ndarray
    node_slope: np.ndarray
    slot: np.ndarray
    slot_slope: np.ndarray
    total: np.ndarray
    gradient: np.ndarray


class State(NamedTuple):
    """Weights and the state of their optimiser, changed in place, all (rules,) but steps, which is (1,)."""

    weights: np.ndarray
    trainable: np.ndarray
    mean: np.ndarray
    squares: np.ndarray
    steps: np.ndarray
    optimiser: int
    rate: float
    l2: float


def new_selection(bundles: Bundles) -> Selection:
    """Room for a selection of everything."""
    atoms, columns, count = len(bundles.fact_sum), len(bundles.column_bundle), len(bundles.slots)
    tiles = int(np.sum(-(-np.diff(bundles.column_start) // TILE)))
    return Selection(
        atom=np.zeros(atoms, np.int32),
        level_atom=np.zeros(bundles.levels + 1, np.int64),
        column=np.zeros(columns, np.int32),
        level_tile=np.zeros(bundles.levels + 1, np.int64),
        tile_bundle=np.zeros(tiles, np.int64),
        tile_first=np.zeros(tiles, np.int64),
        tile_count=np.zeros(tiles, np.int64),
        tile_width=np.zeros(tiles, np.int64),
        tile_fired=np.zeros(tiles, np.int64),
        step=np.zeros(1, np.int64),
        atom_step=np.zeros(atoms, np.int64),
        column_step=np.zeros(columns, np.int64),
        bundle_step=np.zeros(count, np.int64),
        bundle_count=np.zeros(count, np.int64),
        bundle_place=np.zeros(count, np.int64),
        level_bundle=np.zeros(count, np.int32),
        level_column=np.zeros(columns, np.int32),
    )


def new_work(bundles: Bundles) -> Work:
    atoms, columns = len(bundles.fact_sum), len(bundles.column_bundle)
    rules, counts = np.diff(bundles.rule_start), np.diff(bundles.column_start)
    nodes, slots = int(np.diff(bundles.node_start).max(initial=1)), int(bundles.slots.max(initial=1))
    neurons = int(np.sum(rules * _widened(counts)))
    linear = bundles.selecting < 0
    return Work(
        value=np.zeros(atoms),
        factor=np.ones(atoms),
        slope=np.zeros(atoms),
        summed=np.zeros(columns),
        column_slope=np.zeros(columns),
        fired=np.zeros(neurons),
        fired_slope=np.zeros(0 if linear else neurons),
        fired_place=np.zeros(0 if linear else columns, np.int64),
        fired_step=np.zeros(0 if linear else columns, np.int64),
        node=np.zeros(nodes * TILE),
        node_slope=np.zeros(nodes * TILE),
        slot=np.zeros(slots * TILE),
        slot_slope=np.zeros(slots * TILE),
        total=np.zeros(TILE),
        gradient=np.zeros(len(bundles.bias)),
    )


def _widened(counts: np.ndarray) -> np.ndarray:
    """How wide the tiles of so many columns are, together."""
    return np.where(counts < FEW, counts, -(-counts // LANES) * LANES)
