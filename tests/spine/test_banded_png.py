"""Pictures that differ in a few rows are compressed in bands, each of which is compressed once."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image

from benchwright.images.banded_png import BAND_ROWS, BandedPng
from benchwright.images.decode import decode_rgb

RNG = np.random.default_rng(5)


def noise(height: int, width: int) -> np.ndarray:
    return RNG.integers(0, 256, (height, width, 3), dtype=np.uint8)


@pytest.mark.parametrize("shape", [(1, 1), (1, 40), (BAND_ROWS, 3), (BAND_ROWS + 1, 7), (3 * BAND_ROWS - 1, 50)])
def test_any_reader_gets_the_pixels_back(shape: tuple[int, int]) -> None:
    pixels = noise(*shape)
    data = BandedPng().encode(pixels)
    assert (decode_rgb(data) == pixels).all()
    with Image.open(io.BytesIO(data)) as image:
        image.verify()


def test_only_bands_that_differ_are_compressed_and_the_bytes_do_not_depend_on_what_was_encoded_before() -> None:
    encoder, pixels = BandedPng(), noise(8 * BAND_ROWS, 20)
    encoder.encode(pixels)
    assert encoder.compressed == 8
    marked = pixels.copy()
    marked[2 * BAND_ROWS + 5, 3] ^= 255
    assert encoder.encode(marked) == BandedPng().encode(marked)
    assert encoder.compressed == 9


def test_kept_bands_are_bounded() -> None:
    encoder, pixels = BandedPng(most_bytes=10_000), noise(8 * BAND_ROWS, 100)
    for _ in range(2):
        assert (decode_rgb(encoder.encode(pixels)) == pixels).all()
    assert encoder.compressed == 16
