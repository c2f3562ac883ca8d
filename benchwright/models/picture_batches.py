"""A model's results for a step's pictures: batches that fit into memory, and failures of single pictures.

A step's `open` or `open_shared` returns `PictureBatches`. With a GPU and a shared model, one process per GPU opens it,
and each worker has `SharedPictures` instead. The worker decodes and sends pictures; the results are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Generic, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from benchwright.errors import UnreadableImage
from benchwright.models.batching import Batches, OutOfMemory
from benchwright.records import ImageRecord
from benchwright.steps import Context, Outcome

Pixels = NDArray[np.uint8]
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)
_ON_GPU = 64
"""Number of pictures of about 224 pixels per side in a batch that keeps a large GPU busy."""


def batch_size_on(place: str, wanted: int | None, *, on_cpu: int) -> int:
    """Return the number of small pictures in a batch: the requested number, or one that suits the device."""
    return wanted or (on_cpu if place == "cpu" else _ON_GPU)


class PictureModel(Protocol[R_co]):
    """A step's model, in this process or shared by workers; it is all or part of `ctx.opened`."""

    def run(self, pictures: Sequence[Pixels]) -> Sequence[R_co | OutOfMemory]:
        """Return the model's result for each picture, in order, or an error where memory did not suffice."""

    def results(self, records: Sequence[ImageRecord], ctx: Context) -> Sequence[R_co | Outcome]:
        """Return the model's result for each picture, or a failed outcome in place of the result."""


class PictureNeeds(NamedTuple):
    """The facts that a worker needs in order to send pictures to a model.

    Args:
        least_px: Smallest shorter side, in pixels, at which a reduced picture suits the model as well as the original;
            None if the model needs whole pictures.
    """

    least_px: int | None


class PictureBatches(Generic[R]):
    """A loaded model, returned by a step's `open`.

    When memory runs out, the batch is halved for the rest of the worker's life.

    Args:
        work: Function that returns one result per picture of a batch, (height, width, 3) RGB.
        batch_size: Largest number of pictures in a batch.
        key: Function whose value is equal for all pictures of a batch; if None, neighboring pictures form a batch.
        least_px: As in `PictureNeeds`. If the model runs in the worker itself, pictures are always read in full.

    Attributes:
        work: The function.
        facts: Facts for workers that send pictures to the model.
    """

    def __init__(
        self,
        work: Callable[[Sequence[Pixels]], Sequence[R]],
        *,
        batch_size: int,
        key: Callable[[Pixels], Hashable] | None = None,
        least_px: int | None = None,
    ) -> None:
        self.work = work
        self.facts = PictureNeeds(least_px)
        self._key, self._batches = key, Batches(batch_size)

    @property
    def batch_size(self) -> int:
        """Return the largest number of pictures in the next batch."""
        return self._batches.size

    def key(self, picture: Pixels) -> Hashable:
        """Return a key that all pictures of a batch have in common."""
        return None if self._key is None else self._key(picture)

    def run(self, pictures: Sequence[Pixels]) -> list[R | OutOfMemory]:
        """Return the model's result for each picture, in order."""
        return self._batches.run(pictures, self.work, key=self._key)

    def results(self, records: Sequence[ImageRecord], ctx: Context) -> list[R | Outcome]:
        """Return the model's result for each picture, or a failed outcome in place of the result.

        An unreadable picture, or one for which memory does not suffice, has a failed outcome, which does not affect the
        others in its batch.
        """
        return _results(records, ctx.images.rgb, lambda pictures: self.run(list(pictures)))


class SharedModelClient(Protocol):
    """A connection to the process that runs a model."""

    def compute(self, model: str, things: Iterable[Pixels]) -> list[R | OutOfMemory]:
        """Return one result for each input, in order."""


class SharedPictures(Generic[R]):
    """A model in the process that serves a GPU card, used in place of `PictureBatches`.

    Args:
        client: This worker's connection to the process.
        model: Name of the model there.
        facts: The model's facts.
    """

    def __init__(self, client: SharedModelClient, model: str, facts: PictureNeeds) -> None:
        self._client, self._model, self._facts = client, model, facts

    def run(self, pictures: Sequence[Pixels]) -> list[R | OutOfMemory]:
        """Return the model's result for each picture, like `PictureBatches.run`."""
        return self._client.compute(self._model, pictures)

    def results(self, records: Sequence[ImageRecord], ctx: Context) -> list[R | Outcome]:
        """Return the model's result for each picture, like `PictureBatches.results`."""

        def read(record: ImageRecord) -> Pixels:
            least_px = self._facts.least_px
            return ctx.images.rgb(record) if least_px is None else ctx.images.reduced_rgb(record, at_least_px=least_px)

        return _results(records, read, lambda pictures: self._client.compute(self._model, pictures))


def _results(
    records: Sequence[ImageRecord],
    read: Callable[[ImageRecord], Pixels],
    compute: Callable[[Iterable[Pixels]], Sequence[R | OutOfMemory]],
) -> list[R | Outcome]:
    results: dict[int, R | Outcome] = {}
    places: list[int] = []

    def readable() -> Iterator[Pixels]:
        for place, record in enumerate(records):
            try:
                pixels = read(record)
            except UnreadableImage as error:
                results[place] = Outcome("failed", error.reason, evidence={"detail": error.detail})
            else:
                places.append(place)
                yield pixels

    computed = compute(readable())
    for place, result in zip(places, computed, strict=True):
        results[place] = Outcome("failed", "out_of_memory") if isinstance(result, OutOfMemory) else result
    return [results[place] for place in range(len(records))]
