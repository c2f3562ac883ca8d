"""The encoding of a picture's file: tables, markers, chunks, filters and fields, as numbers by name.

Two programs, or two settings of one, write the same pixels differently. The only data decoded is the filter of each row
of PNG files. A file's texts (programs, comments, EXIF fields) are measured as hashed tokens, so that any text shared by
right options is detected.
"""

from __future__ import annotations

import io
import re
import struct
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import islice

from benchwright.images.formats import sniff

from ..pictures.compression import jpeg_segments

_TOKEN = re.compile(r"[a-z]+|\d+")
_DATE = re.compile(r"(\d{4})[:-](\d\d)[:-](\d\d)[ T](\d\d):(\d\d):(\d\d)")
TOKEN_BINS = 64
_MOST_TOKENS, _MOST_BLOCKS, _MOST_INFLATED, _MOST_REPACKED = 200, 4096, 1 << 25, 1 << 17
_EPOCH = datetime(1970, 1, 1)
_STANDARD_HUFFMAN = 432
"""Bytes of the four Huffman tables of encoders that do not adapt them to the picture, markers included."""
_PNG_SIGNATURE, _CHANNELS = 8, {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
_EXIF_SUB = 0x8769
_PACKERS = (
    (("Pillow at level 1", 1, 9, zlib.Z_FILTERED), ("OpenCV", 1, 8, zlib.Z_RLE)),
    (("Pillow at level 3", 3, 9, zlib.Z_FILTERED),),
    (("Pillow", 6, 9, zlib.Z_FILTERED), ("zlib", 6, 8, zlib.Z_DEFAULT_STRATEGY)),
    (("Pillow at level 9", 9, 9, zlib.Z_FILTERED), ("zlib at level 9", 9, 8, zlib.Z_DEFAULT_STRATEGY)),
)
"""Common packers of PNG data by the group of levels in its header: name, level, memory level, strategy."""


def encoding_of(data: bytes) -> dict[str, float]:
    """Return measures of a file by name; parts that the file lacks are absent and treated as 0.

    Args:
        data: Bytes of the file, which may be damaged; only the readable part is used.
    """
    form = sniff(data[:4096]) or "other"
    measures: dict[str, float] = {f"is {form}": 1.0, "bytes": float(len(data))}
    try:
        if form == "JPEG":
            measures |= _jpeg(data)
        elif form == "PNG":
            measures |= _png(data)
        elif form == "WEBP":
            measures |= _webp(data)
        elif form == "GIF":
            measures |= {"GIF version": float(data[4] - 48), "GIF flags": float(data[10])}
    except (struct.error, IndexError, zlib.error):
        measures["damaged"] = 1.0
    measures |= _stated(data)
    measures["last byte"], measures["bytes odd"] = float(data[-1]), float(len(data) % 2)
    return measures


_OF_CONTENT = (
    "bytes", "bytes odd", "last byte", "PNG bytes of IDAT", "PNG compression", "PNG filter", "PNG first data bytes",
    "PNG chunk IDAT", "WebP bytes of VP8", "WebP bytes of ALPH", "JPEG bytes of Huffman", "JPEG bytes of c4",
)  # fmt: skip


def is_of_content(name: str) -> bool:
    """Return whether a measure depends on the picture's content as much as on its encoding."""
    return name in _OF_CONTENT[:3] or name.startswith(_OF_CONTENT[3:])


def hashed(text: str, *, kind: str) -> dict[str, float]:
    """Return, for each bin, how many tokens of a text (words, numbers, character trigrams) hash into it."""
    lowered = text.lower()[:400]
    tokens = [*_TOKEN.findall(lowered), *(lowered[at : at + 3] for at in range(len(lowered) - 2))][:_MOST_TOKENS]
    bins = Counter(zlib.crc32(f"{kind} {token}".encode("utf-8", "surrogatepass")) % TOKEN_BINS for token in tokens)
    return {f"{kind} token {number}": float(count) for number, count in bins.items()}


def seconds_in(text: str) -> float | None:
    """Return the seconds since 1970 of the first date with a time in a text; None if there is none."""
    found = _DATE.search(text)
    if found is None:
        return None
    try:
        return (datetime(*map(int, found.groups())) - _EPOCH).total_seconds()  # type: ignore[arg-type]
    except ValueError:
        return None


def times_of(kind: str, seconds: float) -> dict[str, float]:
    """Return a time as numbers: its total, and hour, minute, second, weekday and parity separately."""
    whole = int(seconds)
    return {
        f"{kind} time": float(seconds),
        f"{kind} hour": float(whole // 3600 % 24),
        f"{kind} minute": float(whole // 60 % 60),
        f"{kind} second": float(whole % 60),
        f"{kind} weekday": float((whole // 86400 + 3) % 7),
        f"{kind} second odd": float(whole % 2),
        f"{kind} minute odd": float(whole // 60 % 2),
    }


def _jpeg(data: bytes) -> dict[str, float]:
    measures: Counter[str] = Counter()
    order, huffman = 0, 0
    for number, (marker, content) in enumerate(islice(jpeg_segments(data), _MOST_BLOCKS)):
        measures[f"JPEG marker {marker:02x}"] += 1
        measures[f"JPEG bytes of {marker:02x}"] += len(content)
        order += number * marker
        if marker == 0xDB:
            measures |= _tables(content)
        elif marker == 0xC4:
            huffman += len(content)
        elif 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC) and len(content) >= 6:
            measures["JPEG components"] = content[5]
            for component in range(content[5]):
                measures[f"JPEG sampling {component}"] = content[7 + 3 * component]
        elif marker == 0xDD:
            measures["JPEG restart interval"] = int.from_bytes(content[:2], "big")
        elif marker == 0xE0 and content[:4] == b"JFIF":
            units, across, down = struct.unpack_from(">BHH", content, 7)
            measures |= {"JFIF version": content[6], "dpi units": units, "dpi across": across, "dpi down": down}
    end = data.rfind(b"\xff\xd9")
    measures["JPEG bytes after the end"] = len(data) - end - 2 if end >= 0 else -1
    measures["JPEG scans"] = data.count(b"\xff\xda")
    measures["JPEG order of segments"] = order
    measures["JPEG fitted Huffman tables"] = int(huffman != 0 and abs(huffman - _STANDARD_HUFFMAN + 16) > 4)
    measures["JPEG bytes of Huffman tables"] = huffman
    return {name: float(value) for name, value in measures.items()}


def _tables(content: bytes) -> dict[str, int]:
    """Return the sum and the first and last steps of each quantization table of a segment."""
    found: dict[str, int] = {}
    at = 0
    while at + 65 <= len(content):
        wide, number = content[at] >> 4, content[at] & 15
        size = 128 if wide else 64
        steps = [int.from_bytes(content[n : n + 1 + wide], "big") for n in range(at + 1, at + 1 + size, 1 + wide)]
        found |= {
            f"JPEG table {number} sum": sum(steps), f"JPEG table {number} first": steps[0],
            f"JPEG table {number} second": steps[min(1, len(steps) - 1)], f"JPEG table {number} last": steps[-1],
            f"JPEG table {number} weighed": sum(place * step for place, step in enumerate(steps)),
        }  # fmt: skip
        at += 1 + size
    return found


def _png(data: bytes) -> dict[str, float]:
    measures: Counter[str] = Counter()
    at, order, number = _PNG_SIGNATURE, 0, 0
    packed: list[bytes] = []
    header = (0, 0, 8, 2, 0)
    while at + 8 <= len(data) and number < _MOST_BLOCKS:
        length, kind = struct.unpack_from(">I4s", data, at)
        content = data[at + 8 : at + 8 + length]
        name = kind.decode("latin-1")
        measures[f"PNG chunk {name}"] += 1
        measures[f"PNG bytes of {name}"] += length
        order += number * zlib.crc32(kind) % 97
        if kind == b"IHDR":
            wide, high, depth, color, _, _, interlace = struct.unpack_from(">IIBBBBB", content)
            header = (wide, high, depth, color, interlace)
            measures |= {"PNG depth": depth, "PNG color": color, "PNG interlaced": interlace}
        elif kind == b"IDAT":
            if not packed:
                measures["PNG first data bytes"] = length
                measures["PNG deflate level"] = content[1] >> 6 if len(content) > 1 else 0
                measures["PNG deflate window"] = content[0] >> 4 if content else 0
            packed.append(content)
        elif kind == b"pHYs" and length >= 9:
            across, down, unit = struct.unpack_from(">IIB", content)
            measures |= {"dpi across": across, "dpi down": down, "dpi units": unit}
        elif kind == b"gAMA" and length >= 4:
            measures["PNG gamma"] = struct.unpack_from(">I", content)[0]
        elif kind == b"PLTE":
            measures["PNG palette"] = length // 3
        at, number = at + 12 + length, number + 1
        if kind == b"IEND":
            break
    measures["PNG bytes after the end"] = len(data) - at
    floats = {name: float(value) for name, value in measures.items()}
    floats["PNG order of chunks"] = float(order)
    return floats | _png_filters(b"".join(packed), header)


def _png_filters(packed: bytes, header: tuple[int, int, int, int, int]) -> dict[str, float]:
    """Return the shares of rows by filter, and how far the pixels were compressed; interlaced files give no shares."""
    wide, high, depth, color, interlace = header
    row = 1 + (wide * _CHANNELS.get(color, 3) * depth + 7) // 8
    if not packed or row * high > _MOST_INFLATED:
        return {}
    raw = zlib.decompressobj().decompress(packed, row * high + 1)
    measures = {"PNG compression": len(packed) / max(1, len(raw))}
    if not interlace:
        filters = Counter(raw[:: max(1, row)][:high])
        measures |= {f"PNG filter {kind}": filters[kind] / high for kind in range(5)}
    if len(raw) <= _MOST_REPACKED:
        measures |= _packing(packed, raw)
    return measures


def _packing(packed: bytes, raw: bytes) -> dict[str, float]:
    """Return the packer that produces exactly these bytes, or else the ratio to a known level.

    The ratio depends on the level, but also on the picture: noise takes the same number of bytes at any level. The
    ratio must therefore not distinguish pictures that one program wrote in the same way.
    """
    group = packed[1] >> 6 if len(packed) > 1 else 0
    for name, level, memory, strategy in _PACKERS[group]:
        packer = zlib.compressobj(level, zlib.DEFLATED, zlib.MAX_WBITS, memory, strategy)
        if packer.compress(raw) + packer.flush() == packed:
            return {f"PNG packed as by {name}": 1.0, "PNG packing": 1.0}
    return {"PNG packing": len(packed) / max(1, len(zlib.compress(raw, 6)))}


def _webp(data: bytes) -> dict[str, float]:
    measures: Counter[str] = Counter()
    at, number = 12, 0
    while at + 8 <= len(data) and number < _MOST_BLOCKS:
        kind, length = struct.unpack_from("<4sI", data, at)
        measures[f"WebP chunk {kind.decode('latin-1')}"] += 1
        measures[f"WebP bytes of {kind.decode('latin-1')}"] += length
        if kind == b"VP8X" and at + 8 < len(data):
            measures["WebP flags"] = data[at + 8]
        at, number = at + 8 + length + length % 2, number + 1
    measures["WebP bytes after the end"] = len(data) - at
    return {name: float(value) for name, value in measures.items()}


def _stated(data: bytes) -> dict[str, float]:
    """Return the fields that Pillow reads from a file: resolution, EXIF, comments, profile and all other texts."""
    from PIL import Image

    measures: dict[str, float] = {}
    texts: list[tuple[str, str]] = []
    try:
        with Image.open(io.BytesIO(data)) as image:
            measures["mode"] = float(sum(map(ord, image.mode)))
            for name, value in list(image.info.items())[:_MOST_TOKENS]:
                measures[f"field {name}"] = _measure(value)
                if isinstance(value, str | bytes) and name not in ("exif", "icc_profile", "photoshop"):
                    texts.append((str(name), _text(value)))
            exif = image.getexif()
            for tag, value in _chained(exif.items(), exif.get_ifd(_EXIF_SUB).items()):
                measures[f"EXIF {tag}"] = _measure(value)
                if isinstance(value, str | bytes):
                    texts.append((f"EXIF {tag}", _text(value)))
    except Exception:  # noqa: BLE001 - Pillow raises what it likes on damaged metadata, which then state nothing
        measures["fields damaged"] = 1.0
    for name, text in texts:
        if (seconds := seconds_in(text)) is not None:
            measures |= times_of(name, seconds)
        for token, count in hashed(f"{name} {text}", kind="stated").items():
            measures[token] = measures.get(token, 0.0) + count
    return measures


def _chained(*pairs: Iterable[tuple[int, object]]) -> Iterator[tuple[int, object]]:
    for each in pairs:
        yield from list(each)[:_MOST_TOKENS]


def _measure(value: object) -> float:
    """Return a field as a number: its value, its first value, or the length of a text; 1 for any other type."""
    if isinstance(value, str | bytes):
        return float(len(value)) + 1.0
    if isinstance(value, tuple | list) and value:
        return _measure(value[0])
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, ZeroDivisionError):
        return 1.0
    return number if abs(number) < 1e12 else 1.0


def _text(value: str | bytes) -> str:
    return value if isinstance(value, str) else value[:400].decode("latin-1")
