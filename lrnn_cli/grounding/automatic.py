"""The default grounder: joins over facts where rules need no more than that, SWI-Prolog for all else."""

from __future__ import annotations

from collections.abc import Sequence

from lrnn_cli.errors import GroundingError, LimitError
from lrnn_cli.grounding.facts import ExampleFacts
from lrnn_cli.grounding.grounder import GrounderOptions, GroundTables
from lrnn_cli.grounding.joins.programs import JoinsGrounder
from lrnn_cli.grounding.program import Program
from lrnn_cli.grounding.swi.grounder import SwiGrounder
from lrnn_cli.language.clauses import Predicate


class AutomaticGrounder:
    """Chooses for each program; see `Grounder` for the interface."""

    def __init__(self, options: GrounderOptions) -> None:
        self._joins = JoinsGrounder(options)
        self._prolog = SwiGrounder(options)

    def ground(self, program: Program, facts: ExampleFacts) -> GroundTables:
        try:
            return self._joins.ground(program, facts)
        except (GroundingError, LimitError):
            # Joins can't do it, or take more memory than SWI-Prolog, which tests guards before it goes on.
            return self._prolog.ground(program, facts)

    def atoms(self, predicates: Sequence[Predicate], facts: ExampleFacts) -> GroundTables:
        return self._prolog.atoms(predicates, facts)
