"""Records common to all formats: pictures with their regions, and refused or skipped entries with reasons."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from benchwright.errors import DataError
from benchwright.records import MaskRuns
from benchwright.regions import Region, RegionError, RegionShape, SizeWH, mask_of_outline, read_region

RefusalCode = Literal["entry", "no_picture", "other_size", "crowd"]
"""Cause of a refusal: the entry is invalid, its picture is missing or has another size, or it covers a crowd."""
_SLACK_PX = 1.0
"""Distance by which a coordinate may lie outside its picture, because tools count pixels from 0 or 1, and round."""


@dataclass(frozen=True)
class RefusedMark:
    """A file's entry that does not describe a region of its picture, or whose picture is missing.

    Args:
        file: Path of the file.
        entry: Name of the entry in the file, such as `annotation 17` or `line 3`.
        reason: The mistake, with the value.
        code: `entry` if the entry is wrong, `no_picture` if its picture is missing, `other_size` if the picture has
            another size, `crowd` if the entry is correct but covers many objects at once.
        label: The entry's label, if readable.
    """

    file: str
    entry: str
    reason: str
    code: RefusalCode = "entry"
    label: str | None = None

    def __str__(self) -> str:
        return f"{self.file}: {self.entry}: {self.reason}"


@dataclass(frozen=True)
class PictureMarks:
    """A picture with its marks.

    Args:
        name: Path of the picture as its file states it, with forward slashes.
        size_wh: Width and height of the upright picture in pixels.
        regions: Regions in the order of the file.
        refused: Entries of this picture that are not regions of it; reading only.
        fields: Names of the regions' fields if the regions come from a form; one for each region, or none.
        crowds: Labels of objects of which some appear only as a crowd; reading only.
    """

    name: str
    size_wh: SizeWH
    regions: tuple[Region, ...]
    refused: tuple[RefusedMark, ...] = ()
    fields: tuple[str, ...] = ()
    crowds: tuple[str, ...] = ()

    @property
    def wrong(self) -> tuple[RefusedMark, ...]:
        """Return the invalid entries, each once; crowds are not invalid."""
        return tuple({mark.entry: mark for mark in reversed(self.refused) if mark.code != "crowd"}.values())[::-1]


@dataclass(frozen=True)
class SkippedRegion:
    """A region that a format cannot represent.

    Args:
        picture: Name of the picture.
        place: Index among the picture's regions, from 0.
        reason: Why the format cannot represent it.
    """

    picture: str
    place: int
    reason: str


@dataclass
class WrittenMarks:
    """A summary of the files that were written.

    Args:
        files: Paths of the files.
        pictures: Number of pictures.
        regions: Number of regions.
        skipped: Regions that the format cannot represent.
    """

    files: list[Path] = field(default_factory=list)
    pictures: int = 0
    regions: int = 0
    skipped: list[SkippedRegion] = field(default_factory=list)


class MarkError(ValueError):
    """A mistake in an entry; readers record it with the entry's name.

    Args:
        reason: The mistake, as text.
        code: As in `RefusedMark`.
    """

    def __init__(self, reason: str, code: RefusalCode = "entry") -> None:
        super().__init__(reason)
        self.code = code


def number_in(value: Any, what: str) -> float:
    """Return a value as a finite number, after checking it.

    Raises:
        MarkError: The value is not a finite number.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise MarkError(f"{what} must be a number, not {shown(value)}")
    try:
        number = float(value)
    except OverflowError:
        number = float("inf")
    if not isfinite(number):
        raise MarkError(f"{what} must be a finite number, not {shown(value)}")
    return number


def whole_number_in(value: Any, what: str, *, least: int, most: int) -> int:
    """Return a value as a whole number within bounds.

    Raises:
        MarkError: The value is not a whole number, or is out of bounds.
    """
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise MarkError(f"{what} must be a whole number from {least:,} to {most:,}, not {shown(value)}")
    return value


def size_in(width: Any, height: Any) -> SizeWH:
    """Return the size of a picture.

    Raises:
        MarkError: The values are not a picture's size.
    """
    return (
        whole_number_in(width, "width", least=1, most=65_535),
        whole_number_in(height, "height", least=1, most=65_535),
    )


def shown(value: Any) -> str:
    """Return a value as text for messages: on one line, shortened."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def region_in(
    shape: RegionShape,
    size_wh: SizeWH,
    *,
    points: Iterable[tuple[float, float]] = (),
    mask: MaskRuns | None = None,
    label: str = "",
) -> Region:
    """Return a region within its picture, with points up to `_SLACK_PX` outside moved to the edge.

    Raises:
        MarkError: The region is invalid, or lies farther outside.
    """
    document: dict[str, Any] = {"shape": shape, "points": tuple(_pulled_in(points, size_wh)), "label": label}
    if mask is not None:
        document["mask"] = mask
    try:
        return read_region(document, [size_wh])
    except RegionError as error:
        raise MarkError(str(error)) from None


def _pulled_in(points: Iterable[tuple[float, float]], size_wh: SizeWH) -> Iterator[tuple[float, float]]:
    for point in points:
        inside = tuple(min(max(value, 0.0), float(side)) for value, side in zip(point, size_wh, strict=True))
        near = all(abs(value - moved) <= _SLACK_PX for value, moved in zip(point, inside, strict=True))
        yield (inside[0], inside[1]) if near else point


def as_shape(region: Region, shape: RegionShape | None, size_wh: SizeWH) -> Region:
    """Return a region as another shape, if possible, such as the bounds of an area or the pixels of an outline.

    Raises:
        MarkError: The region does not convert to the shape.
    """
    if shape is None or shape == region.shape:
        return region
    if shape == "box" and region.shape in ("polygon", "mask"):
        x0, y0, x1, y1 = region.bounds
        return Region(shape="box", points=((x0, y0), (x1, y1)), label=region.label)
    if shape == "polygon" and region.shape == "box":
        return Region(shape="polygon", points=corners_of_box(region), label=region.label)
    if shape == "mask" and region.shape in ("polygon", "box"):
        outline = corners_of_box(region) if region.shape == "box" else region.points
        mask = mask_of_outline(outline, size_wh)
        if mask is None:
            raise MarkError("it covers the center of no pixel, so its mask is empty")
        return Region(shape="mask", mask=mask, label=region.label)
    raise MarkError(f"a region of shape {region.shape!r} cannot be read as {shape!r}")


def corners_of_box(region: Region) -> tuple[tuple[float, float], ...]:
    """Return the four corners of a box, clockwise from its top left."""
    (x0, y0), (x1, y1) = region.points
    return (x0, y0), (x1, y0), (x1, y1), (x0, y1)


def checked_size(stated: SizeWH, name: str, sizes_wh: Mapping[str, SizeWH] | None) -> None:
    """Check a stated picture size against the picture itself.

    Raises:
        MarkError: The picture is unknown or has another size.
    """
    if sizes_wh is None:
        return
    actual = size_of(name, sizes_wh)
    if actual is None:
        raise MarkError(f"the picture {shown(name)} is missing", "no_picture")
    if actual != stated:
        states, has = (f"{width} x {height}" for width, height in (stated, actual))
        is_turned = stated == actual[::-1]
        why = "; perhaps the marks predate the picture's rotation to upright by its EXIF data" if is_turned else ""
        raise MarkError(
            f"the file states {states} pixels, but the picture {shown(name)} has {has} (upright){why}", "other_size"
        )


def known_name(name: str, names: Container[str]) -> str | None:
    """Return the known name of a picture: its path in a file, or the longest known end of that path.

    Args:
        name: Path of the picture as a file states it; backslashes also separate folders.
        names: Known names.
    """
    parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".")]
    return next((end for start in range(len(parts)) if (end := "/".join(parts[start:])) in names), None)


def size_of(name: str, sizes_wh: Mapping[str, SizeWH]) -> SizeWH | None:
    """Return the size of a picture, found by its path or the known end of the path; None if the picture is unknown."""
    known = known_name(name, sizes_wh)
    return None if known is None else sizes_wh[known]


def target_in(folder: Path, name: str, suffix: str) -> Path:
    """Return the path of a picture's annotation file below a folder.

    Raises:
        DataError: The picture's name refers to a path outside the folder.
    """
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or not path.name or "\0" in name:
        raise DataError(
            f"a picture named {name!r} cannot be written below {folder}; give it a relative path without .."
        )
    return folder / path.with_suffix(suffix)


def labels_in(pictures: Sequence[PictureMarks]) -> list[str]:
    """Return all labels, sorted."""
    return sorted({region.label for picture in pictures for region in picture.regions})
