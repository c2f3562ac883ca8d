"""NIGHTS (Fu et al. 2023, DreamSim): which of two pictures looks more like a third.

    nights/data.csv
    nights/ref/000/000.png
    nights/distort/000/000_0.png, 000_1.png

`right_vote` 1 means that the picture on the right is closer. All pictures were made with Stable Diffusion 2.1.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, Field

from benchwright.source_files.files import DatasetFiles
from benchwright.source_files.refusals import RefusedRow
from benchwright.source_files.rows import BadRow, LeftOutByRule, Row, checked, table_rows

from ..ground_truth.truths import GroundTruth, SimilarityTriplet
from .reader import DatasetPicture, DatasetReader, DatasetRecord, NeededFiles, records_of_rows

_COLUMNS = ("id", "left_vote", "right_vote", "votes", "ref_path", "left_path", "right_path")
_Path = Annotated[str, Field(pattern=r"^(ref|distort)/\d{3}/\d{3,}(_[01])?\.png$")]


class _VotedTriplet(BaseModel):
    id: int = Field(ge=0)
    left_vote: float
    right_vote: float
    votes: int = Field(ge=0)
    ref_path: _Path
    left_path: _Path
    right_path: _Path
    split: str | None = None


class Nights(DatasetReader):
    """Triplets of NIGHTS.

    Args:
        min_votes: Smallest number of votes for a triplet; the authors keep triplets with at least six.
        splits: Splits to read; all by default. Needs the column `split`.
    """

    name: ClassVar[str] = "nights"
    title: ClassVar[str] = "NIGHTS (Fu et al. 2023, DreamSim)"
    home: ClassVar[str] = "https://github.com/ssundaram21/dreamsim"
    licence: ClassVar[str] = "MIT (repository)"
    pictures_licence: ClassVar[str] = "MIT (repository); the dataset's page states none"
    needs: ClassVar[tuple[NeededFiles, ...]] = (
        NeededFiles("data.csv", "votes", "dataset/download.sh of the repository"),
        NeededFiles("ref/<folder>/<number>.png", "references", "the same script (58 GB)"),
        NeededFiles("distort/<folder>/<number>_<0|1>.png", "left and right pictures", "the same script"),
    )
    gives: ClassVar[tuple[type[GroundTruth], ...]] = (SimilarityTriplet,)
    landmarks: ClassVar[tuple[str, ...]] = ("data.csv",)

    min_votes: int = Field(6, ge=1)
    splits: tuple[Literal["train", "val", "test"], ...] = ()

    def annotations(self, files: DatasetFiles) -> Iterator[str]:
        """Yield the table of votes."""
        del files
        yield "data.csv"

    def read(self, files: DatasetFiles, pictures: DatasetFiles) -> Iterator[DatasetRecord | RefusedRow]:
        """Yield one record for each triplet with enough votes."""
        del pictures
        needed = (*_COLUMNS, "split") if self.splits else _COLUMNS
        yield from records_of_rows(table_rows(files, "data.csv", needed=needed), "data.csv", self._record)

    def _record(self, row: Row) -> DatasetRecord:
        triplet = checked(_VotedTriplet, row)
        if sorted((triplet.left_vote, triplet.right_vote)) != [0, 1]:
            votes = f"left_vote is {triplet.left_vote:g} and right_vote {triplet.right_vote:g}"
            raise BadRow(f"{votes}; one must be 1 and the other 0")
        paths = (triplet.ref_path, triplet.left_path, triplet.right_path)
        if len(set(paths)) != len(paths):
            raise BadRow(f"a picture appears twice: {', '.join(paths)}")
        if self.splits and triplet.split not in self.splits:
            raise LeftOutByRule("other_split", f"split is {triplet.split!r}; `splits` names {', '.join(self.splits)}")
        if triplet.votes < self.min_votes:
            raise LeftOutByRule("few_votes", f"votes is {triplet.votes}, and `min_votes` {self.min_votes}")
        shown = tuple(DatasetPicture(path, f"nights:{path}", self.pictures_licence) for path in paths)
        truth = SimilarityTriplet(closer="right" if triplet.right_vote == 1 else "left", votes=triplet.votes)
        return DatasetRecord(f"nights:{triplet.id}", "data.csv", row.entry, shown, (truth,))
