"""Who looks on while Algorithm 1 goes its way: tells what happens, times it, and keeps whole iterations."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from lrnn_cli.allocation import give_back_free_memory
from lrnn_cli.grounding.joins.relations import Literal
from lrnn_cli.hypotheses.bodies import Candidate, Shape
from lrnn_cli.language.clauses import Predicate
from lrnn_cli.structure.problem import Problem
from lrnn_cli.structure.state import Iteration, LearningState

SHOWN_BODIES = 3
"""So many bodies that are left out are named at once."""


def _silent(text: str) -> None:
    return


def _keep_nothing(E: Problem, state: LearningState) -> None:
    return


class Observer:
    """Of one run of Algorithm 1.

    status: told what goes on, as often as anything happens; note: told what is worth to be kept on the screen.
    keep: called with the state after each whole iteration.
    told: bodies that were left out and named; observers may share it.
    """

    def __init__(
        self,
        status: Callable[[str], None] = _silent,
        note: Callable[[str], None] = _silent,
        keep: Callable[[Problem, LearningState], None] = _keep_nothing,
        told: set[tuple[Literal, ...]] | None = None,
    ) -> None:
        self.status = status
        self.note = note
        self.keep = keep
        self.told: set[tuple[Literal, ...]] = set() if told is None else told
        self._iteration = 0
        self._began = self._searched = self._search_began = time.perf_counter()

    def __reduce__(self) -> tuple[object, ...]:
        """On another machine nobody looks on."""
        return Observer, ()

    def of_member(
        self, name: str, notes: bool, keep: Callable[[Problem, LearningState], None] | None = None
    ) -> Observer:
        """For one member of an ensemble: what is told of it begins with its name; `keep` is called before this one's.

        notes: whether anything is noted of it.
        """

        def keep_both(E: Problem, state: LearningState) -> None:
            if keep is not None:
                keep(E, state)
                self.keep(E, state)

        note = self.note if notes else _silent
        return Observer(lambda text: self.status(name + text), note, keep_both, self.told)

    def without_keeping(self, keep: Callable[[LearningState], None]) -> Observer:
        """Tells the same; states after iterations are handed to `keep` in place of being kept."""
        return Observer(self.status, self.note, lambda E, state: keep(state), self.told)

    def begin(self, iteration: int) -> None:
        """An iteration begins."""
        give_back_free_memory()
        self._iteration = iteration
        self._began = time.perf_counter()

    def begin_search(self) -> None:
        """The search for rules of one target begins."""
        self._search_began = time.perf_counter()

    def scored(self, E: Problem, tried: int, best: Candidate, loss: float) -> None:
        """A step of a search has ended."""
        rate = tried / (time.perf_counter() - self._search_began)
        rule = E.words.written(best.rule()).clause
        self._tell(E, f"{tried} candidates, {rate:.0f} a second, log loss {loss:.5f}, {rule}")

    def started_anew(self, E: Problem) -> None:
        self._tell(E, "nothing found, latent predicates start anew")

    def end_search(self, left_out: dict[tuple[Literal, ...], int]) -> None:
        """All searches of an iteration have ended; bodies that were left out, with their groundings, are named once."""
        self.leave_out(left_out)
        self._searched = time.perf_counter()

    def leave_out(self, bodies: dict[tuple[Literal, ...], int]) -> None:
        """Name the bodies that were left out for the first time, those with the fewest groundings."""
        new = {body: rows for body, rows in bodies.items() if body not in self.told}
        self.told.update(new)
        if new:
            shown = sorted(new.items(), key=lambda item: (item[1], item[0]))[:SHOWN_BODIES]
            texts = [f"{_text(body)} ({rows:,} groundings)" for body, rows in shown]
            more = f" and {len(new) - len(shown)} more" if len(new) > len(shown) else ""
            self.note(f"left out, since --groundings or --memory-limit is too small for them: {'; '.join(texts)}{more}")

    def end(self, E: Problem, iteration: Iteration) -> Iteration:
        """An iteration has ended: the same with the seconds it took."""
        now = time.perf_counter()
        seconds = self._searched - self._began, now - self._searched
        loss = iteration.validation_loss
        shown = "" if loss is None else f", validation loss {loss:.5f}"
        self._tell(
            E,
            f"{len(iteration.rules)} rules of {iteration.tried} candidates in {seconds[0]:.1f} s, training "
            f"{seconds[1]:.1f} s, loss {iteration.loss:.5f}{shown}",
        )
        return replace(iteration, search_seconds=seconds[0], training_seconds=seconds[1])

    def _tell(self, E: Problem, text: str) -> None:
        self.status(f"iteration {self._iteration} of at most {E.iterations}: {text}")


def _text(body: tuple[Literal, ...]) -> str:
    """Relations as they are written; bodies without any are about single objects."""
    return ", ".join(map(str, Candidate(Shape(Predicate("", 0), body, ()), ()).atoms())) or "single objects"
