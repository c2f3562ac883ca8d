"""YOLO: one text file per picture with one line per region, in fractions of the picture's width and height.

Source: the dataset pages of Ultralytics (docs.ultralytics.com/datasets). A line begins with the class's number:

    detect     class, center x, center y, width, height
    segment    class, x1, y1, x2, y2, x3, y3 ...: an outline
    pose       class, center x, center y, width, height, then x, y (and visibility, if `kpt_shape` has it) of points

`data.yaml` names the classes (`names`) and states `kpt_shape` for pose; without pose, `classes.txt` with one name per
line suffices. Labels are in a folder `labels` next to a folder `images` with the same layout. A dataset contains one of
the three kinds. It cannot represent masks or correspondences, and for pose the reader takes only the points, not the
box around them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from benchwright.errors import DataError, UnreadableImage
from benchwright.machine.storage_faults import naming
from benchwright.regions import MAX_CORNERS, Region, RegionShape, SizeWH
from benchwright.workspace.atomic import write_bytes

from .picture_marks import (
    MarkError,
    PictureMarks,
    RefusedMark,
    SkippedRegion,
    WrittenMarks,
    as_shape,
    corners_of_box,
    known_name,
    labels_in,
    number_in,
    region_in,
    shown,
    size_of,
    target_in,
)

Task = Literal["detect", "segment", "pose"]
MAX_BYTES = 16 << 20
_SLACK = 0.002
"""Amount by which a fraction may lie outside 0 to 1 because of rounding."""
_DECIMALS = 9
_IMAGE_SUFFIXES = (".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff", ".gif", ".avif")
_NO_LABELS = ("classes.txt", "train.txt", "val.txt", "test.txt", "readme.txt", "notes.txt")


@dataclass(frozen=True)
class _Classes:
    names: tuple[str, ...]
    keypoints: int = 0
    has_visibility: bool = False


def read_yolo(
    path: Path, *, shape: RegionShape | None = None, sizes_wh: Mapping[str, SizeWH] | None = None
) -> Iterator[PictureMarks | RefusedMark]:
    """Yield the pictures of a dataset with their marks, and the unreadable label files.

    Args:
        path: Folder of the dataset, with `data.yaml` (or `classes.txt`) and `labels`, or its `data.yaml`.
        shape: Shape to read from every line; default None: the line's own shape.
        sizes_wh: Size of each picture by path or file name; default None, read from the pictures in `images`.

    Raises:
        DataError: The dataset has no classes or no label files.
    """
    folder = path if path.is_dir() else path.parent
    classes = _classes(path)
    labels = folder / "labels" if (folder / "labels").is_dir() else folder
    with naming(labels):
        files = sorted(file for file in labels.rglob("*.txt") if file.name.lower() not in _NO_LABELS)
    if not files:
        raise DataError(f"{labels}: no label files (.txt) found; give the folder of the dataset")
    pictures = _LabelledPictures(folder, sizes_wh)
    for file in files:
        try:
            name, size_wh = pictures.of(file.relative_to(labels).with_suffix("").as_posix())
            yield _read_picture(file, name, size_wh, classes, shape)
        except MarkError as error:
            yield RefusedMark(str(file), "labels", str(error), error.code)


class _LabelledPictures:
    """The pictures that belong to label files, by path without suffix."""

    def __init__(self, folder: Path, sizes_wh: Mapping[str, SizeWH] | None) -> None:
        self.images = folder / "images" if (folder / "images").is_dir() else folder
        self.sizes_wh = sizes_wh
        self.named: dict[str, list[str]] = {}
        for name in sizes_wh or ():
            self.named.setdefault(str(PurePosixPath(name).with_suffix("")), []).append(name)

    def of(self, stem: str) -> tuple[str, SizeWH]:
        if self.sizes_wh is not None:
            known = known_name(stem, self.named)
            names = [] if known is None else self.named[known]
            if len(names) != 1:
                how_many = "is no picture" if not names else "are several pictures"
                raise MarkError(f"there {how_many} named {shown(stem)}", "no_picture")
            size_wh = size_of(names[0], self.sizes_wh)
            assert size_wh is not None
            return names[0], size_wh
        from benchwright.images import Identified
        from benchwright.images.identify import identify

        found = [
            path
            for suffix in _IMAGE_SUFFIXES
            for path in (self.images / f"{stem}{suffix}", self.images / f"{stem}{suffix.upper()}")
            if path.is_file()
        ]
        if not found:
            raise MarkError(f"the picture {shown(stem)} is missing in {self.images}, so its size is unknown")
        try:
            picture: Identified = identify(found[0], root=self.images)
        except UnreadableImage as error:
            raise MarkError(f"its picture cannot be read: {error}") from None
        return found[0].relative_to(self.images).as_posix(), (picture.width, picture.height)


def _read_picture(file: Path, name: str, size_wh: SizeWH, classes: _Classes, shape: RegionShape | None) -> PictureMarks:
    with naming(file), file.open("rb") as handle:
        data = handle.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise MarkError(f"more than {MAX_BYTES >> 20} MiB is too much for the labels of one picture")
    try:
        lines = data.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise MarkError("it is not UTF-8 text") from None
    regions, refused = [], []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            regions.append(as_shape(_region(line, size_wh, classes, shape), shape, size_wh))
        except MarkError as error:
            refused.append(RefusedMark(str(file), f"line {number}", f"{name}: {error}"))
    return PictureMarks(name, size_wh, tuple(regions), tuple(refused))


def _region(line: str, size_wh: SizeWH, classes: _Classes, shape: RegionShape | None) -> Region:
    words = line.split()
    label = _label(words[0], classes)
    if len(words) > 1 + 4 + 3 * MAX_CORNERS:
        raise MarkError(f"{len(words):,} numbers; the limit is {1 + 4 + 3 * MAX_CORNERS:,}")
    values = [_fraction(word, place) for place, word in enumerate(words[1:], start=1)]
    per_point = 3 if classes.has_visibility else 2
    if classes.keypoints and len(values) != 4 + classes.keypoints * per_point:
        raise MarkError(
            f"{len(values)} numbers after the class; kpt_shape requires {4 + classes.keypoints * per_point}"
        )
    if classes.keypoints and shape != "box":
        return _pose(values[4:], per_point, size_wh, label)
    if classes.keypoints or len(values) == 4:
        _check_fractions(values[:4])
        x, y, width, height = values[:4]
        corners = ((x - width / 2, y - height / 2), (x + width / 2, y + height / 2))
        if not (width > 0 and height > 0):
            raise MarkError(f"a box has a width of {width:g} and a height of {height:g}; both must be above 0")
        return region_in("box", size_wh, points=_in_pixels(corners, size_wh), label=label)
    if len(values) < 6 or len(values) % 2:
        raise MarkError(f"{len(values)} numbers after the class are neither a box (4) nor an outline (6, 8, 10 ...)")
    _check_fractions(values)
    outline = list(zip(values[0::2], values[1::2], strict=True))
    if outline[0] == outline[-1]:
        outline.pop()
    if len(outline) > MAX_CORNERS:
        raise MarkError(f"an outline of {len(outline):,} corners; the limit is {MAX_CORNERS:,}")
    return region_in("polygon", size_wh, points=_in_pixels(outline, size_wh), label=label)


def _pose(values: Sequence[float], per_point: int, size_wh: SizeWH, label: str) -> Region:
    rows = [values[start : start + per_point] for start in range(0, len(values), per_point)]
    is_seen = [row[2] > 0 if per_point == 3 else any(row) for row in rows]
    points = [(row[0], row[1]) for row, seen in zip(rows, is_seen, strict=True) if seen]
    if not points:
        raise MarkError("none of its points is labeled")
    if any(is_seen[len(points) :]):
        raise MarkError(f"point {is_seen.index(False) + 1} is not labeled, and ordered points have no gaps")
    _check_fractions([value for point in points for value in point])
    shape: RegionShape = "point" if len(rows) == 1 else "points"
    return region_in(shape, size_wh, points=_in_pixels(points, size_wh), label=label)


def _label(word: str, classes: _Classes) -> str:
    if not (word.isascii() and word.isdigit() and len(word) < 7):
        raise MarkError(f"a class must be a whole number, not {shown(word)}")
    if int(word) >= len(classes.names):
        raise MarkError(f"class {int(word)} has no name; the named classes are 0 to {len(classes.names) - 1}")
    return classes.names[int(word)]


def _fraction(word: str, place: int) -> float:
    try:
        return number_in(float(word), f"number {place}")
    except MarkError:
        raise
    except ValueError:
        raise MarkError(f"number {place} is not a number: {shown(word)}") from None


def _check_fractions(values: Sequence[float]) -> None:
    for value in values:
        if not -_SLACK <= value <= 1 + _SLACK:
            raise MarkError(f"{value:g} is not a fraction of the picture, 0 to 1; divide pixels by its size")


def _in_pixels(points: Sequence[tuple[float, float]], size_wh: SizeWH) -> list[tuple[float, float]]:
    return [(x * size_wh[0], y * size_wh[1]) for x, y in points]


def _classes(path: Path) -> _Classes:
    """Return the names of classes, from `data.yaml` or `classes.txt`."""
    if path.is_dir():
        known = [path / name for name in ("data.yaml", "data.yml", "classes.txt", "labels/classes.txt")]
        found = [file for file in known if file.is_file()]
        if not found:
            raise DataError(f"{path}: no classes found in data.yaml or classes.txt")
        path = found[0]
    with naming(path), path.open("rb") as handle:
        data = handle.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise DataError(f"{path}: more than {MAX_BYTES >> 20} MiB is too much for a list of class names")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise DataError(f"{path} is not UTF-8 text") from None
    if path.suffix == ".txt":
        return _Classes(tuple(line.strip() for line in text.splitlines() if line.strip()))
    return _classes_in(path, text)


def _classes_in(path: Path, text: str) -> _Classes:
    import yaml

    try:
        document = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise DataError(f"{path} is not YAML: {' '.join(str(error).split())[:200]}") from None
    names: Any = document.get("names") if isinstance(document, dict) else None
    if isinstance(names, dict) and sorted(names, key=str) == sorted(range(len(names)), key=str):
        names = [names[number] for number in range(len(names))]
    if not isinstance(names, list) or not all(isinstance(name, (str, int)) for name in names):
        raise DataError(f"{path}: names must list the classes, or give one for each number from 0; not {shown(names)}")
    shape = document.get("kpt_shape", [0, 2])
    if not (isinstance(shape, list) and len(shape) == 2 and shape[0] in range(MAX_CORNERS + 1) and shape[1] in (2, 3)):
        raise DataError(f"{path}: kpt_shape must be a number of points and 2 or 3, not {shown(shape)}")
    return _Classes(tuple(str(name) for name in names), shape[0], shape[1] == 3)


def write_yolo(folder: Path, pictures: Sequence[PictureMarks], *, task: Task | None = None) -> WrittenMarks:
    """Write a dataset: `data.yaml`, and a file in `labels` for each picture, empty for a picture without marks.

    Args:
        folder: Folder of the dataset; created if missing.
        pictures: Pictures with their regions.
        task: Kind of dataset: `detect`, boxes and the bounds of other areas; `segment`, polygons and the corners of
            boxes; `pose`, points and ordered points. Default None: `pose` if most regions are points, `segment` if most
            areas are polygons, otherwise `detect`.

    Raises:
        DataError: A picture's name refers to a path outside the folder, or two pictures would share a file.
        StorageError: A file cannot be written.
    """
    task = task or _task_for(pictures)
    names = labels_in(pictures)
    class_of = {label: number for number, label in enumerate(names)}
    points = max(
        (
            len(region.points)
            for picture in pictures
            for region in picture.regions
            if region.shape in ("point", "points")
        ),
        default=0,
    )
    written = WrittenMarks(pictures=len(pictures))
    for picture in pictures:
        path = target_in(folder / "labels", picture.name, ".txt")
        if path in written.files:
            raise DataError(f"two pictures would share the file {path}; give pictures names that differ before the dot")
        lines = []
        for place, region in enumerate(picture.regions):
            try:
                numbers = _numbers(region, picture.size_wh, task, points)
            except MarkError as error:
                written.skipped.append(SkippedRegion(picture.name, place, str(error)))
                continue
            written.regions += 1
            lines.append(" ".join([str(class_of[region.label]), *numbers]))
        with naming(path.parent):
            path.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(path, "".join(f"{line}\n" for line in lines).encode())
        written.files.append(path)
    classes = folder / "data.yaml"
    with naming(folder):
        folder.mkdir(parents=True, exist_ok=True)
    write_bytes(classes, _data_yaml(names, points if task == "pose" else 0).encode())
    written.files.append(classes)
    return written


def _task_for(pictures: Sequence[PictureMarks]) -> Task:
    shapes = [region.shape for picture in pictures for region in picture.regions]
    if 2 * sum(shape in ("point", "points") for shape in shapes) > len(shapes):
        return "pose"
    return "segment" if shapes.count("polygon") > shapes.count("box") + shapes.count("mask") else "detect"


def _numbers(region: Region, size_wh: SizeWH, task: Task, points: int) -> list[str]:
    is_point = region.shape in ("point", "points")
    if region.shape == "correspondence" or is_point != (task == "pose"):
        raise MarkError(f"a dataset for {task!r} has no {region.shape!r}")
    if task == "segment":
        if region.shape == "mask":
            raise MarkError(
                "a dataset for 'segment' contains outlines, not masks; simplify the mask to a polygon first"
            )
        corners = corners_of_box(region) if region.shape == "box" else region.points
        return _fractions(corners, size_wh)
    x0, y0, x1, y1 = region.bounds
    box = _fractions([((x0 + x1) / 2, (y0 + y1) / 2), (x1 - x0, y1 - y0)], size_wh)
    if task == "detect":
        return box
    placed = [number for point in region.points for number in [*_fractions([point], size_wh), "2"]]
    return [*box, *placed, *(["0"] * 3 * (points - len(region.points)))]


def _fractions(points: Sequence[tuple[float, float]], size_wh: SizeWH) -> list[str]:
    return [f"{value / side:.{_DECIMALS}f}" for point in points for value, side in zip(point, size_wh, strict=True)]


def _data_yaml(names: Sequence[str], points: int) -> str:
    import yaml

    document: dict[str, Any] = {"path": ".", "train": "images", "val": "images", "names": dict(enumerate(names))}
    if points:
        document["kpt_shape"] = [points, 3]
    text: str = yaml.safe_dump(document, sort_keys=False, allow_unicode=True)
    return text
