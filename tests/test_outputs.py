"""No command writes to a file that it reads, or to one file twice, whatever the file is called."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from conftest import Folder

from lrnn_cli.commands import cli
from lrnn_cli.commands.parameters import RUN_FILES, Input, Output, with_members

ROOT = Path(__file__).resolve().parents[1]
MODEL = "0.5 :: p(X) :- q(X).\n"
DATA = "begin(model(m)).\nq(a).\nquery(p(a), 1.0).\nend(model(m)).\n"
WORDS = {
    *(
        "--batch-size",
        "--cluster",
        "--dataset",
        "--example",
        "--format",
        "--grounder",
        "--label",
        "--launch",
        "--learner",
    ),
    *("--member", "--name", "--negative", "--positive", "--query", "--relation", "--smiles", "--split-by", "--target"),
}
"""Options that take a text which is not the name of a file."""


def commands(group: click.Group = cli, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name), command


def test_every_parameter_with_a_file_says_so() -> None:
    """A parameter that takes any text is one of those known not to name a file."""
    found = {True: 0, False: 0}
    for path, command in commands():
        for parameter in command.params:
            if isinstance(parameter.type, Input | Output):
                found[isinstance(parameter.type, Output)] += 1
            elif isinstance(parameter.type, click.types.StringParamType):
                assert set(parameter.opts) & WORDS, (path, parameter.opts)
            else:
                assert not isinstance(parameter.type, click.Path | click.File), (path, parameter.opts)
    assert min(found.values()) >= 17


def cases() -> Iterator[tuple[tuple[str, ...], list[click.Parameter], click.Parameter]]:
    """Each command with the parameters that name files, for each of its outputs that is one file."""
    for path, command in commands():
        files = [parameter for parameter in command.params if isinstance(parameter.type, Input | Output)]
        for output in files:
            if isinstance(output.type, Output) and not output.type.patterns:
                yield path, [parameter for parameter in files if parameter is not output], output


@pytest.mark.parametrize("way", ["same", "path", "symbolic", "hard"])
@pytest.mark.parametrize("case", list(cases()), ids=lambda case: "-".join([*case[0], case[2].opts[-1]]))
def test_outputs_that_are_other_files(
    case: tuple[tuple[str, ...], list[click.Parameter], click.Parameter], way: str, folder: Folder
) -> None:
    """All pairs of an output and another file of a command, named in four ways."""
    command, others, output = case
    for other in others:
        assert isinstance(other.type, Input | Output)
        if other.type.patterns:
            continue
        for path in folder.path.iterdir():
            path.unlink()
        folder.write({"file.pl": "content", "other.pl": "content"})
        name = {"same": "file.pl", "path": f"../{folder.path.name}/file.pl"}.get(way, "link.pl")
        if way == "symbolic":
            os.symlink("file.pl", "link.pl")
        elif way == "hard":
            os.link("file.pl", "link.pl")
        arguments = [*command]
        for parameter in [*others, output]:
            required = isinstance(parameter, click.Argument) or parameter.required or parameter in (other, output)
            value = name if parameter is output else "file.pl" if parameter is other else "other.pl"
            if required:
                arguments += [parameter.opts[-1], value] if isinstance(parameter, click.Option) else [value]
        before = folder.content()
        outcome = folder.run(*arguments)
        if command == ("simplify",) and other.name == "model":
            assert "would overwrite" not in outcome.stderr
            continue
        assert (outcome.code, outcome.stdout) == (1, ""), arguments
        assert "would overwrite" in outcome.stderr
        assert folder.content() == before


def test_outputs_that_are_not_there_yet(folder: Folder) -> None:
    folder.write({"g.npz": "x"})
    (folder.path / "sub").mkdir()
    outcome = folder.run("train", "g.npz", "-o", "new.pl", "--history", "sub/../new.pl")
    message = "sub/../new.pl: --history would overwrite --output; choose another name for what is written\n"
    assert (outcome.code, outcome.stderr) == (1, message)
    outcome = folder.run("train", "g.npz", "-o", "-", "--history", "-")
    assert outcome.stderr == (
        "standard output: --history would overwrite --output; choose another name for what is written\n"
    )


def test_redirected_streams(folder: Folder) -> None:
    """Standard input and output may be files, too."""
    folder.write({"m.pl": MODEL, "d.pl": DATA})
    command = [sys.executable, "-m", "lrnn_cli", "predict", "m.pl"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with open("d.pl", "rb") as data:
        done = subprocess.run(
            [*command, "-", "-o", "d.pl"], stdin=data, env=environment, capture_output=True, check=False
        )
    assert (done.returncode, done.stderr.split(b";")[0]) == (1, b"d.pl: --output would overwrite DATA")
    with open("d.pl", "ab") as data:
        done = subprocess.run([*command, "d.pl"], stdout=data, stderr=subprocess.PIPE, env=environment, check=False)
    assert (done.returncode, done.stderr.split(b":")[0]) == (1, b"standard output")
    assert folder.read("d.pl") == DATA


def test_devices_are_not_files(folder: Folder) -> None:
    folder.write({"m.pl": MODEL, "d.pl": DATA})
    assert folder.run("ground", "m.pl", "d.pl", "-o", "g.npz").code == 0
    assert folder.run("train", "g.npz", "-o", "/dev/null", "--history", "/dev/null").code == 0


@pytest.mark.parametrize("name", ["model.pl", "model_3.pl", "state.json", "member_2/rules.csv", "link.pl"])
def test_files_of_a_run(name: str, folder: Folder) -> None:
    """The folder of a run has names of its own, there or not; other names in it are free."""
    (folder.path / "run" / "member_2").mkdir(parents=True)
    folder.write({"d.pl": DATA, "run/history_1.csv": "x"})
    os.symlink("history_1.csv", "run/link.pl")
    for arguments in (["d.pl", "-o", f"run/{name}"], [f"run/{name}", "-o", "m.pl"]):
        outcome = folder.run("learn-structure", *arguments, "--run-dir", "run")
        assert (outcome.code, "would overwrite" in outcome.stderr) == (1, True)
    outcome = folder.run("learn-structure", "d.pl", "-o", "run/final.pl", "--run-dir", "run")
    assert "would overwrite" not in outcome.stderr


def test_folders_that_are_read(folder: Folder) -> None:
    fold = folder.path / "build" / "data" / "lrnn" / "fold1"
    fold.mkdir(parents=True)
    predictions = "example\tatom\ttarget\toutput\nm\tp\t1.0\t0.5\nn\tp\t0.0\t0.5\n"
    folder.write({"build/data/lrnn/fold1/predictions.tsv": predictions, "build/data/check.json": "{}"})
    os.symlink(fold / "predictions.tsv", "link.json")
    for arguments in (
        ["summarise", "build/data/lrnn/fold1", "-o", "build/data/lrnn/fold1/predictions.tsv"],
        ["summarise", "build/data/lrnn/fold1", "-o", "build/data/lrnn/fold1/metrics.json"],
        ["summarise", "build/data/lrnn/fold1", "-o", "link.json"],
        ["report", "build", "-o", "build/data/check.json"],
        ["report", "build", "-o", "link.json"],
    ):
        outcome = folder.run(*arguments)
        assert (outcome.code, "would overwrite" in outcome.stderr) == (1, True), arguments
    assert folder.run("summarise", "build/data/lrnn/fold1", "-o", "build/data/lrnn/fold1/summary.txt").code == 0
    assert folder.run("report", "build", "-o", "build/report.json").code == 0


def test_a_run_writes_no_other_files(folder: Folder) -> None:
    blocks = "".join(
        f"begin(model(m{n})).\n{'c' if n % 2 else 'd'}(a). r(a, b). d(b).\nquery(p, {n % 2}).\nend(model(m{n})).\n"
        for n in range(12)
    )
    folder.write({"d.pl": blocks})
    options = ["--iterations", "1", "--epochs", "1", "--final-epochs", "0", "--ensemble", "2", "--gain", "0", "--quiet"]
    assert folder.run("learn-structure", "d.pl", "-o", "m.pl", "--run-dir", "run", *options).code == 0
    known = {path for pattern in with_members(RUN_FILES) for path in (folder.path / "run").glob(pattern)}
    assert known == {path for path in (folder.path / "run").rglob("*") if path.is_file()}
    assert len(known) == 2 * 9
