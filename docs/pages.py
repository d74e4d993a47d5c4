"""Pages of the site, a hook of MkDocs: those of the repository at the places they have there, so that links lead on."""

from __future__ import annotations

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[1]
PARTS = {
    "Use": (
        "formats",
        "import",
        "problems",
        "structure-learning",
        "classes",
        "numbers",
        "python",
        "experiments",
        "baselines",
        "grounders",
        "limits",
        "performance",
    ),
    "Carry on": ("architecture", "CONTRIBUTING", "SECURITY", "CHANGELOG"),
}
"""Pages of docs/ and of the repository itself by name; those that no part names come after the first."""


def repository_files() -> list[Path]:
    """All that the site shows, relative to the repository."""
    paths = [*ROOT.glob("*.md"), *ROOT.glob("LICENSE"), *ROOT.glob("docs/*.md"), *ROOT.glob("docs/**/*.svg")]
    paths += [*ROOT.glob("datasets/**/*.md"), *ROOT.glob("benchmarks/*.md")]
    return sorted(path.relative_to(ROOT) for path in paths)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """The menu."""
    pages = {
        path.stem: path.as_posix() for path in repository_files() if path.suffix == ".md" and path.stem != "README"
    }
    named = {part: [pages.pop(name) for name in names if name in pages] for part, names in PARTS.items()}
    named["Use"] += pages.values()
    named["Carry on"].append("benchmarks/README.md")
    data = [path.as_posix() for path in repository_files() if path.parts[0] == "datasets"]
    config.nav = [{"lrnn": "README.md"}, *({part: found} for part, found in named.items()), {"Data": data}]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    for file in [*files.documentation_pages(), *files.media_files()]:
        if file.src_dir == config.docs_dir:
            files.remove(file)
    for path in repository_files():
        files.append(File.generated(config, path.as_posix(), abs_src_path=str(ROOT / path)))
    return files
