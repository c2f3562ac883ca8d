"""`benchwright.images`: decoding and encoding, and the reader that steps share.

Every mode decodes to pixels computed by hand; all eight orientations agree with an upright reference; a file cut
anywhere is refused or decodes to exactly the same pixels; what Pillow says or raises never gets out; memory stays at
two copies; the reader decodes each image once, hands out read-only pixels, and notices files that changed.
"""

from __future__ import annotations

import hashlib
import io
import struct
import subprocess
import sys
import tracemalloc
import warnings
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tifffile
from hostile import encoded, png_chunk, png_header
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image, ImageFile, ImageOps

from benchwright.errors import DataError, UnreadableImage
from benchwright.identify import Limits, identify
from benchwright.images import ImageReader, decode_luma, decode_rgb, encode_png, pixel_hash
from benchwright.records import ImageRecord, Source

RNG = np.random.default_rng(11)
RGB = RNG.integers(0, 256, (23, 37, 3), dtype=np.uint8)
ALPHA = RNG.integers(0, 256, (23, 37), dtype=np.uint8)
GREY = RNG.integers(0, 256, (23, 37), dtype=np.uint8)
DEEP = RNG.integers(0, 65536, (23, 37), dtype=np.uint16)
SMOOTH = Image.fromarray(RGB).resize((61, 47), Image.Resampling.BICUBIC)


def grey_rgb(grey: NDArray[Any]) -> NDArray[np.uint8]:
    return np.stack([grey] * 3, axis=-1).astype(np.uint8)


def over_white(rgb: NDArray[Any], alpha: NDArray[Any]) -> NDArray[np.uint8]:
    share = alpha[..., None].astype(float) / 255
    return np.floor(rgb * share + 255 * (1 - share) + 0.5).astype(np.uint8)


def tiff(array: NDArray[Any], **settings: Any) -> bytes:
    handle = io.BytesIO()
    tifffile.imwrite(handle, array, metadata=None, software=False, **settings)
    return handle.getvalue()


def refusal(data: bytes | Path, **settings: Any) -> UnreadableImage:
    with pytest.raises(UnreadableImage) as caught:
        decode_rgb(data, **settings)
    return caught.value


def pixels_or_refusal(data: bytes, **settings: Any) -> NDArray[np.uint8] | UnreadableImage:
    try:
        return decode_rgb(data, **settings)
    except UnreadableImage as error:
        return error


def raw_png(bits: int, colour: int, rows: list[bytes], *, width: int, extra: bytes = b"") -> bytes:
    """Return a PNG made by hand, for depths and chunks that Pillow does not write."""
    header = struct.pack(">IIBBBBB", width, len(rows), bits, colour, 0, 0, 0)
    data = zlib.compress(b"".join(b"\0" + row for row in rows))
    body = png_chunk(b"IHDR", header) + extra + png_chunk(b"IDAT", data) + png_chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


# Modes


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
    """Ink on paper, without a colour profile: what each ink and black leave of white."""
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


# Orientation

_STORE: dict[int, Callable[[NDArray[np.uint8]], NDArray[np.uint8]]] = {
    1: lambda upright: upright,
    2: np.fliplr,
    3: lambda upright: np.rot90(upright, 2),
    4: np.flipud,
    5: lambda upright: upright.swapaxes(0, 1),
    6: lambda upright: np.rot90(upright, 1),
    7: lambda upright: np.rot90(upright, 2).swapaxes(0, 1),
    8: lambda upright: np.rot90(upright, 3),
}
"""How a camera stores an upright picture under each orientation (CIPA DC-008, tag 274)."""


def turned(upright: Image.Image, orientation: int, form: str, **settings: Any) -> bytes:
    exif = Image.Exif()
    exif[274] = orientation
    stored = Image.fromarray(np.ascontiguousarray(_STORE[orientation](np.asarray(upright))))
    return encoded(stored, form, exif=exif, **settings)


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


def test_large_images_are_turned_band_by_band_like_small_ones() -> None:
    large = np.asarray(SMOOTH.resize((1201, 1100)))
    for orientation in (1, 7):
        np.testing.assert_array_equal(
            decode_rgb(turned(Image.fromarray(large), orientation, "BMP")), _STORE[orientation](large)
        )
        np.testing.assert_array_equal(
            decode_rgb(turned(Image.fromarray(large), orientation, "PNG", compress_level=1)), large
        )


def test_orientation_in_xmp_alone_is_not_looked_at() -> None:
    xmp = b'<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:Description tiff:Orientation="6"/></x:xmpmeta>'
    data = tiff(RGB, photometric="rgb", extratags=[(700, 1, len(xmp), xmp, True)])
    assert ImageOps.exif_transpose(Image.open(io.BytesIO(data))).size == (23, 37)
    np.testing.assert_array_equal(decode_rgb(data), RGB)


# Truncation and damage

WHOLE = {
    "jpeg": encoded(SMOOTH, "JPEG", exif=b"Exif\0\0II*\0\x08\0\0\0\0\0\0\0\0\0"),
    "progressive": encoded(SMOOTH, "JPEG", progressive=True, comment=b"\xff\xd9" * 9),
    "restarts": encoded(SMOOTH, "JPEG", restart_marker_blocks=1),
    "multi-picture": encoded(SMOOTH, "MPO", save_all=True, append_images=[SMOOTH.rotate(180)]),
    "png": encoded(SMOOTH, "PNG"),
    "apng": encoded(SMOOTH, "PNG", save_all=True, append_images=[SMOOTH.rotate(180)]),
    "webp": encoded(SMOOTH, "WEBP"),
    "webp-lossless": encoded(SMOOTH, "WEBP", lossless=True),
    "webp-animated": encoded(SMOOTH, "WEBP", save_all=True, append_images=[SMOOTH.rotate(180)]),
    "gif": encoded(SMOOTH, "GIF"),
    "gif-animated": encoded(SMOOTH, "GIF", save_all=True, append_images=[SMOOTH.rotate(180)]),
    "bmp": encoded(SMOOTH, "BMP"),
    "bmp-palette": encoded(SMOOTH.quantize(16), "BMP"),
    "tiff": encoded(SMOOTH, "TIFF"),
    "tiff-directory-first": tiff(np.asarray(SMOOTH), photometric="rgb", compression="zlib", rowsperstrip=9),
    "tiff-lzw": encoded(SMOOTH, "TIFF", compression="tiff_lzw"),
    "tiff-jpeg": encoded(SMOOTH, "TIFF", compression="jpeg"),
    "tiff-pages": encoded(SMOOTH, "TIFF", save_all=True, append_images=[SMOOTH.rotate(180)]),
    "avif": encoded(SMOOTH, "AVIF"),
}
PIXELS = {name: decode_rgb(data) for name, data in WHOLE.items()}


def check_cut(name: str, stop: int) -> None:
    """A cut file is refused in words, or has all the pixels that the whole one has."""
    found = pixels_or_refusal(WHOLE[name][:stop])
    if isinstance(found, UnreadableImage):
        allowed = {"truncated", "corrupt", "not_an_image"} if stop < 32 else {"truncated", "corrupt"}
        assert found.reason in allowed, (name, stop)
    else:
        np.testing.assert_array_equal(found, PIXELS[name], err_msg=f"{name} cut after {stop} bytes")


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.sampled_from(sorted(WHOLE)), st.floats(0, 1, exclude_max=True))
def test_a_file_cut_anywhere_is_refused_or_decodes_to_the_same_pixels(name: str, share: float) -> None:
    check_cut(name, int(share * len(WHOLE[name])))


@pytest.mark.parametrize("name", WHOLE)
def test_a_file_cut_in_its_last_bytes_or_among_its_first_is_refused_or_the_same(name: str) -> None:
    size = len(WHOLE[name])
    for stop in [*range(60), *range(size - 60, size)]:
        check_cut(name, stop)


@pytest.mark.parametrize(
    "name",
    ["jpeg", "progressive", "restarts", "png", "apng", "webp", "gif", "gif-animated", "tiff", "avif"],
)
def test_one_missing_byte_is_enough_to_refuse(name: str) -> None:
    assert refusal(WHOLE[name][:-1]).reason == "truncated"


@pytest.mark.parametrize("name", ["jpeg", "progressive", "png", "gif", "webp", "bmp", "tiff"])
@pytest.mark.parametrize("tail", [bytes(37), b"appended words \xff\xd9", b"\xff" * 9], ids=["zeros", "words", "fill"])
def test_bytes_after_the_end_change_nothing(name: str, tail: bytes) -> None:
    np.testing.assert_array_equal(decode_rgb(WHOLE[name] + tail), PIXELS[name])


def test_a_jpeg_cut_in_its_scan_is_found_though_zeros_or_another_jpeg_follow() -> None:
    data = WHOLE["jpeg"]
    assert refusal(data[:-2] + bytes(4000)).reason == "truncated"
    assert refusal(data[:-200] + bytes(4000)).reason == "truncated"


@settings(max_examples=300, deadline=None, derandomize=True)
@given(
    st.sampled_from(sorted(WHOLE)),
    st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), min_size=1, max_size=5),
)
def test_flipped_bytes_end_in_pixels_or_in_a_reason_and_in_nothing_else(
    name: str, flips: list[tuple[float, int]]
) -> None:
    data = bytearray(WHOLE[name])
    for share, value in flips:
        # Half of them among the first bytes, where headers are.
        span = len(data) if value % 2 else min(len(data), 120)
        data[int(share * span)] = value
    found = pixels_or_refusal(bytes(data), limits=Limits(max_pixels=4_000_000))
    if isinstance(found, UnreadableImage):
        assert len(found.detail.splitlines()) == 1
        assert " at 0x" not in found.detail
    else:
        assert found.ndim == 3


def _png_with_short_data(*, closed: bool) -> bytes:
    """Return a PNG whose chunks are all sound but hold one row of three."""
    data = zlib.compress(b"\0" + bytes(range(1, 16)))
    stream = png_chunk(b"IDAT", data if closed else data[:-6])
    return png_header(5, 3) + stream + png_chunk(b"IEND", b"")


@pytest.mark.parametrize("closed", [True, False])
def test_a_png_that_holds_fewer_rows_than_it_states_is_truncated(closed: bool) -> None:
    assert refusal(_png_with_short_data(closed=closed)).reason == "truncated"


def test_missing_pixels_are_found_even_where_another_library_made_pillow_lenient(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Codes of three bits: clear, two pixels of colour 1, end; the frame has fifteen.
    codes = (4 | 1 << 3 | 1 << 6 | 5 << 9).to_bytes(2, "little")
    frame = b"," + struct.pack("<HHHHB", 0, 0, 5, 3, 0) + b"\x02\x02" + codes + b"\0"
    data = b"GIF89a" + struct.pack("<HHBBB", 5, 3, 0x81, 0, 0) + bytes(12) + frame + b";"
    monkeypatch.setattr(ImageFile, "LOAD_TRUNCATED_IMAGES", True)
    Image.open(io.BytesIO(data)).load()
    assert refusal(data).reason == "truncated"
    assert ImageFile.LOAD_TRUNCATED_IMAGES is True


def test_libtiff_finds_nothing_to_complain_of_in_a_cut_file(capfd: pytest.CaptureFixture[str]) -> None:
    data = WHOLE["tiff-jpeg"]
    for stop in range(len(data) - 600, len(data)):
        check_cut("tiff-jpeg", stop)
    assert capfd.readouterr() == ("", "")


def adam7(grey: NDArray[np.uint8], *, missing: int = 0) -> bytes:
    """Return an interlaced PNG (W3C PNG, 8.1), of which that many bytes are left out of a stream that is closed."""
    passes = [(0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2), (1, 0, 2, 1)]
    rows = [b"\0" + row.tobytes() for y, x, down, across in passes for row in grey[y::down, x::across] if row.size]
    data = b"".join(rows)
    header = struct.pack(">IIBBBBB", grey.shape[1], grey.shape[0], 8, 0, 0, 0, 1)
    stream = zlib.compress(data[: len(data) - missing])
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        png_chunk(name, part) for name, part in ((b"IHDR", header), (b"IDAT", stream), (b"IEND", b""))
    )


@pytest.mark.parametrize("shape", [(23, 37), (1, 9), (9, 1), (2, 3), (8, 8)])
def test_interlaced_png_decodes_and_is_refused_where_a_byte_is_missing(shape: tuple[int, int]) -> None:
    grey = np.resize(GREY, shape)
    np.testing.assert_array_equal(decode_rgb(adam7(grey)), grey_rgb(grey))
    for missing in (1, grey.size // 2 + 1):
        assert refusal(adam7(grey, missing=missing)).reason == "truncated"


@pytest.mark.parametrize("image", [SMOOTH, SMOOTH.quantize(9)], ids=["rgb", "palette"])
def test_a_flipped_bit_in_a_png_never_passes_as_other_pixels(image: Image.Image) -> None:
    data = encoded(image, "PNG")
    expected = decode_rgb(data)
    for at in [*range(33, 90), *range(len(data) - 90, len(data) - 12)]:
        for bit in (0, 3, 5):
            flipped = bytearray(data)
            flipped[at] ^= 1 << bit
            found = pixels_or_refusal(bytes(flipped))
            assert isinstance(found, UnreadableImage) or np.array_equal(found, expected), (at, bit)


def test_a_picture_that_is_black_at_the_bottom_is_whole() -> None:
    pixels = RGB.copy()
    pixels[9:] = 0
    np.testing.assert_array_equal(decode_rgb(encode_png(pixels)), pixels)
    black = encoded(Image.new("I;16", (37, 23)), "PNG")
    np.testing.assert_array_equal(decode_rgb(black), np.zeros_like(RGB))


def test_importing_leaves_pillow_as_it_is() -> None:
    script = (
        "import warnings, numpy, pydantic; from PIL import Image, ImageFile\n"
        "before = Image.MAX_IMAGE_PIXELS, ImageFile.LOAD_TRUNCATED_IMAGES, list(warnings.filters)\n"
        "import benchwright.images\n"
        "assert before == (Image.MAX_IMAGE_PIXELS, ImageFile.LOAD_TRUNCATED_IMAGES, list(warnings.filters))"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_what_pillow_warns_of_is_neither_printed_nor_raised(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    strange = bytearray(tiff(RGB, photometric="rgb", extratags=[(33432, 2, 40, "x" * 39, True)]))
    at = strange.index(struct.pack("<HH", 33432, 2)) + 8
    strange[at : at + 4] = struct.pack("<I", 2**30)
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 37 * 23 - 1)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        Image.open(io.BytesIO(strange), formats=["TIFF"]).load()
    assert {warning.category for warning in said} == {UserWarning, Image.DecompressionBombWarning}
    before = list(warnings.filters)
    np.testing.assert_array_equal(decode_rgb(bytes(strange)), RGB)
    assert warnings.filters == before
    assert capfd.readouterr() == ("", "")


def test_a_limit_of_pillow_itself_is_told_as_too_many_pixels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 100)
    assert refusal(WHOLE["webp"]).reason == "too_many_pixels"


def test_text_and_profiles_of_a_png_are_never_inflated() -> None:
    bomb = png_chunk(b"zTXt", b"Comment\0\0" + zlib.compress(bytes(60_000_000), 9))
    profile = png_chunk(b"iCCP", b"x\0\0" + zlib.compress(bytes(60_000_000), 9))
    data = encoded(SMOOTH, "PNG")
    stuffed = data[:33] + bomb + profile + data[33:]
    with pytest.raises(ValueError, match="too large"):
        Image.open(io.BytesIO(stuffed)).load()
    tracemalloc.start()
    try:
        pixels = decode_rgb(stuffed)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    np.testing.assert_array_equal(pixels, np.asarray(SMOOTH))
    assert peak < 2_000_000


def test_decoding_takes_two_copies_of_the_pixels() -> None:
    script = """
import io, resource, sys
from PIL import Image
from benchwright.images import decode_rgb

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)

exif = Image.Exif()
exif[274] = 6
handle = io.BytesIO()
Image.linear_gradient("L").resize((6000, 4000)).convert("RGB").save(handle, "JPEG", exif=exif)
before = peak()
pixels = decode_rgb(handle.getvalue())
assert pixels.shape == (6000, 4000, 3)
print((peak() - before) / pixels.nbytes)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    # Making the file took one copy of Pillow's own, which decoding takes again: the result is the second.
    assert float(done.stdout) < 1.2


# Grey in reduced size


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


# Encoding


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


# The reader


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
    for read in (shelf.reader.file_bytes, shelf.reader.rgb, shelf.reader.luma):
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
    data = _png_with_short_data(closed=True)
    record = shelf.add("short.png", data)
    with pytest.raises(UnreadableImage, match=r"truncated: 'short\.png': "):
        shelf.reader.rgb(record)
    made = record.model_copy(update={"source": None})
    with pytest.raises(UnreadableImage, match=rf"truncated: image {record.image_id[:12]}: "):
        ImageReader(lambda _: shelf.folder / "short.png").rgb(made)
    assert shelf.reader.decodes == 0
