"""The order of evaluation where predicates depend on themselves: a graph whose nodes are ground atoms."""

from __future__ import annotations

import numpy as np


def evaluation_order(head: np.ndarray, body: np.ndarray, needed: np.ndarray) -> tuple[list[np.ndarray], np.ndarray]:
    """Levels of nodes, each depending on earlier levels only, and the nodes (a mask) left over because of a cycle.

    head[i] depends on body[i]; needed: (nodes,) which nodes are wanted.
    """
    order = np.argsort(body, kind="stable")
    head, body = head[order], body[order]
    waiting = np.bincount(head, minlength=len(needed))
    first_edge = np.searchsorted(body, np.arange(len(needed) + 1))
    left = needed.copy()
    ready = (left & (waiting == 0)).nonzero()[0]
    levels = []
    while len(ready):
        left[ready] = False
        levels.append(ready)
        lengths = first_edge[ready + 1] - first_edge[ready]
        edges = np.repeat(first_edge[ready] - np.cumsum(lengths) + lengths, lengths) + np.arange(lengths.sum())
        reached, count = np.unique(head[edges], return_counts=True)
        waiting[reached] -= count
        ready = reached[(waiting[reached] == 0) & left[reached]]
    return levels, left


def find_cycle(head: np.ndarray, body: np.ndarray, left: np.ndarray) -> list[int]:
    """A cycle among the nodes left over: each depends on another of them, so walk until one comes again."""
    inside = left[head] & left[body]
    depends_on = dict(zip(head[inside].tolist(), body[inside].tolist(), strict=True))
    node = int(left.nonzero()[0][0])
    place: dict[int, int] = {}
    while node not in place:
        place[node] = len(place)
        node = depends_on[node]
    return [*list(place)[place[node] :], node]
