"""What the system refuses is a sentence with the remedy: full disks, limits, broken devices, Ctrl-C at any time."""

from __future__ import annotations

import errno
import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Folder

from lrnn_cli.errors import REMEDIES, LrnnError
from lrnn_cli.language import files

ROOT = Path(__file__).resolve().parents[1]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}
LRNN = [sys.executable, "-m", "lrnn_cli"]
MODEL = "0.5 :: p(X) :- q(X).\n"
DATA = "begin(model(m)).\nq(a).\nquery(p(a), 1.0).\nend(model(m)).\n"
FULL = "no space is left on the device; free some, or set TMPDIR to a larger folder\n"

needs_full = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")


@needs_full
@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["--version"], ["train", "--help"], ["show", "m.pl"], ["doctor"], ["predict", "m.pl", "d.pl"]],
)
def test_full_standard_output(arguments: list[str], folder: Folder) -> None:
    folder.write({"m.pl": MODEL, "d.pl": DATA})
    with open("/dev/full", "wb") as full:
        done = subprocess.run([*LRNN, *arguments], env=ENVIRONMENT, stdout=full, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr.decode()) == (1, FULL)


@needs_full
@pytest.mark.parametrize("arguments", [["show", "nothing.pl"], ["nothing"], ["predict", "m.pl", "d.pl", "-o", "p.tsv"]])
def test_full_standard_error(arguments: list[str], folder: Folder) -> None:
    """Messages that nobody can read are lost, and the exit code is what it is."""
    folder.write({"m.pl": MODEL, "d.pl": DATA})
    with open("/dev/full", "wb") as full:
        done = subprocess.run([*LRNN, *arguments], env=ENVIRONMENT, stderr=full, stdout=subprocess.PIPE, check=False)
    assert done.returncode == {"show": 1, "nothing": 2, "predict": 0}[arguments[0]]


NUMBERS = [errno.EFBIG, errno.EDQUOT, errno.EROFS, errno.EIO, errno.ENOSPC, errno.EMFILE, errno.EACCES]


def failing(number: int) -> Callable[..., None]:
    def fail(*arguments: object, **options: object) -> None:
        raise OSError(number, os.strerror(number))

    return fail


@pytest.mark.parametrize("number", NUMBERS, ids=errno.errorcode.get)
@pytest.mark.parametrize("call", ["fsync", "replace", "open"])
def test_files_that_cannot_be_written(number: int, call: str, folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever step fails, the old file stays as it was and nothing else is left."""
    folder.write({"m.pl": MODEL, "out.txt": "old"})
    if call == "open":
        monkeypatch.setattr(files, "open", failing(number), raising=False)
    else:
        monkeypatch.setattr(os, call, failing(number))
    before = folder.content()
    with pytest.raises(LrnnError) as caught:
        files.write_text("out.txt", "new")
    assert str(caught.value) == f"out.txt: can't be written: {REMEDIES[number]}"
    monkeypatch.undo()
    assert folder.content() == before


@pytest.mark.parametrize("number", NUMBERS, ids=errno.errorcode.get)
def test_files_that_cannot_be_read(number: int, folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.write({"m.pl": MODEL})
    monkeypatch.setattr(Path, "open", failing(number))
    outcome = folder.run("show", "m.pl")
    assert (outcome.code, outcome.stderr) == (1, f"m.pl: can't be read: {REMEDIES[number]}\n")


def test_errors_elsewhere(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error of the system that no code expects."""
    folder.write({"m.pl": MODEL})
    monkeypatch.setattr(files, "read_bytes", failing(errno.EMFILE))
    outcome = folder.run("show", "m.pl")
    assert (outcome.code, outcome.stderr) == (1, f"{REMEDIES[errno.EMFILE]}\n")


def limited(kind: int, limit: int) -> Callable[[], None]:
    return lambda: resource.setrlimit(kind, (limit, limit))


def test_limit_of_file_size(folder: Folder) -> None:
    """The model is larger than a file may be; what was there before stays."""
    rules = "".join(f"_ :: p(X) :- q{number}(X).\n" for number in range(300))
    facts = " ".join(f"q{number}(a)." for number in range(300))
    folder.write(
        {"t.pl": rules, "d.pl": f"begin(model(m)).\n{facts}\nquery(p(a), 1.0).\nend(model(m)).\n", "m.pl": "old"}
    )
    assert folder.run("ground", "t.pl", "d.pl", "-o", "g.npz", "--quiet").code == 0
    command = [*LRNN, "train", "g.npz", "-o", "m.pl", "--epochs", "1", "--quiet", "--backend", "numpy"]
    limit = limited(resource.RLIMIT_FSIZE, 4096)
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, preexec_fn=limit, check=False)
    assert (done.returncode, done.stderr.decode()) == (1, f"m.pl: can't be written: {REMEDIES[errno.EFBIG]}\n")
    assert folder.read("m.pl") == "old"
    assert set(folder.content()) == {"t.pl", "d.pl", "g.npz", "m.pl"}


def test_files_are_on_the_disk_before_they_have_their_names(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = []
    fsync, replace = os.fsync, os.replace

    def recorded_fsync(descriptor: int) -> None:
        steps.append("folder" if os.path.isdir(f"/proc/self/fd/{descriptor}") else "file")
        fsync(descriptor)

    def recorded_replace(source: str, target: str) -> None:
        steps.append("name")
        replace(source, target)

    monkeypatch.setattr(os, "fsync", recorded_fsync)
    monkeypatch.setattr(os, "replace", recorded_replace)
    files.write_text("out.txt", "text")
    assert steps == ["file", "name", "folder"]


@pytest.mark.parametrize(
    "module", ["lrnn_cli.commands", "lrnn_cli.commands.train", "lrnn_cli.grounding.groundings", "numpy"]
)
def test_interrupt_while_modules_are_imported(module: str, folder: Folder) -> None:
    program = (
        "import importlib.abc, os, signal, sys\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "class Interrupt(importlib.abc.MetaPathFinder):\n"
        "    def find_spec(self, name, path, target=None):\n"
        f"        if name == {module!r}:\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Interrupt())\n"
        "from lrnn_cli.__main__ import main\n"
        "main()\n"
    )
    folder.write({"m.pl": "old"})
    command = [sys.executable, "-c", program, "train", "g.npz", "-o", "m.pl"]
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"interrupted\n")


def test_warnings_of_libraries_are_not_shown(folder: Folder) -> None:
    """Steps that overflow: NumPy warns programmers, users get the message."""
    folder.write({"m.pl": MODEL, "d.pl": DATA})
    assert folder.run("ground", "m.pl", "d.pl", "-o", "g.npz", "--quiet").code == 0
    command = [*LRNN, "train", "g.npz", "-o", "x.pl", "--epochs", "3", "--l2", "1e308", "--backend", "numpy"]
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    message = "g.npz: training diverged in epoch 1: the loss is not finite; try a smaller --learning-rate\n"
    assert (done.returncode, done.stderr) == (1, message)


@pytest.mark.parametrize("weight", ["1e308", "-1.1e300", "fixed(1e301)"])
def test_weights_that_overflow(weight: str, folder: Folder) -> None:
    """Sums of such weights are infinite on the way, so that 1e308 + 1e308 - 1e308 - 1e308 was 1, not 0."""
    folder.write({"m.pl": f"{MODEL}{weight} :: p(X) :- q(X), q(Y).\n", "d.pl": DATA})
    outcome = folder.run("predict", "m.pl", "d.pl")
    assert outcome.code == 1
    assert outcome.stderr.startswith("m.pl:2:1: the weight ")
    assert outcome.stderr.endswith(" is too large; weights are no larger than 1e+300 in size\n")
    folder.write({"m.pl": MODEL.replace("0.5", "1e300")})
    assert folder.run("predict", "m.pl", "d.pl").stdout.splitlines()[1].endswith("\t1.0")


def test_targets_that_overflow(folder: Folder) -> None:
    """The metrics are JSON, which has no infinite numbers."""
    folder.write({"m.pl": MODEL, "d.pl": DATA.replace("1.0)", "1e308)")})
    command = [*LRNN, "evaluate", "m.pl", "d.pl", "--json"]
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    assert (done.returncode, json.loads(done.stdout)["squared_loss"]) == (0, None)
    assert (
        "warning: squared_loss is undefined: some targets are so large that their squares are infinite" in done.stderr
    )
    assert "RuntimeWarning" not in done.stderr
