"""Gray pictures at reduced size, PNG encoding, pixel hashes."""

from __future__ import annotations

import hashlib
import io
import struct
from typing import Any

import numpy as np
import pytest
from hostile import encoded
from image_samples import (
    GREY,
    PIXELS,
    RGB,
    SMOOTH,
    WHOLE,
    turned,
)
from numpy.typing import NDArray
from PIL import Image

from benchwright.errors import UnreadableImage
from benchwright.images import decode_luma, decode_rgb, encode_png, pixel_hash
from benchwright.images.decode import luma_of


@pytest.mark.parametrize(
    ("size", "at_least_px", "expected"),
    [
        ((900, 640), 128, (225, 160)),
        ((900, 640), 80, (113, 80)),
        ((900, 640), 81, (225, 160)),
        ((97, 201), 128, (97, 201)),
    ],
)
def test_jpeg_luma_is_the_smallest_cheap_size_that_is_large_enough(
    size: tuple[int, int], at_least_px: int, expected: tuple[int, int]
) -> None:
    data = encoded(SMOOTH.resize(size), "JPEG")
    luma = decode_luma(data, at_least_px=at_least_px)
    assert (luma.mode, luma.size) == ("L", expected)


def test_jpeg_luma_is_what_drafting_gives() -> None:
    data = encoded(SMOOTH.resize((900, 640)), "JPEG")
    drafted = Image.open(io.BytesIO(data))
    drafted.draft("L", (128, 128))
    np.testing.assert_array_equal(np.asarray(decode_luma(data, at_least_px=128)), np.asarray(drafted))


@pytest.mark.parametrize("orientation", range(1, 9))
def test_luma_is_upright(orientation: int) -> None:
    upright = SMOOTH.resize((640, 480), Image.Resampling.BILINEAR)
    luma = decode_luma(turned(upright, orientation, "JPEG", quality=95, subsampling=0), at_least_px=240)
    assert luma.size == (320, 240)
    difference = np.asarray(luma).astype(int) - np.asarray(upright.convert("L").reduce(2))
    assert np.abs(difference).mean() < 2


@pytest.mark.parametrize("name", [name for name, data in WHOLE.items() if data[:2] != b"\xff\xd8"])
def test_luma_without_reduction_is_that_of_the_pixels_in_every_mode(name: str) -> None:
    expected = luma_of(decode_rgb(WHOLE[name]))
    np.testing.assert_array_equal(np.asarray(decode_luma(WHOLE[name], at_least_px=8)), np.asarray(expected))


@pytest.mark.parametrize("name", ["png", "webp", "gif", "bmp", "tiff-lzw", "avif"])
def test_luma_of_other_formats_is_that_of_their_pixels(name: str) -> None:
    expected = Image.fromarray(PIXELS[name]).convert("L")
    np.testing.assert_array_equal(np.asarray(decode_luma(WHOLE[name], at_least_px=8)), np.asarray(expected))


def test_luma_of_a_cmyk_jpeg_is_near_that_of_its_pixels() -> None:
    data = encoded(SMOOTH.resize((480, 360)).convert("CMYK"), "JPEG")
    luma = decode_luma(data, at_least_px=90)
    assert luma.size == (120, 90)
    expected = Image.fromarray(decode_rgb(data)).convert("L").reduce(4)
    assert np.abs(np.asarray(luma).astype(int) - np.asarray(expected)).mean() < 3


def test_luma_of_a_cut_jpeg_is_refused() -> None:
    with pytest.raises(UnreadableImage, match="truncated"):
        decode_luma(WHOLE["jpeg"][:-2], at_least_px=8)


def test_png_comes_back_and_is_the_same_each_time_without_metadata() -> None:
    data = encode_png(RGB)
    assert data == encode_png(RGB.copy()) == encode_png(np.asfortranarray(RGB))
    np.testing.assert_array_equal(decode_rgb(data), RGB)
    names, at = [], 8
    while at < len(data):
        length, name = struct.unpack(">I4s", data[at : at + 8])
        names.append(name)
        at += 12 + length
    assert set(names) == {b"IHDR", b"IDAT", b"IEND"}


def test_pixel_hash_is_over_shape_and_pixels() -> None:
    assert pixel_hash(RGB) == hashlib.sha256(b"23x37x3\n" + RGB.tobytes()).hexdigest()
    assert pixel_hash(RGB) == pixel_hash(np.asfortranarray(RGB)) == pixel_hash(RGB[::-1][::-1])
    assert pixel_hash(RGB) != pixel_hash(RGB.reshape(37, 23, 3))


@pytest.mark.parametrize(
    "pixels", [GREY, RGB.astype(float), RGB[..., :2], RGB[:0]], ids=["grey", "float", "two", "none"]
)
def test_only_rgb_bytes_are_encoded_and_hashed(pixels: NDArray[Any]) -> None:
    with pytest.raises(ValueError, match="must be"):
        encode_png(pixels)
    with pytest.raises(ValueError, match="must be"):
        pixel_hash(pixels)
