"""Processes, signals, pipes and files: nothing outlives a run, and stages chain through whatever carries bytes."""

from __future__ import annotations

import configparser
import contextlib
import errno
import gzip
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest
from conftest import Folder

from lrnn_cli.api import sessions
from lrnn_cli.engine.process import PrologProcess
from lrnn_cli.errors import EngineError, LimitError
from lrnn_cli.grounding.reading import reader

pytestmark = pytest.mark.new_workers

LRNN = [sys.executable, "-m", "lrnn_cli"]
ROOT = Path(__file__).resolve().parents[1]
HINT = (
    "Install it with `apt-get install swi-prolog-nox` (Debian, Ubuntu), `brew install swi-prolog` (macOS), "
    "or from the SWI-Prolog home page, then run `lrnn doctor`.\n"
)

TEMPLATE = "0.5 :: p(X) :- q(X).\n"
DATA = "begin(model(m)).\nq(a).\nquery(p(a), 1.0).\nquery(p(b), 0.0).\nend(model(m)).\n"
ENDLESS = f"{DATA}nat(0).\nnat(N) :- nat(M), N is M+1.\n"
ENDLESS_TEMPLATE = "0.5 :: p(X) :- q(X), nat(Y).\n"


def environment(**changes: str) -> dict[str, str]:
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    return {**os.environ, "PYTHONPATH": path, **changes}


# SWI-Prolog is missing


@pytest.mark.parametrize(
    "command", [["doctor"], ["predict", "t.pl", "d.pl", "-o", "out.tsv"]], ids=["doctor", "predict"]
)
@pytest.mark.parametrize(
    ("module", "message"),
    [
        (
            "class SwiPrologNotFoundError(Exception):\n    pass\n\n\nraise SwiPrologNotFoundError('not found')\n",
            f"SWI-Prolog is not there, or its shared library is not found.\n{HINT}",
        ),
        (
            "raise OSError('libswipl.so: cannot open shared object file')\n",
            f"SWI-Prolog can't be used from Python: libswipl.so: cannot open shared object file\n{HINT}",
        ),
        (
            "raise ModuleNotFoundError(\"No module named 'pyswip'\")\n",
            "SWI-Prolog can't be used from Python: No module named 'pyswip'\nRun `pip install pyswip`.\n",
        ),
        (
            "import os\n\nos._exit(7)\n",
            f"SWI-Prolog does not start (exit code 7): \n{HINT}",
        ),
    ],
    ids=["no SWI-Prolog", "no library", "no pyswip", "dies at once"],
)
def test_missing_prolog(
    command: list[str], module: str, message: str, folder: Folder, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A package in the place of pyswip fails as pyswip does when it does not find SWI-Prolog."""
    folder.write({"t.pl": TEMPLATE, "d.pl": DATA})
    packages = tmp_path_factory.mktemp("packages")
    (packages / "pyswip").mkdir()
    (packages / "pyswip" / "__init__.py").write_text("")
    (packages / "pyswip" / "core.py").write_text(module)
    path = os.pathsep.join([str(packages), str(ROOT)])
    done = subprocess.run(
        [*LRNN, *command], env=environment(PYTHONPATH=path), capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (1, message)
    assert "All is well" not in done.stdout
    assert sorted(os.listdir()) == ["d.pl", "t.pl"]


def test_library_at_another_place(folder: Folder) -> None:
    """pyswip takes the place of the library from the environment."""
    changed = environment(LIBSWIPL_PATH="/nowhere/libswipl.so", SWI_HOME_DIR="/nowhere")
    done = subprocess.run([*LRNN, "doctor"], env=changed, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert done.stderr == (
        "SWI-Prolog can't be used from Python: /nowhere/libswipl.so: cannot open shared object file: "
        f"No such file or directory\n{HINT}"
    )


def test_doctor_is_content() -> None:
    done = subprocess.run([*LRNN, "doctor"], env=environment(), capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1] == "All is well."


def test_doctor_names_optional_parts(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that are there with their versions, others with what they are for and how to get them."""
    (folder.path / "dot").write_text("#!/bin/sh\necho 'dot - graphviz version 12.3.4 (20260101)' >&2\n")
    (folder.path / "dot").chmod(0o755)
    monkeypatch.setenv("PATH", str(folder.path), prepend=":")
    names = ("numba", "duckdb", "matplotlib", "jinja2", "scikit-learn", "lightgbm", "rdkit")
    versions = {name: f"7.{number}" for number, name in enumerate(names)}

    def version(package: str) -> str:
        if package not in versions:
            raise metadata.PackageNotFoundError(package)
        return versions[package]

    monkeypatch.setattr(metadata, "version", version)
    shown = folder.run("doctor").stdout.splitlines()
    for name, number in zip(
        ("numba", "DuckDB", "matplotlib", "Jinja", "scikit-learn", "LightGBM", "RDKit", "Graphviz"),
        [*versions.values(), "12.3.4"],
        strict=True,
    ):
        assert f"{name:<12} {number}" in shown
    assert "pyswip       missing; run `pip install pyswip`" in shown
    versions.clear()
    (folder.path / "dot").write_text("#!/bin/sh\nexit 1\n")
    outcome = folder.run("doctor")
    assert outcome.code == 0 and outcome.stdout.endswith("All is well.\n")
    for line in (
        "numba        missing, optional; for compiled training run `pip install 'lrnn[fast]'`",
        "RDKit        missing, optional; for molecules of SDF and SMILES files run `pip install 'lrnn[rdkit]'`",
        "Graphviz     missing, optional; for SVG of draw install the package graphviz of your system",
    ):
        assert line in outcome.stdout.splitlines()
    extras = configparser.ConfigParser()
    extras.read(Path(__file__).parents[1] / "setup.cfg")
    for extra in re.findall(r"lrnn\[(\w+)\]", outcome.stdout):
        assert extra in extras["options.extras_require"]


# Signals


def children(parent: int) -> list[int]:
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            if int(path.read_text().rsplit(")", 1)[1].split()[1]) == parent:
                found.append(int(path.parent.name))
    return found


def running(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state not in "ZX"


def cpu_seconds(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Grounding:
    """`lrnn predict` in the middle of a grounding that never ends, with a temporary folder of its own."""

    def __init__(self, folder: Folder, temporary: Path) -> None:
        self.folder = folder
        self.temporary = temporary
        folder.write({"t.pl": ENDLESS_TEMPLATE, "d.pl": ENDLESS})
        self.process = subprocess.Popen(
            [*LRNN, "predict", "t.pl", "d.pl", "-o", "out.tsv"],
            env=environment(TMPDIR=str(temporary)),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            # Under nohup, hanging up is ignored by all that is started.
            preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),
        )
        deadline = time.monotonic() + 30
        self.workers: list[int] = []
        while not self.workers or cpu_seconds(self.workers[0]) < 0.6:
            assert time.monotonic() < deadline and self.process.poll() is None
            time.sleep(0.05)
            self.workers = children(self.process.pid)

    def assert_nothing_left(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while any(map(running, self.workers)) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert not any(map(running, self.workers))
        assert sorted(self.folder.content()) == ["d.pl", "t.pl"]
        assert list(self.temporary.iterdir()) == []

    def end(self) -> None:
        for process in [self.process.pid, *self.workers]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        self.process.communicate()


@pytest.fixture
def grounding(folder: Folder, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Grounding]:
    started = Grounding(folder, tmp_path_factory.mktemp("temporary"))
    yield started
    started.end()


def test_interrupt(grounding: Grounding) -> None:
    start = time.monotonic()
    os.killpg(grounding.process.pid, signal.SIGINT)
    stdout, stderr = grounding.process.communicate(timeout=10)
    assert time.monotonic() - start < 1.5
    assert (grounding.process.returncode, stdout, stderr) == (130, "", "interrupted\n")
    grounding.assert_nothing_left(0.5)


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGTERM, 143), (signal.SIGKILL, -9), (signal.SIGHUP, -1)], ids=["TERM", "KILL", "HUP"]
)
def test_end_of_the_parent(number: signal.Signals, code: int, grounding: Grounding) -> None:
    grounding.process.send_signal(number)
    stdout, stderr = grounding.process.communicate(timeout=10)
    assert (grounding.process.returncode, stdout, stderr) == (code, "", "")
    grounding.assert_nothing_left(2.0)


def test_end_of_the_worker(grounding: Grounding) -> None:
    os.kill(grounding.workers[0], signal.SIGKILL)
    stdout, stderr = grounding.process.communicate(timeout=10)
    assert (grounding.process.returncode, stdout) == (1, "")
    assert stderr == (
        "SWI-Prolog was killed, probably because the machine ran out of memory. Use fewer --jobs, a lower "
        "--memory-limit, or a smaller part of the data.\n"
    )
    grounding.assert_nothing_left(0.5)


def test_time_limit_ends_the_worker() -> None:
    others = children(os.getpid())
    with PrologProcess(0, 0.5, time.monotonic() + 0.5) as process:
        worker = set(children(os.getpid())) - set(others)
        with pytest.raises(LimitError, match=r"SWI-Prolog was stopped after 0\.5 s"):
            process.ask("data(0)", b"q(a).")
            process.ask("table(between(1, inf, V0), [V0], none, [])")
        assert worker and not any(map(running, worker))


# What the system refuses

MANY = "".join(f"q(a{number}).\n" for number in range(100))
LARGE_ROWS = {"t.pl": "0.5 :: p :- q(X), q(Y), q(Z).\n", "d.pl": f"{MANY}query(p, 1.0).\n"}
LARGE_TEXT = {"t.pl": TEMPLATE, "d.pl": f"{DATA}% {'long' * 60_000}\n"}
LARGE_REPLY = {"t.pl": TEMPLATE, "d.pl": "q(a). " + "".join(f"query(p(a{n}), 1).\n" for n in range(4000))}
FILE_SIZE = "a temporary file can't be written: file too large; raise the limit of file sizes (ulimit -f)\n"
OPEN_FILES = (
    "SWI-Prolog can't be started: too many open files; raise the limit of open files (ulimit -n), or use fewer --jobs\n"
)


@pytest.mark.parametrize(
    ("files", "limit", "message"),
    [
        (LARGE_ROWS, "-f 200", FILE_SIZE),
        (LARGE_TEXT, "-f 200", FILE_SIZE),
        (LARGE_REPLY, "-f 110", FILE_SIZE),
        (LARGE_TEXT, "-n 12", OPEN_FILES),
        (LARGE_TEXT, "-n 17", OPEN_FILES),
    ],
    ids=["rows", "text", "reply", "no files", "few files"],
)
def test_limits_of_the_system(files: dict[str, str], limit: str, message: str, folder: Folder) -> None:
    """One sentence with a remedy, whoever of the two processes meets the limit."""
    folder.write(files)
    command = " ".join([*LRNN, "predict", "t.pl", "d.pl", "-o", "out.tsv"])
    done = subprocess.run(
        ["bash", "-c", f"ulimit {limit}; exec {command}"],
        env=environment(PYTHONDONTWRITEBYTECODE="1"),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (1, "", message)
    assert sorted(folder.content()) == ["d.pl", "t.pl"]


@pytest.mark.parametrize(
    ("number", "remedy"),
    [
        (errno.ENOSPC, "no space left on device; free some space in "),
        (errno.EDQUOT, "disk quota exceeded; free some space in "),
        (errno.EROFS, "read-only file system; set TMPDIR to a folder that can be written"),
        (errno.EIO, "input/output error; look after the disk of "),
    ],
    ids=["full", "quota", "read-only", "broken"],
)
def test_no_temporary_files(number: int, remedy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(tempfile, "TemporaryFile", refuse)
    with pytest.raises(EngineError) as error:
        PrologProcess()
    assert str(error.value).startswith(f"SWI-Prolog can't be started: {remedy}")
    assert "\n" not in str(error.value)


# Pipes


def test_reader_that_has_seen_enough(folder: Folder) -> None:
    facts = "".join(f"q(a{number}). query(p(a{number}), 1).\n" for number in range(5000))
    folder.write({"t.pl": TEMPLATE, "d.pl": facts})
    for command in (["predict", "t.pl", "d.pl"], ["ground", "t.pl", "d.pl", "-o", "-", "--quiet"]):
        with (
            subprocess.Popen(
                [*LRNN, *command], env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
            ) as writer,
            subprocess.Popen(["head", "-c", "10"], stdin=writer.stdout, stdout=subprocess.PIPE) as reader,
        ):
            assert writer.stdout is not None and writer.stderr is not None
            writer.stdout.close()
            assert len(reader.communicate(timeout=60)[0]) == 10
            assert writer.stderr.read() == b""
            assert writer.wait(timeout=60) == 0


def test_full_device(folder: Folder) -> None:
    folder.write({"t.pl": TEMPLATE, "d.pl": DATA})
    for command in (["predict", "t.pl", "d.pl"], ["show", "t.pl"]):
        with open("/dev/full", "wb") as full:
            done = subprocess.run(
                [*LRNN, *command], env=environment(), stdout=full, stderr=subprocess.PIPE, text=True, check=False
            )
        assert done.returncode == 1
        assert done.stderr == "no space is left on the device; free some, or set TMPDIR to a larger folder\n"


def test_closed_streams(folder: Folder) -> None:
    """Without standard streams a command works as with streams that lead nowhere."""
    folder.write({"t.pl": TEMPLATE, "d.pl": DATA})
    command = " ".join([*LRNN, "predict", "t.pl", "d.pl"])
    shell = f"{command} -o out.tsv <&- >&- 2>&- && {command} >&-"
    done = subprocess.run(["sh", "-c", shell], env=environment(), timeout=60, check=False)
    assert done.returncode == 0
    assert len(folder.read("out.tsv").splitlines()) == 3


def piped(*commands: list[str], stdin: bytes = b"") -> bytes:
    """The output of a chain of commands, all of which must end well."""
    processes: list[subprocess.Popen[bytes]] = []
    for command in commands:
        source = processes[-1].stdout if processes else subprocess.PIPE
        processes.append(subprocess.Popen([*LRNN, *command], env=environment(), stdin=source, stdout=subprocess.PIPE))
    first, last = processes[0], processes[-1]
    assert first.stdin is not None and last.stdout is not None
    first.stdin.write(stdin)
    first.stdin.close()
    output = last.stdout.read()
    for process in processes:
        if process.stdout is not None:
            process.stdout.close()
        assert process.wait(timeout=60) == 0
    return output


def test_chain_of_pipes(folder: Folder) -> None:
    """The same bytes through pipes as through files."""
    folder.write({"t.pl": "_ :: p(X) :- q(X).\n_ :: p(X) :- r(X).\n", "d.pl": DATA})
    options = ["--epochs", "5", "--quiet"]
    for arguments in (
        ("ground", "t.pl", "d.pl", "-o", "g.npz", "--quiet"),
        ("train", "g.npz", "-o", "m.pl", *options),
        ("predict", "m.pl", "d.pl", "-o", "out.tsv"),
        ("evaluate", "m.pl", "d.pl", "--json", "-o", "metrics.json"),
    ):
        assert folder.run(*arguments).code == 0
    ground = ["ground", "t.pl", "-", "-o", "-", "--quiet"]
    train = ["train", "-", "-o", "-", *options]
    metrics = piped(ground, train, ["evaluate", "-", "d.pl", "--json"], stdin=DATA.encode())
    assert json.loads(metrics) == json.loads(folder.read("metrics.json"))
    predictions = piped(["predict", "m.pl", "-"], stdin=DATA.encode())
    assert predictions.decode() == folder.read("out.tsv")
    assert piped(["predict", "-", "d.pl"], stdin=folder.read("m.pl").encode()) == predictions
    shown = piped(["ground", "-", "d.pl", "-o", "-", "--quiet"], ["show", "-"], stdin=folder.read("t.pl").encode())
    assert shown.decode().startswith("template <stdin> (2 rules)")


def test_standard_input_and_output(folder: Folder) -> None:
    folder.write({"t.pl": TEMPLATE, "d.pl": DATA})
    expected = folder.run("predict", "t.pl", "d.pl").stdout
    assert folder.run("predict", "t.pl", "-", stdin=DATA).stdout == expected
    assert folder.run("predict", "-", "d.pl", stdin=TEMPLATE).stdout == expected
    assert folder.run("predict", "t.pl", "-", stdin=gzip.compress(DATA.encode())).stdout == expected
    assert folder.run("check", "-", stdin=DATA).stdout.replace("<stdin>", "d.pl") == folder.run("check", "d.pl").stdout


def test_compressed_files(folder: Folder) -> None:
    """Names that end in .gz, from the first stage to the last, with the content of plain files and fixed bytes."""
    folder.write({"t.pl": TEMPLATE, "d.pl": DATA})
    folder.write({"t.pl.gz": gzip.compress(TEMPLATE.encode()), "d.pl.gz": gzip.compress(DATA.encode())})
    for end in ("", ".gz"):
        for arguments in (
            ("ground", f"t.pl{end}", f"d.pl{end}", "-o", f"g.npz{end}", "--quiet"),
            ("train", f"g.npz{end}", "-o", f"m.pl{end}", "--epochs", "3", "--quiet"),
            ("predict", f"m.pl{end}", f"d.pl{end}", "-o", f"out.tsv{end}"),
            ("evaluate", f"m.pl{end}", f"d.pl{end}", "--json", "-o", f"metrics.json{end}"),
            ("show", f"m.pl{end}"),
            ("show", f"metrics.json{end}"),
        ):
            outcome = folder.run(*arguments)
            assert (outcome.code, outcome.stderr) == (0, ""), outcome
    for name in ("out.tsv", "metrics.json"):
        assert gzip.decompress(Path(f"{name}.gz").read_bytes()).decode() == folder.read(name)
    before = Path("out.tsv.gz").read_bytes()
    assert folder.run("predict", "m.pl.gz", "d.pl.gz", "-o", "out.tsv.gz").code == 0
    assert Path("out.tsv.gz").read_bytes() == before


# Reading in parts


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
    """The memory limits of SWI-Prolog processes that were started, for their number; small files are read in parts."""
    limits: list[int] = []

    def start(memory_limit: int, time_limit: float | None, deadline: float | None = None) -> PrologProcess:
        limits.append(memory_limit)
        return PrologProcess(memory_limit, time_limit, deadline)

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
