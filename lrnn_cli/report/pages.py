"""Tables and figures in documents: one HTML page that needs nothing else, or Markdown.

All texts are escaped here, so whatever data sets and files are called, a page shows it and does nothing. The page has
no scripts, and asks the browser to run none and to fetch nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from lrnn_cli.errors import LrnnError
from lrnn_cli.language.writing import visible


@dataclass(frozen=True)
class Cell:
    """A figure in a table: the best of its row, or one that is missing."""

    text: str
    best: bool = False
    missing: bool = False


Row = Sequence[str | Cell]


@dataclass(frozen=True)
class PageTable:
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
class CommandLines:
    """Lines to be typed."""

    lines: Sequence[str]


@dataclass(frozen=True)
class Folded:
    """Blocks behind a line that opens them."""

    summary: str
    blocks: Sequence[Block]
    open: bool = False


Block = str | PageTable | Figure | CommandLines | Folded


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
        texts = [_markdown_block(block) for block in section.blocks if isinstance(block, str | PageTable)]
        if texts:
            parts += [f"## {_plain(section.title)}", *texts]
    return "\n\n".join(parts) + "\n"


def _markdown_block(block: str | PageTable) -> str:
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
    """A whole page, made by the template page.html: what is not `Markup` is escaped there, every text."""
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ImportError:
        raise LrnnError("pages are made with Jinja, which is missing; `pip install 'lrnn[plots]'`") from None
    environment = Environment(
        loader=PackageLoader("lrnn_cli.report", ""),
        autoescape=True,
        finalize=_finalize,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["kind"] = lambda block: type(block).__name__
    return environment.get_template("page.html").render(title=title, sections=sections)


def _finalize(value: object) -> object:
    """Texts with codes for characters that have no look; a drawing is markup already."""
    return visible(value) if type(value) is str else value
