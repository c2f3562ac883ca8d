"""DIW, Depth in the Wild (Chen et al. 2016): which of two points is closer.

    DIW_Annotations/DIW_test.csv                or DIW_Annotations_splitted/DIW_{train,val,test}.csv
    DIW_test/<sha1>.thumb                       JPEG data

The files are not ordinary CSV: they have no header, and each line with a picture is followed by a line with its pair of
points:

    ./DIW_test/ad956b51882fce447aa5a5bb65e434366cb41aa1.thumb
    118,70,257,291,>,500,333

The numbers are y and x of A, y and x of B, counted from 1; `>` if A is farther away; then width and height.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import ClassVar, Literal

from benchwright.files.numbered_lines import numbered_lines
from benchwright.source_files.files import DatasetFiles
from benchwright.source_files.refusals import RefusedRow
from benchwright.source_files.rows import BadRow, guarded

from ..ground_truth.truths import DepthComparison, GroundTruth
from .reader import DatasetPicture, DatasetReader, DatasetRecord, NeededFiles, chosen

_FOLDERS = ("DIW_Annotations_splitted", "DIW_Annotations")
_PICTURE = re.compile(r"(?:\./)?((?:DIW_\w+)/([0-9a-f]{40})\.thumb)")
_PAIR = re.compile(r"(\d{1,6}),(\d{1,6}),(\d{1,6}),(\d{1,6}),([<>=]),(\d{1,6}),(\d{1,6})")


class Diw(DatasetReader):
    """Pairs of points of DIW.

    Args:
        splits: Splits to read, named like the files: `train_val` and `test`, or `train`, `val` and `test`; all by
            default.
    """

    name: ClassVar[str] = "diw"
    title: ClassVar[str] = "DIW, Depth in the Wild (Chen et al. 2016)"
    home: ClassVar[str] = "https://github.com/princeton-vl/relative_depth"
    licence: ClassVar[str] = "code BSD; none stated for the annotations"
    pictures_licence: ClassVar[str] = "none stated"
    needs: ClassVar[tuple[NeededFiles, ...]] = (
        NeededFiles("DIW_Annotations/DIW_<split>.csv", "pairs of points", "the project's page, unpacked"),
        NeededFiles("DIW_<train_val|test>/<sha1>.thumb", "the pictures, JPEG", "the project's page, unpacked"),
    )
    gives: ClassVar[tuple[type[GroundTruth], ...]] = (DepthComparison,)
    landmarks: ClassVar[tuple[str, ...]] = ("|".join(_FOLDERS),)

    splits: tuple[Literal["train_val", "train", "val", "test"], ...] = ()

    def annotations(self, files: DatasetFiles) -> Iterator[str]:
        """Yield the annotation files of the splits."""
        folder = next(folder for folder in _FOLDERS if files.has_folder(folder))
        names = [name for name in files.listing(folder) if re.fullmatch(r"DIW_\w+\.csv", name)]
        splits = [name.removeprefix("DIW_").removesuffix(".csv") for name in names]
        yield from (f"{folder}/DIW_{split}.csv" for split in chosen(splits, self.splits, f"split in {folder}"))

    def read(self, files: DatasetFiles, pictures: DatasetFiles) -> Iterator[DatasetRecord | RefusedRow]:
        """Yield one record for each picture."""
        del pictures
        for path in self.annotations(files):
            waiting: tuple[str, str, str] | None = None
            is_of_refused = False  # the previous line should have named its picture
            with files.opened(path) as handle:
                for number, line in numbered_lines(handle):
                    text, entry = (line or b"").decode("utf-8", "replace").strip(), f"line {number}"
                    if named := _PICTURE.fullmatch(text):
                        if waiting is not None:
                            yield RefusedRow(path, waiting[2], "bad_row", f"no pair of points follows {waiting[0]}")
                        waiting, is_of_refused = (named[1], named[2], entry), False
                        continue
                    if waiting is None:
                        if is_of_refused and _PAIR.fullmatch(text):
                            is_of_refused = False
                            continue
                        is_of_refused = _PAIR.fullmatch(text) is None
                        detail = (
                            f"{text[:80]!r} is not a picture's path, such as ./DIW_test/<40 hexadecimal digits>.thumb"
                        )
                        yield RefusedRow(path, entry, "bad_row", detail)
                        continue
                    with guarded(path, entry) as guard:
                        yield _record(path, entry, waiting[0], waiting[1], text)
                    if guard.refusal is not None:
                        yield guard.refusal
                    waiting = None
            if waiting is not None:
                yield RefusedRow(
                    path, waiting[2], "bad_row", f"no pair of points follows {waiting[0]}: the file is truncated"
                )


def _record(path: str, entry: str, picture: str, digest: str, text: str) -> DatasetRecord:
    pair = _PAIR.fullmatch(text)
    if pair is None:
        raise BadRow(f"{text[:80]!r} is not a pair of points, such as 118,70,257,291,>,500,333")
    ya, xa, yb, xb, width, height = (int(pair[group]) for group in (1, 2, 3, 4, 6, 7))
    if pair[5] == "=":
        raise BadRow("the relation is '='; a pair has a closer point, < or >")
    for name, x, y in (("A", xa, ya), ("B", xb, yb)):
        if not (1 <= x <= width and 1 <= y <= height):
            raise BadRow(f"point {name} is x {x}, y {y}, counted from 1, and the picture {width} x {height}")
    if (xa, ya) == (xb, yb):
        raise BadRow("both points are the same")
    truth = DepthComparison(
        first=(xa - 0.5, ya - 0.5),
        second=(xb - 0.5, yb - 0.5),
        closer="second" if pair[5] == ">" else "first",
        original={"A_yx": [ya, xa], "B_yx": [yb, xb], "relation": pair[5]},
    )
    split = PurePosixPath(path).stem.removeprefix("DIW_")
    shown = DatasetPicture(picture, f"diw:{digest}", size_wh=(width, height))
    return DatasetRecord(f"diw:{split}:{digest}", path, entry, (shown,), (truth,))
