"""`lrnn draw`: graphs read back by a small parser of DOT, and by Graphviz where it is installed."""

from __future__ import annotations

import re
import shutil
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import naive
import numpy as np
import pytest
from conftest import Folder
from test_semantics import DEEP, sigm

from lrnn_cli.evaluation.contributions import GroundNetwork
from lrnn_cli.evaluation.drawing import network_dot
from lrnn_cli.grounding.grounder import GrounderOptions, open_grounder
from lrnn_cli.language.files import Source
from lrnn_cli.network.drawing import NEGATIVE, POSITIVE, UNKNOWN, quote

needs_graphviz = pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")

TOKEN = re.compile(r'\s+|(?P<quoted>"(?:[^"\\]|\\.)*")|(?P<word>[A-Za-z_]\w*)|(?P<sign>->|[\[\]{}=;,])')
ENTITIES = {"&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"'}


def shown(text: str) -> str:
    """What Graphviz shows for the content of a quoted string: escape sequences and entities replaced."""
    plain = re.sub(r"\\(.)", lambda match: "\n" if match[1] == "n" else match[1], text)
    return re.sub("|".join(ENTITIES), lambda match: ENTITIES[match[0]], plain)


@dataclass
class Graph:
    attributes: dict[str, str] = field(default_factory=dict)
    nodes: dict[str, dict[str, str]] = field(default_factory=dict)
    edges: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)
    ranks: list[tuple[str, list[str]]] = field(default_factory=list)

    def by_label(self, name: str) -> str:
        return self.nodes[name]["label"]

    def labelled_edges(self) -> list[tuple[str, str, str]]:
        return [(self.by_label(start), self.by_label(end), style.get("label", "")) for start, end, style in self.edges]


def tokens(text: str) -> Iterator[str]:
    position = 0
    while position < len(text):
        match = TOKEN.match(text, position)
        assert match, f"not DOT: {text[position : position + 40]!r}"
        position = match.end()
        if not match[0].isspace():
            yield match[0]


def parsed(text: str) -> Graph:
    """The part of DOT that drawings use: statements end in a semicolon, values are quoted."""
    graph = Graph()
    words = list(tokens(text))
    assert words[:3] == ["digraph", "lrnn", "{"] and words[-1] == "}"
    place = 3

    def attributes() -> dict[str, str]:
        nonlocal place
        assert words[place] == "["
        found = {}
        while words[place] != "]":
            name, equals, value = words[place + 1 : place + 4]
            assert equals == "=" and value[0] == '"' and name not in found
            found[name] = shown(value[1:-1])
            place += 4
        place += 1
        return found

    while place < len(words) - 1:
        if words[place] == "{":
            end = words.index("}", place)
            assert words[place + 1 : place + 3] == ["rank", "="]
            graph.ranks.append((words[place + 3], [word for word in words[place + 4 : end] if word != ";"]))
            place = end + 1
            continue
        name = words[place]
        if words[place + 1] == "->":
            end_node = words[place + 2]
            place += 3
            graph.edges.append((name, end_node, attributes()))
        else:
            place += 1
            found = attributes()
            if name == "graph":
                graph.attributes = found
            elif name not in ("node", "edge"):
                graph.nodes[name] = found
        assert words[place] == ";"
        place += 1
    assert all(start in graph.nodes and end in graph.nodes for start, end, _ in graph.edges)
    return graph


TEMPLATE = """2.0 :: latent(X) :- c(X).
-1.0 :: latent(X) :- o(X).
_ :: pair(X, Y) :- bond(Y, X, B).
4.0 :: target :- pair(X, Y), latent(X), latent(Y), X \\== Y.
-0.5 :: target :- latent(X), pair(X, X).
fixed(0.25) :: target.
0.75 :: target :- latent(X).
"""


def test_a_template(folder: Folder) -> None:
    """Layers, and an edge or a small node for each rule, with weights, thickness and colour."""
    folder.write({"model.pl": TEMPLATE})
    result = folder.run("draw", "model.pl")
    assert (result.code, result.stderr) == (0, "")
    graph = parsed(result.stdout)
    layers = [(rank, [graph.by_label(name) for name in names]) for rank, names in graph.ranks]
    assert layers == [
        ("min", ["bond/3", "c/1", "o/1"]),
        ("same", ["latent/1", "pair/2"]),
        ("same", ["target/0"]),
    ]
    assert graph.attributes["label"].startswith("model.pl: 7 rules")
    assert graph.labelled_edges() == [
        ("c/1", "latent/1", "2"),
        ("o/1", "latent/1", "-1"),
        ("bond/3", "pair/2", "_\npair(X, Y) :- bond(Y, X, B)"),
        ("pair/2", "X\\==Y", "X, Y"),
        ("latent/1", "X\\==Y", "X"),
        ("latent/1", "X\\==Y", "Y"),
        ("X\\==Y", "target/0", "4"),
        ("latent/1", "", "X"),
        ("pair/2", "", "X, X"),
        ("", "target/0", "-0.5"),
        ("fact", "target/0", "0.25 fixed"),
        ("latent/1", "target/0", "0.75"),
    ]
    style = {graph.by_label(start) + ">" + style["label"]: style for start, _, style in graph.edges}
    # From 0.5 for weight 0 to 5 for the largest, 4: 0.5 + 4.5 * 2 / 4 = 2.75 and 0.5 + 4.5 * 1 / 4 = 1.625.
    assert (style["c/1>2"]["penwidth"], style["c/1>2"]["color"]) == ("2.75", POSITIVE)
    assert (style["o/1>-1"]["penwidth"], style["o/1>-1"]["color"]) == ("1.62", NEGATIVE)
    assert style["X\\==Y>4"]["penwidth"] == "5.00"
    unknown = style["bond/3>_\npair(X, Y) :- bond(Y, X, B)"]
    assert (unknown["color"], unknown["style"]) == (UNKNOWN, "dashed")
    assert unknown["tooltip"] == "_ :: pair(X, Y) :- bond(Y, X, B)."


def test_recursion_in_a_template(folder: Folder) -> None:
    folder.write({"model.pl": "0.0 :: path(X, Y) :- e(X, Y).\n0.0 :: path(X, Y) :- e(X, Z), path(Z, Y).\n"})
    graph = parsed(folder.run("draw", "model.pl").stdout)
    assert ("path/2", "", "Z, Y") in graph.labelled_edges() and ("", "path/2", "0\nX, Y") in graph.labelled_edges()
    assert {style["penwidth"] for _, _, style in graph.edges if "penwidth" in style} == {"0.50"}


def test_a_member_of_an_ensemble(folder: Folder) -> None:
    folder.write(
        {"model.pl": "begin(model(1)). 1 :: p :- c. end(model(1)). begin(model(2)). 1 :: p :- d. end(model(2))."}
    )
    graph = parsed(folder.run("draw", "model.pl", "--member", "2").stdout)
    assert graph.labelled_edges() == [("d/0", "p/0", "1")]
    assert graph.attributes["label"].startswith("model.pl, member 2: 1 rule;")


RANKED = """4.0 :: target :- low(X).
-1.0 :: target :- high(X).
0.5 :: low(X) :- a(X).
-0.125 :: low(X) :- b(X).
8.0 :: high(X) :- c(X).
2.0 :: high(X) :- d(X).
"""


@pytest.mark.parametrize(
    ("arguments", "drawn"),
    [
        # Of the target 4/5 comes from low and 1/5 from high; 4/5 * 4/5 = 0.64 from a, 0.16 from b and c, 0.04 from d.
        (("--top", "1"), ["low>target"]),
        (("--top", "2"), ["low>target", "a>low"]),
        (("--top", "3"), ["low>target", "high>target", "a>low"]),
        (("--top", "5"), ["low>target", "high>target", "a>low", "b>low", "c>high"]),
        (("--least-weight", "1"), ["low>target", "high>target", "c>high", "d>high"]),
        (("--least-weight", "1", "--top", "3"), ["low>target", "high>target", "c>high"]),
        (("--least-weight", "9"), []),
    ],
)
def test_the_strongest_rules(folder: Folder, arguments: tuple[str, ...], drawn: list[str]) -> None:
    folder.write({"model.pl": RANKED})
    graph = parsed(folder.run("draw", "model.pl", *arguments).stdout)
    edges = [f"{start[:-2]}>{end[:-2]}" for start, end, _ in graph.labelled_edges()]
    assert edges == drawn
    caption = graph.attributes["label"].splitlines()
    assert caption[0].startswith(f"model.pl: the strongest {len(drawn)} of 6 rules;")
    assert caption[1] == "dashed: some of its rules are left out"
    dashed = {graph.by_label(name)[:-2] for name, style in graph.nodes.items() if "dashed" in style["style"]}
    rules = ["low>target", "high>target", "a>low", "b>low", "c>high", "d>high"]
    shown = {name for edge in drawn for name in edge.split(">")}
    assert dashed == {edge.split(">")[1] for edge in rules if edge not in drawn} & shown


def test_the_strongest_rules_of_recursion(folder: Folder) -> None:
    folder.write(
        {"model.pl": "1.0 :: path(X, Y) :- e(X, Y).\n3.0 :: path(X, Y) :- path(X, Z), e(Z, Y).\n_ :: p :- q.\n"}
    )
    graph = parsed(folder.run("draw", "model.pl", "--top", "2").stdout)
    assert {end for _, end, _ in graph.labelled_edges()} == {"", "path/2", "p/0"}
    assert "the strongest 2 of 3 rules" in graph.attributes["label"]


def test_a_large_model(folder: Folder) -> None:
    """246 rules, 40 of them drawn, and every one leads to the target; many nodes go from left to right."""
    latent = [f"latent_1_{number}" for number in range(6)]
    rules = [
        f"{(n * 7 + k) % 31 / 10 - 1.5:.1f} :: {n_}(X) :- t{k}(X).\n" for n, n_ in enumerate(latent) for k in range(36)
    ]
    rules += [
        f"{k / 10 + 0.1:.1f} :: target :- {latent[k % 6]}(X), bond(X, Y, B), {latent[k // 6]}(Y).\n" for k in range(30)
    ]
    folder.write({"model.pl": "".join(rules)})
    graph = parsed(folder.run("draw", "model.pl").stdout)
    assert graph.attributes["label"].startswith("model.pl: the strongest 40 of 246 rules;")
    assert len(graph.nodes) < 70
    assert graph.attributes["rankdir"] == "LR"
    reached = {name for name in graph.nodes if graph.by_label(name) == "target/0"}
    while True:
        more = {start for start, end, _ in graph.edges if end in reached} - reached
        if not more:
            break
        reached |= more
    assert reached == set(graph.nodes)
    # Bodies stand in nodes, and an edge leads there from each of their predicates.
    strongest = next(
        n for n in graph.nodes if graph.by_label(n).startswith("latent_1_5(X), bond(X, Y, B), latent_1_4(Y)")
    )
    below = sorted(graph.by_label(start) for start, end, _ in graph.edges if end == strongest)
    assert below == ["bond/3", "latent_1_4/1", "latent_1_5/1"]
    whole = parsed(folder.run("draw", "model.pl", "--top", "1000").stdout)
    assert whole.attributes["label"].startswith("model.pl: 246 rules;")
    few = parsed(folder.run("draw", "model.pl", "--top", "5").stdout)
    assert few.attributes["rankdir"] == "BT"
    assert "" in map(few.by_label, few.nodes)


# Ground networks

NETWORK = """1.5 :: latent(X) :- c(X).
2.0 :: target :- bond(X, Y), latent(X), latent(Y).
0.1 :: target.
"""
MOLECULE = """begin(model(m1)).
bond(a1, a2). bond(a2, a3). c(a1). c(a2). 0.25 :: c(a3).
query(target, 1.0).
end(model(m1)).
begin(model(m2)). c(b). bond(b, b). query(target, 0.0). end(model(m2)).
"""
FACT = sigm(3.0)
ONE = sigm(6 * (FACT - 0.5))
WEAK = sigm(6 * (sigm(6 * (0.25 - 0.5)) - 0.5))  # a rule neuron over c(a3)
L, M = sigm(6 * (1.5 * ONE - 0.5)), sigm(6 * (1.5 * WEAK - 0.5))
STRONG_BOND, WEAK_BOND = sigm(6 * (FACT + L + L - 2.5)), sigm(6 * (FACT + L + M - 2.5))
OUTPUT = sigm(6 * (STRONG_BOND + WEAK_BOND + 0.1 - 0.5))


def test_a_whole_network(folder: Folder) -> None:
    """Atoms and rule neurons with their values, edges with contributions, by the formulas above."""
    folder.write({"model.pl": NETWORK, "data.pl": MOLECULE})
    result = folder.run("draw", "model.pl", "data.pl", "--example", "m1")
    assert (result.code, result.stderr) == (0, "")
    graph = parsed(result.stdout)
    caption = graph.attributes["label"].splitlines()
    assert caption[0] == f"m1: target, output {OUTPUT:.4f}, target 1"
    # 9 atoms: target, 3 latent, 3 c, 2 bonds; 5 rule neurons.
    assert caption[1].startswith("all 14 atoms and rule neurons")
    atoms = {label for label in (graph.by_label(name) for name in graph.nodes) if "\n" in label}
    facts = {f"{fact}\n{FACT:.3f}" for fact in ("bond(a1, a2)", "bond(a2, a3)", "c(a1)", "c(a2)")}
    facts.add(f"c(a3)\n{sigm(6 * (0.25 - 0.5)):.3f}")
    latent = {f"latent({name})\n{value:.3f}" for name, value in (("a1", L), ("a2", L), ("a3", M))}
    assert atoms == facts | latent | {f"target\n{OUTPUT:.3f}"}
    assert {graph.by_label(name) for _, names in graph.ranks for name in names} == facts
    into_target = {(start, label) for start, end, label in graph.labelled_edges() if end.startswith("target")}
    assert into_target == {
        (f"{STRONG_BOND:.2f}", f"{STRONG_BOND:+.3g}"),
        (f"{WEAK_BOND:.2f}", f"{WEAK_BOND:+.3g}"),
        ("fact", "+0.1"),
    }
    assert not any("dashed" in style["style"] for style in graph.nodes.values())
    tooltips = {style["tooltip"] for style in graph.nodes.values()}
    assert (
        "target :- bond(a1, a2), latent(a1), latent(a2)\n2.0 :: target :- bond(X, Y), latent(X), latent(Y)." in tooltips
    )


def test_the_strongest_part(folder: Folder) -> None:
    """With room for ten neurons: the stronger bond, its atoms and their carbons; what is cut is dashed."""
    folder.write({"model.pl": NETWORK, "data.pl": MOLECULE})
    result = folder.run("draw", "model.pl", "data.pl", "--example", "m1", "--neurons", "10")
    graph = parsed(result.stdout)
    names = {graph.by_label(name).split("\n")[0] for name in graph.nodes if "\n" in graph.by_label(name)}
    assert names == {"target", "bond(a1, a2)", "latent(a1)", "latent(a2)", "c(a1)", "c(a2)"}
    assert graph.attributes["label"].splitlines()[1].startswith("the strongest 9 of 14 atoms and rule neurons")
    dashed = [graph.by_label(name) for name, style in graph.nodes.items() if "dashed" in style["style"]]
    assert dashed == [f"target\n{OUTPUT:.3f}"]


def test_a_query_that_nothing_derives(folder: Folder) -> None:
    folder.write(
        {"model.pl": NETWORK, "data.pl": "c(a). query(other, 1). other_fact. query(target, 1). other :- d(a)."}
    )
    graph = parsed(folder.run("draw", "model.pl", "data.pl", "--query", "other").stdout)
    assert [graph.by_label(name) for name in graph.nodes] == [f"other\n{sigm(-3):.3f}"]
    assert graph.edges == []


def test_whole_networks_have_the_neurons_of_the_definition() -> None:
    """Atoms and rule neurons of a deep program are those that the naive interpreter counts."""
    with open_grounder("swi", GrounderOptions()) as grounder:
        rules = grounder.read_template(Source("template.pl", DEEP.template_text().encode()))
        data = grounder.load(Source("data.pl", DEEP.data_text().encode()))
        groundings = grounder.ground(rules, data, [0], names=True)
    example = DEEP.examples[0]
    for number, query in enumerate(example.queries):
        network = GroundNetwork(groundings, np.array(DEEP.weights), np.array([number]))
        graph = parsed(network_dot(network, 0, 10**6))
        alone = naive.Example(example.name, example.facts, (query,))
        neurons = naive.GroundExample(DEEP, alone).neurons()
        labels = [graph.by_label(name) for name in graph.nodes]
        assert sum("\n" in label for label in labels) == neurons.atom
        assert sum("\n" not in label and label != "fact" for label in labels) == neurons.rule
        assert graph.attributes["label"].splitlines()[1].startswith(f"all {neurons.atom + neurons.rule} ")


# Names and files

STRANGE = ['a"b', "back\\slash", "\\N", "<b>bold</b>", "&lt;", "{x|y}", "été 漢字", "tab\tand\x01", "]; evil [", "\\"]


@pytest.mark.parametrize("text", STRANGE)
def test_quoting(text: str) -> None:
    """A quoted text shows as it is, control characters as Prolog writes them."""
    quoted = quote(text)
    assert list(tokens(quoted)) == [quoted]
    assert shown(quoted[1:-1]) == text.replace("\t", "\\x9\\").replace("\x01", "\\x1\\")


def strange_files() -> dict[str, str]:
    names = ["'a\"b'", "'back\\\\slash'", "'\\\\N'", "'<b>bold</b>'", "'&lt;'", "'été 漢字'", "'line\\nbreak'", '"str"']
    facts = " ".join(f"'P <&\"\\\\'({name})." for name in names)
    return {
        "model.pl": "1.0 :: '</svg> &amp;' :- 'P <&\"\\\\'(X).\n",
        "data.pl": f"begin(model('m <1>')). {facts} query('</svg> &amp;', 1). end(model('m <1>')).",
    }


def test_strange_names_in_dot(folder: Folder) -> None:
    folder.write(strange_files())
    graph = parsed(folder.run("draw", "model.pl").stdout)
    assert [graph.by_label(name) for name in graph.nodes] == ["'P <&\"\\\\'/1", "'</svg> &amp;'/0"]
    graph = parsed(folder.run("draw", "model.pl", "data.pl", "--example", "m <1>").stdout)
    labels = {graph.by_label(name).rpartition("\n")[0] for name in graph.nodes}
    assert {"'P <&\"\\\\'('\\\\N')", "'P <&\"\\\\'('&lt;')", "'P <&\"\\\\'('line\\nbreak')"} <= labels


@needs_graphviz
def test_strange_names_in_svg(folder: Folder) -> None:
    """Graphviz shows the names as they are, in well-formed XML."""
    folder.write(strange_files())
    result = folder.run("draw", "model.pl", "data.pl", "--example", "m <1>", "-o", "drawing.svg")
    assert (result.code, result.stdout, result.stderr) == (0, "", "")
    root = ElementTree.fromstring(folder.read("drawing.svg"))
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    texts = {(element.text or "").replace("\xa0", " ") for element in root.iter("{http://www.w3.org/2000/svg}text")}
    assert "'</svg> &amp;'" in texts
    names = ["'a\"b'", "'back\\\\slash'", "'\\\\N'", "'<b>bold</b>'", "'&lt;'", "'été 漢字'", "'line\\nbreak'", '"str"']
    assert {f"'P <&\"\\\\'({name})" for name in names} <= texts


@pytest.mark.parametrize("arguments", [("-o", "a.dot"), ("-o", "a"), ("-o", "a.txt", "--format", "dot")])
def test_dot_files(folder: Folder, arguments: tuple[str, ...]) -> None:
    """By the name of the file or by --format; the same input gives the same bytes."""
    folder.write({"model.pl": TEMPLATE})
    assert folder.run("draw", "model.pl", *arguments).code == 0
    assert folder.read(arguments[1]) == folder.run("draw", "model.pl").stdout


@needs_graphviz
def test_svg_files(folder: Folder) -> None:
    folder.write({"model.pl": TEMPLATE})
    svg = folder.run("draw", "model.pl", "--format", "svg").stdout
    ElementTree.fromstring(svg)
    assert folder.run("draw", "model.pl", "-o", "A.SVG").code == 0
    assert folder.read("A.SVG") == svg


def test_without_graphviz(folder: Folder, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder.write({"model.pl": TEMPLATE})
    monkeypatch.setenv("PATH", str(tmp_path))
    result = folder.run("draw", "model.pl", "-o", "model.svg")
    assert (result.code, result.stdout) == (1, "")
    assert "Graphviz, which is not installed" in result.stderr and "--format dot" in result.stderr
    assert list(folder.content()) == ["model.pl"]


def test_graphviz_fails(folder: Folder, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What `dot` says is shown, and nothing is written."""
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "dot"
    program.write_text("#!/bin/sh\necho 'Error: out of paint' >&2\nexit 3\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=":")
    folder.write({"model.pl": TEMPLATE})
    result = folder.run("draw", "model.pl", "-o", "model.svg")
    assert (result.code, result.stderr) == (1, "Graphviz can't draw this graph: Error: out of paint\n")
    assert "model.svg" not in folder.content()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-o", "a.png"), "What to write is not clear from the name a.png; add --format dot or --format svg."),
        (("--example", "m1"), "--example, --query and --target are about DATA; name the data file after the model."),
        (("--target", "p/0"), "--example, --query and --target are about DATA; name the data file after the model."),
        (("--neurons", "1"), "Invalid value for '--neurons'"),
        (("--top", "0"), "Invalid value for '--top'"),
        (("--least-weight", "nan"), "nan is not a finite number."),
        (("model.pl", "--top", "3"), "--top and --least-weight are about a model; for DATA there is --neurons."),
    ],
)
def test_wrong_usage(folder: Folder, arguments: tuple[str, ...], message: str) -> None:
    folder.write({"model.pl": TEMPLATE})
    result = folder.run("draw", "model.pl", *arguments)
    assert result.code == 2
    assert message in result.stderr


def test_a_template_without_weights_has_no_network(folder: Folder) -> None:
    folder.write({"model.pl": NETWORK.replace("2.0", "_"), "data.pl": MOLECULE})
    result = folder.run("draw", "model.pl", "data.pl", "--example", "m1")
    assert (result.code, result.stdout) == (1, "")
    assert "model.pl:2:1: the rule for target has no weight" in result.stderr
