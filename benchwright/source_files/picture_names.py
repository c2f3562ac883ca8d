"""Parser of picture names in question files: a path from any system, a URL, or a number."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from .portable_pixmap import PICTURE_SUFFIXES

_DRIVE = re.compile(r"([A-Za-z]:)/*(.*)", re.S)
_UPLOAD = re.compile(r"/?(data/upload/\d+)/(.+)", re.S)
_LOCAL_FILES = "data/local-files"
_SERVES_ONE = frozenset({"d", "file", "filename", "path", "name", "image", "img", "src", "url", "key"})
_HASHED = re.compile(r"([0-9a-f]{8})-(.+)", re.S)
_PADDED = re.compile(r"(?:(?P<coco>COCO_(?:train|val|test)\d{4}_)|(?P<other>.*?[_-]))?(?P<digits>\d{1,18})", re.S)
_COCO_DIGITS = 12
_BETWEEN = re.compile(r"[ \t\r]{0,8}[;,|\n][ \t\r]{0,8}")
_MOST_LISTED = 20_000
"""Longest text that may be a list of names, in characters."""
_MOST_CHARACTERS = 2000
"""Longest text that may be a name, in characters."""
_QUOTES = frozenset(("''", '""', "``", "\u2018\u2019", "\u201c\u201d", "\u00ab\u00bb"))
_ONE_FORMAT = ((".jpg", ".jpeg", ".jpe", ".jfif"), (".tif", ".tiff"))
"""Groups of suffixes that denote the same format."""
_SPLITS = frozenset({"train", "training", "val", "valid", "validation", "dev", "test", "testing", "eval"})


class PictureName(NamedTuple):
    """The name of a picture, parsed as a path.

    Args:
        parts: Folders and file name.
        origin: Prefix of the path that is not a local folder: a host, a bucket, a drive; empty if there is none.
        up: Number of folders above the question file's folder at which the path starts (`../`).
    """

    parts: tuple[str, ...]
    origin: str = ""
    up: int = 0

    @property
    def whole(self) -> tuple[str, ...]:
        """Return the path with its origin, by which two names can be distinguished."""
        return (*([self.origin] if self.origin else []), *[".."] * self.up, *self.parts)


def names_of(text: str) -> list[PictureName]:
    """Return the paths that a text may denote, most likely first.

    Backslashes separate folders as slashes do. For a URL, the path is used, or the file that the query names
    (`/data/local-files/?d=img/1.jpg` of Label Studio). Percent signs may encode characters. Quotes around a name may be
    part of it, but rarely are.

    Example:
        >>> [name.parts for name in names_of("C:\\\\bench\\\\a%20b.png")]
        [('bench', 'a%20b.png'), ('bench', 'a b.png')]
    """
    bare = text.strip()
    if len(bare) > 2 and bare[0] + bare[-1] in _QUOTES:
        named = _name(bare.replace("\\", "/"), "")
        return [named, *names_of(bare[1:-1])] if named.parts else names_of(bare[1:-1])
    plain = bare.replace("\\", "/")
    is_address = "://" in plain or plain.lower().startswith("file:/")
    origin, query = "", ""
    if is_address:
        try:
            scheme, origin, plain, query, _ = urlsplit(plain)
        except ValueError:
            return []
        origin = "" if scheme.lower() == "file" else origin
    paths = [unquote(plain), plain] if is_address else [plain, unquote(plain)]
    if not is_address and "?" in plain:
        before, _, query = plain.partition("?")
        paths += [before, unquote(before)]
    for field, _, value in (pair.partition("=") for pair in query.split("&")):
        asked = unquote(value).replace("\\", "/")
        is_local = plain.strip("/").startswith(_LOCAL_FILES) and field == "d"
        if is_local or (field.lower() in _SERVES_ONE and has_picture_suffix(asked)):
            paths = [asked, value, unquote(asked), *paths] if is_local else [*paths, asked]
    names = [_name(path, origin) for path in dict.fromkeys(paths)]
    # Label Studio puts eight digits before the name of an uploaded file.
    names += [
        name._replace(parts=(*name.parts[:-1], match[2]), origin=f"{name.origin}/{match[1]}")
        for name in names
        if name.origin.startswith("data/upload/") and (match := _HASHED.fullmatch(name.parts[-1]))
    ]
    return [name for name in dict.fromkeys(names) if name.parts]


def _name(path: str, origin: str) -> PictureName:
    if (upload := _UPLOAD.fullmatch(path)) is not None:
        origin, path = upload[1], upload[2]
    elif (drive := _DRIVE.fullmatch(path.lstrip("/"))) is not None:
        origin, path = drive[1].lower(), drive[2]
    parts: list[str] = []
    up = 0
    for part in path.split("/"):
        if part == ".." and parts:
            parts.pop()
        elif part == "..":
            up += 1
        elif part not in ("", "."):
            parts.append(part)
    return PictureName(tuple(parts), origin, 0 if origin else up)


def folded(text: str) -> str:
    """Return the text with differences in case and Unicode form removed."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def composed(text: str) -> str:
    """Return a text in Unicode's composed form (NFC), for comparing names."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def has_picture_suffix(name: str) -> bool:
    """Return whether a name has the suffix of a picture format."""
    return name.lower().endswith(PICTURE_SUFFIXES)


def is_picture_name(value: object) -> bool:
    """Return whether a value is the name, path or URL of a picture's file, judged by its suffix."""
    if not isinstance(value, str) or "\n" in value or len(value) > _MOST_CHARACTERS:
        return False
    return any(has_picture_suffix(name.parts[-1]) for name in names_of(value))


def stem(name: str) -> str:
    """Return a name without the suffix of a picture's format."""
    return name.rpartition(".")[0] if has_picture_suffix(name) else name


def names_of_one_format(name: str) -> list[str]:
    """Return a name with each other suffix of the same format; empty if the format has only one suffix.

    Example:
        >>> names_of_one_format("1.tif"), names_of_one_format("1.png")
        (['1.tiff'], [])
    """
    bare = stem(name)
    end = name[len(bare) :].lower()
    return [f"{bare}{other}" for ends in _ONE_FORMAT if end in ends for other in ends if other != end]


def are_kin(folder: str, other: str) -> bool:
    """Return whether two folder names denote parts of one whole, such as `set1` and `set2`, or `train` and `val`.

    A picture in one of them is never a picture in the other, however similar their paths.
    """
    one, its = folded(folder), folded(other)
    words = [re.sub(r"[\W_]+", "", re.sub(r"\d+", "", text)) for text in (one, its)]
    return one != its and (
        words[0] == words[1] or all(not _SPLITS.isdisjoint(re.split(r"[\W\d_]+", t)) for t in (one, its))
    )


def pictures_listed(text: str) -> list[str]:
    """Return the picture names listed in a cell, separated by `;`, `,`, `|` or line breaks; empty for other texts.

    Example:
        >>> pictures_listed("a.png; b.png"), pictures_listed("c, d.png")
        (['a.png', 'b.png'], [])
    """
    if _BETWEEN.search(text) is None or len(text) > _MOST_LISTED:
        return []
    parts = [part for part in _BETWEEN.split(text.strip()) if part]
    return parts if len(parts) > 1 and all(map(is_picture_name, parts)) else []


def number_of(name: str, *, of_file: bool) -> int | None:
    """Return the number in a zero-padded name, such as 123456 in `COCO_val2014_000000123456.jpg`; None without one.

    In a question file, a number is digits alone or a name in COCO's form. A file's name may have other words before
    zero-padded digits.

    Args:
        name: Name, with or without a suffix.
        of_file: Whether the name is a file's, not a question file's text.
    """
    match = _PADDED.fullmatch(stem(name))
    if match is None:
        return None
    digits = match["digits"]
    if match["coco"]:
        return int(digits) if len(digits) == _COCO_DIGITS else None
    if match["other"]:
        return int(digits) if of_file and digits.startswith("0") and len(digits) > 1 else None
    if not of_file and has_picture_suffix(name) and len(digits) != _COCO_DIGITS:
        return None  # `7.png` is a file's name, not its number
    return int(digits)


def may_be_the_same(one: PictureName, other: PictureName) -> bool:
    """Return whether two names may denote the same picture: whether, ignoring suffixes, one is the end of the other."""
    short, long = sorted((one.whole, other.whole), key=len)
    if tuple(map(composed, short[:-1])) != tuple(map(composed, long[len(long) - len(short) : -1])):
        return False
    last, its = composed(short[-1]), composed(long[-1])
    if last == its:
        return True
    if has_picture_suffix(last) and has_picture_suffix(its):
        return _is_coco(last) and number_of(last, of_file=False) == number_of(its, of_file=False)
    return stem(last) == stem(its) or (
        (number := number_of(last, of_file=True)) is not None and number == number_of(its, of_file=True)
    )


def _is_coco(name: str) -> bool:
    return number_of(name, of_file=False) is not None
