"""Forward, backward and optimiser steps over bundles (`network/bundles.py`), compiled by numba.

What is computed is that of `Network.forward` and `Network.backward` and of `optimisers.py`, which are the readable
reference; only the order of sums and products differs. Neurons and losses are compiled from the tables of `semantics`.

A step works on a *selection*: the atoms and columns that its queries can see, level by level, columns of one bundle
together in tiles. Arrays of a tile have a row for each node or rule and a column for each of its columns. Their places
are taken as max(0, place), which tells the compiler that an index is not negative: it can use vector instructions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

import numba
import numpy as np

from lrnn_cli.network.bundles import FEW, LANES, TILE, Bundles, Parts
from lrnn_cli.semantics.activations import SQUASHINGS
from lrnn_cli.semantics.aggregations import SELECTING
from lrnn_cli.semantics.losses import ALL_LOSSES
from lrnn_cli.training.optimisers import DECAY, DECAY_SQUARES, TINY
from lrnn_cli.training.workspace import LOSS, SGD, UPDATE, Selection, State, Work

Function = TypeVar("Function", bound=Callable[..., Any])
njit: Any = partial(numba.njit, error_model="numpy")


def compiled(**options: Any) -> Callable[[Function], Function]:
    """Compile a function that becomes a part of the compiled functions that call it."""
    decorate: Callable[[Function], Function] = njit(
        no_cpython_wrapper=True, no_cfunc_wrapper=True, forceinline=True, **options
    )
    return decorate


def numbered(functions: Sequence[Callable[..., Any]], **options: Any) -> Callable[..., Any]:
    """A compiled function of a number and more arguments, which calls the function of that number with these."""
    *others, last = (compiled(**options)(function) for function in functions)

    def only(number: int, *arguments: Any) -> Any:
        return last(*arguments)

    chosen = compiled(**options)(only)
    for place in range(len(others) - 1, -1, -1):
        chosen = compiled(**options)(_either(place, others[place], chosen))
    return chosen


def _either(place: int, function: Callable[..., Any], other: Callable[..., Any]) -> Callable[..., Any]:
    def either(number: int, *arguments: Any) -> Any:
        return function(*arguments) if number == place else other(number, *arguments)

    return either


def _binary(function: np.ufunc) -> Callable[[float, float], float]:
    """A ufunc as a function of two numbers that can be compiled."""

    def called(x: float, y: float) -> float:
        return function(x, y)  # type: ignore[no-any-return]

    return called


SUMS_ANYHOW = {"reassoc"}
"""For `fastmath`: sums may be taken in any order."""
squashed = numbered([squashing.value for squashing in SQUASHINGS])
squashed_slope = numbered([squashing.slope for squashing in SQUASHINGS])
squashed_slope_anyhow = numbered([squashing.slope for squashing in SQUASHINGS], fastmath=SUMS_ANYHOW)
factor_of = numbered([squashing.factor or squashing.value for squashing in SQUASHINGS])
of_product = numbered([squashing.of_product or squashing.value for squashing in SQUASHINGS])
choice_of = numbered([_binary(aggregation.choice) for aggregation in SELECTING])
loss_value = numbered([loss.value for loss in ALL_LOSSES])
loss_slope = numbered([loss.slope for loss in ALL_LOSSES])
loss_shared = numbered([loss.shared for loss in ALL_LOSSES])


def whole(function: Function) -> Function:
    """Compile a function that is no part of others."""
    jitted: Function = njit(function)
    return jitted


@whole
def run(
    task: int,
    bundles: Bundles,
    parts: Parts,
    order: np.ndarray,
    batch_size: int,
    selected: bool,
    averaged: bool,
    loss: int,
    state: State,
    selection: Selection,
    work: Work,
) -> float:
    """Do a task for each batch of parts, in this order; the mean loss of the last batch.

    selected: whether the selection is that of the one batch from an earlier call
    averaged: whether the loss of a step is the mean over its queries, or else the sum
    """
    result = 0.0
    for start in range(0, len(order), batch_size):
        batch = order[start : start + batch_size]
        if not selected:
            select(bundles, parts, batch, selection)
        forward(bundles, selection, state.weights, work)
        result = query_losses(bundles, parts, batch, selection, averaged, loss, work)
        if task != LOSS:
            work.gradient[:] = 0.0
            backward(bundles, selection, state.weights, work)
        if task == UPDATE:
            update(state, work.gradient)
    return result


@compiled()
def select(bundles: Bundles, parts: Parts, chosen: np.ndarray, selection: Selection) -> None:
    """Select what some parts need, each atom and column once."""
    levels = bundles.levels
    selection.step[0] += 1
    step = selection.step[0]
    atoms = columns = tiles = fired = 0
    for level in range(levels):
        selection.level_atom[level] = atoms
        selection.level_tile[level] = tiles
        columns_here = touched = 0
        for part in chosen:
            place = part * levels + level
            for k in range(parts.atom_start[place], parts.atom_start[place + 1]):
                atom = parts.atom[k]
                if selection.atom_step[atom] != step:
                    selection.atom_step[atom] = step
                    selection.atom[atoms] = atom
                    atoms += 1
            for k in range(parts.column_start[place], parts.column_start[place + 1]):
                column = parts.column[k]
                if selection.column_step[column] != step:
                    selection.column_step[column] = step
                    selection.level_column[columns_here] = column
                    columns_here += 1
                    bundle = bundles.column_bundle[column]
                    if selection.bundle_step[bundle] != step:
                        selection.bundle_step[bundle] = step
                        selection.bundle_count[bundle] = 0
                        selection.level_bundle[touched] = bundle
                        touched += 1
                    selection.bundle_count[bundle] += 1
        for k in range(touched):
            bundle = selection.level_bundle[k]
            selection.bundle_place[bundle] = columns
            left = selection.bundle_count[bundle]
            while left > 0:
                count = min(left, TILE)
                width = count if count < FEW else (count + LANES - 1) // LANES * LANES
                selection.tile_bundle[tiles] = bundle
                selection.tile_first[tiles] = columns
                selection.tile_count[tiles] = count
                selection.tile_width[tiles] = width
                selection.tile_fired[tiles] = fired
                tiles += 1
                columns += count
                left -= count
                fired += (bundles.rule_start[bundle + 1] - bundles.rule_start[bundle]) * width
        for k in range(columns_here):
            column = selection.level_column[k]
            bundle = bundles.column_bundle[column]
            selection.column[selection.bundle_place[bundle]] = column
            selection.bundle_place[bundle] += 1
    selection.level_atom[levels] = atoms
    selection.level_tile[levels] = tiles


@compiled()
def forward(bundles: Bundles, selection: Selection, weights: np.ndarray, work: Work) -> None:
    """Values of the selected atoms and rule neurons."""
    for level in range(bundles.levels):
        _rule_neurons(bundles, selection, level, weights, work)
        _atom_neurons(bundles, selection, level, weights, work)


@compiled()
def _rule_neurons(bundles: Bundles, selection: Selection, level: int, weights: np.ndarray, work: Work) -> None:
    """Rule neurons of a level, and their weighted sums by column."""
    a, products, function = bundles.steepness, bundles.products, bundles.squashing
    node, slot, total, fired = work.node, work.slot, work.total, work.fired
    for tile in range(selection.level_tile[level], selection.level_tile[level + 1]):
        bundle = selection.tile_bundle[tile]
        width, count, first = selection.tile_width[tile], selection.tile_count[tile], selection.tile_first[tile]
        slots = bundles.slots[bundle]
        for j in range(width):
            column = selection.column[first + min(j, count - 1)]
            place = bundles.slot_start[bundle] + (column - bundles.column_start[bundle]) * slots
            for s in range(slots):
                atom = bundles.slot_atom[place + s]
                slot[s * width + j] = work.factor[atom] if products else work.value[atom]
            node[j] = 1.0 if products else 0.0
            total[j] = 0.0
        first_node = bundles.node_start[bundle]
        for n in range(1, bundles.node_start[bundle + 1] - first_node):
            here = max(0, n * width)
            above = max(0, bundles.node_parent[first_node + n] * width)
            beside = max(0, bundles.node_slot[first_node + n] * width)
            if products:
                for j in range(width):
                    node[here + j] = node[above + j] * slot[beside + j]
            else:
                for j in range(width):
                    node[here + j] = node[above + j] + slot[beside + j]
        first_rule = bundles.rule_start[bundle]
        for i in range(first_rule, bundles.rule_start[bundle + 1]):
            rule = bundles.rule[i]
            weight = weights[rule]
            here = max(0, selection.tile_fired[tile] + (i - first_rule) * width)
            above = max(0, bundles.rule_node[i] * width)
            beside = max(0, bundles.rule_slot[i] * width)
            if products:
                factor = bundles.bias_factor[rule]
                for j in range(width):
                    value = of_product(function, factor * (node[above + j] * slot[beside + j]))
                    fired[here + j] = value
                    total[j] += weight * value
            else:
                bias = bundles.bias[rule]
                for j in range(width):
                    value = squashed(function, a * (bias + node[above + j] + slot[beside + j]))
                    fired[here + j] = value
                    total[j] += weight * value
        for j in range(count):
            work.summed[selection.column[first + j]] = total[j]
        if bundles.selecting >= 0:
            for j in range(count):
                work.fired_place[selection.column[first + j]] = selection.tile_fired[tile] + j
                work.fired_step[selection.column[first + j]] = width


@compiled()
def _end_of_bundle(bundles: Bundles, atom: int, first: int) -> int:
    """Where the columns that an atom aggregates leave the bundle of the one at `first`."""
    bundle = bundles.column_bundle[bundles.aggregation_column[first]]
    last = first + 1
    while (
        last < bundles.aggregation_start[atom + 1] and bundles.column_bundle[bundles.aggregation_column[last]] == bundle
    ):
        last += 1
    return last


@compiled()
def _chosen_place(bundles: Bundles, first: int, last: int, rule: int, work: Work) -> int:
    """Which rule neuron is taken, among those of a rule of a bundle in the columns from `first` to `last`."""
    taken = -1
    for m in range(first, last):
        column = bundles.aggregation_column[m]
        place = work.fired_place[column] + rule * work.fired_step[column]
        if taken < 0 or choice_of(bundles.selecting, work.fired[place], work.fired[taken]) != work.fired[taken]:
            taken = place
    return taken


@compiled()
def _selected(bundles: Bundles, atom: int, weights: np.ndarray, work: Work) -> float:
    """The sum of the aggregation neurons of an atom, times their weights, where aggregation takes one rule neuron."""
    total = 0.0
    first = bundles.aggregation_start[atom]
    while first < bundles.aggregation_start[atom + 1]:
        last = _end_of_bundle(bundles, atom, first)
        bundle = bundles.column_bundle[bundles.aggregation_column[first]]
        first_rule = bundles.rule_start[bundle]
        for i in range(first_rule, bundles.rule_start[bundle + 1]):
            place = _chosen_place(bundles, first, last, i - first_rule, work)
            total += weights[bundles.rule[i]] * work.fired[place]
        first = last
    return total


@compiled()
def _selected_slopes(bundles: Bundles, atom: int, slope: float, weights: np.ndarray, work: Work) -> None:
    """The gradient, and derivatives by rule neurons, from that by the sum of the aggregation neurons of an atom."""
    first = bundles.aggregation_start[atom]
    while first < bundles.aggregation_start[atom + 1]:
        last = _end_of_bundle(bundles, atom, first)
        bundle = bundles.column_bundle[bundles.aggregation_column[first]]
        first_rule = bundles.rule_start[bundle]
        for i in range(first_rule, bundles.rule_start[bundle + 1]):
            place = _chosen_place(bundles, first, last, i - first_rule, work)
            work.gradient[bundles.rule[i]] += slope * work.fired[place]
            work.fired_slope[place] += slope * weights[bundles.rule[i]]
        first = last


@compiled()
def _atom_neurons(bundles: Bundles, selection: Selection, level: int, weights: np.ndarray, work: Work) -> None:
    a, offset, function = bundles.steepness, bundles.offset, bundles.squashing
    for k in range(selection.level_atom[level], selection.level_atom[level + 1]):
        atom = selection.atom[k]
        total = 0.0
        if bundles.selecting < 0:
            for m in range(bundles.aggregation_start[atom], bundles.aggregation_start[atom + 1]):
                total += bundles.aggregation_value[m] * work.summed[bundles.aggregation_column[m]]
        else:
            total += _selected(bundles, atom, weights, work)
        total += bundles.fact_sum[atom]
        for m in range(bundles.direct_start[atom], bundles.direct_start[atom + 1]):
            total += bundles.direct_value[m] * weights[bundles.direct_rule[m]]
        value = total if bundles.linear[atom] else squashed(function, a * (total + offset))
        work.value[atom] = value
        work.factor[atom] = factor_of(function, a * value)


@compiled()
def backward(bundles: Bundles, selection: Selection, weights: np.ndarray, work: Work) -> None:
    """Add to the gradient (rules,) of a loss whose derivative by the selected atoms is in `work.slope`."""
    for level in range(bundles.levels - 1, -1, -1):
        _atom_slopes(bundles, selection, level, weights, work)
        _rule_slopes(bundles, selection, level, weights, work)


@compiled()
def _atom_slopes(bundles: Bundles, selection: Selection, level: int, weights: np.ndarray, work: Work) -> None:
    """Derivatives by the sums of columns, from those by the atoms of a level."""
    a, function = bundles.steepness, bundles.squashing
    for tile in range(selection.level_tile[level], selection.level_tile[level + 1]):
        for k in range(selection.tile_first[tile], selection.tile_first[tile] + selection.tile_count[tile]):
            work.column_slope[selection.column[k]] = 0.0
        if bundles.selecting >= 0:
            bundle = selection.tile_bundle[tile]
            rules = bundles.rule_start[bundle + 1] - bundles.rule_start[bundle]
            for k in range(rules * selection.tile_width[tile]):
                work.fired_slope[selection.tile_fired[tile] + k] = 0.0
    for k in range(selection.level_atom[level], selection.level_atom[level + 1]):
        atom = selection.atom[k]
        value = work.value[atom]
        slope = work.slope[atom] * (1.0 if bundles.linear[atom] else squashed_slope(function, value, a))
        for m in range(bundles.direct_start[atom], bundles.direct_start[atom + 1]):
            work.gradient[bundles.direct_rule[m]] += bundles.direct_value[m] * slope
        if bundles.selecting < 0:
            for m in range(bundles.aggregation_start[atom], bundles.aggregation_start[atom + 1]):
                work.column_slope[bundles.aggregation_column[m]] += bundles.aggregation_value[m] * slope
        else:
            _selected_slopes(bundles, atom, slope, weights, work)


@compiled(fastmath=SUMS_ANYHOW)
def _rule_slopes(bundles: Bundles, selection: Selection, level: int, weights: np.ndarray, work: Work) -> None:
    """The gradient by the rules of a level, and derivatives by their body atoms.

    Sums over the columns of a tile may be taken in any order.
    """
    a, function = bundles.steepness, bundles.squashing
    node_slope, slot_slope, total, fired = work.node_slope, work.slot_slope, work.total, work.fired
    for tile in range(selection.level_tile[level], selection.level_tile[level + 1]):
        bundle = selection.tile_bundle[tile]
        width, count, first = selection.tile_width[tile], selection.tile_count[tile], selection.tile_first[tile]
        slots = bundles.slots[bundle]
        first_node = bundles.node_start[bundle]
        nodes = bundles.node_start[bundle + 1] - first_node
        for k in range(nodes * width):
            node_slope[k] = 0.0
        for k in range(slots * width):
            slot_slope[k] = 0.0
        for j in range(width):
            total[j] = work.column_slope[selection.column[first + j]] if j < count else 0.0
        first_rule = bundles.rule_start[bundle]
        for i in range(first_rule, bundles.rule_start[bundle + 1]):
            rule = bundles.rule[i]
            weight = weights[rule]
            here = max(0, selection.tile_fired[tile] + (i - first_rule) * width)
            above = max(0, bundles.rule_node[i] * width)
            beside = max(0, bundles.rule_slot[i] * width)
            if bundles.selecting < 0:
                change = 0.0
                for j in range(width):
                    value = fired[here + j]
                    change += total[j] * value
                    by_body = weight * squashed_slope_anyhow(function, value, total[j])
                    node_slope[above + j] += by_body
                    slot_slope[beside + j] += by_body
                work.gradient[rule] += change
            else:
                for j in range(width):
                    by_body = squashed_slope_anyhow(function, fired[here + j], work.fired_slope[here + j])
                    node_slope[above + j] += by_body
                    slot_slope[beside + j] += by_body
        for n in range(nodes - 1, 0, -1):
            here = max(0, n * width)
            above = max(0, bundles.node_parent[first_node + n] * width)
            beside = max(0, bundles.node_slot[first_node + n] * width)
            for j in range(width):
                by_body = node_slope[here + j]
                node_slope[above + j] += by_body
                slot_slope[beside + j] += by_body
        for j in range(count):
            column = selection.column[first + j]
            place = bundles.slot_start[bundle] + (column - bundles.column_start[bundle]) * slots
            for s in range(slots):
                work.slope[bundles.slot_atom[place + s]] += a * slot_slope[s * width + j]


@compiled()
def class_output(bundles: Bundles, query: int, work: Work) -> float:
    """The softmax over the classes of a query; atom 0 has the value 0 that classes without rules have."""
    a, value = bundles.steepness, work.value[bundles.query_atom[query]]
    total = 0.0
    for other in range(bundles.query_first[query], bundles.query_last[query]):
        total += float(np.exp(a * (work.value[bundles.query_atom[other]] - value)))
    return 1.0 / total


@compiled()
def class_slope(bundles: Bundles, query: int, output: float, loss: int, work: Work) -> float:
    """The derivative of the loss of a query by the scaled value of one of its classes."""
    shared = 0.0
    for other in range(bundles.query_first[query], bundles.query_last[query]):
        shared += loss_shared(loss, class_output(bundles, other, work), bundles.target[other])
    own: float = loss_slope(loss, output, bundles.target[query])
    return own + output * shared


@compiled()
def query_losses(
    bundles: Bundles, parts: Parts, chosen: np.ndarray, selection: Selection, averaged: bool, loss: int, work: Work
) -> float:
    """The mean loss of the queries of some parts; the derivative of the mean or the sum by atoms is in `work.slope`."""
    for k in range(selection.level_atom[bundles.levels]):
        work.slope[selection.atom[k]] = 0.0
    queries = 0
    for part in chosen:
        for k in range(parts.query_start[part], parts.query_start[part + 1]):
            queries += bundles.query_first[parts.query[k]] == parts.query[k]
    total = 0.0
    for part in chosen:
        for k in range(parts.query_start[part], parts.query_start[part + 1]):
            query = parts.query[k]
            atom = bundles.query_atom[query]
            target = bundles.target[query]
            if bundles.grouped:
                output = class_output(bundles, query, work)
                slope = bundles.steepness * class_slope(bundles, query, output, loss, work)
            else:
                output = work.value[atom] if atom > 0 else bundles.underivable
                slope = loss_slope(loss, output, target)
            total += loss_value(loss, output, target)
            if atom > 0:
                work.slope[atom] += slope / queries if averaged else slope
    return total / queries


@compiled()
def update(state: State, gradient: np.ndarray) -> None:
    """A step of `optimisers.py`; weights that are not trained stay."""
    weights, mean, squares, rate = state.weights, state.mean, state.squares, state.rate
    state.steps[0] += 1
    steps = float(state.steps[0])
    mean_share, squares_share = 1.0 - DECAY**steps, 1.0 - DECAY_SQUARES**steps
    for i in range(len(weights)):
        if state.trainable[i]:
            slope = gradient[i] + 2.0 * state.l2 * weights[i]
            if state.optimiser == SGD:
                weights[i] -= rate * slope
            else:
                mean[i] = DECAY * mean[i] + (1.0 - DECAY) * slope
                squares[i] = DECAY_SQUARES * squares[i] + (1.0 - DECAY_SQUARES) * slope**2
                weights[i] -= rate * (mean[i] / mean_share) / (np.sqrt(squares[i] / squares_share) + TINY)
