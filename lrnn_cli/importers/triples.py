"""Triples: head, relation and tail with tabs between, in one file or in train, dev (or valid) and test.

A triple is a fact, relation(head, tail). With a target relation its triples are queries with target 1.0, and pairs
without a triple are drawn for 0.0. Each part is an example: the facts of the training part, and queries of its own.
The test part is fold 1, dev is fold 2, and the training part the last fold.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

from lrnn_cli.errors import LrnnError
from lrnn_cli.importers.imported_data import Fact, ImportedData, ImportedExample, Query
from lrnn_cli.importers.importer import Faults, Options, Sources
from lrnn_cli.importers.interpretation import word
from lrnn_cli.language.writing import visible

TRAINING = "train"
PARTS = {"test": "test", "dev": "dev", "valid": "dev", "validation": "dev", "train": TRAINING}
Triple = tuple[str, str, str]


class Triples:
    name = "triples"
    what = "triples: head, relation and tail with tabs between"
    options = frozenset({"target", "negatives", "seed"})

    def recognises(self, sources: Sources) -> bool:
        return all(_looks_like_triples(sources.head(path)) for path in sources.files if path.lower() != "readme.md")

    def read(self, sources: Sources, options: Options) -> ImportedData:
        faults = Faults()
        parts: dict[str, list[Triple]] = {}
        for path in sources.files:
            stem = Path(path).name.partition(".")[0].lower()
            part = PARTS.get(stem, TRAINING)
            parts.setdefault(part, []).extend(_triples(sources, path, faults))
        faults.check()
        if TRAINING not in parts:
            raise LrnnError(f"{sources.title}: there is no training part; name a file that is not called dev or test")
        if options.target is None:
            return _facts_only(parts)
        return _with_queries(parts, options, sources.title)


def _looks_like_triples(head: str) -> bool:
    lines = [line for line in head.split("\n")[:-1] or [head] if line.strip()]
    return bool(lines) and all(len(line.split("\t")) == 3 for line in lines)


def _triples(sources: Sources, path: str, faults: Faults) -> list[Triple]:
    triples: list[Triple] = []
    name, text = sources.text(path, "triples")
    for number, line in enumerate(text.split("\n"), 1):
        cells = [cell.strip() for cell in line.split("\t")]
        if not line.strip():
            continue
        if len(cells) != 3 or not all(cells):
            message = f"there are {len(cells)} parts; a triple is head, relation and tail with tabs between"
            faults.add(name, number, 1, message if len(cells) != 3 else "a part of the triple is empty; write it")
            continue
        triples.append((cells[0], cells[1], cells[2]))
    return triples


def _fact(triple: Triple) -> Fact:
    head, relation, tail = triple
    return Fact(relation, (word(head), word(tail)))


def _facts_only(parts: dict[str, list[Triple]]) -> ImportedData:
    triples = dict.fromkeys(triple for part in parts.values() for triple in part)
    notes = ["no queries: name a relation with --target to predict it"]
    if len(parts) > 1:
        notes.append(f"the facts of {', '.join(parts)} are in one example, since nothing is asked")
    return ImportedData([ImportedExample("example", [str(_fact(triple)) for triple in triples], [])], [], {}, notes)


def _with_queries(parts: dict[str, list[Triple]], options: Options, title: str) -> ImportedData:
    target = options.target or ""
    relations = sorted({relation for part in parts.values() for _, relation, _ in part})
    if target not in relations:
        shown = ", ".join(map(visible, relations[:10])) + (", ..." if len(relations) > 10 else "")
        raise LrnnError(f"{title}: there is no relation {visible(target)}; relations are {shown}")
    facts = [str(_fact(triple)) for triple in dict.fromkeys(parts[TRAINING]) if triple[1] != target]
    asked = {
        name: list(dict.fromkeys(triple for triple in part if triple[1] == target)) for name, part in parts.items()
    }
    notes = [f"facts are those of the training part but for {target}, whose triples are queries"]
    others = sum(triple[1] != target for name, part in parts.items() if name != TRAINING for triple in part)
    if others:
        notes.append(f"{others} triples of other relations outside the training part are not used")
    negatives = _negatives(asked, options, notes)
    names = [name for name in ("test", "dev", TRAINING) if name in parts]
    examples = []
    for number, name in enumerate(names, 1):
        queries = [Query(_fact(triple), 1.0) for triple in asked[name]]
        queries += [Query(_fact((head, target, tail)), 0.0) for head, tail in negatives[name]]
        examples.append(ImportedExample(name, facts, queries, number if len(names) > 1 else None))
    return ImportedData(examples, [], {}, notes)


def _negatives(asked: dict[str, list[Triple]], options: Options, notes: list[str]) -> dict[str, list[tuple[str, str]]]:
    """For each part pairs of a head and a tail of the target without a triple in any part, each drawn once."""
    known = {(head, tail) for part in asked.values() for head, _, tail in part}
    heads = sorted({head for head, _ in known})
    tails = sorted({tail for _, tail in known})
    free = [(head, tail) for head in heads for tail in tails if (head, tail) not in known]
    wanted = options.negatives * len(known)
    if wanted > len(free):
        notes.append(f"there are only {len(free)} pairs without a triple for {wanted} negative queries")
    drawn = random.Random(options.seed).sample(free, min(wanted, len(free)))
    negatives: dict[str, list[tuple[str, str]]] = {}
    start: float = 0
    for name, part in asked.items():
        share = len(drawn) * len(part) / len(known) if known else 0
        negatives[name] = _between(drawn, start, start + share)
        start += share
    return negatives


def _between(pairs: Sequence[tuple[str, str]], start: float, end: float) -> list[tuple[str, str]]:
    return list(pairs[round(start) : round(end)])
