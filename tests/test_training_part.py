"""What is learned depends on the training part alone: no byte changes with the facts of examples kept for testing."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from click.testing import CliRunner

from lrnn_cli.commands import cli

QUICK = ["--iterations", "1", "--epochs", "10", "--final-epochs", "10", "--length", "3", "--variables", "3"]
CONJUNCTIONS = ["--conjunctions", "10", "--parts", "2"]
PART = ["--fold", "2", "--quiet"]
BIAS = "bias(charge(atom, constant)). bias(bond(atom, atom)). bias(c(atom)). bias(o(atom)). bias(spot(atom)).\n"


def graphs(test: str, bias: str = "", weight: str = "") -> str:
    """Examples of fold 1, active and with a spot when an object has charge 1, and two of fold 2 with other facts."""
    draw = random.Random(3)
    blocks = [bias + "far(X, Y) :- bond(X, Z), bond(Z, Y), X \\== Y. heavy(X) :- mark(X, Y), Y > 1."]
    for number in range(24):
        facts = [f"mark(a{draw.randrange(4)}, {draw.randint(1, 3)})."]
        charges = [draw.choice([0, 1, 2]) if number % 2 else draw.choice([0, 2]) for _ in range(4)]
        for place, charge in enumerate(charges):
            facts += [f"charge(a{place}, {charge}).", f"{draw.choice('co')}(a{place})."]
            facts += [f"{weight}bond(a{place}, a{draw.randrange(4)})."]
        active = float(1 in charges)
        facts += ["spot(a0)."] * int(active)
        blocks.append(
            f"begin(model(m{number})). fold(1). {' '.join(facts)} query(active, {active}). end(model(m{number}))."
        )
    for number, label in enumerate((0.0, 1.0)):
        blocks.append(f"begin(model(t{number})). fold(2). {test} query(active, {label}). end(model(t{number})).")
    return "\n".join(blocks) + "\n"


PLAIN = "charge(a, 0). c(a). bond(a, a)."
CHANGED = {
    # More constants than are chosen, each more frequent than those of the training part.
    "constants": " ".join(f"charge(a{number}, {number % 110 + 3})." for number in range(6600)) + " c(x). bond(x, y).",
    "sorts and symmetries": "charge(a, b). c(b). o(0). 0.5 :: c(0). bond(a, 0). 0.3 :: bond(0, a). a(x). aa(x, y, z).",
    "guards and numbers of objects": "mark(x, y). charge(x, 0). "
    + " ".join(f"bond(o{number}, o{number + 1})." for number in range(2000)),
    "queries": "query(aaa(x), 1.0). query(aaa(y), 0.0). c(x). bond(x, y). charge(x, 0). active.",
}


def written(folder: Path, data: str, *command: str) -> bytes:
    (folder / "data.pl").write_text(data)
    output = folder / "output.pl"
    arguments = [str(folder / word) if word.endswith(".pl") else word for word in command]
    result = CliRunner().invoke(cli, [*arguments, "-o", str(output)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return output.read_bytes()


@pytest.mark.usefixtures("two_parts")
@pytest.mark.parametrize(("bias", "weight"), [("", ""), (BIAS, "0.6 :: ")])
@pytest.mark.parametrize(("literals", "rules"), [("--crisp", 2), ("--no-crisp", 4)])
def test_structure_learning(bias: str, weight: str, literals: str, rules: int, tmp_path: Path) -> None:
    """Constants stand alone where a bias asks for them; elsewhere sorts do, which decide what is a number."""
    command = ["learn-structure", "data.pl", *QUICK, *CONJUNCTIONS, *PART, "--pretrain", literals]
    plain = written(tmp_path, graphs(PLAIN, bias, weight), *command)
    assert plain.count(b"::") >= rules
    alone, together = ("constants", "sorts and symmetries") if bias else ("sorts and symmetries", "constants")
    others = " ".join([CHANGED[together], CHANGED["guards and numbers of objects"], CHANGED["queries"]])
    for facts in (CHANGED[alone], others):
        assert written(tmp_path, graphs(facts, bias, weight), *command) == plain


@pytest.mark.parametrize(
    "command",
    [
        ["make-template", "data.pl", "--chain", "2", "--clusters", "2"],
        ["baseline", "nfoil", "data.pl", "--length", "3", "--variables", "3"],
        ["simplify", "model.pl", "data.pl"],
    ],
)
def test_templates_baselines_and_simplification(command: list[str], tmp_path: Path) -> None:
    model = "1.0 :: active :- bond(X, Y), far(X, Y). 0.5 :: active :- c(X). 0.001 :: active :- o(X)."
    (tmp_path / "model.pl").write_text(model)
    plain = written(tmp_path, graphs(PLAIN), *command, *PART)
    assert b"::" in plain
    for name, facts in CHANGED.items():
        if name == "queries" and command[0] == "simplify":
            # The model must define what is asked for, wherever that is.
            continue
        assert written(tmp_path, graphs(facts), *command, *PART) == plain, name
