"""Outputs of NeuraLogic itself, inside its own environment: python run_neuralogic.py TEMPLATE.py SAMPLES.json.

Samples are pairs of an atom and facts; an atom is a list of its name and arguments, a fact has a value before it. The
outputs go to standard output as JSON, on a line of their own.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any


def main() -> None:
    import neuralogic

    neuralogic.initialize()
    import jpype

    jpype.JClass("java.util.logging.LogManager").getLogManager().reset()
    from neuralogic.core import R
    from neuralogic.dataset import Sample

    def relation(name: str, *terms: Any) -> Any:
        return R.get(name)(*terms) if terms else R.get(name)

    specification = importlib.util.spec_from_file_location("template", sys.argv[1])
    assert specification is not None and specification.loader is not None
    template = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(template)
    samples = json.loads(Path(sys.argv[2]).read_text())
    built = [Sample(relation(*query), [relation(*atom)[value] for value, atom in facts]) for query, facts in samples]
    print("\n" + json.dumps(template.outputs(built)))


if __name__ == "__main__":
    main()
