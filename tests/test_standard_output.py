"""Without `-o` a model goes to standard output and nothing else does, so that commands can be chained."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

import pytest
from conftest import Folder

LRNN = [sys.executable, "-m", "lrnn_cli"]
TEMPLATE = "0.1 :: p.\n_ :: p :- q(X).\n"


def labelled(positive: int = 12, negative: int = 12) -> str:
    """p is true exactly where some object is both q and r."""
    true = [f"begin(model(t{n})). q(a). r(a). s(b). query(p, 1.0). end(model(t{n})).\n" for n in range(positive)]
    false = [f"begin(model(f{n})). q(a). r(b). s(b). query(p, 0.0). end(model(f{n})).\n" for n in range(negative)]
    return "".join(true + false)


@pytest.fixture
def files(folder: Folder) -> Folder:
    folder.write({"data.pl": labelled(), "template.pl": TEMPLATE, "model.pl": "0.1 :: p.\n0.7 :: p :- q(X).\n"})
    assert folder.run("ground", "template.pl", "data.pl", "-o", "grounding.npz").code == 0
    return folder


@pytest.mark.parametrize(
    "command",
    [
        ("learn-structure", "data.pl", "--iterations", "1", "--conjunctions", "5"),
        ("train", "grounding.npz", "--epochs", "5"),
        ("simplify", "model.pl", "data.pl"),
        ("baseline", "nfoil", "data.pl"),
    ],
    ids=lambda command: command[0],
)
def test_a_model_is_all_of_standard_output(command: tuple[str, ...], files: Folder) -> None:
    """The text is that of the file which `-o` writes, and `evaluate -` takes it."""
    printed = files.run(*command)
    written = files.run(*command, "-o", "out.pl")
    assert (printed.code, written.code) == (0, 0)
    assert printed.stdout == files.read("out.pl")
    assert "model in" not in printed.stderr
    assert "model in out.pl\n" in written.stderr
    assert printed.stderr
    evaluated = files.run("evaluate", "-", "data.pl", stdin=printed.stdout)
    assert evaluated.code == 0, evaluated.stderr
    assert "accuracy" in evaluated.stdout


def test_commands_in_a_pipe(files: Folder) -> None:
    learning = f"{' '.join(LRNN)} learn-structure data.pl --iterations 1 --conjunctions 5"
    command = f"{learning} | {' '.join(LRNN)} evaluate - data.pl --json"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=True)
    assert '"accuracy": 1.0' in done.stdout


def test_groundings_in_a_pipe(files: Folder) -> None:
    command = f"{' '.join(LRNN)} ground template.pl data.pl | {' '.join(LRNN)} train - --epochs 5"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=True)
    assert done.stdout == files.run("train", "grounding.npz", "--epochs", "5").stdout


def test_no_binary_file_on_a_terminal(files: Folder) -> None:
    master, terminal = pty.openpty()
    command = [*LRNN, "ground", "template.pl", "data.pl"]
    done = subprocess.run(command, stdout=terminal, stderr=subprocess.PIPE, text=True)
    os.close(terminal)
    os.set_blocking(master, False)
    with pytest.raises(OSError):
        os.read(master, 1)
    os.close(master)
    assert done.returncode == 2
    assert "name a file with -o, or a pipe" in done.stderr


def test_interrupted_output_has_a_name(files: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    from lrnn_cli.simplification.simplification import Simplifier

    run = Simplifier.run

    def stopped(self: Simplifier) -> None:
        run(self)
        raise KeyboardInterrupt

    monkeypatch.setattr(Simplifier, "run", stopped)
    outcome = files.run("simplify", "model.pl", "data.pl", "--tolerance", "0.9")
    assert outcome.code == 130
    assert "interrupted: standard output holds what has been reached so far" in outcome.stderr
