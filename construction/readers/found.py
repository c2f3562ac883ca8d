"""All content of a folder of photographs: source datasets, tables, marks, captions and facts.

photographs/iiw-dataset/data/1.json     a source dataset, in the layout of its reader
photographs/marks.json                  boxes in COCO's format; Pascal VOC and YOLO as their tools lay them out
photographs/captions.json               captions in COCO's format
photographs/images.csv                  a table, CSV or JSON lines, as the reader `folder` reads it
photographs/facts.yaml                  a facts file
photographs/depth/cup.png               a depth map; a mask in masks/, or cup_depth.png and cup_mask.png
photographs/sparse/0/images.txt         cameras, as COLMAP writes them; transforms.json and poses.csv too
photographs/cup.jpg                     the pictures that these describe, and others
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import ClassVar

from pydantic import PrivateAttr

from benchwright.source_files.files import DatasetFiles
from benchwright.source_files.refusals import RefusedRow

from ..ground_truth.truths import TRUTHS, CountQuestion, DepthComparison, GroundTruth, LabelledBoxes
from .measured_records import measured_records
from .own_annotations import OwnPictures, own_records
from .reader import DatasetReader, DatasetRecord, NeededFiles, with_pictures
from .recognition import MEASURED, FoundSource, Recognised, recognised

_ENOUGH: dict[str, frozenset[str]] = {
    "depth": frozenset({DepthComparison.kind}),
    "masks": frozenset({LabelledBoxes.kind, CountQuestion.kind}),
}
"""Kinds of truth that only slow sources supply, in which each record requires decoding pictures."""


class Found(DatasetReader):
    """Everything in a folder besides the pictures: source datasets and annotation files."""

    name: ClassVar[str] = "found"
    version: ClassVar[int] = 2
    title: ClassVar[str] = "whatever a folder of photographs brings"
    home: ClassVar[str] = "https://cocodataset.org/#format-data"
    licence: ClassVar[str] = "that of each dataset in it"
    pictures_licence: ClassVar[str] = (
        "that of each dataset in it; one's own pictures have none unless a table states it"
    )
    needs: ClassVar[tuple[NeededFiles, ...]] = (
        NeededFiles("<dataset>/", "source datasets, each as its reader needs it", "see the other readers"),
        NeededFiles("<name>.json", "boxes or captions in COCO's format", "export them from a tool for marking"),
        NeededFiles("<name>.xml, or Annotations/<name>.xml", "boxes, Pascal VOC", "the same"),
        NeededFiles("data.yaml or classes.txt, labels/<name>.txt", "boxes, YOLO", "the same"),
        NeededFiles("<table>.csv or <table>.jsonl", "any ground truth, as the reader `folder` reads it", "write it"),
        NeededFiles("facts.yaml", "subjects with their boxes", "`benchwright facts export`, or write it"),
        NeededFiles(
            "<name>_depth.png or .npy, or depth/<name>", "depth maps", "a depth camera; `depth.toml` says more"
        ),
        NeededFiles("<name>_mask.png, or masks/<label>/<name>.png", "masks", "the tools for marking; `masks.toml`"),
        NeededFiles("images.txt, transforms.json or poses.csv", "camera poses", "COLMAP, nerfstudio; `poses.toml`"),
    )
    gives: ClassVar[tuple[type[GroundTruth], ...]] = TRUTHS
    landmarks: ClassVar[tuple[str, ...]] = ()

    _here: tuple[Path, Recognised] | None = PrivateAttr(None)

    def here(self, files: DatasetFiles) -> Recognised:
        """Return the content of a folder, which is examined only once in the reader's lifetime."""
        if self._here is None or self._here[0] != files.root:
            self._here = (files.root, recognised(files))
        return self._here[1]

    def located(self, files: DatasetFiles) -> DatasetFiles:
        """Return the folder itself."""
        return files

    def annotations(self, files: DatasetFiles) -> Iterator[str]:
        """Yield the annotation files of all sources found."""
        yield from sorted({path for source in self.here(files).sources for path in source.annotations})

    def read(self, files: DatasetFiles, pictures: DatasetFiles) -> Iterator[DatasetRecord | RefusedRow]:
        """Yield the records of all sources found, one source after another, then the unused files."""
        del pictures
        here = self.here(files)
        yield from _records_found(files, here)
        yield from here.unused

    def part_of(self, record: DatasetRecord) -> str:
        """Return the record's source; a recipe's limit on the number of records applies to each source separately."""
        return record.record_id.partition(":")[0]


def _records_found(files: DatasetFiles, here: Recognised) -> Iterator[DatasetRecord | RefusedRow]:
    """Yield the records of all sources of a folder.

    Args:
        files: The folder.
        here: Content of the folder.
    """
    own: OwnPictures | None = None
    for source in here.sources:
        if source.reader is None and own is None:
            own = OwnPictures.of(files.root, here)
        yield from records_of_source(source, own)


def records_of_source(source: FoundSource, own: OwnPictures | None) -> Iterator[DatasetRecord | RefusedRow]:
    """Yield the records of one source, with paths relative to the examined folder.

    Args:
        source: The source.
        own: Pictures of the folder; needed for sources without a reader.
    """
    if source.reader is None or source.files is None:
        assert own is not None, "annotation files describe pictures in the folder"
        yield from (measured_records if source.form in MEASURED else own_records)(source, own)
        return
    before = f"{source.files.under}/" if source.files.under else ""
    for record in with_pictures(source.reader.read(source.files, source.files), source.files):
        if isinstance(record, RefusedRow):
            yield record._replace(file=f"{before}{record.file}")
            continue
        shown = tuple(
            picture._replace(path=f"{before}{picture.path}", dataset=source.reader.dataset_name)
            for picture in record.pictures
        )
        yield record._replace(file=f"{before}{record.file}", pictures=shown)


def kinds_found(files: DatasetFiles, here: Recognised) -> dict[str, tuple[FoundSource, ...]]:
    """Return the kinds of ground truth in a folder, each with the sources that supply that kind.

    The reader of a source dataset names the kinds in its files; all other sources are read.

    Args:
        files: The folder.
        here: Content of the folder.
    """
    kinds: dict[str, list[FoundSource]] = {}
    own: OwnPictures | None = None
    for source in here.sources:
        if source.form == "dataset" and source.reader is not None and source.files is not None:
            given = {truth.kind for truth in source.reader.gives_here(source.files)}
        else:
            own = own or OwnPictures.of(files.root, here)
            given = _kinds_of(records_of_source(source, own), _ENOUGH.get(source.form))
        for kind in given:
            kinds.setdefault(kind, []).append(source)
    return {kind: tuple(kinds[kind]) for kind in sorted(kinds)}


def _kinds_of(records: Iterable[DatasetRecord | RefusedRow], enough: frozenset[str] | None) -> set[str]:
    """Return the kinds of truth of records; stops reading once `enough` of them are known."""
    kinds: set[str] = set()
    for record in records:
        if isinstance(record, DatasetRecord):
            kinds |= {truth.kind for truth in record.truths}
            if enough is not None and enough <= kinds:
                break
    return kinds
