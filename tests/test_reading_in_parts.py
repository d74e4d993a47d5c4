"""Data that two processes read in parts."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from conftest import Folder

from lrnn_cli.api import sessions
from lrnn_cli.engine.process import PrologProcess
from lrnn_cli.grounding.reading import reader


def example(name: str, facts: str = "", target: float = 1.0) -> str:
    return (
        f"begin(model({name})).\nq({name}). r({name}, x). {facts}\nquery(p({name}), {target}).\nend(model({name})).\n"
    )


EXAMPLES = [example(f"m{number}") for number in range(8)]
TRAP = "begin(model(trap)).\n" * 20
PARTS_TEMPLATE = "0.5 :: p(X) :- q(X), s(X).\n0.25 :: p(X) :- r(X, Y), t(Y), u(X).\n"
PARTS = {
    "plain": "".join(EXAMPLES),
    "background at the end": "".join(EXAMPLES) + "s(X) :- q(X).\nt(x).\nu(m1). u(m7).\n",
    "background in each part": "s(m0).\n" + "".join(f"{text}s(m{n}).\n" for n, text in enumerate(EXAMPLES)) + "t(x).\n",
    "background first": "".join(f"s(m{number}). t(x{number}).\n" for number in range(100)) + "".join(EXAMPLES),
    "in a quoted atom": "".join(EXAMPLES[:4]) + example("m8", f"w('\n{TRAP}').") + "".join(EXAMPLES[4:]),
    "in a string": "".join(EXAMPLES[:4]) + example("m8", f'w("\n{TRAP}").') + "".join(EXAMPLES[4:]),
    "in a comment": "".join(EXAMPLES[:4]) + f"/*\n{TRAP}*/\n" + "".join(EXAMPLES[4:]),
    "in a comment in a model": "".join(EXAMPLES[:4]) + example("m8", f"/*\n{TRAP}*/") + "".join(EXAMPLES[4:]),
    "weights": "".join(example(f"m{n}", f"0.{n + 1} :: s(m{n}). 0.5 :: t(x). u(m{n}).") for n in range(8)),
    "one example": example("m1") + "s(m1). " * 200,
    "no model": "".join(f"q(a{number}). s(a{number}).\n" for number in range(100)) + "query(p(a1), 1).\n",
}


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The memory limits of the SWI-Prolog processes asked for, for their number; small files are read in parts."""
    limits: list[int] = []
    opened: Callable[..., PrologProcess] = vars(reader)["PrologProcess"]

    def start(memory_limit: int, time_limit: float | None, deadline: float | None = None) -> PrologProcess:
        limits.append(memory_limit)
        return opened(memory_limit, time_limit, deadline)

    monkeypatch.setattr(sessions, "PrologProcess", start)
    monkeypatch.setattr(reader, "PrologProcess", start)
    monkeypatch.setattr(reader, "PART_BYTES", 100)
    return limits


@pytest.mark.parametrize("name", PARTS)
def test_reading_in_parts(name: str, folder: Folder, started: list[int]) -> None:
    """Two processes read what one reads, whatever looks like the start of a model."""
    folder.write({"t.pl": PARTS_TEMPLATE, "d.pl": PARTS[name]})
    one = folder.run("predict", "t.pl", "d.pl", "--jobs", "1")
    assert len(started) == 1
    two = folder.run("predict", "t.pl", "d.pl", "--jobs", "2")
    assert len(started) == (2 if name in ("one example", "no model") else 3)
    assert one.code == 0 and one == two
    assert folder.run("check", "d.pl", "--jobs", "2") == folder.run("check", "d.pl", "--jobs", "1")


FAULTY_PARTS = {
    "in the last part": "".join(EXAMPLES[:7]) + example("m7", "w(X)."),
    "in both parts": example("m0", "w(X).") + "".join(EXAMPLES[1:7]) + example("m7", "w(a b)."),
    "a name twice": "".join(EXAMPLES) + example("m0"),
    "open at the cut": "".join(EXAMPLES[:3]) + EXAMPLES[3].replace("end(", "fin(") + "".join(EXAMPLES[4:]),
    "an open comment": "".join(EXAMPLES[:3]) + "/*\n" + "".join(EXAMPLES[3:]),
    "an open quote": "".join(EXAMPLES[:3]) + "w('\n" + "".join(EXAMPLES[3:]),
    "end of file": "".join(EXAMPLES[:3]) + "end_of_file.\n" + "".join(EXAMPLES[3:]),
    "background": "".join(EXAMPLES) + "s(X) :- q(X),\n    shell(X).\n",
    "guard": "".join(EXAMPLES) + "t(x). u(m1).\ns(X) :-\n    q(X),\n    X < 3.\n",
    "query": "".join(EXAMPLES[:7]) + EXAMPLES[7].replace("p(m7)", "z(m7)"),
}


@pytest.mark.parametrize("name", FAULTY_PARTS)
def test_faults_in_parts(name: str, folder: Folder, started: list[int]) -> None:
    """Faults have the same text and lines whoever reads them."""
    folder.write({"t.pl": PARTS_TEMPLATE, "d.pl": FAULTY_PARTS[name]})
    one = folder.run("predict", "t.pl", "d.pl", "--jobs", "1")
    two = folder.run("predict", "t.pl", "d.pl", "--jobs", "2")
    assert (one.code, one.stdout) == (1, "")
    assert one.stderr.startswith("d.pl:")
    assert one == two
