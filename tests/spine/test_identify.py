"""`benchwright.images.identify`: the identification of a file before anything is decoded.

Every hostile kind is refused for the right reason, in one line that names file, value and limit; nothing outside the
folder is opened, nothing blocks, and nothing large is read into memory. For good files, size, type and notes agree with
decoding. Conversions between paths and URIs are inverse to each other.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import struct
import subprocess
import sys
import threading
import tracemalloc
from pathlib import Path, PurePosixPath

import pytest
from hostile import (
    KINDS,
    encoded,
    gif_of_frames,
    make_good,
    make_hostile,
    png_bomb,
    png_chunk,
    png_header,
    tiff_of_pages,
)
from hypothesis import example, given
from hypothesis import strategies as st
from PIL import Image

import benchwright.images.formats.walking as walking
from benchwright.errors import DataError, UnreadableImage
from benchwright.images import Identified, decode_rgb
from benchwright.images.formats.walking import Limits
from benchwright.images.identify import identify, is_svg, path_for, uri_for

pytestmark = pytest.mark.slow

GRADIENT = Image.linear_gradient("L").resize((37, 23)).convert("RGB")


def write(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def refusal(path: Path, root: Path, limits: Limits | None = None) -> UnreadableImage:
    with pytest.raises(UnreadableImage) as caught:
        identify(path, root=root, limits=limits)
    return caught.value


def reason_at_last(path: Path, root: Path) -> str | None:
    """Return why a file is refused, at the gate or by the decoder; None if it is not."""
    try:
        identify(path, root=root)
        decode_rgb(path)
    except UnreadableImage as error:
        return error.reason
    return None


# Hostile files


@pytest.fixture(scope="module")
def hostile_folder(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, set[str]]]:
    folder = tmp_path_factory.mktemp("hostile")
    return folder, make_hostile(folder, count=3 * len(KINDS), seed=7)


@pytest.mark.parametrize("kind", KINDS)
def test_a_hostile_file_is_refused_for_a_reason_that_is_right(
    kind: str, hostile_folder: tuple[Path, dict[str, set[str]]]
) -> None:
    folder, reasons = hostile_folder
    names = [name for number, name in enumerate(reasons) if KINDS[number % len(KINDS)] == kind]
    assert len(names) == 3
    for name in names:
        reason = reason_at_last(folder / name, folder)
        assert reason in reasons[name], (name, reason)


def test_only_wrong_bytes_inside_compressed_pixels_wait_for_the_decoder(
    hostile_folder: tuple[Path, dict[str, set[str]]],
) -> None:
    folder, reasons = hostile_folder
    passed = []
    for number, name in enumerate(reasons):
        try:
            identify(folder / name, root=folder)
        except UnreadableImage:
            continue
        passed.append(KINDS[number % len(KINDS)])
    assert set(passed) == {"corrupted_data"}


def test_the_detail_of_every_refusal_is_one_line_that_names_the_file_below_the_folder(
    hostile_folder: tuple[Path, dict[str, set[str]]],
) -> None:
    folder, reasons = hostile_folder
    for number, name in enumerate(reasons):
        if KINDS[number % len(KINDS)] == "corrupted_data":
            continue
        detail = refusal(folder / name, folder).detail
        assert detail.startswith(repr(name))
        assert len(detail.splitlines()) == 1
        assert str(folder) not in detail
        detail.encode("utf-8")


def test_the_maker_of_hostile_files_writes_what_it_says_and_the_same_again(tmp_path: Path) -> None:
    written = []
    for turn in ("one", "two"):
        folder = tmp_path / turn
        folder.mkdir()
        reasons = make_hostile(folder, count=50, seed=3)
        assert sorted(os.listdir(folder)) == sorted(reasons)
        files = [path for path in sorted(folder.iterdir()) if path.is_file() and not path.is_symlink()]
        written.append([(path.name, hashlib.sha256(path.read_bytes()).hexdigest()) for path in files])
    assert len(reasons) == 50
    assert written[0] == written[1]


def test_a_fifo_is_refused_without_waiting_for_a_writer(tmp_path: Path) -> None:
    fifo = tmp_path / "pipe.png"
    os.mkfifo(fifo)
    found: list[str] = []
    waiting = threading.Thread(target=lambda: found.append(refusal(fifo, tmp_path).reason), daemon=True)
    waiting.start()
    waiting.join(60)
    assert found == ["not_a_file"]


def test_a_fifo_that_takes_a_file_s_place_while_we_look_is_refused_without_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fifo, file = tmp_path / "a.png", write(tmp_path, "b.png", encoded(GRADIENT, "PNG"))
    os.mkfifo(fifo)
    look = os.stat
    monkeypatch.setattr(os, "stat", lambda path, **how: look(file if Path(path) == fifo else path, **how))
    found: list[str] = []
    waiting = threading.Thread(target=lambda: found.append(refusal(fifo, tmp_path).reason), daemon=True)
    waiting.start()
    waiting.join(60)
    assert found == ["not_a_file"]


@pytest.mark.parametrize("make_name", ["sub", "/dev/null"], ids=["folder", "device"])
def test_what_is_not_a_regular_file_says_what_it_is(tmp_path: Path, make_name: str) -> None:
    (tmp_path / "sub").mkdir()
    path = tmp_path / make_name
    error = refusal(path, path.parent)
    assert error.reason == "not_a_file"
    assert "a folder" in error.detail or "a device" in error.detail


def test_links_are_followed_inside_the_folder_and_not_out_of_it(tmp_path: Path) -> None:
    root, outside = tmp_path / "images", tmp_path / "elsewhere"
    (root / "deep").mkdir(parents=True)
    outside.mkdir()
    png = encoded(GRADIENT, "PNG")
    inside, secret = write(root, "a.png", png), write(outside, "b.png", png)
    (root / "deep" / "to_a.png").symlink_to("../a.png")
    (root / "around.png").symlink_to(Path("..") / "images" / "a.png")
    (root / "out.png").symlink_to(secret)
    (root / "hidden").symlink_to(outside)
    (root / "over.png").symlink_to("out.png")
    for name in ("a.png", "deep/to_a.png", "around.png"):
        assert identify(root / name, root=root) == identify(inside, root=root)
    for name in ("out.png", "hidden", "hidden/b.png", "over.png"):
        assert refusal(root / name, root).reason == "outside_folder"


def test_the_folder_itself_may_be_reached_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    write(tmp_path / "real", "a.png", encoded(GRADIENT, "PNG"))
    (tmp_path / "alias").symlink_to("real")
    assert identify(tmp_path / "alias" / "a.png", root=tmp_path / "alias").width == 37


def test_a_file_that_is_gone_is_not_a_file_and_a_name_the_system_refuses_is_unreadable(tmp_path: Path) -> None:
    assert refusal(tmp_path / "gone.png", tmp_path).reason == "not_a_file"
    assert refusal(tmp_path / ("x" * 300), tmp_path).reason == "unreadable"


def test_refusing_a_png_of_2500_megapixels_takes_no_memory(tmp_path: Path) -> None:
    path = write(tmp_path, "bomb.png", png_bomb())
    assert path.stat().st_size < 8_000
    tracemalloc.start()
    try:
        error = refusal(path, tmp_path)
        with pytest.raises(UnreadableImage, match="too_many_pixels"):
            decode_rgb(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert error.reason == "too_many_pixels"
    assert "2,500,000,000" in error.detail
    assert "100,000,000" in error.detail
    assert peak < 1_000_000


def test_a_large_file_is_hashed_in_pieces(tmp_path: Path) -> None:
    data = encoded(Image.effect_noise((3000, 2700), 90), "BMP")
    path = write(tmp_path, "large.bmp", data)
    tracemalloc.start()
    try:
        found = identify(path, root=tmp_path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found.image_id == hashlib.sha256(data).hexdigest()
    assert len(data) > 8_000_000
    assert peak < 3_000_000


# Limits


def test_limits_are_inclusive_and_refusals_state_value_and_limit(tmp_path: Path) -> None:
    path = write(tmp_path, "a.png", encoded(GRADIENT, "PNG"))
    size = path.stat().st_size
    identify(path, root=tmp_path, limits=Limits(max_pixels=37 * 23, max_bytes=size))
    pixels = refusal(path, tmp_path, Limits(max_pixels=37 * 23 - 1))
    assert (pixels.reason, "37 x 23 = 851 pixels, limit 850" in pixels.detail) == ("too_many_pixels", True)
    bytes_ = refusal(path, tmp_path, Limits(max_bytes=size - 1))
    assert (bytes_.reason, f"{size} bytes, limit {size - 1}" in bytes_.detail) == ("too_large", True)


def _animation(form: str, frames: int) -> bytes:
    others = [GRADIENT.rotate(7 * turn) for turn in range(1, frames)]
    return encoded(GRADIENT, form, save_all=True, append_images=others)


@pytest.mark.parametrize(
    ("form", "end", "note"),
    [
        ("GIF", "gif", "animated:5"),
        ("WEBP", "webp", "animated:5"),
        ("PNG", "png", "animated:5"),
        ("AVIF", "avif", "animated:5"),
        ("TIFF", "tif", "pages:5"),
        ("MPO", "jpg", "pages:5"),
    ],
)
def test_frames_are_counted_noted_and_bounded(tmp_path: Path, form: str, end: str, note: str) -> None:
    path = write(tmp_path, f"a.{end}", _animation(form, 5))
    assert note in identify(path, root=tmp_path, limits=Limits(max_frames=5)).notes
    assert refusal(path, tmp_path, Limits(max_frames=4)).reason == "too_many_frames"
    with pytest.raises(UnreadableImage, match="too_many_frames"):
        decode_rgb(path, limits=Limits(max_frames=4))


def test_a_thousand_frames_pass_and_one_more_does_not(tmp_path: Path) -> None:
    assert identify(write(tmp_path, "a.gif", gif_of_frames(1000)), root=tmp_path).notes == ("animated:1000", "palette")
    assert refusal(write(tmp_path, "b.gif", gif_of_frames(1001)), tmp_path).reason == "too_many_frames"
    assert identify(write(tmp_path, "a.tif", tiff_of_pages(1000)), root=tmp_path).notes == ("pages:1000",)


def test_a_chain_of_pages_that_runs_in_a_circle_ends(tmp_path: Path) -> None:
    data = bytearray(tiff_of_pages(3))
    data[-4:] = struct.pack("<I", 10)
    assert identify(write(tmp_path, "a.tif", bytes(data)), root=tmp_path).notes == ("pages:3",)


# What good files are


@pytest.mark.parametrize(
    ("name", "image", "form", "expected"),
    [
        pytest.param("a.jpg", GRADIENT, "JPEG", ("image/jpeg", ()), id="jpeg"),
        pytest.param("a.JPG", GRADIENT.convert("CMYK"), "JPEG", ("image/jpeg", ("cmyk",)), id="cmyk"),
        pytest.param("a.png", GRADIENT.quantize(9), "PNG", ("image/png", ("palette",)), id="palette"),
        pytest.param("a.png", GRADIENT.convert("LA"), "PNG", ("image/png", ("alpha",)), id="grey-alpha"),
        pytest.param("a.png", GRADIENT.convert("I;16"), "PNG", ("image/png", ("sixteen_bit",)), id="sixteen-bit"),
        pytest.param("a.gif", GRADIENT, "GIF", ("image/gif", ("palette",)), id="gif"),
        pytest.param("a.webp", GRADIENT.convert("RGBA"), "WEBP", ("image/webp", ()), id="webp-opaque"),
        pytest.param("a.bmp", GRADIENT, "BMP", ("image/bmp", ()), id="bmp"),
        pytest.param("a.tif", GRADIENT.convert("CMYK"), "TIFF", ("image/tiff", ("cmyk",)), id="tiff-cmyk"),
        pytest.param("a.tif", GRADIENT.convert("F"), "TIFF", ("image/tiff", ("thirty_two_bit",)), id="tiff-float"),
        pytest.param("a.avif", GRADIENT, "AVIF", ("image/avif", ()), id="avif"),
        pytest.param("a", GRADIENT, "PNG", ("image/png", ()), id="no-extension"),
        pytest.param("a.data", GRADIENT, "PNG", ("image/png", ()), id="unknown-extension"),
    ],
)
def test_media_type_size_and_notes(
    tmp_path: Path, name: str, image: Image.Image, form: str, expected: tuple[str, tuple[str, ...]]
) -> None:
    data = encoded(image, form)
    found = identify(write(tmp_path, name, data), root=tmp_path)
    assert found == Identified(hashlib.sha256(data).hexdigest(), len(data), 37, 23, *expected)


@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP", "TIFF", "AVIF"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_size_is_upright_and_orientation_noted(tmp_path: Path, form: str, orientation: int) -> None:
    exif = Image.Exif()
    exif[274] = orientation
    found = identify(write(tmp_path, "a", encoded(GRADIENT, form, exif=exif)), root=tmp_path)
    assert (found.width, found.height) == ((37, 23) if orientation < 5 else (23, 37))
    assert found.notes == (() if orientation == 1 else (f"exif_orientation:{orientation}",))


@pytest.mark.parametrize("damage", [b"", b"II*\0", b"II*\0\xff\xff\xff\x7f", b"junk" * 9, b"MM\0*\0\0\0\x08\xff\xff"])
def test_broken_exif_means_no_orientation_and_is_no_reason_to_refuse(tmp_path: Path, damage: bytes) -> None:
    found = identify(write(tmp_path, "a.jpg", encoded(GRADIENT, "JPEG", exif=b"Exif\0\0" + damage)), root=tmp_path)
    assert (found.width, found.height, found.notes) == (37, 23, ())


def test_of_a_repeated_exif_field_the_first_counts(tmp_path: Path) -> None:
    fields = b"".join(struct.pack("<HHIHH", 274, 3, 1, orientation, 0) for orientation in (6, 3))
    exif = b"Exif\0\0II*\0" + struct.pack("<IH", 8, 2) + fields + bytes(4)
    found = identify(write(tmp_path, "a.jpg", encoded(GRADIENT, "JPEG", exif=exif)), root=tmp_path)
    assert found.notes == ("exif_orientation:6",)


def test_good_images_of_every_kind_and_name_pass_and_decode_to_the_size_they_were_told(tmp_path: Path) -> None:
    sizes = make_good(tmp_path, count=80, seed=5)
    ids = set()
    for name, upright_wh in sizes.items():
        found = identify(tmp_path / name, root=tmp_path)
        pixels = decode_rgb(tmp_path / name)
        assert (found.width, found.height) == upright_wh == (pixels.shape[1], pixels.shape[0])
        ids.add(found.image_id)
    assert len(ids) == len(sizes) == 80


@pytest.mark.parametrize("bad_name", ["a.jpg", "a.TIFF", "a.svg", "a.heic", "b.gif"])
def test_an_extension_of_another_image_format_is_mislabelled(tmp_path: Path, bad_name: str) -> None:
    error = refusal(write(tmp_path, bad_name, encoded(GRADIENT, "PNG")), tmp_path)
    assert error.reason == "mislabelled"
    assert "PNG" in error.detail


def test_heic_is_not_taken_for_avif_though_both_are_called_mif1(tmp_path: Path) -> None:
    def ftyp(*brands: bytes) -> bytes:
        return struct.pack(">I", 12 + 4 * len(brands)) + b"ftyp" + b"mif1" + b"".join(brands) + bytes(40)

    assert refusal(write(tmp_path, "a.heic", ftyp(bytes(4), b"heic")), tmp_path).reason != "not_an_image"
    assert refusal(write(tmp_path, "a.avif", ftyp(bytes(4), b"avif")), tmp_path).reason == "corrupt"


def test_an_avif_that_states_too_many_pixels_never_reaches_its_decoder(tmp_path: Path) -> None:
    data = bytearray(encoded(GRADIENT, "AVIF"))
    at = data.index(b"ispe") + 8
    data[at : at + 8] = struct.pack(">II", 40_000, 30_000)
    error = refusal(write(tmp_path, "a.avif", bytes(data)), tmp_path)
    assert (error.reason, "40,000 x 30,000" in error.detail) == ("too_many_pixels", True)


SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="5" height="4"/>'


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        pytest.param(SVG.encode(), True, id="bare"),
        pytest.param(b"\xef\xbb\xbf \n" + SVG.encode(), True, id="byte-order-mark"),
        pytest.param(SVG.encode("utf-16"), True, id="utf-16"),
        pytest.param(b"<?xml version='1.0'?><!-- a > b --><?x y?>" + SVG.encode(), True, id="prolog"),
        pytest.param(
            b'<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "x" [<!ENTITY a "b">]>' + SVG.encode(), True, id="doctype"
        ),
        pytest.param(b'<s:svg xmlns:s="http://www.w3.org/2000/svg"/>', True, id="prefix"),
        pytest.param(gzip.compress(SVG.encode()), True, id="gzip"),
        pytest.param(b"<!doctype html><body>" + SVG.encode(), False, id="html-around-it"),
        pytest.param(b"<svgish/>", False, id="longer-word"),
        pytest.param(b"<!-- never closed <svg", False, id="open-comment"),
        pytest.param(b"\x1f\x8bnot gzip", False, id="not-gzip"),
        pytest.param(b"", False, id="nothing"),
    ],
)
def test_svg_is_told_by_its_root_element(head: bytes, expected: bool) -> None:
    assert is_svg(head) is expected


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        pytest.param(png_header(5, 0) + png_chunk(b"IEND", b""), "corrupt", id="no-rows"),
        pytest.param(png_header(5, 4) + png_chunk(b"IEND", b""), "corrupt", id="no-pixels"),
        pytest.param(png_header(5, 4) + png_header(5, 4)[8:], "corrupt", id="two-headers"),
        pytest.param(png_header(5, 4) + bytes(90), "corrupt", id="zeros-for-chunks"),
        pytest.param(encoded(GRADIENT.quantize(9), "PNG").replace(b"PLTE", b"pLTE"), "corrupt", id="palette-gone"),
        pytest.param(png_header(5, 4) + png_chunk(b"acTL", struct.pack(">II", 1001, 0)), "too_many_frames", id="claims-frames"),
        pytest.param(b"\xff\xd8\xff\xd9" + bytes(9), "corrupt", id="jpeg-ends-at-once"),
        pytest.param(b"\xff\xd8\xff\xff\xff" + bytes(9999), "corrupt", id="jpeg-of-junk"),
        pytest.param(b"\xff\xd8\xff\xc0\x00\x0b\x0c\x00\x09\x00\x08\x01\x01\x11\x00", "unsupported_mode", id="jpeg-of-12-bits"),
        pytest.param(b"GIF89a\x05\0\x04\0\0\0\0;", "corrupt", id="gif-without-frames"),
        pytest.param(b"II+\0\x08\0\0\0" + struct.pack("<Q", 16) + struct.pack("<Q", 2**60), "corrupt", id="bigtiff-of-fields"),
    ],
)  # fmt: skip
def test_containers_that_contradict_themselves_are_refused(tmp_path: Path, data: bytes, reason: str) -> None:
    assert refusal(write(tmp_path, "a", data), tmp_path).reason == reason


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(png_header(5, 4) + png_chunk(b"teXt", b"") * 900, id="png"),
        pytest.param(b"GIF89a\x05\0\x04\0\0\0\0!\xfe" + b"\x01a" * 900, id="gif"),
        pytest.param(b"\xff\xd8" + b"\xff\xfe\0\2" * 900, id="jpeg"),
        pytest.param(encoded(GRADIENT, "JPEG")[:-2] + b"\xff\xfe\0\2" * 900, id="jpeg-scan"),
        pytest.param(b"\0\0\0\x14ftypavif\0\0\0\0avif" + b"\0\0\0\x08free" * 900, id="avif"),
    ],
)
def test_the_blocks_of_a_container_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(walking, "MOST_BLOCKS", 800)
    error = refusal(write(tmp_path, "a", data), tmp_path)
    assert (error.reason, "more than 800 blocks" in error.detail) == ("corrupt", True)


def test_identifying_loads_neither_pillow_nor_numpy() -> None:
    script = "import sys, benchwright.images.identify; print(sorted({'PIL', 'numpy', 'cv2'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# Paths and uris

parts = st.binary(min_size=1, max_size=20).filter(
    lambda part: b"/" not in part and b"\0" not in part and part not in {b".", b".."}
)


@given(st.lists(parts, min_size=1, max_size=4))
@example([b"a\nb.png"])
@example([b"\xed\xa0\x80", b"100%", "é–写".encode()])
def test_a_path_comes_back_from_its_uri_to_the_byte(path: list[bytes]) -> None:
    raw = b"/".join(path)
    uri = uri_for(raw)
    assert os.fsencode(path_for(uri)) == raw
    assert uri == uri_for(os.fsdecode(raw)) == uri_for(path_for(uri))
    assert len(uri.splitlines()) == 1
    uri.encode("utf-8")


@given(st.text(st.characters(categories=["L", "N", "P", "S", "Zs"], exclude_characters="/%"), min_size=1))
def test_ordinary_names_of_any_script_stay_readable(name: str) -> None:
    if name not in {".", ".."}:
        assert uri_for(name) == name


def test_only_percent_signs_control_characters_and_foreign_bytes_are_encoded() -> None:
    assert uri_for(b"s\xc3\xa9jour/100%\n\x7f\xff.png") == "séjour/100%25%0A%7F%FF.png"
    assert uri_for(PurePosixPath("a\u2028b\x85")) == "a%E2%80%A8b%C2%85"


@pytest.mark.parametrize(
    "uri", ["", "/etc/passwd", "../x.png", "a/../../x", "a/%2E%2E/x", "%2Fetc", "a%00b", "100%", "a%zz", "\ud800"]
)
def test_a_uri_that_is_no_path_below_the_folder_is_refused(uri: str) -> None:
    with pytest.raises(DataError, match="image URI"):
        path_for(uri)
