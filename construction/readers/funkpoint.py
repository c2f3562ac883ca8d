"""FunKPoint (Lai et al. 2021): five points on an object for an action; points with the same index correspond across
objects.

    FunKPoint/labels.csv
    FunKPoint/images/<wnid>/0006.jpg      also .png, .JPEG

Points are fractions of width and height. Names of actions contain `/` and spaces, and one picture may have several
actions.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, Field

from benchwright.source_files.files import DatasetFiles
from benchwright.source_files.refusals import RefusedRow
from benchwright.source_files.rows import BadRow, Row, checked, table_rows

from ..ground_truth.truths import FunctionalPoints, GroundTruth
from .reader import DatasetPicture, DatasetReader, DatasetRecord, NeededFiles, records_of_rows

_ACTIONS = (
    "Brush/Dust", "Flip", "Lift Something", "Mash/Pound", "Mix", "Poke", "Pour", "Pull out a nail", "Scoop", "Scrape",
)  # fmt: skip
_POINTS = 5
_COORDINATES = tuple(f"p{number}_{axis}" for number in range(1, _POINTS + 1) for axis in "xy")
_COLUMNS = (*_COORDINATES, "difficulty", "image_path", "action", "wnid", "object_category")
_Fraction = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class _FivePoints(BaseModel):
    p1_x: _Fraction
    p1_y: _Fraction
    p2_x: _Fraction
    p2_y: _Fraction
    p3_x: _Fraction
    p3_y: _Fraction
    p4_x: _Fraction
    p4_y: _Fraction
    p5_x: _Fraction
    p5_y: _Fraction
    difficulty: Literal["easy", "medium", "hard"]
    image_path: str = Field(pattern=r"^images/n\d{8}/[\w.-]+\.(?i:jpe?g|png)$")
    action: str
    wnid: str = Field(pattern=r"^n\d{8}$")
    object_category: str = Field(min_length=1)

    @property
    def points(self) -> tuple[tuple[float, float], ...]:
        """Return the points in order."""
        values = [getattr(self, name) for name in _COORDINATES]
        return tuple(zip(values[0::2], values[1::2], strict=True))


class FunKPoint(DatasetReader):
    """Points of FunKPoint."""

    name: ClassVar[str] = "funkpoint"
    title: ClassVar[str] = "FunKPoint (Lai et al. 2021)"
    home: ClassVar[str] = "https://zlai0.github.io/FunKPoint/"
    licence: ClassVar[str] = "none stated"
    pictures_licence: ClassVar[str] = "none stated"
    needs: ClassVar[tuple[NeededFiles, ...]] = (
        NeededFiles("labels.csv", "points by picture and action", "ask the authors"),
        NeededFiles("images/<wnid>/<name>", "the pictures", "ask the authors"),
    )
    gives: ClassVar[tuple[type[GroundTruth], ...]] = (FunctionalPoints,)
    landmarks: ClassVar[tuple[str, ...]] = ("labels.csv",)

    def annotations(self, files: DatasetFiles) -> Iterator[str]:
        """Yield the table of points."""
        del files
        yield "labels.csv"

    def read(self, files: DatasetFiles, pictures: DatasetFiles) -> Iterator[DatasetRecord | RefusedRow]:
        """Yield one record for each picture and action."""
        del pictures
        yield from records_of_rows(table_rows(files, "labels.csv", needed=_COLUMNS), "labels.csv", _record)


def _record(row: Row) -> DatasetRecord:
    points = checked(_FivePoints, row)
    if points.action not in _ACTIONS:
        raise BadRow(f"action is {points.action!r}; it must be one of {', '.join(_ACTIONS)}")
    if points.image_path.split("/")[1] != points.wnid:
        raise BadRow(f"wnid is {points.wnid!r}, but the picture is {points.image_path!r}")
    truth = FunctionalPoints(
        action=points.action,
        category=points.object_category.replace("_", " "),
        difficulty=points.difficulty,
        points=points.points,
        unit="fractions",
    )
    shown = DatasetPicture(points.image_path, f"funkpoint:{points.image_path.removeprefix('images/')}")
    record_id = f"funkpoint:{points.image_path}:{points.action}"
    return DatasetRecord(record_id, "labels.csv", row.entry, (shown,), (truth,))
