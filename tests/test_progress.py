"""Progress on a terminal: one line that changes, at any width, whatever names are in it."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pyte
import pytest

from lrnn_cli.commands.terminal import fitting

DATA = "".join(
    f"begin(model(m{number})). {'漢字カナ' if number % 2 else 'é̀_long_name'}(a{number}). "
    f"query(target, {number % 2}). end(model(m{number})).\n"
    for number in range(40)
)
STEPS = """
import sys, time
from lrnn_cli.commands.options import Progress
progress = Progress(quiet=False)
for text in sys.argv[1:]:
    for number in range(3):
        time.sleep(0.052)
        progress.status(f"step {number + 1} of at most 3: {text}")
progress.line("done")
"""


def on_terminal(command: list[str], columns: int, folder: Path, **variables: str) -> tuple[list[str], bytes]:
    """What a terminal of so many columns shows after a command, lines that are not empty, and all that it was sent."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 60, columns, 0, 0))
    environment = {**os.environ, "TERM": "xterm", "PYTHONIOENCODING": "utf-8", **variables}
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, cwd=folder, env=environment) as process:
        os.close(theirs)
        sent = b""
        while True:
            try:
                more = os.read(ours, 65536)
            except OSError:  # Linux: nobody writes to the terminal any more.
                break
            if not more:
                break
            sent += more
    os.close(ours)
    assert process.returncode == 0, sent
    screen = pyte.Screen(columns or 80, 60)
    pyte.ByteStream(screen).feed(sent)
    return [line.rstrip() for line in screen.display if line.strip()], sent


TEXTS = [
    "short",
    "x" * 300,
    "active :- bond(X, Y), " * 10,
    "漢字" * 60,
    "x" + "漢字" * 60,
    "e\u0301" * 120,
    "❤\ufe0f 🧪 " * 40,
    "\x1b[31mred\u202e\n" * 30,
]


@pytest.mark.parametrize("columns", [10, 40, 80, 100, 200])
def test_a_line_that_changes_stays_one_line(columns: int, tmp_path: Path) -> None:
    lines, sent = on_terminal([sys.executable, "-c", STEPS, *TEXTS], columns, tmp_path)
    assert lines == ["done"]
    shown = sent.decode().split("\r\x1b[K")
    assert len(shown) > 2 * len(TEXTS), "the line did not change"
    assert all(part.startswith("step "[: columns - 4]) for part in shown[1:-1])


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_letters_that_the_terminal_does_not_have(encoding: str, tmp_path: Path) -> None:
    """They are shown by codes, which are longer."""
    command = [sys.executable, "-c", f"import sys\nsys.stderr.reconfigure(errors='backslashreplace')\n{STEPS}"]
    lines, sent = on_terminal([*command, "漢字é" * 10], 60, tmp_path, PYTHONIOENCODING=encoding)
    assert lines == ["done"]
    assert b"step 2 of at most 3: \\u6f22" in sent


def test_a_terminal_without_a_size(tmp_path: Path) -> None:
    lines, _ = on_terminal([sys.executable, "-c", STEPS, "x" * 200], 0, tmp_path)
    assert lines == ["done"]


def test_a_terminal_that_only_goes_on(tmp_path: Path) -> None:
    """No codes are sent to one that does not know them."""
    _, sent = on_terminal([sys.executable, "-c", STEPS, "x"], 80, tmp_path, TERM="dumb")
    assert sent == b"done\r\n"


@pytest.mark.parametrize("columns", [30, 100])
def test_structure_learning_on_a_terminal(columns: int, tmp_path: Path) -> None:
    """Only results stay, and progress says what will be done at most."""
    (tmp_path / "data.pl").write_text(DATA)
    command = [sys.executable, "-m", "lrnn_cli", "learn-structure", "data.pl", "--iterations", "9", "-o", "model.pl"]
    lines, sent = on_terminal(command, columns, tmp_path)
    assert "".join(lines).startswith("stopped after 1 iteration: the rules explain all targets")
    assert not any("iteration 1 of" in line or "reading" in line for line in lines)
    text = sent.decode()
    assert "iteration 1 of at most 9:" in text and "left" not in text.split("stopped")[0]


@pytest.mark.parametrize(
    ("text", "columns", "expected"),
    [
        ("", 0, ""),
        ("abcdef", 6, "abcdef"),
        ("abcdefg", 6, "abc..."),
        ("abcdefg", 2, ".."),
        ("漢字漢", 6, "漢字漢"),
        ("漢字漢字", 7, "漢字..."),
        ("漢字漢字", 6, "漢..."),
        ("e\u0301e\u0301e\u0301e\u0301e\u0301", 5, "e\u0301e\u0301e\u0301e\u0301e\u0301"),
        ("abcdefg", -1, ""),
    ],
)
def test_fitting(text: str, columns: int, expected: str) -> None:
    assert fitting(text, columns) == expected
