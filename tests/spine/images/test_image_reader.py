"""The reader shared by steps: each image is decoded once, pixels are read-only, and changed files are noticed."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hostile import encoded
from image_samples import (
    RGB,
    SMOOTH,
    png_with_short_data,
)
from PIL import Image

from benchwright.errors import DataError, UnreadableImage
from benchwright.images import decode_luma, encode_png
from benchwright.images.decode import ImageReader
from benchwright.images.identify import identify
from benchwright.records import ImageRecord, Source


class Shelf:
    """A folder of images with their records."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.reader = ImageReader(self.locate)

    def locate(self, record: ImageRecord) -> Path:
        assert record.source is not None
        return self.folder / record.source.uri

    def add(self, name: str, data: bytes, **changes: Any) -> ImageRecord:
        (self.folder / name).write_bytes(data)
        found = identify(self.folder / name, root=self.folder)
        fields = {
            "image_id": found.image_id,
            "width": found.width,
            "height": found.height,
            "media_type": found.media_type,
            "size_bytes": found.size_bytes,
            "root_image_id": found.image_id,
            "source": Source(uri=name),
        }
        return ImageRecord(**(fields | changes))


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path)


def test_an_image_is_decoded_once_and_handed_out_read_only(shelf: Shelf) -> None:
    record = shelf.add("a.png", encode_png(RGB))
    pixels = shelf.reader.rgb(record)
    np.testing.assert_array_equal(pixels, RGB)
    assert shelf.reader.rgb(record) is pixels
    assert shelf.reader.decodes == 1
    with pytest.raises(ValueError, match="read-only"):
        pixels[0, 0] = 0


def test_the_cache_keeps_the_latest_used_within_its_bytes(shelf: Shelf) -> None:
    records = [shelf.add(f"{number}.png", encode_png(np.roll(RGB, number, axis=0))) for number in range(3)]
    reader = ImageReader(shelf.locate, cache_bytes=2 * RGB.nbytes)
    for number in (0, 1, 0, 2, 0):
        reader.rgb(records[number])
    assert reader.decodes == 3
    reader.rgb(records[1])
    assert reader.decodes == 4


def test_what_was_dropped_is_decoded_again(shelf: Shelf) -> None:
    record = shelf.add("a.png", encode_png(RGB))
    shelf.reader.rgb(record)
    shelf.reader.drop()
    np.testing.assert_array_equal(shelf.reader.rgb(record), RGB)
    assert shelf.reader.decodes == 2


def test_an_image_larger_than_the_cache_is_still_decoded_once_in_a_row(shelf: Shelf) -> None:
    record, other = shelf.add("a.png", encode_png(RGB)), shelf.add("b.png", encode_png(RGB[:9]))
    reader = ImageReader(shelf.locate, cache_bytes=1)
    for wanted, decodes in ((record, 1), (record, 1), (other, 2), (record, 3)):
        reader.rgb(wanted)
        assert reader.decodes == decodes


def test_luma_of_a_png_shares_the_decoding_and_that_of_a_jpeg_needs_none(shelf: Shelf) -> None:
    png, jpeg = shelf.add("a.png", encode_png(RGB)), shelf.add("b.jpg", encoded(SMOOTH.resize((600, 500)), "JPEG"))
    shelf.reader.rgb(png)
    assert shelf.reader.luma(png).size == (37, 23)
    assert shelf.reader.decodes == 1
    assert shelf.reader.luma(jpeg, at_least_px=100).size == (150, 125)
    assert shelf.reader.decodes == 1


@pytest.mark.parametrize("form", ["PNG", "WEBP", "GIF", "TIFF"])
def test_pixels_asked_for_after_luma_need_no_second_decoding(shelf: Shelf, form: str) -> None:
    record = shelf.add("a", encoded(SMOOTH.resize((450, 320)), form))
    shelf.reader.luma(record)
    expected = ImageReader(shelf.locate).rgb(record)
    np.testing.assert_array_equal(shelf.reader.rgb(record), expected)
    assert shelf.reader.rgb(record) is shelf.reader.rgb(record)
    assert shelf.reader.decodes == 1
    with pytest.raises(ValueError, match="read-only"):
        shelf.reader.rgb(record)[0, 0] = 0


def test_reduced_pixels_are_upright_and_do_not_depend_on_what_is_cached(shelf: Shelf) -> None:
    turned = io.BytesIO()
    exif = Image.Exif()
    exif[0x0112] = 6
    SMOOTH.resize((450, 320)).save(turned, "JPEG", exif=exif)
    record = shelf.add("a.jpg", turned.getvalue())
    whole = shelf.reader.rgb(record)
    half = shelf.reader.reduced_rgb(record, at_least_px=150)
    assert (whole.shape, half.shape) == ((450, 320, 3), (225, 160, 3))
    by_hand = np.asarray(Image.fromarray(whole).reduce(2), float)
    assert np.abs(half - by_hand).mean() < 3
    np.testing.assert_array_equal(ImageReader(shelf.locate).reduced_rgb(record, at_least_px=150), half)
    assert shelf.reader.reduced_rgb(record, at_least_px=161) is whole, "half of it would be too small"


def test_pixels_of_formats_that_cannot_be_decoded_in_part_stay_whole(shelf: Shelf) -> None:
    record = shelf.add("a.png", encode_png(RGB))
    assert shelf.reader.reduced_rgb(record, at_least_px=2) is shelf.reader.rgb(record)


@pytest.mark.parametrize("form", ["PNG", "JPEG", "WEBP", "GIF"])
def test_luma_does_not_depend_on_what_is_cached(shelf: Shelf, form: str) -> None:
    record = shelf.add("a", encoded(SMOOTH.resize((450, 320)), form))
    cold = np.asarray(ImageReader(shelf.locate).luma(record))
    shelf.reader.rgb(record)
    np.testing.assert_array_equal(np.asarray(shelf.reader.luma(record)), cold)
    np.testing.assert_array_equal(np.asarray(decode_luma(shelf.locate(record), at_least_px=128)), cold)


def test_a_file_that_changed_is_noticed_by_every_way_of_reading(shelf: Shelf) -> None:
    record = shelf.add("a.jpg", encoded(SMOOTH, "JPEG"))
    assert shelf.reader.file_bytes(record) == (shelf.folder / "a.jpg").read_bytes()
    shelf.add("a.jpg", encoded(SMOOTH, "JPEG", quality=30))

    def reduced(record: ImageRecord) -> Any:
        return shelf.reader.reduced_rgb(record, at_least_px=2)

    for read in (shelf.reader.file_bytes, shelf.reader.rgb, shelf.reader.luma, reduced):
        with pytest.raises(DataError, match=r"changed: 'a\.jpg': its SHA-256 is now"):
            read(record)
    (shelf.folder / "a.jpg").unlink()
    with pytest.raises(UnreadableImage, match=r"not_a_file: 'a\.jpg'"):
        shelf.reader.rgb(record)


def test_a_size_other_than_recorded_counts_as_changed(shelf: Shelf) -> None:
    for name, data in (("a.jpg", encoded(SMOOTH, "JPEG")), ("a.png", encode_png(RGB))):
        record = shelf.add(name, data, width=36)
        for read in (shelf.reader.rgb, shelf.reader.luma):
            with pytest.raises(UnreadableImage, match=r"changed: 'a\.\w+': .* recorded as 36 x"):
                read(record)


def test_what_cannot_be_decoded_is_told_with_its_name(shelf: Shelf) -> None:
    data = png_with_short_data(closed=True)
    record = shelf.add("short.png", data)
    with pytest.raises(UnreadableImage, match=r"truncated: 'short\.png': "):
        shelf.reader.rgb(record)
    made = record.model_copy(update={"source": None})
    with pytest.raises(UnreadableImage, match=rf"truncated: image {record.image_id[:12]}: "):
        ImageReader(lambda _: shelf.folder / "short.png").rgb(made)
    assert shelf.reader.decodes == 0
