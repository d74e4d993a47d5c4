"""Files that are not what they were: groundings, compiled code, runs. Each ends in a message, or in what it said.

Two kinds of damage: bytes that changed on the way, which digests tell, and files made to deceive, whose digests fit and
whose numbers do not fit together.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import random
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Folder

from lrnn_cli.errors import LrnnError
from lrnn_cli.grounding.archive import write_archive
from lrnn_cli.grounding.grounder import GrounderOptions, open_grounder
from lrnn_cli.grounding.groundings import parse_groundings, save_groundings
from lrnn_cli.language.files import Source
from lrnn_cli.network.collapse import collapse
from lrnn_cli.network.network import compile_network
from lrnn_cli.structure.options import StructureOptions
from lrnn_cli.structure.problem import make_problem
from lrnn_cli.structure.run_directory import RunDirectory

ROOT = Path(__file__).resolve().parents[1]
DAMAGED = "g.npz: the grounding file is damaged or of another kind; ground again\n"
TEMPLATE = """0.3 :: w(X) :- q(X).
0.5 :: r(X, Y) :- s(X, Y), Z is 3 + 4, t(Z).
0.1 :: z.
_ :: p(X) :- q(X), r(X, Y), w(Y), X \\== c.
"""
DATA = """t(7).
begin(model(m)).
q(a). s(a, b). s(b, c). 0.4 :: w(b). 0.7 :: q(b). r(a, c).
query(p(a), 1.0). query(z, 0.0). query(p(nowhere), 0.0).
end(model(m)).
begin(model(n)).
q(a). s(a, b). s(b, c). 0.4 :: w(b).
query(p(a), 1.0). query(s(a, b), 0.0).
end(model(n)).
"""


@pytest.fixture(scope="module")
def grounding(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A grounding file with tables, plain and weighted facts of predicates with rules, made objects and queries."""
    folder = tmp_path_factory.mktemp("grounding")
    (folder / "t.pl").write_text(TEMPLATE)
    (folder / "d.pl").write_text(DATA)
    command = [sys.executable, "-m", "lrnn_cli", "ground", "t.pl", "d.pl", "-o", "g.npz"]
    subprocess.run(command, cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=True, capture_output=True)
    return (folder / "g.npz").read_bytes()


def arrays_of(content: bytes) -> dict[str, np.ndarray]:
    with np.load(io.BytesIO(content)) as file:
        return {name: file[name] for name in file.files if name != "digest"}


def header_of(arrays: dict[str, np.ndarray]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(arrays["header"].tobytes())
    return found


def with_header(arrays: dict[str, np.ndarray], header: Any) -> dict[str, np.ndarray]:
    return {**arrays, "header": np.frombuffer(json.dumps(header).encode(), np.uint8)}


def outcome_of(content: bytes) -> str:
    """What reading and compiling gives: a message, or that all is well."""
    try:
        compile_network(parse_groundings("g.npz", content)).forward(np.ones(4))
    except LrnnError as error:
        return str(error) + "\n"
    return "well"


def test_what_was_written_is_read(grounding: bytes, folder: Folder) -> None:
    assert outcome_of(grounding) == "well"
    header = header_of(arrays_of(grounding))
    assert (header["version"], len(header["tables"])) == (3, 4)
    folder.write({"g.npz": grounding})
    assert folder.run("train", "g.npz", "-o", "m.pl", "--epochs", "1").code == 0


def test_changed_bytes(grounding: bytes) -> None:
    """Digests find what has changed; a file with another byte in it is refused, or that byte does not matter."""
    draw = random.Random(1)
    refused = 0
    for _ in range(300):
        content = bytearray(grounding)
        for _ in range(draw.choice([1, 1, 3, 30])):
            content[draw.randrange(4, len(content))] = draw.randrange(256)
        end = draw.choice([len(content), draw.randrange(5, len(content))])
        found = outcome_of(bytes(content[:end]))
        assert found in ("well", DAMAGED)
        refused += found == DAMAGED
        if found == "well":
            before, after = arrays_of(grounding), arrays_of(bytes(content[:end]))
            assert all(np.array_equal(before[name], after[name]) for name in before)
    assert refused > 200


def changed(array: np.ndarray, draw: random.Random) -> np.ndarray:
    """The array with another number, kind, shape or order."""
    kind = draw.randrange(8)
    if kind == 0 and array.size:
        array = array.copy()
        values = [-1, -2, 0, 1, 7, 9, 2**31 - 1, -(2**31)] if array.dtype == np.int32 else [np.nan, np.inf, 1e308, -1.0]
        array.flat[draw.randrange(array.size)] = draw.choice(values) if array.dtype != np.uint8 else draw.randrange(256)
        return array
    if kind == 1:
        return array[:-1]
    if kind == 2:
        return np.concatenate([array, array])
    if kind == 3:
        return array.astype(
            draw.choice([np.float32, np.int64, np.uint8, np.float64, np.int32, np.bool_, np.complex128])
        )
    if kind == 4:
        return array.reshape(-1)
    if kind == 5:
        return array[..., None]
    if kind == 6:
        return array[::-1]
    return np.zeros_like(array)


def changed_value(value: Any, draw: random.Random) -> Any:
    """A value for JSON with something else somewhere in it."""
    if isinstance(value, list) and value and draw.random() < 0.9:
        place = draw.randrange(len(value))
        action = draw.randrange(4)
        if action == 0:
            return value[:place] + value[place + 1 :]
        if action == 1:
            return [*value, value[place]]
        return [*value[:place], changed_value(value[place], draw), *value[place + 1 :]]
    if isinstance(value, dict) and value and draw.random() < 0.9:
        name = draw.choice(sorted(value))
        if draw.randrange(4) == 0:
            return {other: part for other, part in value.items() if other != name}
        return {**value, name: changed_value(value[name], draw)}
    return draw.choice([None, True, -1, 0, 10**400, 1.5, "", "p", "\n", "X", [], [[]], {}, {"a": 1}, 2**31, [None] * 3])


@pytest.fixture(scope="module")
def collapsed(grounding: bytes, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The same grounding file with what is distinct only."""
    path = tmp_path_factory.mktemp("collapsed") / "g.npz"
    save_groundings(collapse(parse_groundings("g.npz", grounding)), str(path))
    return path.read_bytes()


@pytest.mark.parametrize("version", [1, 2, 3, 4])
def test_numbers_that_do_not_fit_together(grounding: bytes, collapsed: bytes, version: int, tmp_path: Path) -> None:
    """The digests fit, the content does not; without a traceback, whatever it is."""
    draw = random.Random(version)
    original = arrays_of(collapsed if version == 4 else grounding)
    outcomes = []
    count = 150 if version == 4 else 200
    for _ in range(count):
        arrays = dict(original)
        header = {**header_of(arrays), "version": version}
        if draw.random() < 0.5:
            header = changed_value(header, draw)
        else:
            name = draw.choice(sorted(set(arrays) - {"header"}))
            arrays[name] = changed(arrays[name], draw)
        arrays = with_header(arrays, header)
        if version == 1:
            buffer = io.BytesIO()
            np.savez_compressed(buffer, allow_pickle=False, **arrays)
            content = buffer.getvalue()
        else:
            write_archive(str(tmp_path / "g.npz"), arrays)
            content = (tmp_path / "g.npz").read_bytes()
        outcomes.append(outcome_of(content))
    messages = [text for text in outcomes if text != "well"]
    assert len(messages) > count // 2
    assert all(text.endswith("ground again\n") or "A network must be free of cycles" in text for text in messages)


def test_distinct_groundings_of_a_cycle(tmp_path: Path) -> None:
    """Two atoms that are each derived from the other are in no file that was written here."""
    with open_grounder("swi", GrounderOptions()) as grounder:
        rules = grounder.read_template(Source("t.pl", b"1.0 :: p(Y) :- e(X, Y), p(X).\n1.0 :: p(X) :- q(X)."))
        data = grounder.load(Source("d.pl", b"q(a). e(a, b). e(b, c). query(p(c), 1)."))
        save_groundings(collapse(grounder.ground(rules, data)), str(tmp_path / "g.npz"))
    arrays = arrays_of((tmp_path / "g.npz").read_bytes())
    # p(a), p(b) and p(c) are atoms 0, 1 and 2; the first way derives the second from the first, and so on.
    assert (arrays["head0_atom"].tolist(), arrays["table0_atoms"].tolist()) == ([1, 2], [[0], [1]])
    arrays["table0_atoms"][0] = 2
    write_archive(str(tmp_path / "g.npz"), arrays)
    assert outcome_of((tmp_path / "g.npz").read_bytes()) == "g.npz: atoms depend on themselves; ground again\n"


FAULTS: dict[str, tuple[str, Any]] = {
    "object of no example": ("table0_objects", 9),
    "object of another example": ("table0_objects", 6),
    "negative object": ("table0_objects", -1),
    "example that is not there": ("table0_example", 2),
    "query of an example that is not there": ("query_example", -1),
    "predicate that is not there": ("query_predicate", 3),
    "argument missing": ("query_argument", -1),
    "infinite target": ("query_target", np.inf),
    "infinite weight": ("soft0_weight", np.inf),
    "objects in no order": ("first_object", 5),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("command", ["train", "show"])
def test_faults_of_arrays(grounding: bytes, fault: str, command: str, folder: Folder) -> None:
    name, value = FAULTS[fault]
    arrays = arrays_of(grounding)
    arrays[name] = arrays[name].copy()
    arrays[name].flat[0] = value
    write_archive("g.npz", arrays)
    options = ["-o", "m.pl", "--quiet"] if command == "train" else []
    outcome = folder.run(command, "g.npz", *options)
    assert (outcome.code, outcome.stdout, outcome.stderr) == (1, "", DAMAGED)
    assert set(folder.content()) == {"g.npz"}


def test_digest_of_other_content(grounding: bytes) -> None:
    """A weight that is as good as another, but not the one that was written."""
    arrays = arrays_of(grounding)
    header = header_of(arrays)
    assert header["rules"][0][3] == 0.3
    header["rules"][0][3] = 0.4
    with np.load(io.BytesIO(grounding)) as file:
        digest = file["digest"]
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, digest=digest, **with_header(arrays, header))
    assert outcome_of(buffer.getvalue()) == DAMAGED
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **arrays)
    assert outcome_of(buffer.getvalue()) == DAMAGED


def test_files_of_version_1(grounding: bytes) -> None:
    """They have no digest and are read; where the order of their tables was left to chance they are not."""
    arrays = arrays_of(grounding)
    header = header_of(arrays)
    del header["tables"]
    for rules, found in (
        (header["rules"], "well"),
        (header["rules"][::-1], "g.npz: grounding file of version 1, which does not tell which of its tables is which"),
    ):
        changed_header = {**header, "version": 1, "rules": rules}
        digest = hashlib.sha256("\n".join(clauses(changed_header)).encode()).hexdigest()
        buffer = io.BytesIO()
        changed_arrays = with_header(arrays, {**changed_header, "template_digest": digest})
        np.savez_compressed(buffer, allow_pickle=False, **changed_arrays)
        assert outcome_of(buffer.getvalue()).startswith(found)


def test_files_of_version_2(grounding: bytes, tmp_path: Path) -> None:
    """They have a text for each table, and no terms of guards."""
    arrays = arrays_of(grounding)
    header = {**header_of(arrays), "version": 2, "tables": ["[V0] (q(V0)) none []"] * 4}
    header["rules"] = [[*rule[:2], [guard[:2] for guard in rule[2]], *rule[3:]] for rule in header["rules"]]
    found = []
    for tables in (header["tables"], header["tables"][1:]):
        write_archive(str(tmp_path / "g.npz"), with_header(arrays, {**header, "tables": tables}))
        found.append(outcome_of((tmp_path / "g.npz").read_bytes()))
    assert found == ["well", DAMAGED]
    write_archive(str(tmp_path / "g.npz"), with_header(arrays, header))
    kept, new = (parse_groundings("g.npz", content) for content in ((tmp_path / "g.npz").read_bytes(), grounding))
    assert kept.template.text() == new.template.text()
    assert [[guard.goal for guard in rule.guards] for rule in kept.template.rules] == [[], [None], [], [None]]
    assert [len(rule.guards[0].goal or ()) for rule in new.template.rules if rule.guards] == [3, 3]


def clauses(header: dict[str, Any]) -> list[str]:
    """The rules of the template above without weights, in the order of the header, and the settings."""
    text = {
        "w": "w(X) :- q(X)",
        "r": "r(X, Y) :- s(X, Y), t(Z), Z is 3+4",
        "z": "z",
        "p": "p(X) :- q(X), r(X, Y), w(Y), X\\==c",
    }
    settings = ["activation, lukasiewicz", "steepness, 6.0", "offset, -0.5", "object_identity, false"]
    return [text[rule[0][0]] for rule in header["rules"]] + [f"setting({item})." for item in settings]


def test_later_version(grounding: bytes) -> None:
    arrays = arrays_of(grounding)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **with_header(arrays, {**header_of(arrays), "version": 5}))
    found = outcome_of(buffer.getvalue())
    assert found == "g.npz: grounding file of version 5, this program reads versions up to 4; ground again\n"


def test_small_file_that_unpacks_to_a_large_one(grounding: bytes) -> None:
    """100 MB of zeros in 100 kB are not unpacked: the message comes from the sizes alone."""
    arrays = arrays_of(grounding)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **arrays)
    with zipfile.ZipFile(buffer, "a", zipfile.ZIP_DEFLATED) as archive, archive.open("table9_example.npy", "w") as file:
        np.lib.format.write_array_header_1_0(file, {"descr": "<i4", "fortran_order": False, "shape": (25_000_000,)})
        for _ in range(100):
            file.write(bytes(1_000_000))
    assert len(buffer.getvalue()) < 200_000
    assert outcome_of(buffer.getvalue()) == DAMAGED


def test_order_of_tables_does_not_depend_on_chance(folder: Folder) -> None:
    """The rule that depends on others comes first; Python orders sets anew with each hash seed."""
    rules = "\n".join(
        [f"_ :: p(X) :- {', '.join(f'l{n}(X)' for n in range(8))}.", *(f"_ :: l{n}(X) :- q{n}(X)." for n in range(8))]
    )
    facts = " ".join(f"q{n}(a)." for n in range(8))
    folder.write({"t.pl": rules, "d.pl": f"begin(model(m)).\n{facts}\nquery(p(a), 1.0).\nend(model(m)).\n"})
    command = [sys.executable, "-m", "lrnn_cli", "ground", "t.pl", "d.pl", "-o"]
    for seed in ("1", "2", "3"):
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": seed}
        subprocess.run([*command, f"{seed}.npz"], cwd=folder.path, env=environment, check=True, capture_output=True)
    files = folder.content()
    assert files["1.npz"] == files["2.npz"] == files["3.npz"]


# Runs of structure learning

RUN = (
    "learn-structure",
    "d.pl",
    "--run-dir",
    "run",
    "-o",
    "m.pl",
    "--epochs",
    "2",
    "--final-epochs",
    "2",
    "--gain",
    "0",
)


@pytest.fixture(scope="module")
def run_files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """A run of one iteration, of two, for which there is no state yet."""
    path = tmp_path_factory.mktemp("run")
    names = [f"m{number}" for number in range(12)]
    blocks = [
        f"begin(model({name})).\nr(a, b). r(b, c). {'c(a). d(b).' if number % 2 else 'd(a). e(c).'} "
        f"{'e(b).' if number % 3 else ''}\nquery(p, {float(number % 2)}).\nend(model({name})).\n"
        for number, name in enumerate(names)
    ]
    (path / "d.pl").write_text("".join(blocks))
    command = [sys.executable, "-m", "lrnn_cli", *RUN, "--iterations", "1"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run(command, cwd=path, env=environment, check=True, capture_output=True)
    return {str(file.relative_to(path)): file.read_bytes() for file in sorted(path.rglob("*")) if file.is_file()}


def lay_out(folder: Folder, files: dict[str, bytes]) -> None:
    (folder.path / "run").mkdir(exist_ok=True)
    folder.write(files)


def resumed(folder: Folder, *more: str) -> tuple[int, str]:
    outcome = folder.run(*RUN, "--iterations", "1", "--resume", "--quiet", *more)
    return outcome.code, outcome.stderr


def test_run_goes_on(run_files: dict[str, bytes], folder: Folder) -> None:
    lay_out(folder, run_files)
    assert resumed(folder) == (0, "")
    assert folder.content()["m.pl"] == run_files["m.pl"]


def test_state_of_another_run(run_files: dict[str, bytes], folder: Folder) -> None:
    """The same data and rules with another seed: weights and random numbers are those of another model."""
    lay_out(folder, run_files)
    own = folder.read("run/configuration.json")
    folder.write({"run/configuration.json": own.replace('"seed": 1', '"seed": 2')})
    message = "this is the state of another run, with other options or other data; start a new run in another folder"
    assert resumed(folder, "--seed", "2") == (1, f"run/state.json: {message}\n")


class Run:
    """A recorded run to go on with, without starting SWI-Prolog for each try."""

    def __init__(self, files: dict[str, bytes]) -> None:
        with open_grounder("swi", GrounderOptions()) as grounder:
            self.data = grounder.load(Source("d.pl", files["d.pl"]))
            self.knowledge = grounder.knowledge(self.data)
        configuration = json.loads(files["run/configuration.json"])
        self.options = StructureOptions(**configuration["options"])
        self.digest = configuration["data_digest"]

    def go_on(self) -> str:
        """What the message is, empty if it goes on."""
        try:
            run = RunDirectory("run", self.options, self.digest, True)
            run.restore(make_problem(self.data, self.knowledge, self.data.queries, self.options))
        except LrnnError as error:
            return str(error)
        return ""


@pytest.fixture(scope="module")
def run(run_files: dict[str, bytes]) -> Run:
    return Run(run_files)


@pytest.mark.parametrize("name", ["state.json", "configuration.json", "model_1.pl", "embedding_1.csv", "history_1.csv"])
def test_changed_files_of_a_run(run_files: dict[str, bytes], run: Run, name: str, folder: Folder) -> None:
    """Whatever bytes change, a run does not go on from them."""
    draw = random.Random(name)
    lay_out(folder, run_files)
    assert run.go_on() == ""
    for number in range(60):
        content = bytearray(run_files[f"run/{name}"])
        place = draw.randrange(len(content))
        if number % 3 == 0:
            content = content[:place]
        elif number % 3 == 1:
            content[place] = (content[place] + 1 + draw.randrange(200)) % 256
        else:
            content[place:place] = draw.choice([b"\xff", b"9", b"[" * 100_000, b"\0", b"\n1"])
        lay_out(folder, {**run_files, f"run/{name}": bytes(content)})
        message = run.go_on()
        if message:
            assert message.startswith(("run/", "run: "))
        else:
            # The change is one of blanks between the words of JSON.
            assert json.loads(content) == json.loads(run_files[f"run/{name}"])


def test_forged_states(run_files: dict[str, bytes], run: Run, folder: Folder) -> None:
    """States whose digests fit."""
    draw = random.Random(4)
    original = json.loads(run_files["run/state.json"])
    del original["digest"]
    lay_out(folder, run_files)
    messages = []
    for _ in range(300):
        state = changed_value(original, draw)
        if isinstance(state, dict):
            digest = hashlib.sha256(json.dumps(state, sort_keys=True).encode()).hexdigest()
            folder.write({"run/state.json": json.dumps({**state, "digest": digest})})
            messages.append(run.go_on())
    assert all(message == "" or message.startswith(("run/", "the recorded run")) for message in messages)
    assert sum(map(bool, messages)) > 150


def test_run_of_an_earlier_version(run_files: dict[str, bytes], folder: Folder) -> None:
    state = json.loads(run_files["run/state.json"])
    del state["digest"]
    lay_out(folder, {**run_files, "run/state.json": json.dumps(state).encode()})
    message = "this run was recorded by an earlier version of lrnn; start a new run in another folder"
    assert resumed(folder) == (1, f"run/state.json: {message}\n")


@pytest.mark.parametrize("command", ["show", "plot"])
def test_showing_damaged_runs(run_files: dict[str, bytes], command: str, folder: Folder) -> None:
    draw = random.Random(command)
    names = ["configuration.json", "statistics.json", "iterations.csv", "rules.csv", "embedding_1.csv", "history_1.csv"]
    for number in range(30):
        name = names[number % len(names)]
        content = bytearray(run_files[f"run/{name}"])
        for _ in range(draw.choice([1, 5])):
            content[draw.randrange(len(content))] = draw.choice(b'\xff\0",\n[{}x-1')
        lay_out(folder, {**run_files, f"run/{name}": bytes(content[: draw.choice([len(content), 3, 0])])})
        outcome = folder.run(command, "run", *(["-o", "figures", "--quiet"] if command == "plot" else []))
        assert outcome.code in (0, 1)
        assert outcome.code == 0 or outcome.stderr.startswith("run")


NO_METRICS = (
    '{"a": ',
    '{"a": [1]}',
    '{"members": [1]}',
    '{"members": [{}]}',
    '{"intervals_95": {"a": [1]}, "a": 1.0}',
    '{"a": ' + "[" * 100_000,
    '{"a": NaN}',
    '{"a": 1' + "0" * 10_000 + "}",
    '{"intervals_95": 1, "a": 1.0}',
)


def test_metrics_that_are_none(folder: Folder) -> None:
    for text in NO_METRICS:
        folder.write({"metrics.json": text})
        outcome = folder.run("show", "metrics.json")
        assert (outcome.code, outcome.stdout) == (1, "")
        assert outcome.stderr.startswith("metrics.json:")


# Compiled code


SMALL_CODE = """
from functools import partial
from pathlib import Path
import numba
from lrnn_cli.training.compilation import machine_code
from lrnn_cli.training.machine_code import KeptCode


@numba.njit
def squares(count):
    total = 0.0
    for number in range(count):
        total += number * number
    return total


print(KeptCode("squares", [Path(__file__)], partial(machine_code, squares))(10))
"""


def with_holes(content: bytes) -> bytes:
    middle = len(content) // 2
    return content[:middle] + bytes(64) + content[middle + 64 :]


def test_damaged_compiled_code(folder: Folder) -> None:
    """Garbage in the place of machine code, or holes in it: the code is compiled anew, with the same result."""
    folder.write({"small.py": SMALL_CODE})
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(folder.path / "cache")}

    def run() -> dict[str, bytes]:
        command = [sys.executable, "small.py"]
        done = subprocess.run(command, cwd=folder.path, env=environment, capture_output=True, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"285.0\n", b"")
        return {name: content for name, content in folder.content().items() if name.endswith(".code")}

    kept = run()
    assert len(kept) == 1
    assert run() == kept
    holes = {name: with_holes(content) for name, content in kept.items()}
    for damaged in (dict.fromkeys(kept, b"garbage"), dict.fromkeys(kept, b""), holes):
        folder.write(damaged)
        mended = run()
        assert all(mended[name] != content for name, content in damaged.items())


def test_ensemble_that_was_stopped_goes_on(run_files: dict[str, bytes], folder: Folder) -> None:
    """The second member had not begun: it has no folder."""
    folder.write({"d.pl": run_files["d.pl"]})
    command = [*RUN, "--iterations", "1", "--ensemble", "2", "--quiet"]
    assert folder.run(*command).code == 0
    whole = folder.content()["m.pl"]
    shutil.rmtree("run/member_2")
    outcome = folder.run(*command, "--resume")
    assert (outcome.code, outcome.stderr) == (0, "")
    assert folder.content()["m.pl"] == whole
