"""JSON files: whatever is in them, a dictionary comes out, or a message that names the file."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from lrnn_cli.errors import ReadError
from lrnn_cli.language.files import read_bytes


def read_json(path: str) -> dict[str, Any]:
    """The object in a JSON file."""
    return parse_json(*read_bytes(path))


def parse_json(name: str, content: bytes) -> dict[str, Any]:
    """The object in the text of a JSON file; numbers are finite."""
    try:
        parsed = json.loads(content.decode(), parse_constant=_refused)
    except json.JSONDecodeError as error:
        raise ReadError(f"{name}:{error.lineno}:{error.colno}: this is not valid JSON: {error.msg}") from None
    except UnicodeDecodeError:
        raise ReadError(f"{name}: this is not UTF-8 text; write it again") from None
    except (ValueError, RecursionError):
        # Numbers with thousands of digits, infinite ones, and brackets in brackets without end.
        raise ReadError(f"{name}: this JSON has numbers or brackets beyond all measure; write it again") from None
    if not isinstance(parsed, dict):
        raise ReadError(f"{name}:1:1: a JSON object is expected here; write it again")
    return parsed


def _refused(constant: str) -> NoReturn:
    raise ValueError(constant)
