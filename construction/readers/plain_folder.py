"""A folder of pictures with a table: your own collection.

    pictures/images.csv        image,source_url,licence,author,retrieved_at,caption
                               and entity,kind,domain,also_named,others,ask: what it shows by name
    pictures/cup.jpg

or JSON Lines, whose objects may have several pictures and any ground truth:

    {"id": "cups", "image": "cup.jpg", "licence": "CC0", "truths": [{"kind": "captions", "texts": ["A cup."]}]}
    {"id": "pair", "images": [{"image": "a.jpg", "licence": "CC0"}, {"image": "b.jpg"}], "truths": [...]}
"""  # phrase: allowed

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import ClassVar

from pydantic import BaseModel, ConfigDict, Field

from benchwright.errors import DataError
from benchwright.source_files.files import DatasetFiles
from benchwright.source_files.refusals import RefusedRow
from benchwright.source_files.rows import BadRow, Row, checked, guarded, table_rows

from ..ground_truth.truths import TRUTHS, Captions, GroundTruth, NamedEntity
from ..ground_truth.values import truth_in
from .reader import DatasetPicture, DatasetReader, DatasetRecord, NeededFiles, records_of_rows


class _ListedPicture(BaseModel):
    model_config = ConfigDict(extra="forbid", coerce_numbers_to_str=True)

    image: str = Field(min_length=1, max_length=1000)
    source_url: str | None = None
    licence: str | None = None
    author: str | None = None
    retrieved_at: str | None = None
    width: int | None = Field(None, gt=0)
    height: int | None = Field(None, gt=0)


class _CsvRow(_ListedPicture):
    id: str | None = None
    caption: str | None = None
    entity: str | None = None
    kind: str | None = None
    domain: str | None = None
    also_named: str | None = None
    others: str | None = None
    ask: str | None = None

    def truths(self) -> tuple[GroundTruth, ...]:
        """Return the caption and the entity, if the row states them."""
        named = (self.kind, self.domain, self.also_named, self.others, self.ask)
        if self.entity is None and any(named):
            raise BadRow("kind, domain, also_named, others and ask describe an `entity`, but the row has none")
        truths: list[GroundTruth] = [] if self.caption is None else [Captions(texts=(self.caption,))]
        if self.entity is not None:
            if self.kind is None or self.domain is None:
                raise BadRow(f"the entity {self.entity!r} needs a `kind` and a `domain`")
            also, others = (_listed(cell) for cell in (self.also_named, self.others))
            truths.append(
                NamedEntity(
                    entity=self.entity, entity_kind=self.kind, domain=self.domain, also_named=also, others=others,
                    ask=self.ask,
                )
            )  # fmt: skip
        return tuple(truths)


def _listed(cell: str | None) -> tuple[str, ...]:
    """Return the texts in a cell, which are separated by semicolons."""
    return tuple(text.strip() for text in (cell or "").split(";") if text.strip())


class _JsonRow(_ListedPicture):
    id: str | None = None
    image: str = Field("", max_length=1000)
    images: list[_ListedPicture] = Field(default=[], max_length=1000)
    truths: list[object] = Field(default=[], max_length=10_000)


class PlainFolder(DatasetReader):
    """Pictures in a folder with a table, CSV or JSON lines.

    Args:
        table: File of the table, `.csv`, `.tsv`, `.xlsx` or `.jsonl`; null for the only CSV or JSONL file directly in
            the folder.
        dataset: Name of the collection, to be stated in a release's sources.
    """

    name: ClassVar[str] = "folder"
    version: ClassVar[int] = 2
    title: ClassVar[str] = "a folder of pictures with a table (CSV, or JSON lines)"
    home: ClassVar[str] = "https://www.rfc-editor.org/rfc/rfc4180"
    licence: ClassVar[str] = "yours to state"
    pictures_licence: ClassVar[str] = "one per picture, in the table"
    needs: ClassVar[tuple[NeededFiles, ...]] = (
        NeededFiles("<table>.csv", "image, and any of source_url, licence, author, retrieved_at, caption", "write it"),
        NeededFiles(
            "<table>.csv", "entity, kind, domain, and any of also_named, others (with ; between), ask", "write it"
        ),
        NeededFiles("<table>.jsonl", "the same keys, and images and truths; in place of a CSV file", "write it"),
        NeededFiles("<path of image>", "the pictures", "collect them"),
    )  # phrase: allowed
    gives: ClassVar[tuple[type[GroundTruth], ...]] = TRUTHS
    landmarks: ClassVar[tuple[str, ...]] = ()

    table: str | None = Field(None, pattern=r"\.(csv|tsv|xlsx|jsonl)$")
    dataset: str = Field("folder", pattern=r"^[a-z0-9][a-z0-9_.-]*$")

    @property
    def dataset_name(self) -> str:
        """Return the name of the collection."""
        return self.dataset

    def located(self, files: DatasetFiles) -> DatasetFiles:
        """Return the folder itself."""
        self._table(files)
        return files

    def _table(self, files: DatasetFiles) -> str:
        tables = [name for name in files.listing() if name.lower().endswith((".csv", ".jsonl"))]
        if self.table is not None:
            if not files.has(self.table):
                raise DataError(f"there is no table {files.shown(self.table)}; {files.contents()}")
            return self.table
        if len(tables) != 1:
            there = f"found {', '.join(tables)}" if tables else files.contents()
            raise DataError(f"{files.shown('')} needs one CSV or JSONL file, or the option `table`; {there}")
        return tables[0]

    def annotations(self, files: DatasetFiles) -> Iterator[str]:
        """Yield the table."""
        yield self._table(files)

    def read(self, files: DatasetFiles, pictures: DatasetFiles) -> Iterator[DatasetRecord | RefusedRow]:
        """Yield one record for each row."""
        del pictures
        path = self._table(files)
        rows = table_rows(files, path, needed=("image",))
        if not path.endswith(".jsonl"):
            yield from records_of_rows(rows, path, partial(self._of_csv, path))
            return
        for row in rows:
            if isinstance(row, RefusedRow):
                yield row
                continue
            with guarded(path, row.entry) as guard:
                yield from self._of_json(path, row)
            if guard.refusal is not None:
                yield guard.refusal

    def _record(
        self,
        path: str,
        row: Row,
        named: str | None,
        shown: list[_ListedPicture],
        truths: tuple[GroundTruth, ...],
        parts: int,
    ) -> DatasetRecord:
        record_id = f"{self.dataset}:{named or '+'.join(picture.image for picture in shown)}"
        return DatasetRecord(record_id, path, row.entry, tuple(map(self._picture, shown)), truths, parts)

    def _of_csv(self, path: str, row: Row) -> DatasetRecord:
        stated = checked(_CsvRow, Row(row.entry, {name: cell for name, cell in row.document.items() if cell}))
        return self._record(path, row, stated.id, [stated], stated.truths(), 0)

    def _of_json(self, path: str, row: Row) -> Iterator[DatasetRecord | RefusedRow]:
        """Yield the faults of individual truths in a row, then its record with the other truths."""
        stated = checked(_JsonRow, row)
        if bool(stated.image) == bool(stated.images):
            raise BadRow("a row has either `image` or `images`")
        truths: list[GroundTruth] = []
        refused: list[RefusedRow] = []
        for number, document in enumerate(stated.truths, start=1):
            with guarded(path, f"{row.entry}, truth {number}") as guard:
                try:
                    truths.append(truth_in(document))
                except DataError as error:
                    raise BadRow(str(error)) from None
            if guard.refusal is not None:
                refused.append(guard.refusal)
        shown = len(stated.images)
        if refused and not truths:
            *others, last = refused
            yield from others
            raise BadRow(last.detail, rows=2 + shown)
        record = self._record(path, row, stated.id, stated.images or [stated], tuple(truths), len(truths) + shown)
        yield from refused
        yield record

    def _picture(self, stated: _ListedPicture) -> DatasetPicture:
        if (stated.width is None) != (stated.height is None):
            raise BadRow("give both width and height, or neither")
        size_wh = None if stated.width is None or stated.height is None else (stated.width, stated.height)
        canonical_id = stated.source_url or f"{self.dataset}:{stated.image}"
        attribution = stated.author or stated.source_url
        return DatasetPicture(stated.image, canonical_id, stated.licence, attribution, size_wh, stated.retrieved_at)
