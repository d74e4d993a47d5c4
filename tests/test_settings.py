"""Options of the library: bounds hold for calls from Python as they do on the command line."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from lrnn_cli.errors import LrnnError
from lrnn_cli.settings import check_settings, setting


@dataclass(frozen=True)
class Options:
    size: int = setting(3, "How many.", least=1, most=5)
    rate: float = setting(0.5, "How fast.", above=0, below=1)
    kind: str = setting("mean", "What.", choices=("mean", "sqrt"))
    count: int | None = setting(None, "How often.", kind=int, least=1)
    wanted: bool = setting(True, "Whether.")
    free: int = -7


def test_metadata_and_defaults() -> None:
    field = Options.__dataclass_fields__["rate"]
    assert (Options().rate, field.metadata["help"], field.metadata["above"]) == (0.5, "How fast.", 0)
    check_settings(Options())
    check_settings(Options(size=5, rate=0.999, kind="sqrt", count=1, wanted=False))


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"size": 0}, "the option size is 0; give a number that is at least 1"),
        ({"size": 6}, "the option size is 6; give a number that is at most 5"),
        ({"size": 2.0}, "the option size is 2.0; give an integer"),
        ({"size": True}, "the option size is True; give an integer"),
        ({"rate": 0.0}, "the option rate is 0.0; give a number that is more than 0"),
        ({"rate": 1}, "the option rate is 1; give a number that is less than 1"),
        ({"rate": float("nan")}, "the option rate is nan; give a number that is more than 0"),
        ({"rate": "fast"}, "the option rate is 'fast'; give a number"),
        ({"kind": "sum"}, "the option kind is 'sum'; choose one of mean, sqrt"),
        ({"count": 0}, "the option count is 0; give a number that is at least 1"),
        ({"size": None}, "the option size is None; give an integer"),
        ({"wanted": 1}, "the option wanted is 1; give True or False"),
    ],
)
def test_bounds(change: dict[str, object], text: str) -> None:
    with pytest.raises(LrnnError) as error:
        check_settings(replace(Options(), **change))  # type: ignore[arg-type]
    assert str(error.value) == text
