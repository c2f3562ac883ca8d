"""Recognition of the content of a folder of photographs: source datasets, and files that annotate the pictures.

Examines the folder and the folders directly in it; for measurements (depth maps, masks, camera files), all folders
below. The layout of a reader and one readable row identify a source dataset, the content identifies a file of
annotations, and the name identifies a map. Names and first rows are enough; no picture is decoded. Files that only
resemble annotations, and files that two readers would accept, are reported.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Literal, NamedTuple

from benchwright.errors import BenchwrightError, DataError
from benchwright.files.bounded_json import bounded_json
from benchwright.files.tables import text_columns
from benchwright.regions.formats.streamed_json import JsonLists
from benchwright.rooms import catalogue
from benchwright.source_files.files import DatasetFiles
from benchwright.source_files.no_photographs import is_no_photograph
from benchwright.source_files.portable_pixmap import PICTURE_SUFFIXES
from benchwright.source_files.refusals import RefusedRow

from ..measured.camera_files import POSES_STATEMENT, camera_form
from ..measured.map_files import MAP_SUFFIXES, STATEMENTS, MapFile, map_files
from .plain_folder import PlainFolder
from .reader import DatasetReader, DatasetRecord

_NOT_RECOGNISED, AMBIGUOUS = "not_recognised", "ambiguous"
_NOT_SOURCES = ("folder", "found")
"""Readers without an identifying layout."""
_SAMPLE = 50
_HEAD_BYTES = 1 << 16
_FACTS = re.compile(rb"^\s*[\"']?format[\"']?\s*:\s*[\"']?benchwright-facts\b", re.M)
_YOLO = ("data.yaml", "data.yml", "classes.txt")
Form = Literal["dataset", "table", "coco", "captions", "voc", "yolo", "facts", "depth", "masks", "cameras"]
MEASURED: tuple[Form, ...] = ("depth", "masks", "cameras")
"""Forms of measurement files, which may be at any depth below the folder."""


class FoundSource(NamedTuple):
    """One source of ground truth in a folder.

    Args:
        form: Form of the source; sources of the forms `dataset` and `table` have a reader.
        path: Path of its file or folder below the examined folder; empty for that folder itself.
        annotations: Paths of the files that state it, below the examined folder.
        reader: Reader of a source dataset, or of a table.
        files: Files from the dataset's own folder, for the reader.
        maps: Depth maps or masks, each with its photograph.
    """

    form: Form
    path: str
    annotations: tuple[str, ...]
    reader: DatasetReader | None = None
    files: DatasetFiles | None = None
    maps: tuple[MapFile, ...] = ()

    @property
    def name(self) -> str:
        """Return a readable name: the reader's name or the form, with the path."""
        kind = self.reader.name if self.reader is not None and self.form == "dataset" else self.form
        return f"{kind} ({self.path or 'the folder itself'})"


class Recognised(NamedTuple):
    """The content of a folder.

    Args:
        sources: Sources, by path.
        unused: Unused files, each with the reason.
    """

    sources: tuple[FoundSource, ...]
    unused: tuple[RefusedRow, ...]

    @property
    def dataset_folders(self) -> tuple[str, ...]:
        """Return the folders of source datasets below the examined one."""
        return tuple(source.path for source in self.sources if source.form == "dataset" and source.path)

    @property
    def map_paths(self) -> frozenset[str]:
        """Return the paths of depth maps and masks, which are not pictures to ask about."""
        return frozenset(entry.path for source in self.sources for entry in source.maps)


def recognised(files: DatasetFiles) -> Recognised:
    """Return the content of a folder.

    Raises:
        DataError: The folder cannot be read.
    """
    folders = list(files.nested())
    datasets, unused, doubts = _datasets(folders)
    taken = {path for source in datasets for path in source.annotations}
    taken |= {row.file for row in unused}
    theirs = tuple(f"{source.path}/" for source in datasets if source.path)
    without = tuple(source.path for source in datasets if source.path)
    own = list(_measured(files.root, without, taken)) if files.root.is_dir() else []
    taken |= {path for source in own for path in source.annotations}
    for folder in folders:
        if files.root.is_dir() and not f"{folder.under}/".startswith(theirs):
            found, not_used = _own_files(folder, taken)
            own += found
            unused += not_used
    claimed = {path for source in own for path in source.annotations}
    unused = [row for row in unused if row.file not in claimed]
    unused += [row for row in doubts if row.file not in claimed and row.file not in {known.file for known in unused}]
    sources = sorted([*datasets, *own], key=lambda source: (source.path, source.form, source.name))
    return Recognised(tuple(sources), (*sorted(unused), *files.refused()))


def picture_paths(
    root: Path, *, without: tuple[str, ...] = (), suffixes: tuple[str, ...] = PICTURE_SUFFIXES
) -> Iterator[str]:
    """Yield the paths of pictures below a folder by their names, except in given folders and in workspaces.

    Does not follow links to folders, and skips files that operating systems store next to photographs
    (`no_photographs`).

    Args:
        root: The folder.
        without: Paths of folders below it.
        suffixes: Suffixes of the names, in lower case.
    """
    for place, folders, names in os.walk(root):
        below = PurePosixPath(Path(place).relative_to(root).as_posix())
        folders[:] = sorted(
            name
            for name in folders
            if not is_no_photograph(name)
            and (below / name).as_posix() not in without
            and not (Path(place) / name / "workspace.json").is_file()
        )
        named = (name for name in sorted(names) if name.lower().endswith(suffixes) and not is_no_photograph(name))
        yield from ((below / name).as_posix() for name in named)


def _measured(root: Path, without: tuple[str, ...], taken: set[str]) -> Iterator[FoundSource]:
    """Yield depth maps, masks and camera files anywhere below a folder, except in given folders."""
    ends = tuple(dict.fromkeys((*PICTURE_SUFFIXES, *MAP_SUFFIXES, ".toml", ".txt", ".csv", ".json")))
    paths = [path for path in picture_paths(root, without=without, suffixes=ends) if path not in taken]
    maps = list(map_files(root, [path for path in paths if path.lower().endswith((*PICTURE_SUFFIXES, *MAP_SUFFIXES))]))
    for kind, statement in STATEMENTS.items():
        if of_kind := tuple(entry for entry in maps if entry.kind == kind):
            stated = [path for path in paths if PurePosixPath(path).name == statement]
            yield FoundSource(kind, "", (*(entry.path for entry in of_kind), *stated), maps=of_kind)
    for path in paths:
        name = PurePosixPath(path).name
        if name.lower().endswith((".txt", ".csv", ".json")) and camera_form(name, root / path) is not None:
            beside = PurePosixPath(path).with_name(POSES_STATEMENT).as_posix()
            yield FoundSource("cameras", path, (path, *((beside,) if beside in paths else ())))


def _datasets(
    folders: list[DatasetFiles],
) -> tuple[list[FoundSource], list[RefusedRow], list[RefusedRow]]:
    """Return the source datasets in folders, the ambiguous folders, and the folders that only resemble a dataset."""
    found: dict[tuple[str, str], FoundSource] = {}
    doubts: list[RefusedRow] = []
    for name, entry in catalogue("dataset_readers").items():
        if name in _NOT_SOURCES:
            continue
        reader: DatasetReader = entry.load()()
        for folder in folders:
            try:
                files = reader.located(folder)
                paths = tuple(path for path in reader.annotations(files) if files.has(path))
            except BenchwrightError:
                continue
            if not paths or (name, files.under) in found:
                continue
            below = tuple(f"{files.under}/{path}" if files.under else path for path in paths)
            if (wrong := _wrong_with(reader, files)) is None:
                found[name, files.under] = FoundSource("dataset", files.under, below, reader, files)
            else:
                detail = f"laid out as {reader.title}, and none of its first rows can be read: {wrong}"
                doubts.append(RefusedRow(below[0], "", _NOT_RECOGNISED, detail))
    takers: dict[str, list[FoundSource]] = {}
    for source in found.values():
        for path in source.annotations:
            takers.setdefault(path, []).append(source)
    unused = [
        RefusedRow(path, "", AMBIGUOUS, f"{' and '.join(source.name for source in several)} would take it; name a step "
                   "`dataset` with the reader that is meant")
        for path, several in takers.items() if len(several) > 1
    ]  # fmt: skip
    clashing = {source for several in takers.values() if len(several) > 1 for source in several}
    return [source for source in found.values() if source not in clashing], unused, doubts


def _wrong_with(reader: DatasetReader, files: DatasetFiles) -> str | None:
    """Return the reason why none of the first rows can be read, or None if one can be read or if names alone identify
    the dataset.
    """
    if reader.is_told_by_names:
        return None
    wrong = "there is no row"
    try:
        for row in islice(reader.read(files, files), _SAMPLE):
            if isinstance(row, DatasetRecord) or row.by_rule:
                return None
            wrong = str(row)
    except BenchwrightError as error:
        return str(error)
    return wrong


def _own_files(folder: DatasetFiles, taken: set[str]) -> tuple[list[FoundSource], list[RefusedRow]]:
    """Return the annotation files directly in a folder, and the files that only resemble annotation files."""
    found: list[FoundSource] = []
    unused: list[RefusedRow] = []
    names = [name for name in folder.listing() if not name.endswith("/")]
    place = folder.root / folder.under
    voc = [_below(folder, name) for name in names if name.lower().endswith(".xml")]
    if voc:
        found.append(FoundSource("voc", folder.under, tuple(voc)))
    if any(name in _YOLO for name in names) and (labels := _yolo_labels(place)):
        classes = [_below(folder, name) for name in names if name in _YOLO]
        below = [_below(folder, path) for path in labels]
        found.append(FoundSource("yolo", folder.under, (*classes, *below)))
        taken = taken | {*classes, *below}
    for name in names:
        path = _below(folder, name)
        if path in taken or not (place / name).is_file():
            continue
        try:
            source = _own_file(folder, name, place / name, path)
        except (BenchwrightError, OSError, ValueError, RecursionError) as error:
            unused.append(RefusedRow(path, "", _NOT_RECOGNISED, str(error)))
        else:
            found += [source] if source is not None else []
    return found, unused


def _own_file(folder: DatasetFiles, name: str, place: Path, path: str) -> FoundSource | None:
    """Return a file as a source, or None if it is not in an annotation format.

    Raises:
        DataError: The file resembles annotations but cannot be read as such.
    """
    suffix = PurePosixPath(name).suffix.lower()
    if suffix == ".json":
        return FoundSource(_form_of_json(place), path, (path,))
    if suffix in (".csv", ".jsonl"):
        if suffix == ".csv" and "image" not in (columns := text_columns(_head(place))):
            raise DataError(f"a table needs a column `image`; its columns are {', '.join(columns[:8]) or 'none'}")
        if suffix == ".jsonl" and not _names_pictures(place):
            raise DataError("a table has `image` or `images` in each line; the first one has neither")
        dataset = re.sub(r"[^a-z0-9_.-]+", "-", path.lower()).strip("-._")
        return FoundSource("table", path, (path,), PlainFolder(table=name, dataset=dataset or "table"), folder)
    if suffix in (".yaml", ".yml") and _FACTS.search(_head(place)):
        return FoundSource("facts", path, (path,))
    return None


def _form_of_json(place: Path) -> Form:
    source = JsonLists(place)
    for key, _, _, element in source.elements():
        if key == "annotations" and isinstance(element, dict):
            return "captions" if "caption" in element else "coco"
    if missing := [key for key in ("images", "annotations") if key not in source.keys]:
        raise DataError(f"a COCO file has the lists images and annotations; {missing[0]} is missing")
    return "coco"


def _names_pictures(place: Path) -> bool:
    with place.open("rb") as handle:
        line = next((line for line in islice(handle, 100) if line.strip()), b"{}")
    try:
        document = bounded_json(line)
    except ValueError as error:
        raise DataError(f"its first line is not valid JSON: {error}") from None
    return isinstance(document, dict) and not {"image", "images"}.isdisjoint(document)


def _head(place: Path) -> bytes:
    with place.open("rb") as handle:
        return handle.read(_HEAD_BYTES)


def _yolo_labels(place: Path) -> list[str]:
    """Return the label files of a YOLO dataset, as `benchwright.regions.formats` looks for them."""
    labels = place / "labels"
    files = labels.rglob("*.txt") if labels.is_dir() else place.glob("*.txt")
    return sorted(file.relative_to(place).as_posix() for file in files if file.name != "classes.txt")


def _below(folder: DatasetFiles, name: str) -> str:
    return f"{folder.under}/{name}" if folder.under else name
