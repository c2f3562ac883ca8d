"""A model's results for the pictures of a step: batches that fit into memory, and failures of single pictures."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from benchwright.errors import UnreadableImage
from benchwright.models.batching import Batches, OutOfMemory
from benchwright.records import ImageRecord
from benchwright.steps import Context, Outcome

Pixels = NDArray[np.uint8]
R = TypeVar("R")


class PictureBatches(Generic[R]):
    """A model that is loaded, as a step's `open` returns it.

    When memory runs out, the batch is halved for as long as the worker lives.

    Args:
        work: Function that returns one result per picture of a batch, (height, width, 3) RGB.
        batch_size: Largest number of pictures in a batch.
        key: Function whose value is equal for all pictures of a batch; None batches neighbours.

    Attributes:
        work: The function.
    """

    def __init__(
        self,
        work: Callable[[Sequence[Pixels]], Sequence[R]],
        *,
        batch_size: int,
        key: Callable[[Pixels], Hashable] | None = None,
    ) -> None:
        self.work = work
        self._key, self._batches = key, Batches(batch_size)

    @property
    def batch_size(self) -> int:
        """Return the largest number of pictures in the next batch."""
        return self._batches.size

    def results(self, records: Sequence[ImageRecord], ctx: Context) -> list[R | Outcome]:
        """Return what the model makes of each picture.

        A picture that cannot be read, or for which memory does not suffice, has a failed outcome in place of a result,
        without harm to the others of its batch.
        """
        pixels: dict[int, Pixels] = {}
        results: dict[int, R | Outcome] = {}
        for place, record in enumerate(records):
            try:
                pixels[place] = ctx.images.rgb(record)
            except UnreadableImage as error:
                results[place] = Outcome("failed", error.reason, evidence={"detail": error.detail})
        computed = self._batches.run(list(pixels.values()), self.work, key=self._key)
        for place, result in zip(pixels, computed, strict=True):
            results[place] = Outcome("failed", "out_of_memory") if isinstance(result, OutOfMemory) else result
        return [results[place] for place in range(len(records))]
