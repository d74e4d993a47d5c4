"""Facts as they leave Prolog while a file is read: rows by hand, and beside facts that Prolog holds and enumerates."""

from __future__ import annotations

import random

import numpy as np
import pytest

from lrnn_cli.engine.process import PrologProcess
from lrnn_cli.grounding.grounder import GrounderOptions, open_grounder
from lrnn_cli.grounding.reading import reader
from lrnn_cli.grounding.reading.rows import PartOfFile
from lrnn_cli.grounding.reading.taken import numbers
from lrnn_cli.grounding.session import GroundingSession
from lrnn_cli.language.clauses import Predicate, quoted
from lrnn_cli.language.files import Source

P, Q, S = Predicate("p", 1), Predicate("q", 2), Predicate("s", 0)


Rows = dict[Predicate, list[list[float]]]


def rows(session: GroundingSession, text: str) -> tuple[Rows, Rows]:
    """The facts of a text, each with its example first, and the weighted ones, each with its weight last."""
    data = session.load(Source("d.pl", text.encode()))
    tables, soft = session.relations(data)
    plain = {own: np.column_stack([table.example, table.objects]).tolist() for own, table in tables.items()}
    weighted = {
        own: np.column_stack([facts.atoms.example, facts.atoms.objects, facts.weight]).tolist()
        for own, facts in soft.items()
    }
    return plain, weighted


def test_by_hand() -> None:
    """Objects are numbered as they occur first, queries included: a 0, b 1; then c 2 of the query, b 3, a 4."""
    text = """
    begin(model(m)). p(b). p(a). q(a, b). p(b). s. end(model(m)).
    begin(model(n)). query(t(c), 1). q(b, a). s. s. p(c). end(model(n)).
    """
    with open_grounder("auto", GrounderOptions()) as session:
        plain, weighted = rows(session, text)
    assert plain == {P: [[0, 0], [0, 1], [1, 2]], Q: [[0, 1, 0], [1, 3, 4]], S: [[0], [1]]}
    assert list(plain) == [P, Q, S]
    assert weighted == {}


def test_weights_by_hand() -> None:
    """Each weight of an atom once, in ascending order; a plain fact beside them has the weight 1, as has 1 :: p(a)."""
    text = """
    begin(model(m)).
    0.5 :: p(a). p(a). 0.25 :: p(a). 0.5 :: p(a). p(a). p(b). -2 :: s. 1 :: p(b). 3 :: p(c). 1.0 :: p(c).
    end(model(m)).
    begin(model(n)). p(a). 0.5 :: q(a, b). end(model(n)).
    """
    with open_grounder("auto", GrounderOptions()) as session:
        plain, weighted = rows(session, text)
    assert plain == {P: [[0, 0], [0, 1], [0, 2], [1, 3]], S: [[0]], Q: [[1, 3, 4]]}
    assert weighted == {
        P: [[0, 0, 0.25], [0, 0, 0.5], [0, 0, 1.0], [0, 2, 1.0], [0, 2, 3.0]],
        S: [[0, -2.0]],
        Q: [[1, 3, 4, 0.5]],
    }


def random_text(draw: random.Random) -> str:
    """Examples with facts of names of all kinds, some with weights, some twice; some without facts or objects."""
    names = ["a", "'A b'", '"a"', "1", "1.0", "-3", "f(a, [x])", "'\\u00e4\\x1\\'", "[]", "'[]'"]
    blocks = []
    for number in range(draw.randint(1, 6)):
        facts = []
        for _ in range(draw.choice([0, 1, 30])):
            name, arity = draw.choice([("p", 1), ("q", 2), ("s", 0), ("q", 3), ("'p/1'", 1)])
            arguments = ", ".join(draw.choices(names, k=arity))
            weight = draw.choice(["", "", "0.5 :: ", "1 :: ", "-2.5 :: "])
            facts.append(f"{weight}{name}({arguments})." if arity else f"{weight}{name}.")
        blocks.append(f"begin(model(m{number})). {' '.join(facts)} query(t). end(model(m{number})).\n")
    return "".join(blocks)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize(("jobs", "piece"), [(1, 10**9), (2, 10**9), (1, 200)])
def test_prolog_holds_the_same(seed: int, jobs: int, piece: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What Prolog enumerates once it holds the facts of a file are their atoms, in the same order."""
    monkeypatch.setattr(reader, "PART_BYTES", 100)
    monkeypatch.setattr(reader, "PIECE_BYTES", piece)
    with open_grounder("swi", GrounderOptions(jobs=jobs)) as session:
        data = session.load(Source("d.pl", random_text(random.Random(seed)).encode()))
        tables, _ = session.relations(data)
        assert {predicate: len(table) for predicate, table in tables.items()} == data.predicates
        for predicate, table in tables.items():
            variables = ", ".join(f"X{number}" for number in range(predicate.arity))
            atom = f"{quoted(predicate.name)}({variables})" if variables else predicate.name
            template = session.read_template(Source("t.pl", f"_ :: t :- {atom}.".encode()))
            held = session.ground(template, data).tables[0]
            assert held.example.tolist() == table.example.tolist()
            assert held.objects.tolist() == table.objects.tolist()


@pytest.mark.parametrize("grounder", ["joins", "swi"])
def test_objects_beyond_surrogates(grounder: str) -> None:
    """Three examples of 30,000 objects: the second begins behind the surrogates, in the third are new ones."""
    blocks = "".join(
        f"begin(model(m{m})).\n{''.join(f'p(o{n}). ' for n in range(30000))}\nq(o1, o29999).\n"
        f"query(t(o29999)). query(t(o5)).\nend(model(m{m})).\n"
        for m in range(3)
    )
    with open_grounder(grounder, GrounderOptions()) as session:
        data = session.load(Source("d.pl", blocks.encode()))
        template = session.read_template(Source("t.pl", b"_ :: t(Y) :- q(X, Y), p(X)."))
        (table,) = session.ground(template, data).tables
        assert data.first_object.tolist() == [0, 30000, 60000, 90000]
        assert session.names(data)[60001] == "o1"
    assert table.example.tolist() == [0, 1, 2]
    assert np.sort(table.objects, axis=1).tolist() == [[1, 29999], [30001, 59999], [60001, 89999]]


def test_numbers_of_two_characters() -> None:
    """0xD000 is 53,248: 60,000 is once that and 6,752, a million 18 times that and 41,536."""
    codes = [3, 0xE001, 6752, 0, 0xE012, 41536, 53247]
    assert numbers(np.array(codes, np.int32).tobytes()).tolist() == [3, 60000, 0, 1000000, 53247]


def test_identifiers_around_surrogates() -> None:
    """55,295 identifiers come before the surrogates; the example that does not fit begins at 57,344."""
    with PrologProcess() as process:
        fits = PartOfFile(process, 0, 0, np.array([55290, 5], np.int32), np.empty(0))
        crosses = PartOfFile(process, 0, 0, np.array([55290, 0, 6, 2], np.int32), np.empty(0))
    for part, ranks, identifiers in (
        (fits, [0, 55294, 55295, 55296], [1, 55295, 57344, 57345]),
        (crosses, [0, 55289, 55290, 55295, 55298], [1, 55290, 57344, 57349, 57352]),
    ):
        assert part.identifier(np.array(ranks)).tolist() == identifiers
        assert part.rank(np.array(identifiers, np.int32)).tolist() == ranks
