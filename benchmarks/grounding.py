"""Grounding beside bare SWI-Prolog: the same facts, the same bodies, the same run.

    python benchmarks/grounding.py DATA [--repeat 5] [--jobs 1] [--grounder auto]

For molecules with bond(X, Y, B). The bare program, one `swipl` process, reads the file with read_term/2 and assertz/1
(objects made unique by the name of their example) and enumerates each body with forall(Body, true), everything
already indexed. Ours reads the same file with all its checks and writes all rows, which then stand in NumPy arrays
without repetitions, ready for compilation. The start of processes is excluded on both sides. Runs alternate. What is
done once, such as making clauses of facts where SWI-Prolog evaluates, is in the row of the first time.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from lrnn_cli.grounding.grounder import GrounderOptions, open_grounder
from lrnn_cli.language.files import Source, read_source

BODIES = {
    "1 bond": "bond(X,Y,B)",
    "2 bonds": "bond(X,Y,B), bond(Y,Z,C)",
    "2 bonds, distinct": "bond(X,Y,B), bond(Y,Z,C), X \\== Z",
    "3 bonds": "bond(X,Y,B), bond(Y,Z,C), bond(Z,W,D)",
}

FIRST_BODY = "1 bond"
FIRST = f"{FIRST_BODY}, first time"

BARE = """
:- dynamic bond/3.
timed(Goal, Seconds) :-
    get_time(Start), call(Goal), get_time(Stop), Seconds is Stop-Start.
bare_load(File) :-
    open(File, read, Stream, [encoding(utf8)]), bare_read(Stream), close(Stream).
bare_read(Stream) :-
    read_term(Stream, Term, []),
    (   Term == end_of_file -> true ; assertz(bare:Term), bare_read(Stream) ).
unique_load(File) :-
    open(File, read, Stream, [encoding(utf8)]), unique_read(Stream, none), close(Stream).
unique_read(Stream, Model) :-
    read_term(Stream, Term, []),
    (   Term == end_of_file -> true
    ;   Term = begin(model(Next)) -> unique_read(Stream, Next)
    ;   Term = bond(X0, Y0, B0)
    ->  atomic_list_concat([Model, X0], -, X), atomic_list_concat([Model, Y0], -, Y),
        atomic_list_concat([Model, B0], -, B), assertz(bond(X, Y, B)), unique_read(Stream, Model)
    ;   unique_read(Stream, Model)
    ).
report(Name, Goal) :-
    timed(Goal, Seconds), format('~w\\t~9f~n', [Name, Seconds]).
"""


def bare(data: Path, folder: Path) -> dict[str, float]:
    """Seconds of the bare program: loading, and each body once everything is indexed."""
    lines = [BARE, ":- initialization(main)."]
    goals = [f"report(load, bare_load({str(data)!r}))", f"unique_load({str(data)!r})"]
    for name, body in BODIES.items():
        goals += [f"forall(({body}), true)", f"report({name!r}, forall(({body}), true))"]
    lines.append("main :- " + ", ".join([*goals, "halt"]) + ".")
    program = folder / "bare.pl"
    program.write_text("\n".join(lines))
    output = subprocess.run(["swipl", str(program)], capture_output=True, text=True, check=True).stdout
    return {name: float(seconds) for name, seconds in (line.split("\t") for line in output.splitlines())}


def ours(source: Source, jobs: int, grounder_name: str) -> tuple[dict[str, float], dict[str, int]]:
    """Seconds of our grounder for the same work, and the rows of each body."""
    seconds = {}
    rows = {}
    with open_grounder(grounder_name, GrounderOptions(jobs=jobs)) as grounder:
        templates = {
            name: grounder.read_template(Source(name, f"_ :: active :- {body}.".encode()))
            for name, body in BODIES.items()
        }
        start = time.perf_counter()
        data = grounder.load(source)
        seconds["load"] = time.perf_counter() - start
        for name, template in templates.items():
            for again in (FIRST, name) if name == FIRST_BODY else (name, name):
                start = time.perf_counter()
                groundings = grounder.ground(template, data)
                seconds[again] = time.perf_counter() - start
                rows[again] = len(groundings.tables[0])
    return seconds, rows


def spread(values: list[float]) -> str:
    return f"{statistics.median(values):.2f} ({min(values):.2f}-{max(values):.2f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--grounder", default="auto")
    parser.add_argument("--json", action="store_true", help="all figures as one JSON object")
    arguments = parser.parse_args()
    source = read_source(arguments.data, "data")
    ratios: dict[str, list[float]] = {}
    rates: dict[str, list[float]] = {}
    counts: dict[str, int] = {}
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder, "data.pl")
        plain.write_bytes(source.text)
        for _ in range(arguments.repeat):
            theirs = bare(plain, Path(folder))
            mine, counts = ours(source, arguments.jobs, arguments.grounder)
            for name, seconds in mine.items():
                ratios.setdefault(name, []).append(seconds / theirs[FIRST_BODY if name == FIRST else name])
                if name in counts:
                    rates.setdefault(name, []).append(counts[name] / seconds / 1e6)
    if arguments.json:
        print(json.dumps({"rows": counts, "times bare": ratios, "million rows a second": rates}, indent=2))
        return
    setting = f"{arguments.grounder}, {arguments.repeat} runs, {arguments.jobs} jobs"
    print(f"{arguments.data}, {setting}: median (smallest-largest)")
    print(f"{'':<20}{'rows':>12}  {'times bare swipl':<24}million rows a second")
    for name, values in ratios.items():
        rate = spread(rates[name]) if name in rates else ""
        print(f"{name:<20}{counts.get(name, ''):>12}  {spread(values):<24}{rate}")


if __name__ == "__main__":
    main()
