"""Pascal VOC: one XML file per picture, with boxes in whole pixels counted from 1.

Source: the development kit of the VOC challenges (Everingham et al. 2010, doi:10.1007/s11263-009-0275-4).

A box's `xmin` and `xmax` are its first and last pixel, so its edges are `xmin` - 1 and `xmax`. The format supports only
boxes: the writer keeps the bounds of polygons and masks, rounded to whole pixels, and skips points. The reader ignores
`part`s, `pose`, `truncated`, `occluded` and `difficult`. It refuses a file with a document type, because a document
type can declare entities, which can read other files or fill the memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat
from xml.sax.saxutils import escape

from benchwright.errors import DataError
from benchwright.machine.storage_faults import naming
from benchwright.regions import Region, RegionShape, SizeWH
from benchwright.workspace.atomic import write_bytes

from .picture_marks import (
    MarkError,
    PictureMarks,
    RefusedMark,
    SkippedRegion,
    WrittenMarks,
    as_shape,
    checked_size,
    known_name,
    number_in,
    region_in,
    shown,
    size_in,
    target_in,
)

MAX_BYTES = 16 << 20
_MAX_DEPTH = 20
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def read_voc(
    path: Path, *, shape: RegionShape | None = None, sizes_wh: Mapping[str, SizeWH] | None = None
) -> Iterator[PictureMarks | RefusedMark]:
    """Yield the pictures of a file or folder with their boxes, and the files that cannot be read.

    Args:
        path: An XML file, or a folder of them, searched with its subfolders.
        shape: Shape to read from boxes; default None: boxes.
        sizes_wh: Size of each picture by path or file name, against which to check the files; default None: no check.

    Raises:
        DataError: The file does not exist, or the folder contains no XML file.
    """
    with naming(path):
        files = sorted(path.rglob("*.xml")) if path.is_dir() else [path]
    if not files:
        raise DataError(f"{path}: no XML file found; give a folder of Pascal VOC annotations, or one of its files")
    names: set[str] = set()
    for file in files:
        folder = file.parent.relative_to(path) if path.is_dir() else Path()
        try:
            picture = _read_picture(file, folder, shape, sizes_wh)
            if picture.name in names:
                raise MarkError(f"an earlier file describes the picture {shown(picture.name)}, too; that one is kept")
        except MarkError as error:
            yield RefusedMark(str(file), "annotation", str(error), error.code)
        else:
            names.add(picture.name)
            yield picture


def _read_picture(
    file: Path, folder: Path, shape: RegionShape | None, sizes_wh: Mapping[str, SizeWH] | None
) -> PictureMarks:
    root = _tree(file)
    if root.tag != "annotation":
        raise MarkError(f"the outermost element must be <annotation>, not <{root.tag}>")
    stated = (root.findtext("filename") or "").strip().replace("\\", "/")
    name = PurePosixPath(stated).name or file.stem
    for path in (f"{folder.as_posix()}/{name}", stated):  # if names repeat, the folder distinguishes the pictures
        known = None if sizes_wh is None else known_name(path, sizes_wh)
        if known is not None and "/" in known:
            name = known
            break
    size = root.find("size")
    if size is None:
        raise MarkError("it states no <size>")
    size_wh = size_in(_whole(size.findtext("width"), "width"), _whole(size.findtext("height"), "height"))
    checked_size(size_wh, name, sizes_wh)
    regions, refused = [], []
    for number, thing in enumerate(root.findall("object"), start=1):
        try:
            regions.append(as_shape(_box(thing, size_wh), shape, size_wh))
        except MarkError as error:
            label = (thing.findtext("name") or "").strip() or None
            refused.append(RefusedMark(str(file), f"object {number}", f"{name}: {error}", label=label))
    return PictureMarks(name, size_wh, tuple(regions), tuple(refused))


def _box(thing: Element, size_wh: SizeWH) -> Region:
    label = (thing.findtext("name") or "").strip()
    bounds = thing.find("bndbox")
    if bounds is None:
        raise MarkError("it has no <bndbox>")
    x0, y0, x1, y1 = (_number(bounds.findtext(key), key) for key in ("xmin", "ymin", "xmax", "ymax"))
    if x1 < x0 or y1 < y0:
        raise MarkError(f"xmin and ymin must not lie beyond xmax and ymax: {x0:g}, {y0:g}, {x1:g}, {y1:g}")
    return region_in("box", size_wh, points=((x0 - 1, y0 - 1), (x1, y1)), label=label)


def _number(text: str | None, what: str) -> float:
    try:
        return number_in(float((text or "").strip()), what)
    except ValueError:
        raise MarkError(f"{what} must be a finite number, not {shown((text or '').strip())}") from None


def _whole(text: str | None, what: str) -> int:
    number = _number(text, what)
    if number != int(number):
        raise MarkError(f"{what} must be a whole number, not {number:g}")
    return int(number)


def _tree(file: Path) -> Element:
    """Return the root element of a file without a document type."""
    with naming(file), file.open("rb") as handle:
        data = handle.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise MarkError(f"the file exceeds {MAX_BYTES >> 20} MiB, too much for the annotation of one picture")
    builder = TreeBuilder()
    depth = 0

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > _MAX_DEPTH:
            raise MarkError(f"elements are nested more than {_MAX_DEPTH} levels deep")
        builder.start(tag, attributes)

    def end(tag: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(tag)

    def refuse(*_: Any) -> None:
        raise MarkError("it declares a document type (<!DOCTYPE ...>), which may hide entities; remove that line")

    parser = expat.ParserCreate()
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = builder.data
    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(data, True)
        return builder.close()
    except (expat.ExpatError, LookupError, ValueError) as error:
        if isinstance(error, MarkError):
            raise
        raise MarkError(f"it is not XML: {error}") from None


def write_voc(folder: Path, pictures: Sequence[PictureMarks]) -> WrittenMarks:
    """Write one XML file per picture into a folder, under the picture's name.

    Args:
        folder: Folder of the files; created if missing.
        pictures: Pictures with their regions.

    Raises:
        DataError: A picture's name refers to a path outside the folder, or two pictures would share a file.
        StorageError: A file cannot be written.
    """
    written = WrittenMarks(pictures=len(pictures))
    for picture in pictures:
        path = target_in(folder, picture.name, ".xml")
        if path in written.files:
            raise DataError(f"two pictures would share the file {path}; give pictures names that differ before the dot")
        with naming(path.parent):
            path.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(path, _document(picture, written).encode("utf-8"))
        written.files.append(path)
    return written


def _document(picture: PictureMarks, written: WrittenMarks) -> str:
    (width, height), name = picture.size_wh, PurePosixPath(picture.name)
    lines = [
        "<annotation>",
        f"  <folder>{_text(name.parent.name)}</folder>",
        f"  <filename>{_text(name.name)}</filename>",
        f"  <size><width>{width}</width><height>{height}</height><depth>3</depth></size>",
        "  <segmented>0</segmented>",
    ]
    for place, region in enumerate(picture.regions):
        if region.shape not in ("box", "polygon", "mask"):
            written.skipped.append(
                SkippedRegion(picture.name, place, f"Pascal VOC has no {region.shape!r}, only boxes")
            )
            continue
        written.regions += 1
        (x0, x1), (y0, y1) = (
            _pixels(region.bounds[axis], region.bounds[axis + 2], side) for axis, side in enumerate(picture.size_wh)
        )
        lines += [
            "  <object>",
            f"    <name>{_text(region.label)}</name>",
            f"    <bndbox><xmin>{x0}</xmin><ymin>{y0}</ymin><xmax>{x1}</xmax><ymax>{y1}</ymax></bndbox>",
            "  </object>",
        ]
    return "\n".join([*lines, "</annotation>", ""])


def _pixels(low: float, high: float, side: int) -> tuple[int, int]:
    """Return the first and the last pixel, counted from 1; at least one pixel."""
    first = min(int(low + 0.5) + 1, side)
    return first, min(max(int(high + 0.5), first), side)


def _text(text: str) -> str:
    """Return a text escaped for XML; characters that XML 1.0 excludes become a replacement character."""
    return escape(_NOT_IN_XML.sub("\ufffd", text))
