"""Reader of COCO and LVIS: one JSON file with pictures, categories and annotations.

Source: the format's page (cocodataset.org/#format-data), cocodataset/cocoapi, lvis-dataset/lvis-api.

`bbox` is a box. `segmentation` is a polygon if it is one outline, and a mask if it is run lengths (compressed or not)
or several outlines. `keypoints` are ordered points. The category's name is the label. LVIS has no `file_name`: the last
two parts of `coco_url` take its place. The reader ignores the file's other contents (areas, licenses, captions,
scores). A first pass records on disk where each picture's annotations are, so that memory does not grow with the file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from pydantic import ValidationError

from benchwright.errors import DataError
from benchwright.files.lists_on_disk import ListsOnDisk
from benchwright.records import MaskRuns
from benchwright.regions import MAX_CORNERS, Region, RegionShape, SizeWH, covered_by_at_least, mask_of_outline
from benchwright.regions.region import SHAPES
from benchwright.regions.rle import encode_runs

from .picture_marks import (
    MarkError,
    PictureMarks,
    RefusalCode,
    RefusedMark,
    as_shape,
    checked_size,
    number_in,
    region_in,
    shown,
    size_in,
    whole_number_in,
)
from .streamed_json import JsonLists

_MAX_RUNS = 1_000_000
Id = int | str


@dataclass(frozen=True)
class _Category:
    name: str
    keypoints: tuple[str, ...]


class _SizedPicture(NamedTuple):
    name: str
    size_wh: SizeWH


class _Entries(NamedTuple):
    """Records collected in the first pass.

    Args:
        pictures: The picture with each id.
        names: Names of pictures.
        places: Offset and length of each annotation in the file, by the id of its picture.
        seen: Ids of annotations.
    """

    pictures: ListsOnDisk[Id]
    names: ListsOnDisk[str]
    places: ListsOnDisk[Id]
    seen: ListsOnDisk[Id]


def read_coco(
    path: Path,
    *,
    shape: RegionShape | None = None,
    sizes_wh: Mapping[str, SizeWH] | None = None,
    is_lvis: bool = False,
) -> Iterator[PictureMarks | RefusedMark]:
    """Yield the pictures of a file with their marks, and the entries that belong to no picture.

    Args:
        path: Path of the file.
        shape: Shape to read from every annotation, such as the boxes around polygons; default None: the most detailed
            shape.
        sizes_wh: Size of each picture by path or file name, against which to check the file; default None: no check.
        is_lvis: Whether to take names from `coco_url`.

    Raises:
        DataError: The file as a whole is unreadable: it is not JSON, is cut off, or has no pictures.
    """
    with (
        ListsOnDisk[Id]() as pictures,
        ListsOnDisk[str]() as names,
        ListsOnDisk[Id]() as places,
        ListsOnDisk[Id]() as seen,
    ):
        yield from _read(path, _Entries(pictures, names, places, seen), shape, sizes_wh, is_lvis=is_lvis)


def _read(
    path: Path,
    entries: _Entries,
    shape: RegionShape | None,
    sizes_wh: Mapping[str, SizeWH] | None,
    *,
    is_lvis: bool,
) -> Iterator[PictureMarks | RefusedMark]:
    source = JsonLists(path)
    categories: dict[Id, _Category] = {}
    refused: list[RefusedMark] = []
    without_picture: dict[Id, RefusalCode] = {}

    def refuse(entry: str, error: MarkError) -> None:
        refused.append(RefusedMark(str(path), entry, str(error), error.code))

    number = 0
    for key, offset, length, element in source.elements():
        if key == "images":
            try:
                _add_picture(element, entries, sizes_wh, is_lvis=is_lvis)
            except MarkError as error:
                refuse(_entry("image", element), error)
                if isinstance(element, dict) and isinstance(element.get("id"), (int, str)):
                    without_picture.setdefault(element["id"], error.code)
        elif key == "categories":
            try:
                _add_category(element, categories)
            except MarkError as error:
                refuse(_entry("category", element), error)
        elif key == "annotations":
            number += 1
            try:
                image_id = _listed(element, entries.seen)
            except MarkError as error:
                refuse(_entry("annotation", element, number), error)
                continue
            entries.places.add(image_id, (offset, length))
    if missing := [key for key in ("images", "annotations", "categories") if key not in source.keys]:
        raise DataError(
            f"{path}: a COCO file has the lists images, annotations and categories; {missing[0]} is missing"
        )
    yield from refused
    with path.open("rb") as handle:
        for image_id in entries.pictures:
            annotations = (source.element_at(handle, *place) for place in entries.places.pop(image_id))
            yield _read_picture(path, _picture(entries, image_id), annotations, categories, shape)
        for image_id in entries.places:
            for place in entries.places[image_id]:
                element = source.element_at(handle, *place)
                reason = f"its picture {shown(image_id)} is missing from images, or was refused"
                code = without_picture.get(image_id, "entry")
                yield RefusedMark(str(path), _entry("annotation", element), reason, code)


def _picture(entries: _Entries, image_id: Id) -> _SizedPicture:
    [(name, size_wh)] = entries.pictures[image_id]
    return _SizedPicture(name, tuple(size_wh))


def _read_picture(
    path: Path,
    picture: _SizedPicture,
    annotations: Iterable[Mapping[str, Any]],
    categories: Mapping[Id, _Category],
    shape: RegionShape | None,
) -> PictureMarks:
    regions: list[Region] = []
    fields: list[str] = []
    refused = []
    crowds: set[str] = set()
    for annotation in annotations:
        found, mistakes = _regions_of(annotation, picture.size_wh, categories, shape)
        entry = _entry("annotation", annotation)
        crowd = _crowd_of(annotation, categories)
        crowds |= {crowd} if crowd is not None else set()
        code: RefusalCode = "entry" if crowd is None else "crowd"
        category = _category_of(annotation, categories)
        label = None if category is None else category.name
        refused += [RefusedMark(str(path), entry, f"{picture.name}: {mistake}", code, label) for mistake in mistakes]
        stated = annotation.get("field")
        regions += found
        fields += [stated if isinstance(stated, str) else ""] * len(found)
    return PictureMarks(
        picture.name,
        picture.size_wh,
        tuple(regions),
        tuple(refused),
        tuple(fields) if all(fields) else (),
        tuple(sorted(crowds)),
    )


def _regions_of(
    annotation: Mapping[str, Any], size_wh: SizeWH, categories: Mapping[Id, _Category], shape: RegionShape | None
) -> tuple[list[Region], list[str]]:
    """Return an annotation's keypoints and area as regions, and the mistakes in each."""
    regions: list[Region] = []
    mistakes: list[str] = []
    try:
        category_id = _id_in(annotation.get("category_id"), "category_id")
        category = categories.get(category_id)
        if category is None:
            raise MarkError(f"category {shown(category_id)} is missing from categories")
        if annotation.get("iscrowd") not in (None, 0, False):
            raise MarkError("it covers a crowd (iscrowd), not one object")
    except MarkError as error:
        return [], [str(error)]
    stated = annotation.get("shape")
    wanted = shape or (stated if stated in SHAPES else None)
    for read in (_keypoints, _area):
        try:
            region = read(annotation, size_wh, category, wanted)
        except MarkError as error:
            mistakes.append(str(error))
        else:
            regions += [region] if region is not None else []
    if not regions and not mistakes:
        mistakes.append(f"it holds nothing readable as {wanted or 'a region'}")
    return regions, mistakes


def _crowd_of(annotation: Mapping[str, Any], categories: Mapping[Id, _Category]) -> str | None:
    """Return the label of an annotation that covers a crowd; None if it covers one object or is invalid."""
    category = _category_of(annotation, categories)
    return category.name if annotation.get("iscrowd") not in (None, 0, False) and category is not None else None


def _category_of(annotation: Mapping[str, Any], categories: Mapping[Id, _Category]) -> _Category | None:
    category_id = annotation.get("category_id")
    return categories.get(category_id) if isinstance(category_id, int | str) else None


def _area(
    annotation: Mapping[str, Any], size_wh: SizeWH, category: _Category, wanted: RegionShape | None
) -> Region | None:
    segmentation, bbox = annotation.get("segmentation"), annotation.get("bbox")
    if wanted in ("point", "points") or not (segmentation or bbox):
        return None
    if segmentation and (wanted != "box" or not bbox):
        return as_shape(_segmentation(segmentation, size_wh, category.name, wanted), wanted, size_wh)
    if wanted is None and _is_labelled(annotation.get("keypoints")):
        return None  # the box around keypoints, which COCO always states
    return as_shape(_box(bbox, size_wh, category.name), wanted, size_wh)


def _is_labelled(keypoints: Any) -> bool:
    """Return whether any keypoint is labeled rather than merely listed."""
    return bool(keypoints) and not (isinstance(keypoints, list) and not any(keypoints))


def _box(bbox: Any, size_wh: SizeWH, label: str) -> Region:
    numbers = _numbers(bbox, "bbox", most=4)
    if len(numbers) != 4:
        raise MarkError(f"bbox must be x, y, width and height, not {shown(bbox)}")
    x, y, width, height = numbers
    if not (width > 0 and height > 0):
        raise MarkError(f"bbox has a width of {width:g} and a height of {height:g}; both must be above 0")
    return region_in("box", size_wh, points=((x, y), (x + width, y + height)), label=label)


def _segmentation(segmentation: Any, size_wh: SizeWH, label: str, wanted: RegionShape | None) -> Region:
    if isinstance(segmentation, dict):
        return region_in("mask", size_wh, mask=_runs(segmentation, size_wh), label=label)
    if not isinstance(segmentation, list) or not all(isinstance(part, list) for part in segmentation):
        raise MarkError(f"segmentation must be outlines or run lengths, not {shown(segmentation)}")
    outlines = [_outline(part) for part in segmentation]
    if len(outlines) == 1 and wanted != "mask":
        return region_in("polygon", size_wh, points=outlines[0], label=label)
    # Only a mask can hold an object of several outlines, or an outline that crosses itself.
    for outline in outlines:
        region_in("points", size_wh, points=outline)
    masks = [mask for outline in outlines if (mask := mask_of_outline(outline, size_wh)) is not None]
    if not masks:
        raise MarkError("its outlines cover the center of no pixel")
    return region_in("mask", size_wh, mask=covered_by_at_least(masks, 1), label=label)


def _outline(part: Sequence[Any]) -> list[tuple[float, float]]:
    numbers = _numbers(part, "segmentation", most=2 * MAX_CORNERS + 2)
    if len(numbers) % 2 or len(numbers) < 6:
        raise MarkError(f"an outline needs x and y of three or more corners, not {len(numbers)} numbers")
    points = list(zip(numbers[0::2], numbers[1::2], strict=True))
    # Many tools repeat a corner, or the first corner at the end.
    kept = [points[0], *(point for before, point in pairwise(points) if before != point)]
    if len(kept) > 1 and kept[-1] == kept[0]:
        kept.pop()
    if not 3 <= len(kept) <= MAX_CORNERS:
        raise MarkError(f"an outline of {len(kept):,} distinct corners; it may have 3 to {MAX_CORNERS:,}")
    return kept


def _runs(segmentation: Mapping[str, Any], size_wh: SizeWH) -> MaskRuns:
    size, counts = segmentation.get("size"), segmentation.get("counts")
    width, height = size_wh
    if size != [height, width]:
        raise MarkError(f"run lengths state a size of {shown(size)}, but the picture is {height} high and {width} wide")
    if isinstance(counts, list):
        if len(counts) > _MAX_RUNS:
            raise MarkError(f"{len(counts):,} run lengths; the limit is {_MAX_RUNS:,}")
        runs = [whole_number_in(run, "a run length", least=0, most=width * height) for run in counts]
        if (cells := sum(runs)) != width * height:
            raise MarkError(
                f"run lengths add up to {cells} cells, but a grid of {height} x {width} has {width * height}"
            )
        counts = encode_runs(runs)
    if not isinstance(counts, str):
        raise MarkError(f"counts must be a text or a list of run lengths, not {shown(counts)}")
    try:
        return MaskRuns(size=(height, width), counts=counts)
    except ValidationError as error:
        why = error.errors(include_url=False, include_context=False, include_input=False)[0]["msg"]
        raise MarkError(why.removeprefix("Value error, ")) from None


def _keypoints(
    annotation: Mapping[str, Any], size_wh: SizeWH, category: _Category, wanted: RegionShape | None
) -> Region | None:
    keypoints = annotation.get("keypoints")
    if wanted not in (None, "point", "points") or not _is_labelled(keypoints):
        return None
    numbers = _numbers(keypoints, "keypoints", most=3 * MAX_CORNERS)
    if len(numbers) % 3:
        raise MarkError(f"keypoints must be x, y and visibility of each, not {len(numbers)} numbers")
    rows = list(zip(numbers[0::3], numbers[1::3], numbers[2::3], strict=True))
    if category.keypoints and len(rows) != len(category.keypoints):
        raise MarkError(f"{len(rows)} keypoints, but category {category.name!r} has {len(category.keypoints)}")
    points = [(x, y) for x, y, visible in rows if visible]
    if not points or any(visible for _, _, visible in rows[len(points) :]):
        gap = next(place for place, row in enumerate(rows) if not row[2])
        name = f" ({category.keypoints[gap]!r})" if category.keypoints else ""
        raise MarkError(f"keypoint {gap + 1}{name} is not labeled, and ordered points have no gaps")
    listed: RegionShape = "point" if len(rows) == 1 and wanted != "points" else "points"
    if wanted == "point" and len(points) > 1:
        raise MarkError(f"{len(points)} keypoints cannot be read as one point")
    return region_in("point" if wanted == "point" else listed, size_wh, points=points, label=category.name)


def _numbers(values: Any, what: str, *, most: int) -> list[float]:
    if not isinstance(values, list):
        raise MarkError(f"{what} must be a list of numbers, not {shown(values)}")
    if len(values) > most:
        raise MarkError(f"{what} has {len(values):,} numbers; the limit is {most:,}")
    return [number_in(value, f"a number of {what}") for value in values]


def _add_picture(
    element: Any,
    entries: _Entries,
    sizes_wh: Mapping[str, SizeWH] | None,
    *,
    is_lvis: bool,
) -> None:
    if not isinstance(element, dict):
        raise MarkError(f"it must be an object, not {shown(element)}")
    image_id = _id_in(element.get("id"), "id")
    if image_id in entries.pictures:
        first = _picture(entries, image_id).name
        raise MarkError(f"id {shown(image_id)} occurs twice; the first, {first!r}, is kept")
    name = element.get("file_name")
    if (is_lvis or not name) and isinstance(url := element.get("coco_url"), str):
        name = "/".join(PurePosixPath(url).parts[-2:])
    if not isinstance(name, str) or not name:
        raise MarkError(f"it has no file_name{' or coco_url' if is_lvis else ''}")
    if name in entries.names:
        raise MarkError(f"file_name {shown(name)} occurs twice; the first is kept")
    size_wh = size_in(element.get("width"), element.get("height"))
    checked_size(size_wh, name, sizes_wh)
    entries.names.add(name, None)
    entries.pictures.add(image_id, _SizedPicture(name, size_wh))


def _add_category(element: Any, categories: dict[Id, _Category]) -> None:
    if not isinstance(element, dict):
        raise MarkError(f"it must be an object, not {shown(element)}")
    category_id = _id_in(element.get("id"), "id")
    name, keypoints = element.get("name"), element.get("keypoints", [])
    if not isinstance(name, str):
        raise MarkError(f"name must be a text, not {shown(name)}")
    if not isinstance(keypoints, list) or not all(isinstance(part, str) for part in keypoints):
        raise MarkError(f"keypoints must be a list of names, not {shown(keypoints)}")
    if category_id in categories:
        raise MarkError(f"id {shown(category_id)} occurs twice; the first, {categories[category_id].name!r}, is kept")
    categories[category_id] = _Category(name, tuple(keypoints))


def _listed(element: Any, seen: ListsOnDisk[Id]) -> Id:
    """Return the picture of an annotation, after checking that the annotation's id is unique."""
    if not isinstance(element, dict):
        raise MarkError(f"it must be an object, not {shown(element)}")
    annotation_id = element.get("id")
    if annotation_id is not None:
        annotation_id = _id_in(annotation_id, "id")
        if annotation_id in seen:
            raise MarkError(f"id {shown(annotation_id)} occurs twice; the first is kept")
        seen.add(annotation_id, None)
    return _id_in(element.get("image_id"), "image_id")


def _id_in(value: Any, what: str) -> Id:
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        raise MarkError(f"{what} must be a number or text, not {shown(value)}")
    return value


def _entry(kind: str, element: Any, number: int | None = None) -> str:
    """Return the name of an entry for messages."""
    stated = element.get("id") if isinstance(element, dict) else None
    if stated is None:
        return f"{kind} in place {number}" if number else kind
    return f"{kind} {shown(stated)}"
