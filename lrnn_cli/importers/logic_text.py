"""Text that looks like Prolog but is not: statements of atoms that end with a full stop, in a reader of our own.

It is strict: what it does not know is a fault with its place. Nothing in the text is ever called.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from lrnn_cli.errors import Fault
from lrnn_cli.importers.terms import Json, unescaped
from lrnn_cli.language.clauses import quoted

TOKEN = re.compile(
    r"""(?P<blank>\s+|%[^\n]*|//[^\n]*|/\*.*?\*/)
    |   (?P<end>\.(?=\s|%|\Z))
    |   (?P<number>[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)
    |   (?P<variable>[A-Z_][^\W]*)
    |   (?P<name>[^\W\d_]\w*)
    |   '(?P<quoted>(?:[^'\\]|\\.|'')*)'
    |   "(?P<string>(?:[^"\\]|\\.|"")*)"
    |   (?P<symbol>:-|<=|[(){}\[\],|<>=+\-#*/:$;!^@.?\\~&])
    """,
    re.VERBOSE | re.DOTALL,
)
DEEPEST = 50


class Token(NamedTuple):
    kind: str
    text: str
    start: int


class TextFault(Exception):
    """Something is wrong at this place of the text."""

    def __init__(self, start: int, message: str) -> None:
        super().__init__(message)
        self.start = start
        self.message = message


@dataclass(frozen=True)
class Text:
    """A text and where its lines are."""

    name: str
    text: str

    def fault(self, error: TextFault) -> Fault:
        line = self.line(error.start)
        return Fault(line, error.start - (self.text.rfind("\n", 0, error.start) + 1) + 1, error.message)

    def line(self, start: int) -> int:
        return self.text.count("\n", 0, start) + 1

    def place(self, token: Token) -> str:
        return f"{self.name}:{self.line(token.start)}"

    def tokens(self) -> Iterator[Token]:
        """All tokens but blanks and comments."""
        position = 0
        while position < len(self.text):
            match = TOKEN.match(self.text, position)
            if match is None:
                raise TextFault(position, f"{self.text[position]!r} is not expected here")
            kind = match.lastgroup or ""
            if kind != "blank":
                yield Token(kind, match[kind], position)
            position = match.end()

    def statements(self) -> Iterator[Statement]:
        """The tokens between full stops, without these."""
        tokens: list[Token] = []
        for token in self.tokens():
            if token.kind != "end":
                tokens.append(token)
                continue
            if not tokens:
                raise TextFault(token.start, "a full stop with nothing before it; delete it")
            yield Statement(tokens)
            tokens = []
        if tokens:
            raise TextFault(tokens[0].start, "this has no full stop at its end; add one")


class Statement:
    """Tokens that are read one after the other."""

    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._next = 0
        self._depth = 0

    @property
    def first(self) -> Token:
        return self._tokens[0]

    @property
    def ended(self) -> bool:
        return self._next == len(self._tokens)

    @property
    def _end(self) -> int:
        last = self._tokens[-1]
        return last.start + len(last.text)

    def peek_start(self) -> int:
        """Where the next token begins."""
        return self._end if self.ended else self._peek().start

    def sees(self, *texts: str) -> bool:
        """Whether one of these symbols comes next."""
        return not self.ended and self._peek().kind == "symbol" and self._peek().text in texts

    def sees_kind(self, *kinds: str) -> bool:
        return not self.ended and self._peek().kind in kinds

    def _peek(self) -> Token:
        return self._tokens[self._next]

    def take(self) -> Token:
        if self.ended:
            raise TextFault(self._end, "the statement ends too early; is something missing before the full stop?")
        self._next += 1
        return self._tokens[self._next - 1]

    def skip(self, text: str) -> bool:
        """Go over a symbol if it comes next."""
        if not self.sees(text):
            return False
        self._next += 1
        return True

    def expect(self, text: str) -> Token:
        token = self.take()
        if token.kind != "symbol" or token.text != text:
            raise TextFault(token.start, f"{text} is expected here, not {token.text}")
        return token

    def expect_end(self) -> None:
        if not self.ended:
            token = self._peek()
            raise TextFault(token.start, f"a full stop is expected here, not {token.text}")

    def expect_name(self) -> str:
        token = self.take()
        if token.kind not in ("name", "quoted"):
            raise TextFault(token.start, f"a name is expected here, not {token.text}")
        return unescaped(token.text) if token.kind == "quoted" else token.text

    def number(self) -> float:
        token = self.take()
        if token.kind != "number":
            raise TextFault(token.start, f"a number is expected here, not {token.text}")
        if not math.isfinite(float(token.text)):
            raise TextFault(token.start, f"{token.text} is too large a number")
        return float(token.text)

    def atom(self) -> list[Json] | str:
        """A name, or a name with arguments in brackets."""
        name = self.expect_name()
        return [name, *self._arguments(")")] if self.skip("(") else quoted(name)

    def term(self) -> Json:
        token = self.take()
        if token.kind == "number":
            return token.text.removeprefix("+")
        if token.kind == "variable":
            return [token.text]
        if token.kind == "string":
            return '"' + token.text + '"'
        if token.kind in ("name", "quoted"):
            self._next -= 1
            return self.atom()
        if token.text == "(":
            return ["()", *self._arguments(")")]
        if token.text == "[":
            return ["[]", *self._arguments("]")]
        if token.text in "+-#" and self.sees_kind("name", "quoted", "variable", "number"):
            return [token.text, self.term()]
        raise TextFault(token.start, f"{token.text} is not expected here; a name, a number or a variable is")

    def _arguments(self, closing: str) -> list[Json]:
        """Terms up to a bracket, which is passed over; a comma before it is allowed, as in Popper's (a,)."""
        arguments: list[Json] = []
        self._depth += 1
        if self._depth > DEEPEST:
            raise TextFault(self.peek_start(), f"terms are nested {DEEPEST} deep at most; write flatter ones")
        while not self.skip(closing):
            arguments.append(self.term())
            if not self.skip(","):
                self.expect(closing)
                break
        self._depth -= 1
        return arguments
