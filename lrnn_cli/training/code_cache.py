"""Compiled code that is kept on disk, and used again only if it is what was kept.

numba keeps the code of a function in files beside its module, or in the folder NUMBA_CACHE_DIR. It takes them as they
are, and a damaged one ends the process. Here a file with their digests stands beside them: code that does not fit is
deleted and compiled anew.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from lrnn_cli.errors import LrnnError
from lrnn_cli.language.files import write_text

CODE = (".nbi", ".nbc")
"""What the files of numba end with."""


class KeptCode:
    """A function, compiled when it is first called unless the code of another run is there.

    compile: numba's, with options; takes `cache`.
    sources: files that the function depends on besides its own, which is the only one that numba looks at. A digest of
        them is a part of its name.
    """

    def __init__(self, function: Callable[..., Any], compile: Callable[..., Any], sources: Sequence[Path]) -> None:
        self._plain: Callable[[], Any] = lambda: compile()(function)
        self._verified = False
        self._folder: Path | None = None
        try:
            content = b"".join(file.read_bytes() for file in sources)
            function.__qualname__ += f"_{hashlib.blake2b(content, digest_size=8).hexdigest()}"
            self._name = function.__qualname__
            self._code = compile(cache=True)(function)
            self._folder = Path(self._code.stats.cache_path)
        except (OSError, RuntimeError):
            # There is no folder to keep it in: not beside this file, not the user's, not NUMBA_CACHE_DIR.
            self._give_up()

    def __call__(self, *arguments: Any) -> Any:
        if not self._verified:
            self._delete_damaged()
        if self._folder is None:
            return self._code(*arguments)
        known = len(self.signatures)
        try:
            result = self._code(*arguments)
        except OSError:
            # The code can't be read or kept, for example on a full disk; nothing has been computed yet.
            self._give_up()
            return self._code(*arguments)
        if len(self.signatures) > known and self._code.stats.cache_misses:
            # Without digests the code is compiled again the next time, and nothing is lost.
            with contextlib.suppress(LrnnError, OSError):
                write_text(str(self._digest_file(self._folder)), json.dumps(self._digests(self._folder)) + "\n")
        return result

    @property
    def signatures(self) -> list[Any]:
        """The types of arguments that there is code for."""
        found: list[Any] = self._code.signatures
        return found

    def _give_up(self) -> None:
        """Compile without keeping anything."""
        self._folder = None
        self._verified = True
        self._code = self._plain()

    def _digest_file(self, folder: Path) -> Path:
        return folder / f"{self._name}.json"

    def _files(self, folder: Path) -> list[Path]:
        return sorted(path for path in folder.glob(f"*{self._name}*") if path.suffix in CODE)

    def _digests(self, folder: Path) -> dict[str, str]:
        return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in self._files(folder)}

    def _delete_damaged(self) -> None:
        self._verified = True
        assert self._folder is not None
        try:
            kept = json.loads(self._digest_file(self._folder).read_bytes())
            fits = kept == self._digests(self._folder)
        except (OSError, ValueError, RecursionError):
            fits = False
        if fits:
            return
        try:
            for path in self._files(self._folder):
                path.unlink()
        except OSError:
            self._give_up()
