"""JPEG 2000 and HEIC are read, and an image that this installation cannot read is never reported as not an image."""

from __future__ import annotations

import io
from base64 import b64decode
from pathlib import Path

import numpy as np
import pytest
from image_samples import ALPHA, DEEP, GREY, RGB, grey_rgb, over_white, refusal
from PIL import Image

from benchwright.errors import UnreadableImage
from benchwright.images import decode_rgb
from benchwright.images.identify import identify

TURNED = b64decode(
    "AAAAHGZ0eXBoZWljAAAAAG1pZjFoZWljbWlhZgAAAchtZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAAADRpbG9j"
    "AAAAAERAAAIAAQAAAAAB7AABAAAAAAAAAN4AAgAAAAACygABAAAAAAAAACQAAAA4aWluZgAAAAAAAgAAABVpbmZlAgAAAAABAABodmMxAAAA"
    "ABVpbmZlAgAAAQACAABFeGlmAAAAAA5waXRtAAAAAAABAAABB2lwcnAAAADmaXBjbwAAAHZodmNDAQNwAAAAkAAAAAAAHvAA/P34+AAADwNg"
    "AAEAGEABDAH//wNwAAADAJAAAAMAAAMAHroCQGEAAQAqQgEBA3AAAAMAkAAAAwAAAwAeoCCBBZbq5Ka5uAhoMCAAAAMDIAAAAwAhYgABAAZE"
    "AcFzwIkAAAATY29scm5jbHgAAQANAAaAAAAAFGlzcGUAAAAAAAAAQAAAAEAAAAAoY2xhcAAAADAAAAABAAAAIAAAAAH////wAAAAAv///+AA"
    "AAACAAAAEHBpeGkAAAAAAwgICAAAAAlpcm90AwAAABlpcG1hAAAAAAAAAAEAAQaBAgMFhIYAAAAaaXJlZgAAAAAAAAAOY2RzYwACAAEAAQAA"
    "AQptZGF0AAAA2igBrwY4W2Plpv9MjklEy+t17ffz9B+wByB+6XzALGu/UDK+jF7YttJXFpxtW55fNg83vhgP519TGiygBFsn8x2r6j/SyyML"
    "YcMDEE6kDCoE1+ypx864E08SD1/XYBOVNlX7qclkgEkmT9j/lkcKt2aGMQNF1juMAntg75HujEMKq0pSpOoVsQ3budtk/IcFiBYgApcqgInG"
    "SaRH2VVzU0LuWIxTsozFgnKCaioW8wCmmOSVTsspCmf39Pq07MoTkFP4P/KY+IuAv2Rid6RCnNPEOJa1rl63q/OAAAAABkV4aWYAAE1NACoA"
    "AAAIAAEBEgADAAAAAQAGAAAAAAAA"
)
"""Six grey fields of 16 pixels, two rows of three, turned to the right by Exif orientation 6; written by pillow-heif."""


def jpeg2000(pixels: Image.Image, **settings: object) -> bytes:
    handle = io.BytesIO()
    pixels.save(handle, "JPEG2000", **settings)
    return handle.getvalue()


@pytest.mark.parametrize(
    ("pixels", "wanted"),
    [
        (Image.fromarray(RGB), RGB),
        (Image.fromarray(GREY), grey_rgb(GREY)),
        (Image.fromarray(DEEP), grey_rgb(DEEP >> 8)),
        (Image.fromarray(np.dstack([RGB, ALPHA])), over_white(RGB, ALPHA)),
    ],
    ids=["rgb", "grey", "sixteen bits", "alpha"],
)
@pytest.mark.parametrize("no_jp2", [False, True], ids=["boxes", "codestream"])
def test_jpeg_2000_is_read_as_it_was_written(
    tmp_path: Path, pixels: Image.Image, wanted: np.ndarray, no_jp2: bool
) -> None:
    data = jpeg2000(pixels, no_jp2=no_jp2)
    (tmp_path / "a.jp2").write_bytes(data)
    found = identify(tmp_path / "a.jp2", root=tmp_path)
    assert (found.media_type, found.width, found.height) == ("image/jp2", 37, 23)
    assert np.array_equal(decode_rgb(data), wanted)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.98])
def test_a_jpeg_2000_that_ends_early_is_refused(share: float) -> None:
    data = jpeg2000(Image.fromarray(RGB))
    assert refusal(data[: int(len(data) * share)]).reason in {"truncated", "corrupt"}


@pytest.mark.parametrize(
    ("name", "data", "form"),
    [
        ("photo.jxl", b"\xff\x0a" + bytes(30), "JPEG XL"),
        ("design.psd", b"8BPS\0\1" + bytes(30), "PSD"),
        ("map.ppm", b"P6\n160 120\n255\n" + bytes(30), "portable pixmap"),
        ("scan.tga", bytes(2) + b"\2" + bytes(9) + b"\xa0\0\x78\0\x18\0" + bytes(30), "TGA"),
        ("no_suffix", b"DDS |\0\0\0" + bytes(30), "DDS"),
    ],
)
def test_an_image_that_cannot_be_read_is_named_by_its_format(tmp_path: Path, name: str, data: bytes, form: str) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(UnreadableImage) as caught:
        identify(tmp_path / name, root=tmp_path)
    assert caught.value.reason == "unsupported_format"
    assert f"an image ({form}) that this installation cannot read" in caught.value.detail


@pytest.mark.parametrize(("name", "data"), [("a.tga", b"<html>no</html>"), ("P6.jpg", b"P6 is a motorway\n")])
def test_text_is_no_image_whatever_its_name(tmp_path: Path, name: str, data: bytes) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(UnreadableImage, match="not_an_image"):
        identify(tmp_path / name, root=tmp_path)


def test_heic_is_read_upright(tmp_path: Path) -> None:
    (tmp_path / "a.heic").write_bytes(TURNED)
    found = identify(tmp_path / "a.heic", root=tmp_path)
    upright = np.kron([[120, 0], [160, 40], [200, 80]], np.ones((16, 16), int))
    assert (found.media_type, found.height, found.width) == ("image/heic", 48, 32)
    assert np.abs(decode_rgb(tmp_path / "a.heic")[..., 0].astype(int) - upright).max() < 12


def test_without_the_extra_heic_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "iphone.HEIC").write_bytes(TURNED)
    monkeypatch.setattr("benchwright.images.formats.others.find_spec", lambda _name: None)
    with pytest.raises(UnreadableImage, match=r"unsupported_format.*benchwright\[heic\]"):
        identify(tmp_path / "iphone.HEIC", root=tmp_path)
