"""Tasks on a cluster: three workers, one of which is killed in the middle; commands on them are only pretended."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, Any

import distributed
import pytest
from conftest import Folder
from pretended import pretend

from lrnn_cli.errors import LrnnError
from lrnn_cli.plan.cluster import OnCluster
from lrnn_cli.plan.executors import Commands
from lrnn_cli.plan.parts import LOG, AskedPart, GroundPart

DATA = "begin(model(m)). query(p, 1). end(model(m)).\n"


def waiting(folder: str, commands: Commands, words: Sequence[str], log: IO[bytes]) -> int:
    """Pretends a command: it notes the process it is in, and that of fold 1 waits until it may go on.

    nFOIL of fold 2 fails, and kFOIL of fold 2 kills its worker.
    """
    number = words[words.index("--fold") + 1] if "--fold" in words else "none"
    with open(Path(folder, "noted"), "a") as noted:
        noted.write(f"{words[1]} {number} {os.getpid()}\n")
    if words[0] == "baseline" and number == "1":
        while not Path(folder, "go").exists():
            time.sleep(0.02)
    if words[:2] == ["baseline", "kfoil"] and number == "2":
        os.kill(os.getpid(), signal.SIGKILL)
    failing = words[:2] == ["baseline", "nfoil"] and number == "2" and not Path(folder, "mended").exists()
    return pretend(words, log, {}, failing)


def grounding(folder: str, ground: Callable[[GroundPart, AskedPart], Any], task: GroundPart, asked: AskedPart) -> Any:
    """Grounds a part, but that of the first lines only when it may go on; on a fire or a flood never."""
    Path(folder, f"grounding{asked.part.lines}").write_text(str(os.getpid()))
    while asked.part.lines == 0 and not Path(folder, "ground").exists():
        time.sleep(0.02)
    if Path(folder, "fire").exists():
        LOG.info("it becomes warm")
        raise RuntimeError("fire")
    if Path(folder, "flood").exists():
        LOG.info("it becomes wet")
        time.sleep(0.3)
        os.kill(os.getpid(), signal.SIGKILL)
    return ground(task, asked)


def patch(folder: str) -> None:
    setattr(Commands, "run", lambda commands, words, log: waiting(folder, commands, words, log))  # noqa: B010
    ground = GroundPart.__call__
    setattr(GroundPart, "__call__", lambda task, asked: grounding(folder, ground, task, asked))  # noqa: B010


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Three workers; the second death of a worker with the same task is one too many."""
    import dask

    folder = str(tmp_path_factory.mktemp("noted"))
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 1}),
        distributed.LocalCluster(n_workers=3, threads_per_worker=1, dashboard_address="127.0.0.1:0") as workers,
        distributed.Client(workers) as client,
    ):
        client.register_plugin(Patched(folder))
        yield workers, Path(folder)


class Patched(distributed.WorkerPlugin):  # type: ignore[misc]
    """Workers pretend commands from the start, those that replace others, too."""

    name = "pretended"

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def setup(self, worker: Any) -> None:
        patch(self.folder)


def noted(path: Path) -> list[list[str]]:
    return [line.split() for line in path.read_text().splitlines()] if path.exists() else []


def test_a_worker_that_dies_is_replaced(folder: Folder, cluster: Any) -> None:
    """Its task is done by another; a task that fails is shown with its log, and one that kills workers is given up."""
    workers, place = cluster
    folder.write({"data.pl": DATA})
    command = ("crossvalidate", "data.pl", "--folds", "3", "--cluster", workers.scheduler_address)
    learners = ("--learner", "nfoil", "--learner", "kfoil")
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(folder.run, *command, *learners)
        deadline = time.monotonic() + 60
        while not (killed := [pid for name, fold, pid in noted(place / "noted") if (name, fold) == ("nfoil", "1")]):
            assert time.monotonic() < deadline and not running.done()
            time.sleep(0.02)
        os.kill(int(killed[0]), signal.SIGKILL)
        (place / "go").touch()
        outcome = running.result()
    assert outcome.code == 1
    processes = [pid for name, fold, pid in noted(place / "noted") if (name, fold) == ("nfoil", "1")]
    # It can be done a third time, where the worker that a later task kills has it.
    assert len(processes) >= 2 and processes[0] not in processes[1:]
    results = folder.path / "results/data"
    done = sorted(str(path.parent.relative_to(results)) for path in results.rglob("predictions.tsv"))
    assert done == ["kfoil/fold1", "kfoil/fold3", "nfoil/fold1", "nfoil/fold3"]
    assert "data/nfoil fold 2 failed; results/data/nfoil/fold2/log ends with\nno luck\nat all\n" in outcome.stderr
    assert "data/kfoil fold 2 failed" in outcome.stderr and "KilledWorker" in outcome.stderr
    assert outcome.stderr.endswith("2 tasks failed; what is done is kept, and the same call does the rest\n")
    found = json.loads(folder.run("report", "results", "--format", "json", "--quiet").stdout)["results"]
    assert found[0]["missing"] == {"2": "failed: at all"}
    assert found[1]["missing"]["2"].startswith("failed: KilledWorker")

    # The rest, with the data where all can read them, and the same address from the environment.
    (place / "mended").touch()
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("DASK_SCHEDULER_ADDRESS", workers.scheduler_address)
        outcome = folder.run(*command[:4], "--learner", "nfoil", "--shared-data")
    assert outcome.code == 0, outcome.stderr
    assert outcome.stderr.startswith("data/nfoil fold 2 done, 1 of 1")
    assert outcome.stdout.startswith("3 folds, 3 queries")
    # Messages name files as the user does.
    assert json.loads(folder.read("results/data/nfoil/fold2/task.json"))["steps"][0]["command"] == (
        "lrnn baseline nfoil data.pl --folds 3 --fold 2 --seed 1 --jobs 1 -o results/data/nfoil/fold2/model.pl"
    )
    model = folder.read("results/data/nfoil/fold1/model.pl")
    assert model == "baseline nfoil data.pl --folds 3 --fold 1 --seed 1 --jobs 1 -o results/data/nfoil/fold1/model.pl"


TEMPLATE = """_ :: bright(X) :- lamp(X).
0.5 :: bright(X) :- next(X, Y), bright(Y).
_ :: p :- bright(X), heavy(X).
"""
BLOCK = """begin(model(m{0})).
lamp(x). next(y, x). 0.{1} :: heavy(y). {2}
query(p, {3}).
end(model(m{0})).
"""


def test_grounding_in_parts(folder: Folder, cluster: Any) -> None:
    """The file of a cluster of which a worker is killed is that of one machine, and so is the model.

    Background clauses stand in the first part, facts that they need and a weighted predicate's only ones in others.
    """
    workers, place = cluster
    blocks = [BLOCK.format(n, 1 + n % 4, "iron(x)." if n % 3 else "0.5 :: gold(x).", n % 2) for n in range(12)]
    folder.write(
        {
            "template.pl": TEMPLATE,
            "data.pl": f"heavy(X) :- metal(M), made(X, M).\n{''.join(blocks)}metal(iron). made(x, iron).\n",
        }
    )
    command = ("ground", "template.pl", "data.pl")
    spread = (*command, "--cluster", workers.scheduler_address)
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(folder.run, *spread, "--parts", "3", "-o", "spread.npz")
        deadline = time.monotonic() + 60
        while not (place / "grounding0").exists() or not (killed := (place / "grounding0").read_text()):
            assert time.monotonic() < deadline and not running.done()
            time.sleep(0.02)
        os.kill(int(killed), signal.SIGKILL)
        (place / "ground").touch()
        outcome = running.result()
    assert outcome.code == 0, outcome.stderr
    assert (place / "grounding0").read_text() != killed
    assert len(list(place.glob("grounding*"))) == 3
    assert folder.run(*command, "--parts", "1", "-o", "one.npz").code == 0
    assert folder.run(*spread, "--parts", "2", "--shared-data", "-o", "shared.npz").code == 0
    assert folder.run(*command, "-o", "all.npz").code == 0
    found = folder.content()
    assert found["spread.npz"] == found["one.npz"] == found["shared.npz"]
    for name in ("one", "all"):
        assert folder.run("train", f"{name}.npz", "--epochs", "5", "-o", f"{name}.pl").code == 0
    assert folder.read("one.pl") == folder.read("all.pl")

    # What keeps failing is told with what it said last, from whichever worker.
    (place / "fire").touch()
    outcome = folder.run(*spread, "--parts", "1", "-o", "failed.npz")
    assert outcome.code == 1
    assert (
        "part 1 of 1 of the work was given up by the cluster: RuntimeError: fire; its log ends with\n" in outcome.stderr
    )
    assert "it becomes warm\n" in outcome.stderr and outcome.stderr.count(" RuntimeError: fire\n") > 1
    (place / "fire").rename(place / "flood")
    outcome = folder.run(*spread, "--parts", "1", "-o", "failed.npz")
    assert outcome.code == 1
    assert "given up by the cluster: KilledWorker: " in outcome.stderr and "it becomes wet\n" in outcome.stderr
    assert "failed.npz" not in folder.content()
    (place / "flood").unlink()


def test_members_of_an_ensemble(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """What workers learn is what one process learns; errors come back as they are."""
    block = "begin(model(m{0})). {1} query(p, {2}). end(model(m{0})).\n"
    kinds = ["a(x). r(x, y). b(y).", "a(x). r(y, x). b(y).", "b(x). r(x, y). b(y).", "a(x). c(y)."]
    folder.write({"data.pl": "".join(block.format(number, kinds[number % 4], number % 2) for number in range(40))})
    least = [
        "--epochs",
        "2",
        "--final-epochs",
        "2",
        "--dimension",
        "1",
        "--beam",
        "1",
        "--layers",
        "1",
        "--length",
        "2",
    ]
    command = ("learn-structure", "data.pl", "--ensemble", "2", "--iterations", "1", *least)
    monkeypatch.setattr("lrnn_cli.plan.cluster.LOOK", 0.02)
    monkeypatch.setattr("lrnn_cli.structure.ensemble.SMALL", 10)
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, dashboard_address="127.0.0.1:0"
    ) as workers:
        expected = folder.run(*command, "--jobs", "1")
        assert expected.code == 0, expected.stderr
        spread = folder.run(*command, "--cluster", workers.scheduler_address)
        assert (spread.code, spread.stdout) == (0, expected.stdout), spread.stderr
        on_cluster = OnCluster(distributed.Client(workers))
        with pytest.raises(LrnnError, match="number 1"), on_cluster.client:
            list(on_cluster(refused, 3, 1))
    outcome = folder.run(*command, "--cluster", "local:2", "--run-dir", "run")
    assert outcome.code == 2 and "--run-dir and --budget are for one machine" in outcome.stderr


def refused(number: int) -> int:
    if number == 1:
        raise LrnnError("number 1")
    return number


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (("--cluster", "host"), 1, "--cluster host: name a scheduler, such as tcp://host:8786, or processes here"),
        (("--cluster", "local:0"), 1, "--cluster local:0: name a scheduler"),
        (("--cluster", "tcp://127.0.0.1:9"), 1, "tcp://127.0.0.1:9: the cluster does not answer"),
        (("--cluster", "local:2", "--launch", "srun"), 2, "--launch is for processes of this machine"),
    ],
)
def test_wrong_clusters(
    folder: Folder, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], code: int, message: str
) -> None:
    monkeypatch.setattr("lrnn_cli.plan.cluster.PATIENCE", 0.5)
    folder.write({"data.pl": DATA})
    outcome = folder.run("crossvalidate", "data.pl", *options)
    assert outcome.code == code
    assert message in outcome.stderr
    assert not (folder.path / "results").exists()


def test_clusters_need_dask(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    folder.write({"data.pl": DATA})
    outcome = folder.run("crossvalidate", "data.pl", "--cluster", "local:2")
    assert (outcome.code, outcome.stderr) == (1, "clusters need Dask; install it with pip install 'lrnn[cluster]'\n")


def test_an_address_without_what_it_needs(folder: Folder) -> None:
    """Dask has no settings for TLS here; an address with control characters is none."""
    folder.write({"data.pl": DATA})
    secured = folder.run("crossvalidate", "data.pl", "--cluster", "tls://localhost:1")
    assert secured.code == 1 and secured.stderr.startswith("tls://localhost:1: the cluster does not answer: ")
    odd = folder.run("crossvalidate", "data.pl", "--cluster", "\x1b[2J")
    assert odd.code == 1 and odd.stderr.startswith("--cluster \\x1b\\[2J: name a scheduler")
