"""Batches of similar inputs, which become smaller when memory runs out; results keep the input order.

Steps with a model use it in `many`, backends for local models use it for questions. Detecting exhausted memory imports
no library: every library has its own exception, recognized by its name or message.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from queue import SimpleQueue
from threading import Event
from typing import TypeVar

from benchwright.errors import BenchwrightError
from benchwright.models.devices import free_memory
from benchwright.texts.normalization import counted

T = TypeVar("T")
R = TypeVar("R")
_NO_MEMORY = ("out of memory", "can't allocate memory", "not enough memory", "status_alloc_failed")
"""Words in messages about exhausted memory; the last ones occur in those of cuBLAS and cuDNN."""


class OutOfMemory(BenchwrightError):
    """Memory does not suffice even for a single input."""


class Batches:
    """Batches of up to `size` inputs for a function; whenever memory runs out, `size` is halved permanently.

    Args:
        size: Largest number of inputs per batch, at least 1.
        tidy: Function that is called after memory ran out and frees a library's memory; by default torch's cache.
    """

    def __init__(self, size: int, tidy: Callable[[], None] = free_memory) -> None:
        if size < 1:
            raise ValueError(f"batch size is {size}; it must be at least 1")
        self.size = size
        self._tidy = tidy

    def run(
        self,
        things: Sequence[T],
        work: Callable[[Sequence[T]], Sequence[R]],
        *,
        key: Callable[[T], Hashable] | None = None,
    ) -> list[R | OutOfMemory]:
        """Return one result per input, in order, with an error in place of a result if memory does not suffice.

        Args:
            things: Inputs.
            work: Function that returns one result per input of a batch, in order; may be called again with fewer.
            key: Function whose value is equal for all inputs of a batch, such as the size of a picture; keys are
                processed in the order of their first inputs. If None, neighboring inputs form a batch.

        Raises:
            ValueError: `work` returned the wrong number of results.
        """
        results = dict(self.each(things, work, key=key))
        return [results[place] for place in range(len(things))]

    def each(
        self,
        things: Sequence[T],
        work: Callable[[Sequence[T]], Sequence[R]],
        *,
        key: Callable[[T], Hashable] | None = None,
    ) -> Generator[tuple[int, R | OutOfMemory]]:
        """Yield the index and the result of each input as soon as its batch is done; otherwise like `run`."""
        for places in _alike(things, key):
            yield from zip(places, self._one_kind([things[place] for place in places], work), strict=True)

    def stream(
        self,
        things: Iterable[T],
        work: Callable[[Sequence[T]], Sequence[R]],
        *,
        key: Callable[[T], Hashable] | None = None,
        ahead: int = 4,
    ) -> Generator[R | OutOfMemory]:
        """Yield one result per input, in order, taking up to `ahead` batches of inputs from `things` in advance.

        With a key, a larger `ahead` gives fuller batches and keeps more inputs in memory.
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
            except Exception as error:  # each library raises its own type
                if not ran_out_of_memory(error):
                    raise
                self.size = max(1, len(batch) // 2)
                if len(batch) == 1:
                    yield OutOfMemory("there is not enough memory for this one alone; use a larger device")
                    done += 1
            else:
                if len(results) != len(batch):
                    raise ValueError(
                        f"{counted(len(results), 'result')} for a batch of {len(batch)}; return exactly one per input"
                    )
                yield from results
                done += len(batch)
                continue
            # Follows the handler, because the exception's frames hold the memory until then.
            self._tidy()


def in_background(results: Iterable[T]) -> Generator[T]:
    """Yield results that a separate thread makes, so that using one result overlaps with making the next.

    All results may be ready before the caller takes the first. An error in the thread is raised here, at its position
    among the results. A caller that stops early waits for the result in progress.
    """
    made: SimpleQueue[tuple[T, ...]] = SimpleQueue()
    stopped = Event()

    def make() -> None:
        for result in results:
            if stopped.is_set():
                return
            made.put((result,))

    with ThreadPoolExecutor(1, thread_name_prefix="results") as pool:
        making = pool.submit(make)
        making.add_done_callback(lambda _: made.put(()))
        try:
            while result := made.get():
                yield result[0]
        finally:
            stopped.set()
        making.result()


def _alike(things: Sequence[T], key: Callable[[T], Hashable] | None) -> Iterable[Sequence[int]]:
    """Return the indices of inputs grouped by key, with keys in the order of their first inputs."""
    if key is None:
        return [range(len(things))]
    places: dict[Hashable, list[int]] = {}
    for place, thing in enumerate(things):
        places.setdefault(key(thing), []).append(place)
    return places.values()


def ran_out_of_memory(error: BaseException) -> bool:
    """Return whether an exception reports exhausted memory, on any device."""
    if isinstance(error, MemoryError | OutOfMemory) or type(error).__name__ == "OutOfMemoryError":
        return True
    return isinstance(error, RuntimeError) and any(words in str(error).lower() for words in _NO_MEMORY)
