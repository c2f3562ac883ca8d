"""SPair-71k (Min et al. 2019): pairs of pictures of one category, with corresponding key points.

    SPair-71k/JPEGImages/<category>/2008_000585.jpg
    SPair-71k/PairAnnotation/{trn,val,test}/000001-2008_000585-2008_000627:aeroplane.json
    SPair-71k/Layout/large/{trn,val,test}.txt          names of pairs, one a line

Sizes are width, height, channels; boxes are corners. The dataset does not state whether point coordinates start at 0 or
1. They are read as indices from 0, so that a point is at the center of its pixel. Some archivers replace the `:` in
names by `_`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from benchwright.files.numbered_lines import numbered_lines
from benchwright.source_files.files import DatasetFiles
from benchwright.source_files.refusals import RefusedRow
from benchwright.source_files.rows import BadRow, Row, checked, checked_beside, guarded, json_document
from benchwright.texts.normalization import counted

from ..ground_truth.truths import BoxXYXY, GroundTruth, KeypointPair, Point
from .reader import DatasetPicture, DatasetReader, DatasetRecord, NeededFiles, bad_cells, chosen, length

_SPLITS = ("trn", "val", "test")
CATEGORIES = frozenset(
    {
        "aeroplane", "bicycle", "bird", "boat", "bottle", "bus", "car", "cat", "chair", "cow", "dog", "horse",
        "motorbike", "person", "pottedplant", "sheep", "train", "tvmonitor",
    }
)  # fmt: skip
_PAIR = re.compile(r"\d{6}-[\w]+-[\w]+:[a-z]+")
_Name = Annotated[str, Field(pattern=r"^\w+\.jpg$")]


class _PairAnnotation(BaseModel):
    filename: str
    src_imname: _Name
    trg_imname: _Name
    src_imsize: tuple[int, int, int]
    trg_imsize: tuple[int, int, int]
    src_bndbox: tuple[float, float, float, float]
    trg_bndbox: tuple[float, float, float, float]
    category: str
    src_pose: str | None = None
    trg_pose: str | None = None
    src_kps: list[object] = Field(max_length=30)
    trg_kps: list[object] = Field(max_length=30)
    kps_ids: list[object]
    mirror: int | None = None
    viewpoint_variation: int | None = Field(None, ge=0, le=3)
    scale_variation: int | None = Field(None, ge=0, le=3)
    truncation: int | None = Field(None, ge=0, le=3)
    occlusion: int | None = Field(None, ge=0, le=3)


class _Keypoint(BaseModel):
    """A key point in both pictures."""

    model_config = ConfigDict(allow_inf_nan=False)

    name: str = Field(min_length=1)
    source: tuple[float, float]
    target: tuple[float, float]


_ATTRIBUTES = {
    "first_pose": "src_pose", "second_pose": "trg_pose", "mirror": "mirror", "occlusion": "occlusion",
    "scale_variation": "scale_variation", "truncation": "truncation", "viewpoint_variation": "viewpoint_variation",
}  # fmt: skip
"""Attributes of a pair by the fields that state them; its key points do not require them."""


class Spair71k(DatasetReader):
    """Pairs of SPair-71k.

    Args:
        splits: Splits to read; all three by default.
        layout: List of pairs to read; `large` contains all pairs.
    """

    name: ClassVar[str] = "spair71k"
    version: ClassVar[int] = 2
    title: ClassVar[str] = "SPair-71k (Min et al. 2019)"
    home: ClassVar[str] = "https://cvlab.postech.ac.kr/research/SPair-71k/"
    licence: ClassVar[str] = "stated on the dataset's page"
    pictures_licence: ClassVar[str] = "PASCAL VOC's, which are Flickr's terms of use"
    needs: ClassVar[tuple[NeededFiles, ...]] = (
        NeededFiles("Layout/<layout>/<split>.txt", "names of the pairs", "SPair-71k.tar.gz of the page, unpacked"),
        NeededFiles("PairAnnotation/<split>/<pair>.json", "key points of a pair", "the same archive"),
        NeededFiles("JPEGImages/<category>/<name>.jpg", "the pictures", "the same archive"),
    )
    gives: ClassVar[tuple[type[GroundTruth], ...]] = (KeypointPair,)
    landmarks: ClassVar[tuple[str, ...]] = ("PairAnnotation", "Layout")

    splits: tuple[Literal["trn", "val", "test"], ...] = ()
    layout: Literal["large", "small"] = "large"

    def annotations(self, files: DatasetFiles) -> Iterator[str]:
        """Yield the lists of pairs and the existing annotations of these pairs."""
        for split in self._splits(files):
            yield f"Layout/{self.layout}/{split}.txt"
            yield from (path for _, path in self._pairs(files, split) if isinstance(path, str))

    def _splits(self, files: DatasetFiles) -> list[str]:
        there = [split for split in _SPLITS if files.has(f"Layout/{self.layout}/{split}.txt")]
        return chosen(there, self.splits, f"split in {files.shown(f'Layout/{self.layout}')}, such as")

    def _pairs(self, files: DatasetFiles, split: str) -> Iterator[tuple[str, str | RefusedRow]]:
        """Yield the names of a split's pairs, each with the path of its annotation or with its fault."""
        layout = f"Layout/{self.layout}/{split}.txt"
        with files.opened(layout) as handle:
            for number, line in numbered_lines(handle):
                name = (line or b"").decode("utf-8", "replace").strip()
                entry = f"line {number}"
                folder = f"PairAnnotation/{split}"
                if not _PAIR.fullmatch(name):
                    reason = f"{name[:80]!r} is not a pair's name, such as 000001-2008_000585-2008_000627:aeroplane"
                    yield name, RefusedRow(layout, entry, "bad_row", reason)
                    continue
                path = files.first(f"{folder}/{name}.json", f"{folder}/{name.replace(':', '_')}.json")
                missing = RefusedRow(layout, entry, "missing_file", f"there is no {folder}/{name}.json")
                yield name, path or missing

    def read(self, files: DatasetFiles, pictures: DatasetFiles) -> Iterator[DatasetRecord | RefusedRow]:
        """Yield one record for each pair, in the order of the lists."""
        del pictures
        for split in self._splits(files):
            for name, path in self._pairs(files, split):
                row = json_document(files, path) if isinstance(path, str) else path
                if isinstance(row, RefusedRow):
                    yield row
                    continue
                assert isinstance(path, str)
                points: dict[str, _Keypoint] = {}
                stated = row.document.get("kps_ids") if isinstance(row.document, Mapping) else None
                refused: list[RefusedRow] = []
                with guarded(path) as guard:
                    pair, wrong = checked_beside(_PairAnnotation, row, _ATTRIBUTES.values())
                    points, refused = _points(path, pair)
                    yield from bad_cells(path, "", wrong)
                    yield from refused
                    yield _record(split, name, path, pair, points)
                if guard.refusal is not None:
                    yield guard.refusal._replace(rows=1 + length(stated) - len(refused))


def _points(path: str, pair: _PairAnnotation) -> tuple[dict[str, _Keypoint], list[RefusedRow]]:
    """Return the valid key points of a pair by name, and the faults of the others.

    Raises:
        BadRow: The lists of points and names have different lengths.
    """
    if not len(pair.src_kps) == len(pair.trg_kps) == len(pair.kps_ids):
        counts = (
            f"{counted(len(pair.src_kps), 'point')}, {counted(len(pair.trg_kps), 'point')} and {len(pair.kps_ids)} "
            "names"
        )
        raise BadRow(f"{counts}; their numbers must be equal")
    if len(set(map(str, pair.kps_ids))) < len(pair.kps_ids):
        raise BadRow(f"a name appears twice: {pair.kps_ids}")
    points: dict[str, _Keypoint] = {}
    refused: list[RefusedRow] = []
    for name, source, target in zip(pair.kps_ids, pair.src_kps, pair.trg_kps, strict=True):
        with guarded(path, f"key point {name}") as guard:
            point = checked(_Keypoint, Row("", {"name": name, "source": source, "target": target}))
            points[point.name] = point
        if guard.refusal is not None:
            refused.append(guard.refusal)
    return points, refused


def _record(split: str, name: str, path: str, pair: _PairAnnotation, points: Mapping[str, _Keypoint]) -> DatasetRecord:
    _, source, target = name.partition(":")[0].split("-")
    if (pair.src_imname, pair.trg_imname) != (f"{source}.jpg", f"{target}.jpg"):
        raise BadRow(
            f"it names pictures {pair.src_imname!r} and {pair.trg_imname!r}, but its file name gives {source} and "
            f"{target}"
        )
    if pair.category != name.partition(":")[2] or pair.category not in CATEGORIES:
        raise BadRow(f"category is {pair.category!r}, but the file is named {name!r}")
    truth = KeypointPair(
        category=pair.category,
        first=_centred(point.source for point in points.values()),
        second=_centred(point.target for point in points.values()),
        names=tuple(points),
        boxes=(_box(pair.src_bndbox), _box(pair.trg_bndbox)),
        attributes={name: value for name, field in _ATTRIBUTES.items() if (value := getattr(pair, field)) is not None},
        original={
            "src_kps": [list(point.source) for point in points.values()],
            "trg_kps": [list(point.target) for point in points.values()],
        },
    )
    named = ((pair.src_imname, pair.src_imsize), (pair.trg_imname, pair.trg_imsize))
    pictures = tuple(
        DatasetPicture(f"JPEGImages/{pair.category}/{image}", f"voc:{image.removesuffix('.jpg')}", size_wh=size[:2])
        for image, size in named
    )
    return DatasetRecord(f"spair71k:{split}/{name}", path, "", pictures, (truth,), len(points))


def _centred(points: Iterable[tuple[float, float]]) -> tuple[Point, ...]:
    return tuple((x + 0.5, y + 0.5) for x, y in points)


def _box(box: tuple[float, float, float, float]) -> BoxXYXY:
    x0, y0, x1, y1 = box
    if not (x1 > x0 and y1 > y0):
        raise BadRow(f"a box is {list(box)}; boxes are x1, y1, x2, y2 of two corners")
    return box
