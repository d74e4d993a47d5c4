"""Figures as SVG: how they look, and those of a run of structure learning.

Figures are drawn on white paper, or for a page that has light and dark colours: then lines and texts take the colour
of the text around them. All other colours can be told from white and from black, and by people who see few colours;
shapes differ where colours do.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lrnn_cli.errors import LrnnError
from lrnn_cli.language.writing import visible
from lrnn_cli.report.pages import markup_text
from lrnn_cli.report.run_records import RunRecord, different_options

try:
    from matplotlib import style
except ImportError:
    raise LrnnError("figures are drawn with matplotlib, which is missing; `pip install 'lrnn[plots]'`") from None
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import BoundaryNorm, LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import BboxBase

INK = "#0b0c0e"
COLOURS = ("#3f7fdc", "#d9602b", "#2c9a6b", "#b457b8", "#a8811c", "#7d7f86")
MARKERS = ("o", "s", "^", "D", "v", "P")
ITERATIONS = LinearSegmentedColormap.from_list("iterations", ["#3f7fdc", "#a35fc9", "#e0602f"])
STYLE: dict[Any, Any] = {
    "axes.edgecolor": INK,
    "axes.facecolor": "none",
    "axes.labelcolor": INK,
    "axes.labelsize": 10,
    "axes.linewidth": 0.8,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlecolor": INK,
    "axes.titlelocation": "left",
    "axes.titlesize": 10,
    "font.size": 10,
    "grid.color": INK,
    "grid.alpha": 0.15,
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "lrnn",
    "text.color": INK,
    "text.parse_math": False,
    "xtick.color": INK,
    "ytick.color": INK,
}
SMALLEST = 0.7
"""A narrow page makes figures smaller, down to this part of their size; then they scroll."""
RADII = (5.0, 10.0, 16.0, 24.0, 34.0, 46.0)
"""Distances in points (1/72 inch) at which a name is tried."""
DIRECTIONS = 16
POINT = 3.0
"""Names stay so far from the points of a figure."""
NEAR = 8.0
"""Names further away have a line to their points."""


drawn = style.context(["default", STYLE])
"""Decorates what draws: figures do not depend on a user's own settings of matplotlib."""


def figure_of(width: float, height: float) -> Figure:
    """An empty figure, sizes in inches."""
    return Figure(figsize=(width, height), layout="constrained")


@drawn
def svg_text(figure: Figure, title: str, description: str, page: str | None = None) -> str:
    """A figure as SVG: a file of its own, or a part of a page, where `page` is a prefix of its names."""
    buffer = io.StringIO()
    paper = "white" if page is None else "none"
    with warnings.catch_warnings():
        # Texts are written as they are; whether this machine has all their letters does not matter.
        warnings.filterwarnings("ignore", "Glyph .* missing from")
        figure.savefig(buffer, format="svg", facecolor=paper, metadata={"Date": None, "Creator": None})
    text = buffer.getvalue()
    prefix = page or "figure"
    about = (
        f'<title id="{prefix}-title">{markup_text(title)}</title>\n'
        f'<desc id="{prefix}-description">{markup_text(description)}</desc>\n'
    )
    start = re.search(r"<svg [^>]*>", text)
    assert start is not None
    if page is None:
        tag = start.group()[:-1] + f' role="img" aria-labelledby="{prefix}-title {prefix}-description">'
        return text[: start.start()] + tag + "\n" + about + text[start.end() :]
    box = re.search(r'viewBox="[\d. ]+"', start.group())
    assert box is not None
    width = float(box.group()[len('viewBox="') : -1].split()[2]) * 4 / 3
    tag = (
        f'<svg {box.group()} style="max-width: {width:.0f}px; min-width: {width * SMALLEST:.0f}px" role="img" '
        f'aria-labelledby="{prefix}-title {prefix}-description">\n'
    )
    inner = re.sub(r"<metadata>.*?</metadata>", "", text[start.end() :], flags=re.DOTALL)
    return tag + about + re.sub(r"<[^>]*>", lambda match: _for_page(match.group(), prefix), inner).strip() + "\n"


def _for_page(tag: str, prefix: str) -> str:
    """A tag with names that no other figure of the page has, and the ink of the page."""
    return re.sub(r'( id="|xlink:href="#|url\(#)', rf"\g<1>{prefix}-", tag).replace(INK, "currentColor")


# Runs of structure learning


def principal_components(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first two principal components of points (points, dimensions): (points, 2), and their part of the variance.

    The direction of a component is that in which the largest of its loadings is positive.
    """
    centred = points - points.mean(axis=0)
    _, size, loadings = np.linalg.svd(centred, full_matrices=False)
    count = min(2, len(size))
    for row in loadings[:count]:
        row *= np.sign(row[np.abs(row).argmax()]) or 1.0
    projected = np.zeros((len(points), 2))
    projected[:, :count] = centred @ loadings[:count].T
    part = np.zeros(2)
    if size.any():
        part[:count] = size[:count] ** 2 / (size**2).sum()
    return projected, part


@drawn
def embedding_figure(runs: list[RunRecord], titles: Sequence[str]) -> tuple[Figure, int]:
    """The layer-1 weights of each unary predicate as a point that moves with the iterations, a panel a run, two a row.

    Also the number of points that are not named, for want of room.
    """
    rows = (len(runs) + 1) // 2
    figure = figure_of(7.2 if len(runs) == 1 else 12.0, 5.6 * rows)
    panels = figure.subplots(rows, min(2, len(runs)), squeeze=False).flatten()
    for axes in panels[len(runs) :]:
        axes.set_visible(False)
    numbers = sorted({number for run in runs for number in run.iterations})
    norm = BoundaryNorm([*(number - 0.5 for number in numbers), numbers[-1] + 0.5], ITERATIONS.N)
    all_paths = []
    for axes, run, title in zip(panels, runs, titles, strict=False):
        shape = run.embedding.shape
        points, part = principal_components(run.embedding.reshape(-1, shape[2]))
        paths = points.reshape(shape[0], shape[1], 2)
        axes.plot(paths[:, :, 0], paths[:, :, 1], color=INK, alpha=0.25, linewidth=0.7, zorder=1)
        for step, number in enumerate(run.iterations):
            size = 6.0 if step + 1 == shape[0] else 2.5 + 3.0 * step / shape[0]
            look = {"marker": "o", "markersize": size, "markeredgewidth": 0, "linestyle": ""}
            axes.plot(*paths[step].T, color=ITERATIONS(norm(number)), zorder=2, **look)
        axes.margins(0.12)
        axes.set_title(title)
        axes.set_xlabel(f"first component, {part[0]:.0%} of the variance")
        axes.set_ylabel(f"second component, {part[1]:.0%}")
        axes.grid(True)
        all_paths.append(paths)
    shown = [number for number in numbers if number % max(1, len(numbers) // 12) == 0 or number == numbers[-1]]
    bar = figure.colorbar(ScalarMappable(norm, ITERATIONS), ax=list(panels), ticks=shown, aspect=40 * rows, pad=0.02)
    bar.set_label("iteration")
    bar.outline.set_visible(False)
    figure.draw_without_rendering()
    # Names are placed where panels are now, so these stay.
    figure.set_layout_engine("none")
    unnamed = sum(
        name_points(axes, paths, [visible(name) for name in run.predicates])
        for axes, run, paths in zip(panels, runs, all_paths, strict=False)
    )
    return figure, unnamed


def name_points(axes: Axes, paths: np.ndarray, names: Sequence[str]) -> int:
    """Write names beside the ends of paths (steps, points, 2), none over another; how many found no place.

    Those far from the middle come first: they have most to tell. Names keep off all points where there is room, else
    off the ends of paths. A line leads to a name that had to move away.
    """
    scale = axes.figure.dpi / 72
    places = axes.transData.transform(paths.reshape(-1, 2))
    points = np.hstack([places - POINT * scale, places + POINT * scale])
    ends = places[-len(names) :]
    frame = axes.get_window_extent()
    middle = ends.mean(axis=0)
    labels: list[np.ndarray] = []
    for index in np.argsort(-((ends - middle) ** 2).sum(axis=1), kind="stable").tolist():
        text = axes.annotate(names[index], paths[-1, index], (0, 0), textcoords="offset points", fontsize=8, zorder=3)
        text.set_in_layout(False)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Glyph .* missing from")
            extent = text.get_window_extent()
        size = np.array([extent.width, extent.height])
        for obstacles in (points, points[-len(names) :]):
            taken = np.vstack([obstacles, *labels])
            low = _free_place(ends[index], size, ends[index] - middle, scale, taken, frame)
            if low is not None:
                break
        else:
            text.remove()
            continue
        labels.append(np.concatenate([low, low + size]))
        text.set_position(tuple((low - ends[index]) / scale))
        nearest = np.clip(ends[index], low, low + size)
        if np.hypot(*(nearest - ends[index])) > NEAR * scale:
            line = np.array([paths[-1, index], axes.transData.inverted().transform(nearest)])
            axes.plot(*line.T, color=INK, alpha=0.5, linewidth=0.5, zorder=1)
    return len(names) - len(labels)


def _free_place(
    point: np.ndarray, size: np.ndarray, away: np.ndarray, scale: float, taken: np.ndarray, frame: BboxBase
) -> np.ndarray | None:
    """The lower left corner of a box beside `point` that is free of those `taken` (boxes, 4) and inside the frame.

    Directions near that of `away` come first.
    """
    start = np.arctan2(away[1], away[0])
    turns = [(step + 1) // 2 * (-1) ** step for step in range(DIRECTIONS)]
    for radius in RADII:
        for turn in turns:
            angle = start + turn * 2 * np.pi / DIRECTIONS
            way = np.array([np.cos(angle), np.sin(angle)])
            low = point + way * (radius * scale + size / 2) - size / 2
            high = low + size
            inside = (low >= frame.min).all() and (high <= frame.max).all()
            if inside and ((high <= taken[:, :2]) | (low >= taken[:, 2:])).any(axis=1).all():
                return low
    return None


@drawn
def learning_figure(runs: list[RunRecord], titles: Sequence[str]) -> Figure:
    """Two panels: the loss by epoch, the trainings of all iterations one after the other; the log loss by rule."""
    figure = figure_of(7.2, 6.4)
    training, scores = figure.subplots(2, 1)
    lines: dict[str, Line2D] = {}
    for run, title, colour, marker in zip(runs, titles, COLOURS, MARKERS, strict=False):
        ends = np.cumsum([len(losses) for losses in run.losses])
        (lines[title],) = training.plot(np.concatenate(run.losses), color=colour, linewidth=1.2)
        held_out = [(end - 1, loss) for end, loss in zip(ends, run.validation, strict=True) if loss is not None]
        if held_out:
            look = {"color": colour, "linestyle": ":", "marker": marker, "markersize": 4}
            (lines[f"{title}, validation"],) = training.plot(*np.array(held_out).T, **look)
        if len(runs) == 1:
            _mark_iterations(training, run.iterations, ends)
        steps = range(1, len(run.rules) + 1)
        losses = [rule.log_loss for rule in run.rules]
        scores.plot(steps, losses, color=colour, marker=marker, markersize=4, linewidth=1.2)
    training.set_title("loss in training, all iterations one after the other", pad=16 if len(runs) == 1 else 6)
    training.set_xlabel("epoch")
    training.set_ylabel("loss")
    scores.set_title("log loss after each rule that was added, target weights refitted")
    scores.set_xlabel("target rule")
    scores.set_ylabel("log loss")
    scores.xaxis.set_major_locator(MaxNLocator(integer=True))
    for axes in (training, scores):
        axes.grid(True, axis="y")
    if len(lines) > 1:
        name_lines(training, lines)
    return figure


def _mark_iterations(axes: Axes, numbers: Sequence[int], ends: np.ndarray) -> None:
    """Lines where the training of an iteration begins, numbers of iterations above it; `ends` (iterations,)."""
    starts = [0, *ends[:-1].tolist()]
    every = max(1, len(numbers) // 15)
    for number, start, end in zip(numbers, starts, ends.tolist(), strict=True):
        axes.axvline(start, color=INK, alpha=0.15, linewidth=0.6)
        if number % every == 0:
            where = axes.get_xaxis_transform()
            axes.text((start + end) / 2, 1.0, str(number), transform=where, ha="center", va="bottom", fontsize=8)


def name_lines(axes: Axes, lines: Mapping[str, Any], **options: Any) -> None:
    """A legend; unlike that of matplotlib, also of names that begin with an underscore."""
    legend = axes.legend(list(lines.values()), [f"line {number}" for number in range(len(lines))], **options)
    for text, name in zip(legend.get_texts(), lines, strict=True):
        text.set_text(name)


def run_titles(runs: list[RunRecord]) -> list[str]:
    """What tells runs apart: their folders, and the options in which they differ."""
    titles = []
    for run, options in zip(runs, different_options(runs), strict=True):
        apart = ", ".join(f"{name} {value}" for name, value in options.items())
        titles.append(visible(f"{run.name}: {apart}" if apart else run.name))
    return titles


def embedding_words(runs: list[RunRecord]) -> tuple[str, str]:
    """Title and description of the figure of embeddings."""
    parts = [
        f"{run.name}: {len(run.predicates)} predicates, {run.embedding.shape[2]} latent predicates, "
        f"iterations {run.iterations[0]} to {run.iterations[-1]}"
        for run in runs
    ]
    return (
        "Embeddings of unary predicates over the iterations",
        f"Layer-1 weights on their first two principal components; {'; '.join(parts)}.",
    )


def learning_words(runs: list[RunRecord]) -> tuple[str, str]:
    """Title and description of the learning curves."""
    parts = []
    for run in runs:
        loss = f"{run.name}: loss {run.losses[-1][-1]:.4f} after the last epoch" if len(run.losses[-1]) else run.name
        rules = f", log loss {run.rules[-1].log_loss:.4f} after {len(run.rules)} rules" if run.rules else ""
        parts.append(loss + rules)
    return "Learning curves", f"Loss by epoch and log loss by rule; {'; '.join(parts)}."
