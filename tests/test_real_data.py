"""Real data and the peer's figures, where LRNN_DATA_DIR names a folder that holds `datasets` and `peer`."""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from lrnn_cli.commands import cli
from lrnn_cli.grounding.grounder import GrounderOptions, open_grounder
from lrnn_cli.grounding.reading import reader
from lrnn_cli.grounding.tables import ordered
from lrnn_cli.language.files import Source, read_source
from lrnn_cli.network.compile import Compiler
from lrnn_cli.network.network import assemble
from lrnn_cli.network.statistics import compressed_neurons, raw_neurons

FOLDER = Path(os.environ.get("LRNN_DATA_DIR", "no such folder"))
PEER = FOLDER / "peer"
DATASETS = FOLDER / "datasets"
FORMATS = FOLDER / "formats"

LARGE = 1_000_000
"""Bytes of a data file that a test reads, about."""

needs_peer = pytest.mark.skipif(not (PEER / "mutagenesis.pl").is_file(), reason="LRNN_DATA_DIR has no peer")
needs_formats = pytest.mark.skipif(not FORMATS.is_dir(), reason="LRNN_DATA_DIR has no formats")
needs_datasets = pytest.mark.skipif(not DATASETS.is_dir(), reason="LRNN_DATA_DIR has no datasets")


def run(*arguments: str) -> str:
    result = CliRunner().invoke(cli, list(arguments), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def outputs(predictions: str) -> np.ndarray:
    return np.array([float(line.split("\t")[3]) for line in predictions.splitlines()[1:]])


@needs_peer
@pytest.mark.parametrize("template", ["t1", "t2"])
def test_outputs_and_training_equal_the_peer(template: str, tmp_path: Path) -> None:
    """NeuraLogic's outputs, and its outputs and weights after one epoch of SGD in file order, to 1e-9."""
    golden = json.loads((PEER / f"golden_{template}_mse.json").read_text())
    rules, data = str(PEER / f"{template}.pl"), str(PEER / "mutagenesis.pl")
    before = outputs(run("predict", rules, data, "--activation", "sigmoid"))
    assert np.abs(before - np.array(golden["out_before"])).max() < 1e-9
    grounding, model = str(tmp_path / "grounding.npz"), str(tmp_path / "model.pl")
    run("ground", rules, data, "--activation", "sigmoid", "-o", grounding)
    run(
        *("train", grounding, "-o", model, "--optimizer", "sgd", "--learning-rate", "0.1", "--loss", "squared"),
        *("--batch-size", "1", "--no-shuffle", "--epochs", "1"),
    )
    after = outputs(run("predict", model, data))
    assert np.abs(after - np.array(golden["out_after_1_epoch"])).max() < 1e-9
    names = re.findall(r"% (w\w+)", Path(rules).read_text())
    weights = [float(line.split(" :: ")[0]) for line in Path(model).read_text().splitlines() if "::" in line]
    expected = [golden["weights_after"][name] for name in names]
    assert len(weights) == len(expected)
    assert np.abs(np.array(weights) - np.array(expected)).max() < 1e-9


@needs_peer
def test_the_largest_template_is_compressed() -> None:
    """243 rules over 27,532 groundings: the raw network is counted and never built."""
    with open_grounder("swi", GrounderOptions()) as grounder:
        template = grounder.read_template(read_source(str(PEER / "t3.pl"), "a template"))
        groundings = grounder.ground(template, grounder.load(read_source(str(PEER / "mutagenesis.pl"), "data")))
    chains = [rule for rule in groundings.program.rules if len(rule.body) == 7]
    assert len(chains) == 243
    assert {rule.table for rule in chains} == {chains[0].table}
    assert len(groundings.tables[chains[0].table]) == 27532
    compiler = Compiler(groundings)
    before, network = raw_neurons(compiler), assemble(compiler)
    assert before["rule"] == sum(len(groundings.tables[rule.table]) for rule in groundings.program.rules)
    assert sum(before.values()) > 7_000_000
    assert sum(compressed_neurons(network).values()) < 100_000


@needs_peer
def test_compression_is_exact_on_molecules() -> None:
    """Outputs and gradients of the compressed and of the whole network of 415,475 neurons are equal."""
    with open_grounder("swi", GrounderOptions()) as grounder:
        template = grounder.read_template(read_source(str(PEER / "t2.pl"), "a template"))
        groundings = grounder.ground(template, grounder.load(read_source(str(PEER / "mutagenesis.pl"), "data")))
    weights = np.array([rule.weight for rule in template.rules], float)
    results = []
    for compress in (True, False):
        network = assemble(Compiler(groundings, compress))
        values, rule_values = network.forward(weights)
        slope = network.query_slope(2 * (network.outputs(values) - network.target))
        results.append((network.outputs(values), network.backward(weights, values, rule_values, slope)))
    assert np.abs(results[0][0] - results[1][0]).max() < 1e-10
    assert np.abs(results[0][1] - results[1][1]).max() < 1e-10


@needs_datasets
@pytest.mark.parametrize("path", sorted(DATASETS.glob("*.pl*")), ids=lambda path: path.name)
def test_every_data_set_is_read_the_same_by_one_process_and_two(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Examples, facts, objects and queries do not depend on how the file is divided; of a large one, its first part."""
    monkeypatch.setattr(reader, "PART_BYTES", 1)
    source = read_source(str(path), "data")
    if len(source.text) > LARGE:
        end = source.text.index(b"\n", source.text.index(b"\nend(model(", LARGE) + 1)
        source = Source(source.name, source.text[: end + 1])
    read = []
    for jobs in (1, 2):
        with open_grounder("swi", GrounderOptions(jobs=jobs)) as grounder:
            data = grounder.load(source)
            relations, _ = grounder.relations(data)
        facts = {predicate: ordered(table) for predicate, table in relations.items()}
        read.append((data, facts))
    (one, facts_of_one), (two, facts_of_two) = read
    assert facts_of_one.keys() == facts_of_two.keys()
    for predicate, table in facts_of_one.items():
        assert (table.example == facts_of_two[predicate].example).all(), predicate
        assert (table.objects == facts_of_two[predicate].objects).all(), predicate
    assert one.example_name == two.example_name
    assert one.queries.text == two.queries.text
    for name in ("example_line", "example_fold", "example_facts", "first_object"):
        assert (getattr(one, name) == getattr(two, name)).all(), name
    assert (one.queries.target == two.queries.target).all()
    assert (one.queries.line == two.queries.line).all()
    assert replace(one, queries=two.queries).predicates == two.predicates


@needs_datasets
def test_a_binary_target_with_many_queries() -> None:
    """advisedby(P, Q): 16,714 queries in five examples; outputs of a small model in the order of the file."""
    data = str(DATASETS / "uwcse.pl")
    rules = b"3.0 :: advisedby(P, Q) :- professor(Q), student(P), publication(T, P), publication(T, Q).\n"
    result = CliRunner().invoke(cli, ["predict", "-", data], input=rules)
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()[1:]
    text = Path(data).read_text()
    queries = re.findall(r"^query\((advisedby\([^)]*\)), ([0-9.]+)\)\.", text, re.MULTILINE)
    shown = [(line.split("\t")[1].replace(", ", ","), float(line.split("\t")[2])) for line in lines]
    assert shown == [(atom.replace(", ", ","), float(target)) for atom, target in queries]
    assert len({line.split("\t")[3] for line in lines}) == 2


@needs_formats
@pytest.mark.usefixtures("two_parts")
def test_the_true_rule_of_zendo(tmp_path: Path) -> None:
    """A small piece, of size 3 or less, touches a red one: the strongest rule that is learned from all structures."""
    data, model = str(tmp_path / "zendo1.pl"), str(tmp_path / "model.pl")
    run("import", str(FORMATS / "popper" / "zendo1"), "-o", data, "--quiet")
    run("learn-structure", data, "-o", model, "--iterations", "2", "--conjunctions", "30", "--quiet")
    text = Path(model).read_text()
    strongest = re.search(r"% Target rules of zendo/1, strongest first.\n[\d.]+ :: zendo\(V1\) :- (\w+)\(V1\)\.", text)
    assert strongest
    body = re.search(rf":: {strongest[1]}\(V1\) :- (.*)\.\n", text)
    assert body
    literals = "piece(V1, V2), contact(V2, V3), red(V2), size(V3, V4), V4 < 4"
    assert sorted(re.split(r", (?![^(]*\))", body[1])) == sorted(re.split(r", (?![^(]*\))", literals))
