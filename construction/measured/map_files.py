"""The files of a folder that are maps of photographs, recognized by name alone: depth maps and masks.

    cup.jpg, cup_depth.png, cup_mask.png, cup_mask_1.png     next to the photograph, with `-` too
    cup.jpg, depth/cup.png, masks/cup.png                    in a separate folder, here or with the photographs
    images/a/cup.jpg, depth/a/cup.npy                        which may have the layout of the photographs' folder
    masks/mug/cup.png, masks/cup/0.png                       masks by the label of the object, or several of a
    photograph

A TOML file in the folder of the maps or in one above it states their conventions; the nearest one applies.
"""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ValidationError

from benchwright.errors import UnreadableImage
from benchwright.images.identify import identify
from benchwright.source_files.rows import BadRow, first_mistake

MapKind = Literal["depth", "masks"]
MAP_SUFFIXES = (".png", ".npy", ".exr", ".pfm")
STATEMENTS: dict[MapKind, str] = {"depth": "depth.toml", "masks": "masks.toml"}
NO_PHOTOGRAPH, BAD_MAP, NOT_KNOWN = "no_photograph", "bad_map", "not_known"
_FOLDERS: dict[str, MapKind] = {"depth": "depth", "depths": "depth", "mask": "masks", "masks": "masks"}
_BESIDE = re.compile(r"(?P<stem>.+)[_-](?P<kind>depth|mask)(?:[_-](?P<number>\d+))?", re.I)
_PNG = b"\x89PNG\r\n\x1a\n"
_COLOURED = (2, 6)
_MOST_STATED_BYTES = 1 << 16
_SLACK = 0.02

M = TypeVar("M", bound=BaseModel)


class MapFile(NamedTuple):
    """A map, with its photograph.

    Args:
        kind: Whether it is a depth map or a mask.
        path: Path of the file.
        photograph: Path of the photograph; None if it is missing or ambiguous.
        label: The object's name, taken from the folder of a mask; None if the folder states none.
        detail: The reason why `photograph` is None.
    """

    kind: MapKind
    path: str
    photograph: str | None
    label: str | None = None
    detail: str = ""


class _MapName(NamedTuple):
    kind: MapKind
    before: str
    """Path of the folder in which the photograph's path is looked up."""
    below: tuple[str, ...]
    """Path of the map below it, with the photograph's stem as the last part."""
    is_beside: bool


def map_files(root: Path, paths: Collection[str]) -> Iterator[MapFile]:
    """Yield the files that are maps, sorted by path.

    A color PNG without a matching photograph counts as a photograph.

    Args:
        root: The folder.
        paths: Paths of all pictures below it, and of all files with one of `MAP_SUFFIXES`.
    """
    named = {path: name for path in paths if (name := _map_name(path)) is not None}
    if not named:
        return
    photographs = _Photographs(path for path in paths if path not in named and not path.endswith(MAP_SUFFIXES[1:]))
    for path, name in sorted(named.items()):
        entry = _paired(path, name, photographs)
        if entry.photograph is not None or not _is_coloured(root / path):
            yield entry


def stated_about(root: Path, path: str, kind: MapKind, model: type[M]) -> M:
    """Return the statement about a map, or the model's defaults if there is none.

    Args:
        root: The folder.
        path: Path of the map below it.
        kind: Kind of the map.
        model: Model of the statement.

    Raises:
        BadRow: The statement's file cannot be read, or is wrong.
    """
    for folder in PurePosixPath(path).parents:
        place = root / folder / STATEMENTS[kind]
        if place.is_file():
            return stated_in(place, (folder / STATEMENTS[kind]).as_posix(), model)
    return model()


def stated_in(place: Path, path: str, model: type[M]) -> M:
    """Return the statement in a TOML file.

    Args:
        place: The file.
        path: Path in messages.
        model: Model of the statement.

    Raises:
        BadRow: It cannot be read, or is wrong.
    """
    try:
        with place.open("rb") as handle:
            data = handle.read(_MOST_STATED_BYTES)
        return model.model_validate(tomllib.loads(data.decode("utf-8")))
    except ValidationError as error:
        raise BadRow(
            f"{path}: {first_mistake(error)}; it has: {', '.join(model.model_fields)}", "bad_statement"
        ) from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadRow(f"{path} is not a TOML file: {error}", "bad_statement") from None


def is_same_shape(size_wh: tuple[int, int], other_wh: tuple[int, int]) -> bool:
    """Return whether two sizes have the same proportions, to within 0.02."""
    return abs(size_wh[0] * other_wh[1] / (size_wh[1] * other_wh[0]) - 1) <= _SLACK


def one_channel(place: Path, *, palette: bool = False) -> NDArray[Any]:
    """Return the values of a single-channel PNG, rows by columns.

    Args:
        place: The file.
        palette: Whether the values may be palette indices; default False, which allows only gray levels of 8 or 16
            bits.

    Raises:
        BadRow: The file cannot be read, or has colors.
    """
    from PIL import Image

    try:
        identify(place, root=place.parent)
        with Image.open(place) as picture:
            if picture.mode not in ("1", "L", *(("P",) if palette else ())) and not picture.mode.startswith("I"):
                raise BadRow(f"a PNG of mode {picture.mode}; it needs one channel of numbers", BAD_MAP)
            return np.asarray(picture.convert("L") if picture.mode == "1" else picture)
    except UnreadableImage as error:
        raise BadRow(f"it cannot be read ({error.reason}: {error.detail})", BAD_MAP) from None
    except (OSError, SyntaxError) as error:
        raise BadRow(f"it cannot be read ({type(error).__name__})", BAD_MAP) from error


class _Photographs:
    """Photographs by their paths without suffixes, and by the last components of these paths."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._by_stem: dict[str, list[str]] = defaultdict(list)
        self._by_end: dict[str, list[str]] = defaultdict(list)
        for path in paths:
            parts = _without_suffix(path).split("/")
            self._by_stem["/".join(parts)].append(path)
            for start in range(len(parts)):
                self._by_end["/".join(parts[start:])].append(path)

    def named(self, before: str, below: tuple[str, ...]) -> list[str]:
        """Return the photographs to which a path may refer: those at the path, otherwise those one folder deeper,
        otherwise those anywhere.
        """
        end = "/".join(below)
        prefix = f"{before}/" if before else ""
        if there := self._by_stem.get(f"{prefix}{end}"):
            return there
        anywhere = self._by_end.get(end, [])
        depth = len(PurePosixPath(prefix + end).parts) + 1
        near = [path for path in anywhere if path.startswith(prefix) and path.count("/") + 1 == depth]
        return near or anywhere


def _paired(path: str, name: _MapName, photographs: _Photographs) -> MapFile:
    ways: list[tuple[tuple[str, ...], str | None]] = [(name.below, None)]
    if name.kind == "masks" and not name.is_beside and len(name.below) > 1:
        ways += [(name.below[1:], name.below[0]), (name.below[:-1], None)]
    for below, label in ways:
        if len(meant := photographs.named(name.before, below)) == 1:
            return MapFile(name.kind, path, meant[0], label)
        if meant:
            return MapFile(name.kind, path, None, None, f"it may be of {' or '.join(meant[:3])}; give them other names")
    return MapFile(name.kind, path, None, None, f"no photograph is named {name.below[-1]!r}, whatever its suffix")


def _map_name(path: str) -> _MapName | None:
    """Return the parts of a map's file name, or None for other names."""
    if not path.lower().endswith(MAP_SUFFIXES):
        return None
    *folders, stem = _without_suffix(path).split("/")
    beside = _BESIDE.fullmatch(stem)
    place = next((place for place, folder in enumerate(folders) if folder.lower() in _FOLDERS), None)
    if place is not None:
        kind = _FOLDERS[folders[place].lower()]
        stem = beside["stem"] if beside is not None else stem
        return _MapName(kind, "/".join(folders[:place]), (*folders[place + 1 :], stem), is_beside=False)
    if beside is not None:
        return _MapName(_FOLDERS[beside["kind"].lower()], "/".join(folders), (beside["stem"],), is_beside=True)
    return None


def _without_suffix(path: str) -> str:
    return path[: len(path) - len(PurePosixPath(path).suffix)]


def _is_coloured(place: Path) -> bool:
    """Return whether a file is a color PNG, judged by its header (W3C, PNG third edition, 11.2.1)."""
    with place.open("rb") as handle:
        head = handle.read(26)
    return head.startswith(_PNG) and len(head) == 26 and head[25] in _COLOURED
