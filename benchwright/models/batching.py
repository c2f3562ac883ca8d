"""Work on several things at a time, like with like, on fewer when memory runs out; results in the old order.

Steps with a model use it in `many`, backends for local models use it for questions. Nothing is imported to tell that
memory ran out: every library has its own exception for it, and all of them say so by name or in words.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable, Iterable, Iterator, Sequence
from itertools import islice
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
        size: Things at a time, at most; at least 1.
        tidy: Called after memory ran out, to free what a library still holds.
    """

    def __init__(self, size: int, tidy: Callable[[], None] = lambda: None) -> None:
        if size < 1:
            raise ValueError(f"a batch of {size} things; at least 1 is needed")
        self.size = size
        self._tidy = tidy

    def run(
        self,
        things: Sequence[T],
        work: Callable[[Sequence[T]], Sequence[R]],
        *,
        key: Callable[[T], Hashable] | None = None,
    ) -> list[R | OutOfMemory]:
        """Return one result a thing, in order; in place of one for which memory does not suffice, the error.

        Args:
            things: What to work on.
            work: Returns one result for each thing of a batch, in order. May be called again with fewer of them.
            key: Only things of equal key come together, such as pictures of equal size; batches of one key follow
                that of the key met before it. None puts neighbours together.

        Raises:
            ValueError: `work` returned too few or too many results.
        """
        results: dict[int, R | OutOfMemory] = {}
        for places in _alike(things, key):
            results |= zip(places, self._one_kind([things[place] for place in places], work), strict=True)
        return [results[place] for place in range(len(things))]

    def stream(
        self,
        things: Iterable[T],
        work: Callable[[Sequence[T]], Sequence[R]],
        *,
        key: Callable[[T], Hashable] | None = None,
        ahead: int = 4,
    ) -> Generator[R | OutOfMemory]:
        """Yield one result a thing, in order, taking up to `ahead` batches from `things` before work begins.

        With a key, more taken ahead means fuller batches and more things in memory.
        """
        coming: Iterator[T] = iter(things)
        while some := list(islice(coming, max(1, ahead) * self.size)):
            yield from self.run(some, work, key=key)

    def _one_kind(self, things: Sequence[T], work: Callable[[Sequence[T]], Sequence[R]]) -> Generator[R | OutOfMemory]:
        done = 0
        while done < len(things):
            batch = things[done : done + self.size]
            try:
                results = work(batch)
            except Exception as error:  # every library has its own type for this
                if not ran_out_of_memory(error):
                    raise
                self.size = max(1, len(batch) // 2)
                if len(batch) == 1:
                    yield OutOfMemory("memory does not suffice for this one alone; use a larger device")
                    done += 1
            else:
                if len(results) != len(batch):
                    raise ValueError(f"{len(results)} results for a batch of {len(batch)}; one each is needed")
                yield from results
                done += len(batch)
                continue
            # After the handler: until then the exception's frames keep alive what should be freed.
            self._tidy()


def _alike(things: Sequence[T], key: Callable[[T], Hashable] | None) -> Iterable[Sequence[int]]:
    """Return the places of things by key, keys in the order in which they are met."""
    if key is None:
        return [range(len(things))]
    places: dict[Hashable, list[int]] = {}
    for place, thing in enumerate(things):
        places.setdefault(key(thing), []).append(place)
    return places.values()


def ran_out_of_memory(error: BaseException) -> bool:
    """Say whether an exception means that memory ran out, on whatever device."""
    if isinstance(error, MemoryError | OutOfMemory) or type(error).__name__ == "OutOfMemoryError":
        return True
    return isinstance(error, RuntimeError) and any(words in str(error).lower() for words in _NO_MEMORY)
