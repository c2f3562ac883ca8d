"""Makers of files for tests: hostile ones with the right reasons for each, and good ones in every mode.

    reasons = make_hostile(folder, count=200, seed=1)   # {"path below folder": {"truncated", "corrupt"}, ...}
    sizes = make_good(folder, count=20, seed=1)         # {"path below folder": (upright width, upright height), ...}

Both write only into an existing folder, in a rotation of kinds: the first `len(KINDS)` entries hold one of each. Names
of bad files also rotate: plain, with a newline, of 250 characters, not UTF-8, in other scripts. Paths are as
`os.fsdecode` spells them; `benchwright.images.identify.uri_for` turns them into uris.
"""

from __future__ import annotations

import io
import os
import socket
import struct
import sys
import tempfile
import zlib
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import skimage
from numpy.typing import NDArray
from PIL import Image

Rng = np.random.Generator
Made = tuple[bytes, str, set[str]]
"""Contents, extension, and the right reasons."""

LONG_NAME = 250


def png_chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png_header(width: int, height: int) -> bytes:
    return b"\x89PNG\r\n\x1a\n" + png_chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))


def png_bomb(width: int = 50_000, height: int = 50_000) -> bytes:
    """Return a PNG of a few kB whose header states 2.5 billion pixels."""
    data = zlib.compress(bytes(4_000_000), 9)
    return png_header(width, height) + png_chunk(b"IDAT", data) + png_chunk(b"IEND", b"")


@cache
def gif_of_frames(count: int = 10_000) -> bytes:
    """Return a GIF of many frames of one pixel."""
    frame = b"\x2c" + struct.pack("<HHHHB", 0, 0, 1, 1, 0) + b"\x02\x02\x44\x01\x00"
    return b"GIF89a" + struct.pack("<HHBBB", 1, 1, 0x80, 0, 0) + bytes(6) + frame * count + b";"


def tiff_of_pages(count: int) -> bytes:
    """Return a TIFF of many pages of one pixel, all with the same pixel."""
    fields = [(256, 3, 1), (257, 3, 1), (258, 3, 8), (262, 3, 1), (273, 4, 8), (277, 3, 1), (279, 4, 1)]
    body, at = b"", 10
    for page in range(count):
        at += 2 + 12 * len(fields) + 4
        entries = b"".join(struct.pack("<HHII", tag, kind, 1, value) for tag, kind, value in fields)
        body += struct.pack("<H", len(fields)) + entries + struct.pack("<I", at if page < count - 1 else 0)
    return b"II*\0" + struct.pack("<I", 10) + b"\x80\0" + body


@cache
def _photograph(name: str) -> Image.Image:
    return Image.open(Path(skimage.data_dir) / name).convert("RGB")


def picture(rng: Rng, *, width: int, height: int) -> Image.Image:
    """Return a crop of a photograph or a random texture; all draws differ."""
    if rng.random() < 0.5:
        photograph = _photograph(str(rng.choice(["astronaut.png", "chelsea.png", "coffee.png", "rocket.jpg"])))
        left, top = (
            int(rng.integers(0, full - side)) for full, side in zip(photograph.size, (width, height), strict=True)
        )
        image = np.array(photograph.crop((left, top, left + width, top + height)))
    else:
        coarse = rng.integers(0, 256, (height // 8 + 2, width // 8 + 2, 3), dtype=np.uint8)
        image = np.array(Image.fromarray(coarse).resize((width, height), Image.Resampling.BICUBIC))
    image[0, :8] = rng.integers(0, 256, (8, 3), dtype=np.uint8)
    return Image.fromarray(image)


def encoded(image: Image.Image, form: str, **settings: object) -> bytes:
    handle = io.BytesIO()
    image.save(handle, form, **settings)
    return handle.getvalue()


def _sound(rng: Rng, form: str) -> bytes:
    """Return a whole image of a format. Widths of 4n leave a BMP without padding, so that every byte counts."""
    width, height = 4 * int(rng.integers(10, 40)), int(rng.integers(30, 120))
    settings = {"progressive": bool(rng.random() < 0.5)} if form == "JPEG" else {}
    return encoded(picture(rng, width=width, height=height), form, **settings)


_ENDS = {"JPEG": ".jpg", "PNG": ".png", "WEBP": ".webp", "GIF": ".gif", "BMP": ".bmp", "TIFF": ".tif"}
BROKEN = {"truncated", "corrupt"}
_BROKEN_HEADER = BROKEN | {"not_an_image", "too_many_pixels", "too_many_frames", "unsupported_mode"}


def _truncated(form: str) -> Callable[[Rng], Made]:
    def make(rng: Rng) -> Made:
        data = _sound(rng, form)
        stop = int(rng.integers(1, len(data)))
        return data[:stop], _ENDS[form], BROKEN | ({"not_an_image"} if stop < 32 else set())

    return make


def _last_byte_missing(rng: Rng) -> Made:
    form = str(rng.choice(["JPEG", "PNG", "GIF", "WEBP"]))
    return _sound(rng, form)[:-1], _ENDS[form], BROKEN


def _corrupted_header(rng: Rng) -> Made:
    """Write zeros over the bytes that state the size."""
    form, start, stop = [("PNG", 16, 24), ("GIF", 0, 13), ("WEBP", 12, 30), ("BMP", 14, 30), ("TIFF", 4, 8)][
        rng.integers(5)
    ]
    data = bytearray(_sound(rng, form))
    data[start:stop] = bytes(stop - start)
    return bytes(data), _ENDS[form], _BROKEN_HEADER


def _corrupted_data(rng: Rng) -> Made:
    """Return a PNG with right checksums whose compressed stream begins with an invalid block type."""
    width, height = int(rng.integers(9, 90)), int(rng.integers(9, 90))
    stream = b"\x78\x9c\xff" + rng.bytes(200)
    return png_header(width, height) + png_chunk(b"IDAT", stream) + png_chunk(b"IEND", b""), ".png", {"corrupt"}


def _absurd_text(rng: Rng) -> Made:
    """Return a PNG whose text chunk claims two gigabytes."""
    data = _sound(rng, "PNG")
    claim = struct.pack(">I", 0x7FFFFFFF) + b"tEXt" + b"Comment\0" + b"ha" * 400
    return data[:33] + claim + data[33:], ".png", BROKEN


_SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="5"><!-- {} --><rect width="4" height="4"/></svg>'


def _svg(rng: Rng) -> Made:
    text = _SVG.format(rng.integers(1 << 40))
    prolog = ["", '<?xml version="1.0"?>\n<!-- drawn <by> hand -->\n', "\ufeff\n  "][rng.integers(3)]
    return (prolog + text).encode(), str(rng.choice([".svg", ".png", ".jpg"])), {"vector"}


def _text(rng: Rng) -> Made:
    text = ["plain words, line {}\n", "<!doctype html><html><p>404 of {}<svg></svg></html>", "BM{} is no bitmap\n"][
        rng.integers(3)
    ]
    return text.format(rng.integers(1 << 40)).encode(), str(rng.choice([".jpg", ".png", ".bmp"])), {"not_an_image"}


def _wrong_extension(rng: Rng) -> Made:
    form = str(rng.choice(sorted(_ENDS)))
    ends = [end for other, end in sorted(_ENDS.items()) if other != form]
    return _sound(rng, form), str(rng.choice([*ends, ".svg", ".heic"])), {"mislabelled"}


_FILES: dict[str, Callable[[Rng], Made]] = {
    **{f"truncated_{form.lower()}": _truncated(form) for form in _ENDS},
    "last_byte_missing": _last_byte_missing,
    "wrong_extension": _wrong_extension,
    "zero_bytes": lambda rng: (b"", ".jpg", {"empty"}),
    "png_bomb": lambda rng: (png_bomb(50_000 + int(rng.integers(1000))), ".png", {"too_many_pixels"}),
    "many_frames": lambda rng: (gif_of_frames(), ".gif", {"too_many_frames"}),
    "many_pages": lambda rng: (tiff_of_pages(1_001 + int(rng.integers(50))), ".tif", {"too_many_frames"}),
    "svg": _svg,
    "text": _text,
    "corrupted_header": _corrupted_header,
    "corrupted_data": _corrupted_data,
    "absurd_text": _absurd_text,
}  # fmt: skip


def _link_out(path: Path) -> set[str]:
    path.symlink_to(Path(skimage.data_dir) / "astronaut.png")
    return {"outside_folder"}


def _broken_link(path: Path) -> set[str]:
    path.symlink_to("nowhere.png")
    return {"not_a_file"}


def _link_loop(path: Path) -> set[str]:
    path.symlink_to(path.name)
    return {"not_a_file"}


def _fifo(path: Path) -> set[str]:
    os.mkfifo(path)
    return {"not_a_file"}


def _unix_socket(path: Path) -> set[str]:
    # The address of a socket holds about a hundred bytes: bind it through a short link to its folder.
    with tempfile.TemporaryDirectory() as short, socket.socket(socket.AF_UNIX) as bound:
        (Path(short) / "f").symlink_to(path.parent.absolute())
        bound.bind(os.fsencode(Path(short) / "f" / path.name))
    return {"not_a_file"}


_SPECIAL: dict[str, Callable[[Path], set[str]]] = {
    "link_out": _link_out,
    "broken_link": _broken_link,
    "link_loop": _link_loop,
    "fifo": _fifo,
    "unix_socket": _unix_socket,
}
KINDS = (*_FILES, *_SPECIAL)


def _named(stem: str, end: str, style: int) -> str:
    """Return a file name in one of several styles; the stem makes it unique."""
    return [
        f"{stem}{end}",
        f"{stem}\nsecond line{end}",
        f"{stem}-{'x' * LONG_NAME}"[: LONG_NAME - len(end)] + end,
        os.fsdecode(b"%s-\xff\xe9\x80%s" % (stem.encode(), end.encode()))
        if sys.platform == "linux"
        else f"{stem}-é{end}",
        f"{stem} – фото 写真 100% 'q' \"{end}",
        f"-{stem}\u2028\t{end.upper()}",
    ][style % 6]


def make_hostile(folder: Path, *, count: int, seed: int) -> dict[str, set[str]]:
    """Write exactly `count` hostile entries and return the right reasons, by path below the folder.

    Equal arguments give equal entries. Files differ from each other, except zero bytes and the GIF.
    """
    reasons: dict[str, set[str]] = {}
    for number in range(count):
        rng = np.random.default_rng([seed, number])
        kind, style = KINDS[number % len(KINDS)], number // len(KINDS) + number
        stem = f"bad-{number:04d}-{kind}"
        if kind in _SPECIAL:
            name = stem + ".png"
            reasons[name] = _SPECIAL[kind](folder / name)
            continue
        data, end, right = _FILES[kind](rng)
        name = _named(stem, end, style)
        (folder / name).write_bytes(data)
        reasons[name] = right
    return reasons


def _exif(orientation: int) -> Image.Exif:
    exif = Image.Exif()
    exif[0x0112] = orientation
    return exif


def _deep(image: Image.Image, rng: Rng) -> Image.Image:
    grey: NDArray[np.uint16] = np.asarray(image.convert("L")).astype(np.uint16) * 256
    return Image.fromarray(grey + rng.integers(0, 256, grey.shape, dtype=np.uint16))


def _see_through(image: Image.Image, rng: Rng) -> Image.Image:
    image = image.copy()
    image.putalpha(Image.fromarray(rng.integers(0, 256, image.size[::-1], dtype=np.uint8)))
    return image


def _animation(image: Image.Image) -> dict[str, object]:
    return {"save_all": True, "append_images": [image.rotate(90), image.rotate(180)]}


_GOOD: dict[str, Callable[[Image.Image, Rng], tuple[bytes, str]]] = {
    "jpeg": lambda image, rng: (encoded(image, "JPEG", quality=90), ".jpg"),
    "progressive": lambda image, rng: (encoded(image, "JPEG", progressive=True), ".JPEG"),
    "png": lambda image, rng: (encoded(image, "PNG"), ".png"),
    "webp": lambda image, rng: (encoded(image, "WEBP"), ".webp"),
    "bmp": lambda image, rng: (encoded(image, "BMP"), ".bmp"),
    "tiff": lambda image, rng: (encoded(image, "TIFF", compression="tiff_lzw"), ".tiff"),
    "gif": lambda image, rng: (encoded(image, "GIF"), ".gif"),
    "palette": lambda image, rng: (encoded(image.quantize(32), "PNG"), ".png"),
    "cmyk": lambda image, rng: (encoded(image.convert("CMYK"), "JPEG"), ".jpg"),
    "sixteen_bit": lambda image, rng: (encoded(_deep(image, rng), "PNG"), ".png"),
    "grey": lambda image, rng: (encoded(image.convert("L"), "JPEG"), ".jpg"),
    "bilevel": lambda image, rng: (encoded(image.convert("1"), "TIFF", compression="group4"), ".tif"),
    "alpha": lambda image, rng: (encoded(_see_through(image, rng), "PNG"), ".png"),
    "alpha_webp": lambda image, rng: (encoded(_see_through(image, rng), "WEBP", lossless=True), ".webp"),
    "animated_gif": lambda image, rng: (encoded(image, "GIF", **_animation(image)), ".gif"),
    "animated_webp": lambda image, rng: (encoded(image, "WEBP", **_animation(image)), ".webp"),
    "animated_png": lambda image, rng: (encoded(image, "PNG", **_animation(image)), ".apng"),
    "multi_picture": lambda image, rng: (encoded(image, "MPO", **_animation(image)), ".jpg"),
    "no_extension": lambda image, rng: (encoded(image, "PNG"), ""),
}  # fmt: skip
_TURNABLE = ("jpeg", "png", "webp", "tiff")


def make_good(folder: Path, *, count: int, seed: int) -> dict[str, tuple[int, int]]:
    """Write `count` distinct good images and return their upright width and height, by path below the folder.

    Kinds take turns: every format and mode, and between them EXIF orientations 1 to 8 over four formats.
    """
    sizes: dict[str, tuple[int, int]] = {}
    plain, turned = list(_GOOD), 0
    for number in range(count):
        rng = np.random.default_rng([seed, number, 1])
        width, height = int(rng.integers(60, 220)), int(rng.integers(60, 220))
        image = picture(rng, width=width, height=height)
        if number % 2 == 0:
            form, orientation = _TURNABLE[turned // 8 % 4 - turned % 4], turned % 8 + 1
            turned += 1
            name = {"jpeg": "JPEG", "png": "PNG", "webp": "WEBP", "tiff": "TIFF"}[form]
            data, end = encoded(image, name, exif=_exif(orientation)), _ENDS[name]
            stem = f"good-{number:04d}-{form}-turned-{orientation}"
            upright = (height, width) if orientation >= 5 else (width, height)
        else:
            kind = plain[number // 2 % len(plain)]
            data, end = _GOOD[kind](image, rng)
            stem, upright = f"good-{number:04d}-{kind}", (width, height)
        path = _named(stem, end, number)
        (folder / path).write_bytes(data)
        sizes[path] = upright
    return sizes
