"""Template and model files, read by a SWI-Prolog process."""

from __future__ import annotations

from lrnn_cli.engine.process import DepthError, PrologProcess
from lrnn_cli.errors import Fault, about, faults_error
from lrnn_cli.language.faults import deepest_term
from lrnn_cli.language.files import Source
from lrnn_cli.language.template import Template, parsed_members


def read_template(source: Source, prolog: PrologProcess) -> Template:
    """Read one template or model with SWI-Prolog."""
    members, places = _read(source, prolog)
    if len(members) > 1:
        message = (
            f"this file is an ensemble of {len(members)} models, and one is wanted here; copy what stands between "
            "one begin(model(_)) and its end(model(_)) into a file of its own"
        )
        raise faults_error(source.name, [Fault(*places[0], message)])
    return members[0]


def read_model(source: Source, prolog: PrologProcess) -> list[Template]:
    """Read the members of an ensemble with SWI-Prolog; any other template or model is the only member."""
    return _read(source, prolog)[0]


def _read(source: Source, prolog: PrologProcess) -> tuple[list[Template], list[tuple[int, int]]]:
    with about(source.name):
        try:
            return parsed_members(source, prolog.ask("template", source.text))
        except DepthError as error:
            raise faults_error(source.name, [deepest_term(source, str(error))]) from None
