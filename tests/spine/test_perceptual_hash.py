"""Perceptual hashes equal ImageHash's, bit for bit, on photographs, noise, drawings and blank pages."""

from __future__ import annotations

import imagehash
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from benchwright.images import Hashes, hashes


def imagehash_of(grey: Image.Image) -> Hashes:
    mirrored = grey.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    return Hashes(
        *(int(str(one), 16) for one in (imagehash.phash(grey), imagehash.dhash(grey), imagehash.phash(mirrored)))
    )


def noise(seed: int, width: int, height: int) -> NDArray[np.uint8]:
    return np.random.default_rng(seed).integers(0, 256, (height, width), dtype=np.uint8)


def drawing() -> Image.Image:
    """A logo with two axes of symmetry: half of its frequencies are zero, and rounding decides their bits."""
    image = Image.new("L", (256, 256), 255)
    ImageDraw.Draw(image).ellipse((40, 40, 215, 215), fill=0)
    return image


@pytest.mark.parametrize("name", ["coffee", "rocket", "astronaut", "chelsea"])
def test_photographs_have_the_bits_of_imagehash(name: str) -> None:
    import skimage.data

    grey = Image.fromarray(getattr(skimage.data, name)()).convert("L")
    assert hashes(grey) == imagehash_of(grey)


@pytest.mark.parametrize(
    "grey",
    [
        pytest.param(Image.new("L", (300, 200), 77), id="blank"),
        pytest.param(Image.new("L", (300, 200), 0), id="black"),
        pytest.param(Image.new("L", (1, 1), 200), id="one pixel"),
        pytest.param(Image.fromarray(np.tile(np.arange(256, dtype=np.uint8), (90, 1))), id="ramp"),
        pytest.param(Image.fromarray(np.tile(np.uint8([[0, 255], [255, 0]]), (64, 64))), id="chessboard"),
        pytest.param(drawing(), id="symmetric drawing"),
        pytest.param(Image.fromarray(noise(1, 2000, 3)), id="extremely wide"),
        pytest.param(Image.fromarray(noise(2, 32, 32)), id="32 by 32"),
        pytest.param(Image.fromarray(noise(3, 9, 8)), id="9 by 8"),
    ],
)
def test_odd_pictures_have_the_bits_of_imagehash(grey: Image.Image) -> None:
    assert hashes(grey) == imagehash_of(grey)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 400), st.integers(1, 400), st.integers(0, 7))
def test_pictures_of_any_size_and_depth_have_the_bits_of_imagehash(
    seed: int, width: int, height: int, cut: int
) -> None:
    grey = Image.fromarray(noise(seed, width, height) >> cut << cut)
    assert hashes(grey) == imagehash_of(grey)
