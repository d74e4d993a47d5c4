"""What the system refuses to give: its error as one sentence with a remedy."""

from __future__ import annotations

import errno
import os
import tempfile

from lrnn_cli.errors import EngineError

NO_SPACE = "free some space in {folder}, or set TMPDIR to a larger folder"
NO_FOLDER = "set TMPDIR to a folder that can be written"
REMEDIES = {
    errno.ENOSPC: NO_SPACE,
    errno.EDQUOT: NO_SPACE,
    errno.EFBIG: "raise the limit of file sizes (ulimit -f)",
    errno.EMFILE: "raise the limit of open files (ulimit -n), or use fewer --jobs",
    errno.ENFILE: "close other programs, or use fewer --jobs",
    errno.EROFS: NO_FOLDER,
    errno.EACCES: NO_FOLDER,
    errno.ENOENT: NO_FOLDER,
    errno.EIO: "look after the disk of {folder}, or set TMPDIR to a folder on another one",
    errno.EAGAIN: "use fewer --jobs, or raise the limit of processes (ulimit -u)",
    errno.ENOMEM: "use fewer --jobs, or close other programs",
}
NUMBERS = {os.strerror(number): number for number in REMEDIES}
EXHAUSTED = [
    os.strerror(number)
    for number in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EMFILE, errno.ENFILE, errno.EAGAIN)
]
"""Words of the system that say that there is no more of something."""


def refusal(what: str, text: str) -> EngineError:
    """The error for what could not be done, `text` being the system's own words."""
    remedy = REMEDIES.get(NUMBERS.get(text, 0), "mend that and try again")
    return EngineError(f"{what}: {text[:1].lower()}{text[1:]}; {remedy.format(folder=_temporary_folder())}")


def os_refusal(what: str, error: OSError) -> EngineError:
    return refusal(what, error.strerror or str(error))


def _temporary_folder() -> str:
    try:
        return tempfile.gettempdir()
    except OSError:
        return "the temporary folder"
