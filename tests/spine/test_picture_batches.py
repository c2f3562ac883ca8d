"""A model's results for pictures: one each, smaller batches for good once memory ran out, single failures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from step_context import StepContext

from benchwright.models.picture_batches import PictureBatches, Pixels
from benchwright.steps import Outcome


def test_memory_that_runs_out_makes_smaller_batches_in_all_later_calls_too(tmp_path: Path) -> None:
    sizes: list[int] = []

    def means(pictures: Sequence[Pixels]) -> list[float]:
        sizes.append(len(pictures))
        if len(pictures) > 2:
            raise RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB.")
        return [float(pixels.mean()) for pixels in pictures]

    context = StepContext(tmp_path)
    records = [context.add(np.full((9, 12, 3), shade, np.uint8), f"{shade}.png") for shade in range(6)]
    batches = PictureBatches(means, batch_size=8)
    assert batches.results(records, context) == [0, 1, 2, 3, 4, 5]
    assert batches.results(records[:3], context) == [0, 1, 2]
    assert sizes == [6, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1]
    assert batches.batch_size == 1


def test_a_picture_that_is_unreadable_or_too_large_fails_alone(tmp_path: Path) -> None:
    def areas(pictures: Sequence[Pixels]) -> list[int]:
        if any(pixels.shape[1] > 50 for pixels in pictures):
            raise MemoryError
        return [pixels.shape[0] * pixels.shape[1] for pixels in pictures]

    context = StepContext(tmp_path)
    records = [context.add(np.zeros((8, width, 3), np.uint8), f"{width}.png") for width in (10, 60, 30, 20)]
    (tmp_path / "30.png").write_bytes(b"no picture")
    first, large, broken, last = PictureBatches(areas, batch_size=4).results(records, context)
    assert (first, last) == (80, 160)
    assert isinstance(large, Outcome)
    assert isinstance(broken, Outcome)
    assert (large.verdict, large.reason) == ("failed", "out_of_memory")
    assert broken.verdict == "failed"
    assert broken.reason != "out_of_memory"
