"""IIW, Intrinsic Images in the Wild (Bell et al. 2014): which of two points has the darker surface.

    iiw-dataset/data/1.png      photograph within 512 x 512
    iiw-dataset/data/1.json     points as fractions of width and height, comparisons, license, attribution

The files `<id>-dist_x.png` in some copies are not photographs; only numbered JSON files are read. A comparison is left
out if a point is not opaque, if no annotator judged which is darker, or if its weight is missing or not above 0. Points
are fractions of the annotated photograph, so a photograph with proportions other than `aspect_ratio` is refused.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import ClassVar

import numpy as np
from pydantic import BaseModel, Field

from benchwright.errors import DataError
from benchwright.source_files.files import DatasetFiles
from benchwright.source_files.refusals import RefusedRow
from benchwright.source_files.rows import BadRow, LeftOutByRule, Row, checked, checked_beside, guarded, json_document

from ..ground_truth.truths import GroundTruth, ReflectanceComparison
from .reader import DatasetPicture, DatasetReader, DatasetRecord, NeededFiles, bad_cells, length, licence_text

_NUMBER = re.compile(r"0|[1-9][0-9]{0,17}")
_DARKER = {"1": "first", "2": "second", "E": "equal"}
_NOT_OPAQUE, _NO_WEIGHT, _LOW_WEIGHT = "not_opaque", "no_weight", "low_weight"
_RULES = {
    _NOT_OPAQUE: "comparisons with a point that is not opaque",
    _NO_WEIGHT: "comparisons without a judgment which point is darker, or without a weight above 0",
    _LOW_WEIGHT: "comparisons with a weight below `min_weight`",
}
"""Rules by which a comparison is left out."""


class _Licence(BaseModel):
    name: str | None = None
    url: str | None = None


class _Point(BaseModel):
    id: int
    x: float = Field(ge=0, le=1)
    y: float = Field(ge=0, le=1)
    opaque: bool | None = None


class _Comparison(BaseModel):
    id: int
    point1: int
    point2: int
    darker: str | None = None
    darker_score: float | None = None
    min_separation: float | None = None


class _Photo(BaseModel):
    photo: int
    image_filename: str = Field(pattern=r"^\d+\.png$")
    license: _Licence | None = None
    flickr_user: str | None = None
    flickr_id: int | str | None = None
    attribution_name: str | None = None
    attribution_url: str | None = None
    aspect_ratio: float | None = Field(None, gt=0, allow_inf_nan=False)
    intrinsic_points: list[object]
    intrinsic_comparisons: list[object]


_BESIDE = ("license", "flickr_user", "flickr_id", "attribution_name", "attribution_url", "aspect_ratio")
"""Optional fields of a photograph's comparisons: its origin and its proportions, which may be unreadable."""


class Iiw(DatasetReader):
    """Comparisons of IIW, release 0.

    Args:
        min_weight: Smallest weight (`darker_score`) at which a comparison is used; 0 accepts all comparisons.
    """

    name: ClassVar[str] = "iiw"
    version: ClassVar[int] = 2
    title: ClassVar[str] = "IIW, Intrinsic Images in the Wild (Bell et al. 2014), release 0"
    home: ClassVar[str] = "http://opensurfaces.cs.cornell.edu/publications/intrinsic/"
    licence: ClassVar[str] = "stated on the dataset's page"
    pictures_licence: ClassVar[str] = "one per photograph, in its JSON file"
    needs: ClassVar[tuple[NeededFiles, ...]] = (
        NeededFiles("data/<id>.json", "points and comparisons of a photograph", "the dataset's page, release 0"),
        NeededFiles("data/<id>.png", "the photograph", "the same archive, not the one with JSON only"),
    )
    gives: ClassVar[tuple[type[GroundTruth], ...]] = (ReflectanceComparison,)
    landmarks: ClassVar[tuple[str, ...]] = ("data",)

    min_weight: float = Field(0.0, ge=0)

    def located(self, files: DatasetFiles) -> DatasetFiles:
        """Return the files from the folder that holds `data/`, which has numbered JSON files."""
        located = super().located(files)
        if next(self.annotations(located), None) is None:
            raise DataError(
                f"{located.shown('data')} contains no <number>.json as {self.title} does; {located.contents()}"
            )
        return located

    def annotations(self, files: DatasetFiles) -> Iterator[str]:
        """Yield the JSON files in the order of their numbers; names that only resemble numbers, such as 007, come
        last.
        """
        numbers, others = array("Q"), set[str]()  # a number takes eight bytes, a name sixty
        for name in files.names("data"):
            stem, end = name[:-5], name[-5:]
            if end == ".json" and _NUMBER.fullmatch(stem):
                numbers.append(int(stem))
            elif end == ".json" and stem.isdecimal():
                others.add(stem)
        unique = np.unique(np.frombuffer(numbers, np.uint64))
        yield from (f"data/{number}.json" for number in unique)
        yield from (f"data/{stem}.json" for stem in sorted(others))

    def read(self, files: DatasetFiles, pictures: DatasetFiles) -> Iterator[DatasetRecord | RefusedRow]:
        """Yield one record for each photograph, with all comparisons that are used."""
        del pictures
        for path in self.annotations(files):
            row = json_document(files, path)
            if isinstance(row, RefusedRow):
                yield row
                continue
            comparisons = row.document.get("intrinsic_comparisons") if isinstance(row.document, Mapping) else None
            with guarded(path) as guard:
                photo, wrong = checked_beside(_Photo, row, _BESIDE)
                if f"{photo.photo}.png" != photo.image_filename or PurePosixPath(path).stem != str(photo.photo):
                    raise BadRow(
                        f"photo is {photo.photo} and image_filename {photo.image_filename!r}; both must be its number"
                    )
                bad, truths = _truths(photo, path, self.min_weight)
                yield from bad_cells(path, "", wrong)
                yield from bad
                yield DatasetRecord(f"iiw:{photo.photo}", path, "", (_picture(photo),), truths, len(truths))
            if guard.refusal is not None:
                yield guard.refusal._replace(rows=1 + length(comparisons))


def _picture(photo: _Photo) -> DatasetPicture:
    licence = None if photo.license is None else licence_text(photo.license.name, photo.license.url)
    attribution = licence_text(photo.attribution_name or photo.flickr_user, photo.attribution_url)
    key = f"flickr:{photo.flickr_id}" if photo.flickr_id else f"iiw:{photo.photo}"
    path = f"data/{photo.image_filename}"
    return DatasetPicture(path, key, licence, attribution, aspect_ratio=photo.aspect_ratio)


def _truths(photo: _Photo, path: str, min_weight: float) -> tuple[list[RefusedRow], tuple[ReflectanceComparison, ...]]:
    """Return the comparisons that are wrong or left out, and those that are used."""
    points, wrong = _points(photo)
    refused: list[RefusedRow] = []
    truths: list[ReflectanceComparison] = []
    by_rule: Counter[str] = Counter()
    for number, document in enumerate(photo.intrinsic_comparisons, start=1):
        stated = document.get("id", number) if isinstance(document, Mapping) else number
        with guarded(path, f"comparison {stated}") as guard:
            comparison = checked(_Comparison, Row("", document))
            try:
                truths.append(_truth(comparison, points, wrong, min_weight))
            except LeftOutByRule as rule:
                by_rule[rule.reason] += 1
        if guard.refusal is not None:
            refused.append(guard.refusal)
    refused += [RefusedRow(path, "", rule, _RULES[rule], rows, by_rule=True) for rule, rows in sorted(by_rule.items())]
    return refused, tuple(truths)


def _points(photo: _Photo) -> tuple[dict[int, _Point], dict[object, str]]:
    """Return the valid points of a photograph by id, and the faults of the others."""
    points: dict[int, _Point] = {}
    wrong: dict[object, str] = {}
    for document in photo.intrinsic_points:
        try:
            point = checked(_Point, Row("", document))
        except BadRow as error:
            key = document.get("id") if isinstance(document, Mapping) else None
            wrong[key if isinstance(key, int) else None] = str(error)
        else:
            points[point.id] = point
    return points, wrong


def _truth(
    comparison: _Comparison, points: Mapping[int, _Point], wrong: Mapping[object, str], min_weight: float
) -> ReflectanceComparison:
    """Return the result of a comparison.

    Raises:
        BadRow: The comparison or one of its points is wrong.
        LeftOutByRule: A rule leaves the comparison out.
    """
    if comparison.darker not in (None, *_DARKER):
        raise BadRow(f"darker is {comparison.darker!r}; it must be 1, 2 or E")
    for key in (comparison.point1, comparison.point2):
        if key not in points:
            raise BadRow(f"point {key} is wrong: {wrong[key]}" if key in wrong else
                         f"point {key} is not among intrinsic_points")  # fmt: skip
    first, second = points[comparison.point1], points[comparison.point2]
    weight = comparison.darker_score
    if not (first.opaque and second.opaque):
        raise LeftOutByRule(_NOT_OPAQUE, _RULES[_NOT_OPAQUE])
    if comparison.darker is None or weight is None or weight <= 0:
        raise LeftOutByRule(_NO_WEIGHT, _RULES[_NO_WEIGHT])
    if weight < min_weight:
        raise LeftOutByRule(_LOW_WEIGHT, _RULES[_LOW_WEIGHT])
    return ReflectanceComparison(
        first=(first.x, first.y),
        second=(second.x, second.y),
        darker=_DARKER[comparison.darker],
        weight=weight,
        unit="fractions",
        original={"comparison": comparison.id, "darker": comparison.darker},
    )
