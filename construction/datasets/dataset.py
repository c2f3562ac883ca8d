"""The step that reads a source dataset: its pictures enter the run, and its ground truth becomes values.

Before the run starts, the step reads the dataset, chooses records, checks them against their pictures, and adds these
to the run, each with its canonical id, license and attribution. When the step itself runs, it gives every image the
ground truth of the records that are still complete (`benchwright.construction.ground_truth`).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from pydantic import Field, PrivateAttr, ValidationInfo, model_validator

from benchwright.canonical import canonical_json
from benchwright.errors import BenchwrightError, PrerequisiteError
from benchwright.images.formats.walking import Limits
from benchwright.images.identify import uri_for
from benchwright.source_files.files import DatasetFiles
from benchwright.source_files.refusal_lists import REFUSED, refusals_in, write_row_counts
from benchwright.steps import (
    FOLDER,
    SCENES,
    BringContext,
    ForecastContext,
    GatherContext,
    Gathered,
    GatherStep,
    ItemForecast,
    Step,
    Stream,
)
from benchwright.workspace.objects import ObjectStore
from benchwright.workspace.photographs import BroughtPhotograph
from benchwright.workspace.workspace import Workspace

from ..ground_truth.values import DATASET, RECORDS, VALUES, truth_entry, write_records
from ..readers.found import Found, kinds_found
from ..readers.listing import make_reader
from ..readers.reader import DatasetReader, content_digest
from ..readers.recognition import Recognised
from ..stated_facts.facts import BY_DIGEST
from .dataset_index import DatasetIndex, IndexLookup

if TYPE_CHECKING:
    import pyarrow as pa

logger = logging.getLogger(__name__)


class RehearsedRecords(NamedTuple):
    """The ground truth that a run would use from a dataset's records.

    Args:
        seed: The run's seed.
        sizes_wh: Width and height of their pictures, by image.
        values: Values of these images, in the same order, by kind of truth; None for an image without such a truth.
        files: Files of their pictures, excluding those in archives.
    """

    seed: int
    sizes_wh: Mapping[str, tuple[int, int]]
    values: Mapping[str, Sequence[Any]]
    files: Sequence[Path]


class Dataset(GatherStep):
    """Add pictures of a source dataset to the run, with their ground truth; drops nothing.

    `benchwright construct readers` lists the readers and the files that each needs; `benchwright construct check`
    examines a folder. Pictures keep their canonical id, license and attribution up to the release. Wrong rows, pictures
    and points are left out and listed in the workspace, in `datasets/<entry>.refused.jsonl`;
    `datasets/<entry>.counts.json` states how many rows were read, used, found wrong, or left out by a rule, by reason.
    A run needs no separate image folder, unless the reader `found` examines it; its files then do not become images of
    the run by themselves. Steps that make items read the ground truth under this entry's name. The value `scenes` names
    the multi-picture records of an image: `near_duplicates` treats no picture of such a record as a copy of another
    one.

    Args:
        reader: Name of the reader.
        folder: Folder of the dataset, or its archive, relative to the recipe's folder; ZIP and uncompressed TAR
            archives in it are read directly. Null, only with the reader `found`, for the run's image folder. A run
            records the digest of the annotations instead.
        images: Folder of the dataset's pictures if they are stored separately, as COCO's are; null for `folder`.
        options: Settings of the reader, such as `{split: zeroshot}`.
        records: Largest number of records, chosen by the run's seed; null takes all records. The reader `found` takes
            this number from each dataset. Records that are more useful together, such as equal claims of VSR about two
            pictures, are chosen together.
    """

    name: ClassVar[str] = "dataset"
    version: ClassVar[int] = 2
    consumes: ClassVar[Stream] = "images"
    values: ClassVar[Mapping[str, str]] = VALUES
    columns: ClassVar[tuple[str, ...]] = ("image_id",)
    imports: ClassVar[tuple[str, ...]] = ()
    brings_pictures: ClassVar[bool] = True

    reader: str = Field(min_length=1)
    folder: str | None = Field(None, min_length=1)
    images: str | None = Field(None, min_length=1)
    options: Mapping[str, Any] = Field(default_factory=dict)
    records: int | None = Field(1000, ge=1)
    _base: Path = PrivateAttr(Path())
    _digest: str | None = PrivateAttr(None)
    _index: DatasetIndex | None = PrivateAttr(None)
    _reader: DatasetReader | None = PrivateAttr(None)
    _taken: frozenset[str] = PrivateAttr(frozenset())
    _folders: tuple[str, ...] = PrivateAttr(())
    _kinds: frozenset[str] | None = PrivateAttr(None)
    _rehearsed: RehearsedRecords | None = PrivateAttr(None)

    @model_validator(mode="after")
    def _names_a_reader(self, info: ValidationInfo) -> Dataset:
        self._base = (info.context or {}).get(FOLDER, Path())
        try:
            self._reader = make_reader(self.reader, self.options)
        except BenchwrightError as error:
            raise ValueError(str(error)) from None
        if self.folder is None and self.reader != Found.name:
            raise ValueError("name the `folder` of the dataset")
        return self

    def in_folder(self, folder: Path) -> Dataset:
        """Return the step with the run's image folder as its dataset folder, if it reads that folder."""
        if self.folder is not None:
            return self
        step = self.model_copy(update={"folder": str(folder.resolve())})
        step._reader = make_reader(self.reader, self.options)  # it caches what it found there
        return step

    def lacks(self, before: Mapping[str, Step]) -> str | None:
        """Return a message if the folder contains only pictures, otherwise None."""
        del before
        if self.reader != Found.name or self._is_by_digest or self._recognised().sources:
            return None
        return (
            "the folder contains only photographs: no source dataset, table, annotations, facts, maps, masks or cameras"
        )

    def kinds_found(self) -> frozenset[str] | None:
        """Return the kinds of ground truth in the folder, or None if any kind may be present."""
        if self.reader != Found.name or self._is_by_digest:
            return None
        if self._kinds is None:
            self._kinds = frozenset(kinds_found(self._files(), self._recognised()))
        return self._kinds

    def takes(self, uri: str) -> bool:
        """Return whether a file in the run's folder is an annotation, an archive to open, or part of a source dataset's
        folder.
        """
        return uri in self._taken or uri.startswith(self._folders)

    def _recognised(self) -> Recognised:
        assert isinstance(self._reader, Found), "asked only about a folder's content"
        return self._reader.here(self._files())

    @property
    def _is_by_digest(self) -> bool:
        return self.folder is not None and BY_DIGEST.fullmatch(self.folder) is not None

    def _files(self) -> DatasetFiles:
        if self._is_by_digest:
            raise PrerequisiteError(f"dataset {self.reader} is known by digest only; name its folder in the recipe")
        if self.folder is None:
            raise PrerequisiteError("dataset found reads the run's image folder; give one with --images DIR")
        return DatasetFiles(self._base / self.folder)

    def _pictures(self) -> DatasetFiles | None:
        return None if self.images is None else DatasetFiles(self._base / self.images)

    def parameters(self) -> dict[str, Any]:
        """Return the settings with the digest of the annotations, so that neither their path nor that of the pictures
        matters.
        """
        assert self._reader is not None, "made when the settings were checked"
        if self._digest is None and self.folder is not None:
            self._digest = (
                self.folder if self._is_by_digest else f"sha256:{content_digest(self._reader, self._files())}"
            )
        options = self._reader.model_dump(mode="json", exclude_defaults=True)
        return {"folder": self._digest, "options": options, "reader": self.reader, "records": self.records}

    def bring(self, ctx: BringContext) -> Sequence[BroughtPhotograph]:
        """Read the dataset and return the pictures of the used records."""
        assert self._reader is not None, "made when the settings were checked"
        workspace = Workspace(ctx.workspace)
        index = DatasetIndex(workspace.cache / "datasets" / f"{ctx.stage}.sqlite")
        path = ctx.workspace / REFUSED / f"{ctx.stage}.refused.jsonl"
        with refusals_in(path, tmp=workspace.tmp) as refused:
            counts = index.fill(
                self._reader,
                self._files(),
                self._pictures(),
                at_most=self.records,
                seed=ctx.seed,
                limits=ctx.limits,
                objects=workspace.objects,
                refused=refused,
            )
        write_row_counts(counts.rows, ctx.workspace, ctx.stage, tmp=workspace.tmp)
        if refused.counts:
            reasons = ", ".join(f"{reason} {number}" for reason, number in sorted(refused.counts.items()))
            logger.warning("%s: refused of %s: %s; %s lists them", ctx.stage, self.reader, reasons, path)
        if counts.rows.refused or counts.rows.left_out:
            logger.warning("%s: of %s: %s", ctx.stage, self.reader, counts.rows)
        if not counts.used:
            logger.warning("%s: no record of %s can be used (%d have pictures)", ctx.stage, self.reader, counts.records)
        self._index = index
        return self._brought(index, ctx.stage)

    def forecast(self, ctx: ForecastContext) -> Sequence[ItemForecast]:
        """Read the data for the questions of later tasks; the step itself makes no items."""
        if not self._is_by_digest:
            self.rehearsed(ctx.seed)
        return ()

    def rehearsed(self, seed: int) -> RehearsedRecords:
        """Return, before any run, the ground truth of the records that a run with this seed would use; it is read only
        once.
        """
        assert self._reader is not None, "made when the settings were checked"
        if self._rehearsed is None or self._rehearsed.seed != seed:
            with TemporaryDirectory() as name:
                index = DatasetIndex(Path(name) / "index.sqlite")
                with refusals_in(Path(name) / "refused.jsonl", tmp=Path(name)) as refused:
                    index.fill(
                        self._reader,
                        self._files(),
                        self._pictures(),
                        at_most=self.records,
                        seed=seed,
                        limits=Limits(),
                        objects=ObjectStore(Path(name) / "objects", tmp=Path(name)),
                        refused=refused,
                        keeps_copies=False,
                        decodes_pixmaps=False,
                    )
                sizes_wh = index.sizes_wh()
                known = _KnownValues(index.lookup(), frozenset(sizes_wh), list(sizes_wh))
                values = {
                    kind: [known.value_of(kind)(row) for row in range(len(sizes_wh))]
                    for kind in VALUES
                    if VALUES[kind] == "string"
                }
                files = [photograph.path for photograph in self._brought(index, DATASET)]
            self._rehearsed = RehearsedRecords(seed, sizes_wh, values, files)
        return self._rehearsed

    def sample(self, records: int) -> dict[str, Any]:
        """Return a recipe entry that reads this number of records, regardless of the recipe's location."""
        settings = self.model_dump(mode="json", exclude_unset=True)
        folders = {
            name: str((self._base / folder).resolve())
            for name, folder in (("folder", self.folder), ("images", self.images))
            if folder is not None
        }
        return {"step": self.name, **settings, **folders, "records": records}

    def _brought(self, index: DatasetIndex, stage: str) -> Sequence[BroughtPhotograph]:
        """Return the pictures of the used records, and note the files of the folder that must therefore not be imported
        separately.
        """
        brought = index.brought(stage)
        if self.reader != Found.name:
            return brought
        here = self._recognised()
        # Your own pictures without a stated source are images of the folder already.
        brought = [photograph for photograph in brought if photograph.source.dataset != Found.name]
        self._folders = tuple(f"{uri_for(path)}/" for path in here.dataset_folders)
        archives = {uri_for(name) for name in self._files().archives()}
        own = {photograph.source.uri.removeprefix(f"{stage}:") for photograph in brought}
        self._taken = frozenset(
            own | archives | {uri_for(path) for source in here.sources for path in source.annotations}
        )
        return brought

    def gather(self, columns: pa.Table, ctx: GatherContext) -> Gathered:
        """Return, for each image that a record names, its ground truth if all pictures of the record are in the run."""
        if self._index is None:
            raise PrerequisiteError(f"step {ctx.stage!r} has not read its dataset in this run")
        images: list[str] = columns["image_id"].to_pylist()
        named = self._index.image_ids()
        rows = [row for row, image_id in enumerate(images) if image_id in named]
        known = _KnownValues(self._index.lookup(), frozenset(images), [images[row] for row in rows])
        return Gathered(
            rows=np.array(rows, np.int64),
            values={name: _Column(len(rows), known.value_of(name)) for name in VALUES},
            evidence=_Column(len(rows), known.evidence),
        )


class _KnownValues:
    """Values of images, computed on demand, one image at a time."""

    def __init__(self, lookup: IndexLookup, live: frozenset[str], images: Sequence[str]) -> None:
        self._lookup, self._live, self._images = lookup, live, images
        self._row = -1
        self._values: dict[str, str | list[str]] = {}
        self._broken: dict[str, str] = {}

    def value_of(self, name: str) -> Callable[[int], str | list[str] | None]:
        return lambda row: self._of(row)[0].get(name)

    def evidence(self, row: int) -> dict[str, Any]:
        broken = self._of(row)[1]
        return {"left_out": broken} if broken else {}

    def _of(self, row: int) -> tuple[dict[str, str | list[str]], dict[str, str]]:
        if row != self._row:
            self._values, self._broken = self._made(self._images[row])
            self._row = row
        return self._values, self._broken

    def _made(self, image_id: str) -> tuple[dict[str, str | list[str]], dict[str, str]]:
        """Return an image's values, and those of its records that are incomplete, each with the missing picture."""
        places, broken, scenes = [], {}, []
        for place, image_ids in self._lookup.places(image_id):
            missing = next((other for other in image_ids if other not in self._live), None)
            if missing is None:
                places.append(place)
                scenes += [place.record] if len(image_ids) > 1 else []
            else:
                broken[place.record] = missing
        truths: dict[str, list[dict[str, Any]]] = {}
        for truth in self._lookup.truths(image_id):
            if truth.record not in broken:
                entry = truth_entry(truth.record, truth.image_ids, truth.truth)
                truths.setdefault(truth.kind, []).append(entry)
        values: dict[str, str | list[str]] = {kind: canonical_json(entries) for kind, entries in truths.items()}
        values |= {RECORDS: write_records(places)} if places else {}
        return values | ({SCENES: scenes} if scenes else {}), broken


class _Column(Sequence[Any]):
    """A column whose entries are computed on demand."""

    def __init__(self, length: int, entry: Callable[[int], Any]) -> None:
        self._length, self._entry = length, entry

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, row: Any) -> Any:
        return self._entry(int(row))
