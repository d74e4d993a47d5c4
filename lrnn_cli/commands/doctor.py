from __future__ import annotations

import click

OPTIONAL = {
    "numba": ("numba", "fast", "compiled training"),
    "DuckDB": ("duckdb", "duckdb", "--grounder duckdb"),
    "matplotlib": ("matplotlib", "plots", "figures of plot and report"),
    "Jinja": ("jinja2", "plots", "pages of report"),
    "scikit-learn": ("scikit-learn", "baselines", "baseline forest"),
    "LightGBM": ("lightgbm", "baselines", "baseline lightgbm"),
    "Dask": ("distributed", "cluster", "--cluster"),
    "RDKit": ("rdkit", "rdkit", "molecules of SDF and SMILES files"),
}
"""Parts that may be missing: their package, the extra that installs it, and what it is for."""


@click.command()
def doctor() -> None:
    """Whether SWI-Prolog and pyswip are there, which optional parts are, and what to do if not

    \b
    Example:
        lrnn doctor
    """
    import platform

    from lrnn_cli import __version__
    from lrnn_cli.engine.process import PrologProcess, prolog_folder

    _show("lrnn", __version__)
    _show("Python", platform.python_version())
    for package in ("pyswip", "numpy", "scipy", "click"):
        _show(package, _version(package) or f"missing; run `pip install {package}`")
    for name, (package, extra, use) in OPTIONAL.items():
        _show(name, _version(package) or f"missing, optional; for {use} run `pip install 'lrnn[{extra}]'`")
    _show("Graphviz", _graphviz() or "missing, optional; for SVG of draw install the package graphviz of your system")
    _show("modules", str(prolog_folder()))
    with PrologProcess() as process:
        process.wait_until_ready()
        version = int(process.ask("version")["version"])
    _show("SWI-Prolog", f"{version // 10000}.{version // 100 % 100}.{version % 100}")
    _show("", "All is well.")


def _show(name: str, text: str) -> None:
    from lrnn_cli.language.files import write_text

    write_text("-", f"{name:<12} {text}\n" if name else f"{text}\n")


def _version(package: str) -> str | None:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _graphviz() -> str | None:
    """The version of the program `dot`, None where it is not there or does not answer."""
    import re
    import subprocess

    try:
        answer = subprocess.run(["dot", "-V"], capture_output=True, text=True, errors="replace", timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    match = re.search(r"version (\S+)", answer.stderr + answer.stdout)
    return match.group(1) if match else "of unknown version"
