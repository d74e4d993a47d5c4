"""Cases for the fuzzer from files that commands write themselves: groundings, run directories, metrics, predictions."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any
from unittest import mock

import numpy as np
from fuzz_check import Case, Laboratory
from fuzz_texts import DATA, GROUND, LEARN, LIMITS, PLAIN_DATA, TEMPLATE, TRAIN, damaged, damaged_bytes
from hypothesis import strategies as st

from lrnn_cli.structure.run_directory import RunDirectory

SHOW = ("show", "g.npz", "--rows", "3")
RESUME = ("learn-structure", "d.pl", "-o", "m.pl", "--run-dir", "run", *LEARN[2:], "--iterations", "2")
STATE = "run/state.json"
VALUES: tuple[Any, ...] = (
    *(None, True, -1, 0, 1, 3, 2**31, 2**63, 10**30, -(2**40), 0.5, 1e308, float("nan"), float("inf"), "", "x", "a\nb"),
    *(
        "-9.0 :: q.\n% ",
        "1",
        "\x1b[2J",
        "\u202e",
        [],
        [[]],
        [1, 2, 3],
        ["a"],
        {},
        {"a": 1},
        [None],
        [["p", 1]],
        "9" * 5000,
    ),
)
"""What a place of a JSON document becomes."""
NUMBERS = (0, 1, -1, 2, 7, 127, 2**15, 2**31 - 1, -(2**31), 2**40, float("nan"), float("inf"), 1e308)
TYPES = ("int8", "int16", "int32", "int64", "uint8", "uint64", "float16", "float64", "bool", "complex128", "U4", "S3")


# JSON


def _places(document: Any) -> Iterator[tuple[Any, Any]]:
    """All containers of a document, with a key or an index."""
    if isinstance(document, (dict, list)):
        for key in list(document) if isinstance(document, dict) else range(len(document)):
            yield document, key
            yield from _places(document[key])


@st.composite
def damaged_json(draw: st.DrawFn, content: bytes) -> bytes:
    """A document with some values changed, removed, doubled or exchanged."""
    document = json.loads(content)
    for _ in range(draw(st.integers(1, 2))):
        places = list(_places(document))
        if not places:
            break
        # Top-level values are few among all, and matter most.
        if draw(st.booleans()):
            places = [place for place in places if place[0] is document] or places
        container, key = draw(st.sampled_from(places))
        change = draw(st.sampled_from(("set", "set", "set", "delete", "double", "wrap", "nudge")))
        value = container[key]
        if change == "delete":
            del container[key]
        elif change == "double" and isinstance(container, list):
            container.append(value)
        elif change == "wrap":
            container[key] = [value]
        elif change == "nudge" and isinstance(value, (int, float)):
            container[key] = value + draw(st.sampled_from((1, -1, 0.5, 1000)))
        else:
            container[key] = draw(st.sampled_from(VALUES))
    return json.dumps(document, ensure_ascii=draw(st.booleans())).encode("utf-8", "surrogatepass")


# Grounding files


@cache
def _arrays(content: bytes) -> Mapping[str, np.ndarray]:
    with np.load(io.BytesIO(content), allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


def _archive(arrays: dict[str, np.ndarray]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in arrays.items():
            member = io.BytesIO()
            np.lib.format.write_array(member, np.asanyarray(array), allow_pickle=True)
            # The same arrays give the same bytes, so that cases do not depend on the time of day.
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), member.getvalue())
    return buffer.getvalue()


@st.composite
def damaged_array(draw: st.DrawFn, array: np.ndarray) -> np.ndarray:
    change = draw(st.sampled_from(("value", "value", "value", "type", "shape", "rows", "order", "object")))
    array = array.copy()
    if array.dtype == object:
        return array
    if change == "value" and array.size and array.dtype.kind in "iufb":
        place = draw(st.integers(0, array.size - 1))
        wide = array.astype(np.float64 if array.dtype.kind == "f" else np.int64)
        number = draw(st.sampled_from(NUMBERS))
        if wide.dtype.kind == "f":
            wide.flat[place] = number
        else:
            wide.flat[place] = int(number) if abs(number) < 2**62 else -5
        with np.errstate(all="ignore"):
            return wide if draw(st.booleans()) and array.dtype != np.uint8 else wide.astype(array.dtype)
    if change == "type":
        with np.errstate(all="ignore"):
            return array.astype(draw(st.sampled_from(TYPES)))
    if change == "shape":
        shapes = (array.reshape(-1), array[None], array[..., None], array.reshape(-1)[:0], np.array(3), array.T)
        return draw(st.sampled_from(shapes))
    if change == "rows" and array.ndim and len(array):
        place = draw(st.integers(0, len(array) - 1))
        rows = (array[place:], array[:place], np.concatenate([array, array[place : place + 1]]))
        return draw(st.sampled_from((*rows, np.concatenate([array, array]))))
    if change == "order" and array.ndim:
        return draw(st.sampled_from((array[::-1], np.roll(array, 1, axis=0))))
    if change == "object":
        return np.array([{"a": 1}], dtype=object)
    return array


def forged_arrays(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The arrays with a digest that fits, if they have one: only then is the rest looked at."""
    if "digest" not in arrays:
        return arrays
    digest = hashlib.sha256()
    for name in sorted(arrays.keys() - {"digest"}):
        array = np.ascontiguousarray(arrays[name])
        digest.update(f"{name} {array.dtype.str} {array.shape}\n".encode() + array.tobytes())
    return {**arrays, "digest": np.frombuffer(digest.digest(), np.uint8)}


@st.composite
def damaged_arrays(draw: st.DrawFn, content: bytes) -> bytes:
    """A grounding file that is a sound archive, but not what it was; most of them with a digest that fits."""
    arrays = dict(_arrays(content))
    for _ in range(draw(st.integers(1, 2))):
        name = draw(st.sampled_from(sorted(arrays)))
        change = draw(st.sampled_from(("header", "header", "array", "array", "array", "array", "drop", "exchange")))
        if change == "header" and "header" in arrays:
            try:
                header = draw(damaged_json(arrays["header"].tobytes()))
            except (UnicodeDecodeError, json.JSONDecodeError):
                continue  # It was damaged before.
            arrays["header"] = np.frombuffer(header, np.uint8)
        elif change == "drop":
            del arrays[name]
        elif change == "exchange":
            other = draw(st.sampled_from(sorted(arrays)))
            arrays[name], arrays[other] = arrays[other], arrays[name]
        else:
            arrays[name] = draw(damaged_array(arrays[name]))
    return _archive(forged_arrays(arrays) if draw(st.integers(0, 3)) else arrays)


def groundings(laboratory: Laboratory) -> st.SearchStrategy[Case]:
    """Damaged grounding files, to be shown and trained."""
    sound = []
    for template, data in ((TEMPLATE, DATA), ("0.5 :: east :- next(X, Y), roof(X).\n_ :: east.\n", PLAIN_DATA)):
        made = laboratory.made({"t.pl": template.encode(), "d.pl": data.encode()}, GROUND, TRAIN)
        sound.append((made["g.npz"], made["m.pl"]))

    @st.composite
    def case(draw: st.DrawFn) -> Case:
        content, model = draw(st.sampled_from(sound))
        commands = draw(st.sampled_from(((SHOW, TRAIN), (TRAIN,), (TRAIN,), (SHOW,))))
        if draw(st.integers(0, 3)) == 0:
            expected = {"m.pl": model} if TRAIN in commands else {}
            return Case("groundings", {"g.npz": draw(damaged_bytes(content))}, commands, expected)
        return Case("groundings", {"g.npz": draw(damaged_arrays(content))}, commands)

    return case()


# Run directories


def forged_state(content: bytes) -> bytes:
    """The state of a run with a digest that fits, if it has one."""
    try:
        state = json.loads(content)
    except (UnicodeDecodeError, json.JSONDecodeError):
        return content
    if not isinstance(state, dict) or "digest" not in state:
        return content
    del state["digest"]
    digest = hashlib.sha256(json.dumps(state, sort_keys=True).encode()).hexdigest()
    return json.dumps({**state, "digest": digest}).encode()


def runs(laboratory: Laboratory) -> st.SearchStrategy[Case]:
    """Damaged run directories, to be gone on with, shown and drawn."""
    data = {"d.pl": PLAIN_DATA.encode()}
    record = RunDirectory.record
    unhurried = (*RESUME, "--time-limit", "60")

    def interrupted(*arguments: Any) -> None:
        record(*arguments)
        raise KeyboardInterrupt

    with mock.patch.object(RunDirectory, "record", interrupted):
        half = laboratory.made(data, unhurried)
    whole = laboratory.made(data, unhurried)
    model = whole.pop("m.pl")
    del half["m.pl"]
    resumed = (*RESUME, "--resume")

    @st.composite
    def case(draw: st.DrawFn) -> Case:
        files = dict(draw(st.sampled_from((half, half, whole))))
        names = sorted(name for name in files if name.startswith("run/"))
        for _ in range(draw(st.integers(1, 2))):
            wanted = draw(st.sampled_from((STATE, STATE, "run/configuration.json", "")))
            name = wanted if wanted in files else draw(st.sampled_from(names))
            change = draw(st.sampled_from(("delete", "json", "json", "json", "json", "bytes", "text")))
            if name not in files:
                continue
            if change == "delete":
                del files[name]
            elif change == "json" and name.endswith(".json"):
                try:
                    files[name] = draw(damaged_json(files[name]))
                except (UnicodeDecodeError, json.JSONDecodeError):
                    continue  # It was damaged before.
            elif change == "bytes":
                files[name] = draw(damaged_bytes(files[name]))
            else:
                files[name] = draw(damaged(files[name]))
        if STATE in files and draw(st.booleans()):
            files[STATE] = forged_state(files[STATE])
            return Case("runs", files, (resumed,))
        if draw(st.booleans()):
            return Case("runs", files, (resumed,), {"m.pl": model})
        # Drawing takes a hundred times as long as reading what is drawn.
        if draw(st.integers(0, 14)) != 7:
            return Case("runs", files, (("show", "run"),))
        return Case("runs", files, (("plot", "run", "-o", "figures"),))

    return case()


# Results


METRICS = (
    b'{"accuracy": 0.75, "error": 0.25, "auc_roc": 1.0, "auc_pr": 1.0, "log_loss": 0.5, "squared_loss": 0.1, '
    b'"queries": 4, "positives": 2, "majority": 0.5, "intervals_95": {"accuracy": [0.3, 0.9]}}\n'
)
PREDICTIONS = b"example\tatom\ttarget\toutput\nm1\tp(a)\t1.0\t0.75\nm2\tp(b)\t0.0\t0.25\nm3\ts\t1.0\t0.5\n"
RECORD = (
    b'{"asked": {"digest": "0"}, "seed": 2, "versions": "lrnn 0.1", "steps": [{"name": "learn", "command": "lrnn '
    b'learn-structure d.pl", "seconds": 1.5}, {"name": "predict", "command": "lrnn predict", "message": "no"}]}\n'
)
MODEL = b"setting(activation, lukasiewicz).\n0.5 :: s :- c(X).\n-0.25 :: s.\n"
MOLECULES = (
    "\n".join(
        [
            *("ethanol", "  made by hand", "", "  3  2  0  0  0  0            999 V2000"),
            *(f"    0.0000    0.0000    0.0000 {symbol}   0  0  0  0  0" for symbol in ("C", "C", "O")),
            *("  1  2  1  0", "  2  3  1  0", "M  END", ">  <activity>", "1", "", "$$$$", ""),
        ]
    ).encode()
    * 2
)
FOLD_FILES = {
    f"results/data/{learner}/fold{fold}/{name}": content
    for learner in ("lrnn", "nfoil")
    for fold in (1, 2)
    for name, content in (
        *(("predictions.tsv", PREDICTIONS), ("metrics.json", METRICS), ("task.json", RECORD), ("model.pl", MODEL)),
    )
} | {"results/data/lrnn/settings.json": b'{"data": "d.pl", "learner": "lrnn", "folds": [1, 2], "seeds": [1]}\n'}


@st.composite
def results(draw: st.DrawFn) -> Case:
    """Damaged metrics, predictions and records of crossvalidations, and structure-data files."""
    kind = draw(st.sampled_from(("metrics", "folds", "folds", "molecules")))
    if kind == "metrics":
        metrics = draw(damaged_json(METRICS) | damaged(METRICS))
        return Case("results", {"metrics.json": metrics}, (("show", "metrics.json"),))
    if kind == "molecules":
        options = draw(st.sampled_from(((), ("--hydrogens",), ("--skip-faulty",), ("--atom-types", "both"))))
        command = ("import", "x.sdf", "--label", "activity", *options, "-o", "d.pl", "--quiet")
        return Case("results", {"x.sdf": draw(damaged(MOLECULES))}, (command, ("check", "d.pl", *LIMITS)))
    files = dict(FOLD_FILES)
    name = draw(st.sampled_from(sorted(files)))
    if draw(st.integers(0, 9)) == 0:
        del files[name]
    elif name.endswith(".json"):
        files[name] = draw(damaged_json(files[name]))
    else:
        files[name] = draw(damaged(files[name]))
    commands = (
        ("summarise", "results/data/lrnn"),
        ("summarise", "results/data/lrnn", "--json"),
        ("report", "results", "--format", "text"),
        ("report", "results", "-o", "report.json"),
        ("report", "results", "-o", "report.html"),
    )
    # The figures of a page take most of a second.
    number = draw(st.sampled_from((0, 0, 0, 1, 1, 2, 2, 2, 3, 3, 3, 4)))
    return Case("results", files, (commands[number],))
