"""Tables and figures in documents: one HTML page that needs nothing else, or Markdown.

All texts are escaped here, so whatever data sets and files are called, a page shows it and does nothing. The page has
no scripts, and asks the browser to run none and to fetch nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from lrnn_cli.language.writing import visible


@dataclass(frozen=True)
class Cell:
    """A figure in a table: the best of its row, or one that is missing."""

    text: str
    best: bool = False
    missing: bool = False


Row = Sequence[str | Cell]


@dataclass(frozen=True)
class Table:
    """The first column names the rows; the columns in `words` are texts, all others numbers."""

    caption: str
    header: Sequence[str]
    rows: Sequence[Row]
    footer: Sequence[Row] = ()
    words: Sequence[int] = ()


@dataclass(frozen=True)
class Figure:
    """A drawing as SVG that takes its colours from the page."""

    caption: str
    svg: str


@dataclass(frozen=True)
class Commands:
    """Lines to be typed."""

    lines: Sequence[str]


@dataclass(frozen=True)
class Folded:
    """Blocks behind a line that opens them."""

    summary: str
    blocks: Sequence[Block]
    open: bool = False


Block = str | Table | Figure | Commands | Folded


@dataclass(frozen=True)
class Section:
    title: str
    blocks: Sequence[Block]

    @property
    def name(self) -> str:
        """For links to it."""
        return "-".join("".join(char if char.isalnum() else " " for char in self.title.lower()).split())


def markup_text(text: str) -> str:
    """`text` for HTML, SVG and values of their attributes."""
    return escape(visible(text))


# Markdown


def markdown(sections: Sequence[Section]) -> str:
    """Headings, texts and tables; figures and what is folded away are left to pages."""
    parts = []
    for section in sections:
        texts = [_markdown_block(block) for block in section.blocks if isinstance(block, str | Table)]
        if texts:
            parts += [f"## {_plain(section.title)}", *texts]
    return "\n\n".join(parts) + "\n"


def _markdown_block(block: str | Table) -> str:
    if isinstance(block, str):
        return _plain(block)
    marks = ["---" if column == 0 or column in block.words else "---:" for column in range(len(block.header))]
    lines = [f"| {' | '.join(map(_plain, block.header))} |", f"|{'|'.join(marks)}|"]
    lines += [f"| {' | '.join(map(_markdown_cell, row))} |" for row in (*block.rows, *block.footer)]
    return f"{_plain(block.caption)}\n\n" + "\n".join(lines)


def _markdown_cell(cell: str | Cell) -> str:
    if isinstance(cell, str):
        return _plain(cell)
    return f"**{_plain(cell.text)}**" if cell.best else f"*{_plain(cell.text)}*" if cell.missing else _plain(cell.text)


def _plain(text: str) -> str:
    """`text` on one line, without a meaning in Markdown; underscores inside words have none."""
    return "".join(f"\\{char}" if char in "\\`*|<[" else char for char in visible(" ".join(text.split())))


# HTML


def page(title: str, sections: Sequence[Section]) -> str:
    """A whole page."""
    links = "\n".join(
        f'<li><a href="#{markup_text(section.name)}">{markup_text(section.title)}</a></li>' for section in sections
    )
    parts = "\n".join(
        f'<section id="{markup_text(section.name)}">\n<h2>{markup_text(section.title)}</h2>\n'
        + "\n".join(map(_html_block, section.blocks))
        + "\n</section>"
        for section in sections
    )
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{markup_text(title)}</title>
<style>{STYLE}</style>
</head>
<body>
<header>
<h1>{markup_text(title)}</h1>
<nav aria-label="Contents">
<ul>
{links}
</ul>
</nav>
</header>
<main>
{parts}
</main>
</body>
</html>
"""


def _html_block(block: Block) -> str:
    if isinstance(block, str):
        return f"<p>{markup_text(block)}</p>"
    if isinstance(block, Table):
        return _html_table(block)
    if isinstance(block, Figure):
        return (
            f'<figure>\n<div class="wide" role="region" tabindex="0" aria-label="{markup_text(block.caption)}">\n'
            f"{block.svg}</div>\n<figcaption>{markup_text(block.caption)}</figcaption>\n</figure>"
        )
    if isinstance(block, Commands):
        lines = "\n".join(f"<code>{markup_text(line)}</code>" for line in block.lines)
        return f'<pre tabindex="0">{lines}</pre>'
    inner = "\n".join(map(_html_block, block.blocks))
    start = f"<details{' open' if block.open else ''}>\n<summary>{markup_text(block.summary)}</summary>"
    return f"{start}\n{inner}\n</details>"


def _html_table(table: Table) -> str:
    """The caption stands outside of what scrolls."""
    caption = markup_text(table.caption)
    kinds = ["words" if column == 0 or column in table.words else "number" for column in range(len(table.header))]
    head = "".join(
        f'<th scope="col" class="{kind}">{markup_text(text)}</th>'
        for text, kind in zip(table.header, kinds, strict=True)
    )
    body = "\n".join(_html_row(row, kinds) for row in table.rows)
    foot = "\n".join(_html_row(row, kinds) for row in table.footer)
    return (
        f'<figure>\n<figcaption>{caption}</figcaption>\n<div class="wide" role="region" tabindex="0" '
        f'aria-label="{caption}">\n<table aria-label="{caption}">\n<thead>\n<tr>{head}</tr>\n</thead>\n'
        f"<tbody>\n{body}\n</tbody>\n"
        + (f"<tfoot>\n{foot}\n</tfoot>\n" if foot else "")
        + "</table>\n</div>\n</figure>"
    )


def _html_row(row: Row, kinds: Sequence[str]) -> str:
    first, *others = row
    cells = [f'<th scope="row">{_html_cell(first)}</th>']
    cells += [f'<td class="{kind}">{_html_cell(cell)}</td>' for cell, kind in zip(others, kinds[1:], strict=True)]
    return f"<tr>{''.join(cells)}</tr>"


def _html_cell(cell: str | Cell) -> str:
    if isinstance(cell, str):
        return markup_text(cell)
    text = markup_text(cell.text)
    return f"<strong>{text}</strong>" if cell.best else f"<em>{text}</em>" if cell.missing else text


STYLE = """
:root { --paper: #fff; --ink: #1d1f23; --soft: #5a5f69; --line: #d9dce1; --stripe: #f5f6f8; --link: #1f5fbf;
  --missing: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --paper: #15171b; --ink: #e7e8ea; --soft: #a3a8b2; --line: #363a42;
  --stripe: #1d2025; --link: #8ab4f8; --missing: #ff8a80; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0 auto; max-width: 74rem; padding: 1.5rem clamp(1rem, 4vw, 2.5rem) 4rem; background: var(--paper);
  color: var(--ink); font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
  overflow-wrap: anywhere; }
h1 { font-size: clamp(1.6rem, 5vw, 2.2rem); line-height: 1.15; margin: 0.5rem 0 1rem; letter-spacing: -0.01em; }
h2 { font-size: 1.3rem; line-height: 1.25; margin: 2.75rem 0 0.75rem; }
p { margin: 0.75rem 0; max-width: 42rem; }
a { color: var(--link); }
nav ul { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; list-style: none; margin: 0; padding: 0.6rem 0;
  border-block: 1px solid var(--line); }
.wide { overflow-x: auto; }
.wide:focus-visible, pre:focus-visible { outline: 2px solid var(--link); outline-offset: 3px; }
table { border-collapse: collapse; font-size: 0.925rem; line-height: 1.35; font-variant-numeric: tabular-nums; }
th, td { padding: 0.35rem 0.7rem; text-align: left; vertical-align: top; overflow-wrap: normal; }
th:first-child, td:first-child { padding-left: 0.25rem; }
thead th { border-bottom: 2px solid var(--ink); vertical-align: bottom; }
tbody tr { border-bottom: 1px solid var(--line); }
tbody th, tfoot th { font-weight: 500; min-width: 8rem; }
tfoot tr:first-child { border-top: 1px solid var(--ink); }
.number { text-align: right; white-space: nowrap; }
thead .number { white-space: normal; }
td.words { min-width: 10rem; }
td em { color: var(--missing); font-style: normal; }
figure { margin: 1.5rem 0; }
svg { display: block; width: 100%; height: auto; }
figcaption { color: var(--soft); font-size: 0.925rem; max-width: 42rem; margin: 0.5rem 0; }
details { border-top: 1px solid var(--line); padding: 0.5rem 0; }
details details { margin-left: 1rem; }
summary { cursor: pointer; font-weight: 500; padding: 0.15rem 0; }
pre { margin: 0.5rem 0; padding: 0.75rem 1rem; overflow-x: auto; background: var(--stripe); border-radius: 0.4rem;
  font: 0.8rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
@media print {
  :root { --paper: #fff; --ink: #000; --soft: #444; --line: #bbb; --stripe: #f2f2f2; --link: #000; --missing: #900; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  nav { display: none; }
  .wide { overflow: visible; }
  table { font-size: 8pt; }
  th, td { padding: 0.2rem 0.4rem; }
  tbody th, tfoot th, td.words { min-width: 0; }
  svg { min-width: 0 !important; }
  figure, tr { break-inside: avoid; }
  h2, figcaption, summary { break-after: avoid; }
  pre { white-space: pre-wrap; }
}
"""
