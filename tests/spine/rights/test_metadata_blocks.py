"""Metadata are cut out of files, and every pixel, color profile and orientation stays."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageOps
from rights_pictures import SECRETS, photograph

from benchwright.errors import UnreadableImage
from benchwright.images import decode_rgb
from benchwright.rights import metadata_blocks, without_metadata

TYPES = {"jpg": "image/jpeg", "png": "image/png", "webp": "image/webp"}


@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize("orientation", [1, 6])
@pytest.mark.parametrize("suffix", TYPES)
def test_metadata_go_and_pixels_profile_and_orientation_stay(
    tmp_path: Path, suffix: str, orientation: int, number: int
) -> None:
    data = photograph(tmp_path / f"a.{suffix}", number, orientation=orientation).read_bytes()
    cut = without_metadata(data, TYPES[suffix])
    assert any(secret in data for secret in SECRETS)
    assert [secret for secret in SECRETS if secret in cut] == []
    assert np.array_equal(decode_rgb(cut), decode_rgb(data))
    with Image.open(io.BytesIO(data)) as before, Image.open(io.BytesIO(cut)) as after:
        assert np.array_equal(np.array(before), np.array(after))
        assert after.info["icc_profile"] == before.info["icc_profile"]
        assert ImageOps.exif_transpose(after).size == ImageOps.exif_transpose(before).size
        assert dict(after.getexif()) == ({274: 6} if orientation == 6 else {})


@pytest.mark.parametrize("suffix", TYPES)
def test_cutting_twice_changes_nothing(tmp_path: Path, suffix: str) -> None:
    cut = without_metadata(photograph(tmp_path / f"a.{suffix}", orientation=8).read_bytes(), TYPES[suffix])
    assert without_metadata(cut, TYPES[suffix]) == cut


@pytest.mark.parametrize("suffix", TYPES)
def test_a_file_without_metadata_stays_as_it_is(tmp_path: Path, suffix: str) -> None:
    data = photograph(tmp_path / f"a.{suffix}", metadata=False).read_bytes()
    assert without_metadata(data, TYPES[suffix]) is data


@pytest.mark.parametrize("number", [0, 1])
def test_a_second_picture_after_a_jpeg_goes_with_the_place_it_states(tmp_path: Path, number: int) -> None:
    plain = photograph(tmp_path / "a.jpg", number, metadata=False).read_bytes()
    assert without_metadata(plain + photograph(tmp_path / "b.jpg").read_bytes(), "image/jpeg") == plain


@pytest.mark.parametrize("suffix", TYPES)
def test_a_file_that_is_cut_off_inside_its_metadata_is_refused_in_words(tmp_path: Path, suffix: str) -> None:
    data = photograph(tmp_path / f"a.{suffix}").read_bytes()
    blocks = metadata_blocks(io.BytesIO(data), TYPES[suffix])
    with pytest.raises(UnreadableImage, match=r"truncated|of \d+ bytes at"):
        without_metadata(data[: blocks[0].start + 3], TYPES[suffix])
