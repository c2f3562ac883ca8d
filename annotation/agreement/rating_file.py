"""Read ratings from a CSV file with the columns unit, rater and label, one rating per row."""

from __future__ import annotations

from pathlib import Path

from benchwright.errors import DataError

from ..forms.csv_rows import read_rows, shown
from .ratings import Rating

COLUMNS = ("unit", "rater", "label")
_MAX_NAME = 1000


def read_ratings(path: Path) -> list[Rating]:
    """Return the ratings in a file, in file order; a missing rating has no row.

    Raises:
        DataError: The file or one of its rows is invalid; the message names line and value.
    """
    lines: dict[tuple[str, str], int] = {}
    ratings = []
    for row in read_rows(path, required=COLUMNS):
        if row.problem:
            raise DataError(f"{path}, line {row.line}: {row.problem}")
        for column, value in row.values.items():
            if not value:
                raise DataError(f"{path}, line {row.line}: {column} is empty; leave out rows without a rating")
            if len(value) > _MAX_NAME:
                raise DataError(f"{path}, line {row.line}: {column} {shown(value)} is longer than {_MAX_NAME}")
        rating = Rating(**row.values)
        if before := lines.get(rating[:2]):
            raise DataError(
                f"{path}, line {row.line}: rater {shown(rating.rater)} rated unit {shown(rating.unit)} "
                f"on line {before} already; keep one of the two"
            )
        lines[rating[:2]] = row.line
        ratings.append(rating)
    if not ratings:
        raise DataError(f"{path} contains no ratings, only a header")
    return ratings
