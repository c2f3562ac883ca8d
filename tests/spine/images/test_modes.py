"""Decoding: every mode yields the hand-computed pixels, and all eight orientations agree with an upright reference."""

from __future__ import annotations

import io
import struct
from typing import Any

import numpy as np
import pytest
from hostile import encoded, png_chunk
from image_samples import (
    ALPHA,
    DEEP,
    GREY,
    RGB,
    RNG,
    SMOOTH,
    STORED_AS,
    grey_rgb,
    over_white,
    raw_png,
    refusal,
    tiff,
    turned,
)
from numpy.typing import NDArray
from PIL import Image, ImageOps

from benchwright.images import decode_rgb


def _mode_cases() -> dict[str, tuple[bytes, NDArray[np.uint8]]]:
    rgb, grey = Image.fromarray(RGB), Image.fromarray(GREY)
    rgba = Image.fromarray(np.dstack([RGB, ALPHA]))
    la = Image.merge("LA", [grey, Image.fromarray(ALPHA)])
    palette = RNG.integers(0, 256, (256, 3), dtype=np.uint8)
    indexed = Image.fromarray(GREY)
    indexed.putpalette(palette.tobytes())
    sheer = np.where(GREY == 7, 0, 255).astype(np.uint8)
    bilevel = GREY > 127
    deep_rgb = RNG.integers(0, 65536, (23, 37, 3), dtype=np.uint16)
    cmyk = RNG.integers(0, 256, (23, 37, 4), dtype=np.uint8)
    key_grey = (np.arange(23 * 37) % 200 == 0).reshape(23, 37)
    keyed = np.where(key_grey, 4660, DEEP).astype(np.uint16)
    trns16 = png_chunk(b"tRNS", struct.pack(">H", 4660))
    trns_rgb = png_chunk(b"tRNS", struct.pack(">HHH", *RGB[3, 4].tolist()))
    first_key = (RGB[3, 4] == RGB).all(axis=-1)
    signed = RNG.integers(-300, 400, (23, 37), dtype=np.int16)
    stretched = np.floor((signed - signed.min()) * (255 / (int(signed.max()) - int(signed.min()))) + 0.5)
    unsigned = RNG.integers(0, 2**32, (23, 37), dtype=np.uint32)
    unsigned[0, :2] = 0, 2**32 - 1
    unit = RNG.random((23, 37), dtype=np.float32)
    unit[0, :2] = 0, 1
    wide = (unit * 900 - 450).astype(np.float32)
    return {
        "png-rgb": (encoded(rgb, "PNG"), RGB),
        "png-grey": (encoded(grey, "PNG"), grey_rgb(GREY)),
        "png-bilevel": (encoded(Image.fromarray(bilevel), "PNG"), grey_rgb(bilevel * 255)),
        "png-rgba": (encoded(rgba, "PNG"), over_white(RGB, ALPHA)),
        "png-grey-alpha": (encoded(la, "PNG"), over_white(grey_rgb(GREY), ALPHA)),
        "png-palette": (encoded(indexed, "PNG"), palette[GREY]),
        "png-palette-one-clear": (encoded(indexed, "PNG", transparency=7), over_white(palette[GREY], sheer)),
        "png-palette-alphas": (
            encoded(indexed, "PNG", transparency=bytes(range(256))), over_white(palette[GREY], GREY)
        ),
        "png-rgb-one-clear": (
            raw_png(8, 2, [row.tobytes() for row in RGB], width=37, extra=trns_rgb),
            over_white(RGB, np.where(first_key, 0, 255)),
        ),
        "png-2-bits": (
            raw_png(2, 0, [bytes([0b00011011])] * 3, width=4), grey_rgb(np.array([[0, 85, 170, 255]] * 3))
        ),
        "png-16-bit-grey": (encoded(Image.fromarray(DEEP), "PNG"), grey_rgb(DEEP >> 8)),
        "png-16-bit-grey-one-clear": (
            raw_png(16, 0, [row.astype(">u2").tobytes() for row in keyed], width=37, extra=trns16),
            grey_rgb(np.where(keyed == 4660, 255, keyed >> 8)),
        ),
        "png-16-bit-rgb": (
            raw_png(16, 2, [row.astype(">u2").tobytes() for row in deep_rgb], width=37), (deep_rgb >> 8).astype(np.uint8)
        ),
        "webp-rgb": (encoded(rgb, "WEBP", lossless=True), RGB),
        "webp-rgba": (encoded(rgba, "WEBP", lossless=True, exact=True), over_white(RGB, ALPHA)),
        "gif": (encoded(indexed, "GIF"), palette[GREY]),
        "gif-one-clear": (encoded(indexed, "GIF", transparency=7), over_white(palette[GREY], sheer)),
        "bmp-rgb": (encoded(rgb, "BMP"), RGB),
        "bmp-palette": (encoded(indexed, "BMP"), palette[GREY]),
        "bmp-bilevel": (encoded(Image.fromarray(bilevel), "BMP"), grey_rgb(bilevel * 255)),
        "tiff-rgb": (encoded(rgb, "TIFF"), RGB),
        "tiff-lzw": (encoded(rgb, "TIFF", compression="tiff_lzw"), RGB),
        "tiff-rgba": (encoded(rgba, "TIFF"), over_white(RGB, ALPHA)),
        "tiff-cmyk": (encoded(Image.fromarray(cmyk, mode="CMYK"), "TIFF"), _cmyk_to_rgb(cmyk)),
        "tiff-group4": (encoded(Image.fromarray(bilevel), "TIFF", compression="group4"), grey_rgb(bilevel * 255)),
        "tiff-white-is-zero": (tiff(GREY, photometric="miniswhite"), grey_rgb(255 - GREY)),
        "tiff-16-bit": (tiff(DEEP), grey_rgb(DEEP >> 8)),
        "tiff-16-bit-big-endian": (tiff(DEEP, byteorder=">"), grey_rgb(DEEP >> 8)),
        "tiff-16-bit-white-is-zero": (tiff(DEEP, photometric="miniswhite"), grey_rgb(255 - (DEEP >> 8))),
        "tiff-16-bit-rgb": (tiff(deep_rgb, photometric="rgb"), (deep_rgb >> 8).astype(np.uint8)),
        "tiff-12-bit": (_tiff_of_12_bits(), grey_rgb(np.array([[0xAB, 0x12], [0xFF, 0x00]]))),
        "tiff-signed-16-bit": (tiff(signed), grey_rgb(stretched)),
        "tiff-unsigned-32-bit": (tiff(unsigned), grey_rgb(np.floor(unsigned / (2**32 - 1) * 255 + 0.5))),
        "tiff-32-bit-of-bytes": (tiff(GREY.astype(np.uint32)), grey_rgb(GREY)),
        "tiff-32-bit-of-16": (tiff(DEEP.astype(np.int32)), grey_rgb(np.floor(DEEP / 257 + 0.5))),
        "tiff-float-of-unit": (tiff(unit), grey_rgb(np.floor(unit.astype(float) * 255 + 0.5))),
        "tiff-float-stretched": (
            tiff(wide), grey_rgb(np.floor((wide.astype(float) - wide.min()) * (255 / (float(wide.max()) - float(wide.min()))) + 0.5))
        ),
        "tiff-float-of-one-value": (tiff(np.full((3, 5), 7.5, np.float32)), np.zeros((3, 5, 3), np.uint8)),
        "bigtiff": (tiff(RGB, photometric="rgb", bigtiff=True), RGB),
        "tiff-tiles": (tiff(RGB, photometric="rgb", tile=(16, 16), compression="zlib"), RGB),
        "tiff-planes": (tiff(RGB.transpose(2, 0, 1).copy(), photometric="rgb", planarconfig="separate"), RGB),
    }  # fmt: skip


def _cmyk_to_rgb(cmyk: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Ink on paper, without a color profile: the share of white that each ink and black leave."""
    left = (255 - cmyk[..., :3].astype(float)) * (255 - cmyk[..., 3:].astype(float)) / 255
    return np.rint(left).astype(np.uint8)


def _tiff_of_12_bits() -> bytes:
    """Two rows of two samples: ABC 123, FFF 00F."""
    pixels = bytes.fromhex("abc123fff00f")
    fields = [(256, 2), (257, 2), (258, 12), (259, 1), (262, 1), (273, 8), (277, 1), (278, 2), (279, len(pixels))]
    entries = b"".join(struct.pack("<HHII", tag, 4 if tag in {273, 279} else 3, 1, value) for tag, value in fields)
    directory = struct.pack("<H", len(fields)) + entries + bytes(4)
    return b"II*\0" + struct.pack("<I", 8 + len(pixels)) + pixels + directory


MODES = _mode_cases()
CMYK_ROUNDING = {"tiff-cmyk"}


@pytest.mark.parametrize("name", MODES)
def test_a_mode_decodes_to_the_pixels_worked_out_by_hand(name: str) -> None:
    data, expected = MODES[name]
    pixels = decode_rgb(data)
    assert pixels.dtype == np.uint8
    assert pixels.shape == expected.shape
    assert pixels.flags.c_contiguous
    assert pixels.flags.owndata
    if name in CMYK_ROUNDING:
        assert np.abs(pixels.astype(int) - expected).max() <= 1
    else:
        np.testing.assert_array_equal(pixels, expected)


@pytest.mark.parametrize(
    "settings", [{}, {"progressive": True}, {"subsampling": 0}], ids=["baseline", "progressive", "444"]
)
def test_jpeg_decodes_as_pillow_has_it(settings: dict[str, Any]) -> None:
    data = encoded(SMOOTH, "JPEG", **settings)
    np.testing.assert_array_equal(decode_rgb(data), np.asarray(Image.open(io.BytesIO(data))))


def test_grey_jpeg_has_three_equal_channels_and_cmyk_jpeg_the_colours_that_went_in() -> None:
    grey = decode_rgb(encoded(SMOOTH.convert("L"), "JPEG", quality=95))
    assert (grey == grey[..., :1]).all()
    inks = Image.new("CMYK", (40, 24), (0, 200, 200, 20))
    pixels = decode_rgb(encoded(inks, "JPEG", quality=95)).astype(int)
    assert np.abs(pixels - _cmyk_to_rgb(np.array([[[0, 200, 200, 20]]], np.uint8))).max() <= 3


def test_a_bmp_whose_alpha_is_all_empty_is_opaque_and_others_are_see_through() -> None:
    def bmp(alpha: int) -> bytes:
        masks = struct.pack("<4I", 0xFF0000, 0xFF00, 0xFF, 0xFF000000)
        dib = struct.pack("<IiiHHIIiiII", 56, 3, 2, 1, 32, 3, 24, 0, 0, 0, 0) + masks
        pixels = b"".join(bytes([10, 20, 30, alpha]) for _ in range(6))
        return b"BM" + struct.pack("<IHHI", 14 + 56 + 24, 0, 0, 14 + 56) + dib + pixels

    np.testing.assert_array_equal(decode_rgb(bmp(0)), np.full((2, 3, 3), [30, 20, 10], np.uint8))
    clear = over_white(np.full((2, 3, 3), [30, 20, 10]), np.full((2, 3), 51))
    np.testing.assert_array_equal(decode_rgb(bmp(51)), clear)


@pytest.mark.parametrize("form", ["GIF", "WEBP", "PNG", "TIFF", "MPO", "AVIF"])
def test_of_several_frames_the_first_is_decoded(form: str) -> None:
    others = [ImageOps.invert(SMOOTH), SMOOTH.rotate(90, expand=True).resize(SMOOTH.size)]
    lossless = {"lossless": True} if form == "WEBP" else {}
    single = encoded(SMOOTH, "JPEG" if form == "MPO" else form, **lossless)
    several = encoded(SMOOTH, form, save_all=True, append_images=others, **lossless)
    assert len(several) > len(single)
    first, alone = decode_rgb(several).astype(int), decode_rgb(single)
    # An AVIF sequence is coded anew; others hold the same first frame.
    assert np.abs(first - alone).mean() < (8 if form == "AVIF" else 0.001)


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(tiff(np.array([[0.5, np.nan]], np.float32)), id="nan"),
        pytest.param(tiff(np.array([[0.5], [np.inf]], np.float32)), id="infinity"),
        pytest.param(tiff(np.zeros((3, 4), np.float64)), id="float-64"),
        pytest.param(tiff(np.zeros((3, 4), np.uint64)), id="uint-64"),
        pytest.param(tiff(RGB.astype(np.float32), photometric="rgb"), id="float-rgb"),
    ],
)
def test_pixels_that_no_picture_can_show_are_an_unsupported_mode(data: bytes) -> None:
    assert refusal(data).reason == "unsupported_mode"


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize(
    ("form", "settings"),
    [("PNG", {}), ("WEBP", {"lossless": True}), ("TIFF", {}), ("TIFF", {"compression": "tiff_lzw"})],
    ids=["png", "webp", "tiff", "tiff-lzw"],
)
def test_all_orientations_decode_to_the_same_upright_pixels(
    orientation: int, form: str, settings: dict[str, Any]
) -> None:
    np.testing.assert_array_equal(decode_rgb(turned(Image.fromarray(RGB), orientation, form, **settings)), RGB)


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("form", ["JPEG", "AVIF"])
def test_all_orientations_of_lossy_formats_agree_with_pillow(orientation: int, form: str) -> None:
    data = turned(SMOOTH, orientation, form)
    expected = ImageOps.exif_transpose(Image.open(io.BytesIO(data)))
    assert expected.size == SMOOTH.size
    np.testing.assert_array_equal(decode_rgb(data), np.asarray(expected))


@pytest.mark.slow
def test_large_images_are_turned_band_by_band_like_small_ones() -> None:
    large = np.asarray(SMOOTH.resize((1201, 1100)))
    for orientation in (1, 7):
        np.testing.assert_array_equal(
            decode_rgb(turned(Image.fromarray(large), orientation, "BMP")), STORED_AS[orientation](large)
        )
        np.testing.assert_array_equal(
            decode_rgb(turned(Image.fromarray(large), orientation, "PNG", compress_level=1)), large
        )


def test_orientation_in_xmp_alone_is_not_looked_at() -> None:
    xmp = b'<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:Description tiff:Orientation="6"/></x:xmpmeta>'
    data = tiff(RGB, photometric="rgb", extratags=[(700, 1, len(xmp), xmp, True)])
    assert ImageOps.exif_transpose(Image.open(io.BytesIO(data))).size == (23, 37)
    np.testing.assert_array_equal(decode_rgb(data), RGB)
