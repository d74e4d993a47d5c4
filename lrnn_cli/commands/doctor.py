from __future__ import annotations

import click


@click.command()
def doctor() -> None:
    """Whether SWI-Prolog and pyswip are there, and what to do if not

    \b
    Example:
        lrnn doctor
    """
    import platform
    from importlib.metadata import PackageNotFoundError, version

    from lrnn_cli import __version__
    from lrnn_cli.engine.process import PrologProcess, prolog_folder

    _show(f"lrnn         {__version__}")
    _show(f"Python       {platform.python_version()}")
    for package in ("pyswip", "numpy", "scipy", "click"):
        try:
            _show(f"{package:<12} {version(package)}")
        except PackageNotFoundError:
            _show(f"{package:<12} missing; run `pip install {package}`")
    _show(f"modules      {prolog_folder()}")
    with PrologProcess() as process:
        process.wait_until_ready()
        found = int(process.ask("version")["version"])
    _show(f"SWI-Prolog   {found // 10000}.{found // 100 % 100}.{found % 100}")
    _show("All is well.")


def _show(text: str) -> None:
    from lrnn_cli.language.files import write_text

    write_text("-", f"{text}\n")
