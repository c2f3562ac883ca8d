"""Work on several things at a time, on fewer when memory runs out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from benchwright.errors import BenchwrightError

T = TypeVar("T")
R = TypeVar("R")
_NO_MEMORY = ("out of memory", "can't allocate memory", "not enough memory")


class OutOfMemory(BenchwrightError):
    """Memory does not even suffice for a single one."""


class Batches:
    """Hands things to a function, up to `size` together; when memory runs out, `size` is halved for good.

    Args:
        size: Things at a time, at most.
        tidy: Called after memory ran out, to free what a library still holds.
    """

    def __init__(self, size: int, tidy: Callable[[], None] = lambda: None) -> None:
        self.size = size
        self._tidy = tidy

    def run(self, things: Sequence[T], work: Callable[[Sequence[T]], Sequence[R]]) -> list[R | OutOfMemory]:
        """Return one result a thing, in order; in place of one for which memory does not suffice, the error."""
        results: list[R | OutOfMemory] = []
        while len(results) < len(things):
            batch = things[len(results) : len(results) + self.size]
            try:
                results += work(batch)
            except Exception as error:  # every library has its own type for this
                if not ran_out_of_memory(error):
                    raise
                if len(batch) == 1:
                    results.append(OutOfMemory("memory does not suffice for this question alone; use a larger device"))
                self.size = max(1, len(batch) // 2)
            else:
                continue
            self._tidy()
        return results


def ran_out_of_memory(error: BaseException) -> bool:
    """Say whether an exception means that memory ran out, on whatever device."""
    if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":
        return True
    return isinstance(error, RuntimeError) and any(words in str(error).lower() for words in _NO_MEMORY)
