"""TARA (Fu et al. 2022): news photographs with time and place, which BLINK cuts for its jigsaw.

    nyt_preprocessed/input/{train,gold_dev,gold_test,gold_interest}.jsonl
    nyt_preprocessed/images/<name>.jpg

The user downloads pictures from `image_url`; a picture's name is the URL without its host, with `-` in place of `/` and
with `.jpg` appended. Some URLs occur twice; the first row is then used.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import ClassVar, Literal

from pydantic import BaseModel, Field

from benchwright.source_files.files import DatasetFiles
from benchwright.source_files.refusals import RefusedRow
from benchwright.source_files.rows import BadRow, Row, checked, table_rows

from ..ground_truth.truths import DatedPlace, GroundTruth
from .reader import DatasetPicture, DatasetReader, DatasetRecord, NeededFiles, chosen, records_of_rows

HOST = "https://static01.nyt.com/"
_PARTS = ("train", "gold_dev", "gold_test", "gold_interest")


class _Article(BaseModel):
    image_url: str = Field(pattern=r"^https?://[^\s?#]+$", max_length=1000)
    web_url: str | None = None
    abstract: str | None = None
    date: str | None = None
    location: str | None = None
    gold_time: str | None = None
    gold_location: str | None = None


class Tara(DatasetReader):
    """Photographs of TARA.

    Args:
        parts: Files to read; all existing files by default.
    """

    name: ClassVar[str] = "tara"
    title: ClassVar[str] = "TARA (Fu et al. 2022)"
    home: ClassVar[str] = "https://github.com/zeyofu/TARA"
    licence: ClassVar[str] = "Apache-2.0 (repository)"
    pictures_licence: ClassVar[str] = "The New York Times; not to be passed on"
    needs: ClassVar[tuple[NeededFiles, ...]] = (
        NeededFiles("input/<part>.jsonl", "articles with the address of a photograph", "the repository's data"),
        NeededFiles("images/<name>.jpg", "the photographs", "fetch each image_url, with the repository's script"),
    )
    gives: ClassVar[tuple[type[GroundTruth], ...]] = (DatedPlace,)
    landmarks: ClassVar[tuple[str, ...]] = ("|".join(f"input/{part}.jsonl" for part in _PARTS),)

    parts: tuple[Literal["train", "gold_dev", "gold_test", "gold_interest"], ...] = ()

    def annotations(self, files: DatasetFiles) -> Iterator[str]:
        """Yield the files of the parts."""
        there = [part for part in _PARTS if files.has(f"input/{part}.jsonl")]
        yield from (f"input/{part}.jsonl" for part in chosen(there, self.parts, "part"))

    def read(self, files: DatasetFiles, pictures: DatasetFiles) -> Iterator[DatasetRecord | RefusedRow]:
        """Yield one record for each article."""
        del pictures
        for path in self.annotations(files):
            yield from records_of_rows(table_rows(files, path), path, partial(self._record, path))

    def _record(self, path: str, row: Row) -> DatasetRecord:
        article = checked(_Article, row)
        name = picture_name(article.image_url)
        truth = DatedPlace(
            date=article.gold_time or article.date,
            place=article.gold_location or article.location,
            text=article.abstract,
        )
        page = article.web_url or article.image_url
        shown = DatasetPicture(f"images/{name}", f"nyt:{name}", self.pictures_licence, page)
        return DatasetRecord(f"tara:{name}", path, row.entry, (shown,), (truth,))


def picture_name(address: str) -> str:
    """Return the file name under which a photograph is stored.

    Example:
        >>> picture_name("https://static01.nyt.com/images/2017/05/23/world/23a/23a-superJumbo.jpg")
        'images-2017-05-23-world-23a-23a-superJumbo.jpg'
    """
    name = address.removeprefix(HOST).replace("/", "-")
    if not name:
        raise BadRow(f"image_url is {address!r}, which does not name a picture")
    return name if name.endswith(".jpg") else f"{name}.jpg"
