"""Structure learning beside scoring each candidate rule by a Prolog query of its own.

    python benchmarks/search.py DATA [--rules 10] [--sample 40] [--repeat 3]

Ours is all of structure learning, one rule in each iteration, until there are so many: search, invention and training,
in one thread. Theirs is a lower bound: a sample of the candidates that were scored, each enumerated once by bare
SWI-Prolog with forall(Body, true), and the mean time taken for all candidates. Facts are in memory and indexed,
objects are small integers, a latent predicate is a fact of its objects, and each test for different objects stands as
early as it can. That Prolog would still have to compute the value of each grounding, their means and the score is left
out, and so are training and all else. Runs alternate. Prolog must find as many groundings as we do.
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np
from measure import Measured, run

from lrnn_cli.errors import LrnnError
from lrnn_cli.grounding.grounder import GrounderOptions, Knowledge, open_grounder
from lrnn_cli.grounding.tables import Table
from lrnn_cli.hypotheses.bodies import Shape
from lrnn_cli.language.clauses import Predicate
from lrnn_cli.language.data import DataSet, Queries
from lrnn_cli.language.files import read_source
from lrnn_cli.structure import search
from lrnn_cli.structure.algorithm import learn_rules
from lrnn_cli.structure.features import Features, Kind
from lrnn_cli.structure.options import StructureOptions
from lrnn_cli.structure.problem import Problem, make_problem
from lrnn_cli.structure.state import LearningState
from lrnn_cli.structure.weights import weighted_facts

Key = Predicate | Kind
"""A predicate of the data, or a kind of latent predicates."""
TIMED = """
timed(Number, Goal) :-
    aggregate_all(count, Goal, Count),
    get_time(Start), forall(Goal, true), get_time(Stop),
    Seconds is Stop-Start, format('~w\\t~w\\t~9f~n', [Number, Count, Seconds]).
"""


def learn(
    data: DataSet, knowledge: Knowledge, queries: Queries, options: StructureOptions
) -> tuple[Problem, LearningState, dict[Shape, int], float]:
    """A run of structure learning: what was learned, how many candidates of each shape it scored, and its seconds."""
    scored: dict[Shape, int] = {}
    score_shape = search.score_shape

    def noted(shape: Shape, *others: object) -> object:
        result = score_shape(shape, *others)  # type: ignore[arg-type]
        scored[shape] = scored.get(shape, 0) + result[1]
        return result

    search.score_shape = noted  # type: ignore[assignment]
    try:
        start = time.perf_counter()
        E = make_problem(data, knowledge, queries, options)
        state = learn_rules(E)
        return E, state, scored, time.perf_counter() - start
    finally:
        search.score_shape = score_shape


def facts(names: dict[Key, str], tables: dict[Key, Table]) -> str:
    """Tables as facts over integers."""
    lines = []
    for key, table in tables.items():
        for row in table.objects.tolist():
            lines.append(f"{names[key]}({','.join(map(str, row))}).\n")
    return "".join(lines)


def goal(shape: Shape, names: dict[Key, str], sorts: dict[Predicate, tuple[int, ...]]) -> str:
    """The body of a candidate in Prolog; variables of one sort take different objects."""
    literals: list[tuple[str, tuple[int, ...], tuple[int, ...]]] = []
    if shape.head.arity:
        literals.append((names[shape.head], tuple(range(shape.head.arity)), sorts[shape.head]))
    literals += [(names[name], variables, sorts[name]) for name, variables in shape.relations]
    # Latent predicates of one argument are asked of variables that have a sort already, or of the only one.
    known = {
        variable: sort for _, variables, kinds in literals for variable, sort in zip(variables, kinds, strict=True)
    }
    literals += [
        (names[layer, len(variables)], variables, tuple(known.get(variable, -1) for variable in variables))
        for variables, layer in dict.fromkeys(shape.slots)
    ]
    goals: list[str] = []
    bound: dict[int, int] = {}
    for name, variables, kinds in literals:
        goals.append(f"{name}({','.join(f'V{variable}' for variable in variables)})")
        for variable, sort in zip(variables, kinds, strict=True):
            if variable not in bound:
                goals += [f"V{variable} \\== V{other}" for other, kind in bound.items() if kind == sort]
                bound[variable] = sort
    return ", ".join(goals)


def draw(scored: dict[Shape, int], count: int, seed: int) -> list[Shape]:
    """So many of the candidates that were scored, those whose latent predicates have one argument."""
    shapes = [shape for shape, found in sorted(scored.items()) if found and all(len(v) == 1 for v, _ in shape.slots)]
    return random.Random(seed).choices(shapes, [scored[shape] for shape in shapes], k=count)


def write_program(E: Problem, F: Features, sample: list[Shape], program: Path) -> None:
    """A program that enumerates the groundings of each candidate of a sample."""
    tables: dict[Key, Table] = {kind: layer.index.atoms for kind, layer in F.layers.items()}
    for name, table in E.relations.tables.items():
        tables[name] = table
    tables |= {head: table for head, table in E.relations.starts.items() if head is not None and head.arity}
    names = {key: f"p{number}" for number, key in enumerate(tables)}
    sorts = {**E.words.sorts, **E.words.targets}
    calls = [f"timed({number}, ({goal(shape, names, sorts)}))" for number, shape in enumerate(sample)]
    main = f":- initialization(main).\nmain :- {', '.join([*calls, 'halt'])}.\n"
    program.write_text(":- style_check(-singleton).\n" + TIMED + facts(names, tables) + main)


def prolog(E: Problem, F: Features, sample: list[Shape], folder: Path) -> tuple[np.ndarray, Measured]:
    """(candidates,) seconds of each of a sample in one process of SWI-Prolog, which must find our groundings."""
    write_program(E, F, sample, folder / "candidates.pl")
    measured = run(["sh", "-c", "swipl candidates.pl > found.tsv"], folder)
    rows = [line.split("\t") for line in (folder / "found.tsv").read_text().splitlines()]
    for shape, (_, count, _) in zip(sample, rows, strict=True):
        if int(count) != len(F.table(shape)):
            raise LrnnError(f"{shape}: {count} groundings in Prolog, {len(F.table(shape))} in tables")
    return np.array([float(seconds) for _, _, seconds in rows]), measured


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("--rules", type=int, default=10)
    parser.add_argument("--sample", type=int, default=40)
    parser.add_argument("--repeat", type=int, default=3)
    arguments = parser.parse_args()
    with open_grounder("swi", GrounderOptions(jobs=1)) as grounder:
        data = grounder.load(read_source(arguments.data, "data"))
        knowledge = grounder.knowledge(data)
    ratios = []
    options = StructureOptions(iterations=arguments.rules, rules=1)
    for number in range(1, arguments.repeat + 1):
        E, state, scored, seconds = learn(data, knowledge, data.queries, options)
        F = weighted_facts(E, state.rules, state.weights)
        candidates = sum(scored.values())
        with tempfile.TemporaryDirectory() as folder:
            each, _ = prolog(E, F, draw(scored, arguments.sample, number), Path(folder))
        ratios.append(candidates * float(each.mean()) / seconds)
        print(
            f"run {number}: {len(state.iterations)} rules, {candidates:,} candidates; "
            f"ours {seconds:.1f} s in all, {1000 * seconds / candidates:.2f} ms a candidate; "
            f"Prolog {1000 * each.mean():.0f} ms a candidate ({1000 * each.min():.0f} to {1000 * each.max():.0f}), "
            f"{ratios[-1]:.0f} times",
            flush=True,
        )
    print(f"times faster: {statistics.median(ratios):.0f} ({min(ratios):.0f}-{max(ratios):.0f})")


if __name__ == "__main__":
    main()
