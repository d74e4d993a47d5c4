"""A cache of tables, bounded by their size in memory."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Cache(Generic[Key, Value]):
    """Keeps the most recently used values up to so many bytes in all. Threads may share it."""

    def __init__(self, limit: int, size: Callable[[Value], int]) -> None:
        self.limit = limit
        self._size = size
        self._bytes = 0
        self._values: dict[Key, Value] = {}
        self._lock = Lock()

    def __reduce__(self) -> tuple[object, ...]:
        """What is sent to another process is an empty cache."""
        return type(self), (self.limit, self._size)

    def recall(self, key: Key, compute: Callable[[], Value]) -> Value:
        """The value of a key, computed if it is not there."""
        with self._lock:
            if key in self._values:
                # The most recently used values come last and are forgotten last.
                value = self._values[key] = self._values.pop(key)
                return value
        value = compute()
        with self._lock:
            if key not in self._values:
                self._bytes += self._size(value)
                self._values[key] = value
            while self._bytes > self.limit and self._values:
                self._bytes -= self._size(self._values.pop(next(iter(self._values))))
        return value

    def forget(self, stale: Callable[[Key], bool]) -> None:
        """Drop the values of some keys."""
        with self._lock:
            self._values = {key: value for key, value in self._values.items() if not stale(key)}
            self._bytes = sum(map(self._size, self._values.values()))
