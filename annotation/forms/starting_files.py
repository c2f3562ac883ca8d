"""Files of marks from which annotators start in a campaign `mark`, as recipes list and the store records them."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from pydantic import Field, model_validator

from benchwright.errors import DataError
from benchwright.machine.storage_faults import naming
from benchwright.records import Record
from benchwright.regions import Proposal, Region
from benchwright.regions.formats.mark_files import MarkFormat

START_FROM = "start_from"
"""Key in a campaign's settings for the files from which its annotators start, as `StartAuthor` objects."""
MOST_FILES = 50
_YOLO = ("data.yaml", "data.yml", "classes.txt", "labels")
_READ = {"voc": (".xml",), "yolo": (".txt", ".yaml", ".yml")}
"""Suffixes of the files to read in a folder, by format."""
_MOST_NAME = 100


class StartFile(Record):
    """A file, or a folder, of marks from which annotators start.

    Attributes:
        path: Path of a COCO or LVIS file, of a Pascal VOC file or a folder of them, or of the folder of a YOLO dataset
            or its `data.yaml`; relative to the recipe's folder.
        format: `coco`, `lvis`, `voc` or `yolo`; by default, recognized from the contents.
        labels: Label code in the form by label in the file, if the two differ; null omits the marks with that label.
        fields: Names of the fields that accept its marks; by default, all.
    """

    path: str = Field(min_length=1, max_length=4096)
    format: MarkFormat | None = None
    labels: dict[str, str | None] = Field(default_factory=dict, max_length=10_000)
    fields: tuple[str, ...] = Field((), max_length=20)

    @model_validator(mode="before")
    @classmethod
    def _may_be_a_path_alone(cls, value: Any) -> Any:
        return {"path": value} if isinstance(value, str) else value

    def read_as(self, path: Path) -> MarkFormat:
        """Return the format of the file or folder at a path.

        Raises:
            DataError: The format is unclear.
        """
        if self.format is not None:
            return self.format
        if path.is_dir():
            if any((path / name).exists() for name in _YOLO):
                return "yolo"
            if any(path.rglob("*.xml")):
                return "voc"
        by_ending: Mapping[str, MarkFormat] = {".json": "coco", ".xml": "voc", ".yaml": "yolo", ".yml": "yolo"}
        known = by_ending.get(path.suffix.lower()) if path.is_file() else None
        if known is None:
            raise DataError(
                f"{START_FROM}: {path} is neither a JSON file (COCO, LVIS), nor XML (Pascal VOC), nor the folder of a "
                "YOLO dataset; give its `format`, or the path of the annotations"
            )
        return known


class StartAuthor(Record):
    """A file of marks as the author of proposals.

    Attributes:
        name: Name of the file or folder, without its path.
        version: Format, and digest of the content.
    """

    name: str = Field(min_length=1, max_length=_MOST_NAME)
    version: str = Field(max_length=100)

    def proposed(self, document: Mapping[str, Any]) -> dict[str, Any]:
        """Return a region in the file, as JSON values that name the file as the source of the proposal."""
        region = Region.model_validate(document)
        proposal = Proposal(helper=self.name, version=self.version, points=region.points, mask=region.mask)
        return region.model_copy(update={"proposal": proposal}).model_dump(mode="json")


def check_files(files: Sequence[StartFile], folder: Path) -> None:
    """Check that files exist, that their formats are known, and that no file is listed twice.

    Raises:
        DataError: One file fails a check.
    """
    _names_of(files)
    for file in files:
        path = folder / file.path
        if not path.exists():
            raise DataError(f"{START_FROM}: there is no {path}; paths start from the recipe's folder")
        file.read_as(path)


def authors_of(files: Sequence[StartFile], folder: Path) -> list[StartAuthor]:
    """Return the files as authors, together with digests of their content.

    Raises:
        DataError: A file is missing, its format is unclear, or it is named twice.
    """
    check_files(files, folder)
    authors = []
    for file, name in zip(files, _names_of(files), strict=True):
        path = folder / file.path
        form = file.read_as(path)
        authors.append(StartAuthor(name=name, version=f"{form} sha256:{_digest(path, form)}"))
    return authors


def _names_of(files: Sequence[StartFile]) -> list[str]:
    """Return the names of files for readers; files with equal names are distinguished by parts of their paths."""
    paths = [PurePosixPath(file.path.replace("\\", "/")) for file in files]
    names = [path.name or str(path) for path in paths]
    for parts in range(2, max((len(path.parts) for path in paths), default=0) + 1):
        repeated = {name for name, n in Counter(names).items() if n > 1}
        ends = ["/".join(path.parts[-parts:]) for path in paths]
        names = [end if name in repeated else name for end, name in zip(ends, names, strict=True)]
    names = [name if len(name) <= _MOST_NAME else f"...{name[3 - _MOST_NAME :]}" for name in names]
    if repeated_names := [name for name, n in Counter(names).items() if n > 1]:
        raise DataError(f"{START_FROM} names {repeated_names[0]!r} twice; name each file once")
    return names


def authors_in(settings: Mapping[str, Any]) -> list[StartAuthor]:
    """Return the authors of the starting marks in a campaign's settings; none if there are no such files."""
    return [StartAuthor.model_validate(author) for author in settings.get(START_FROM, ())]


def _digest(path: Path, form: MarkFormat) -> str:
    """Return the SHA-256 of a file or, for a folder, of the names and digests of all files that are read from it."""
    with naming(path):
        if path.is_file() and not (form == "yolo" and path.suffix in (".yaml", ".yml")):
            return _file_digest(path)
        folder = path if path.is_dir() else path.parent
        whole = hashlib.sha256()
        for file in _files_in(folder, _READ.get(form, ())):
            whole.update(
                f"{file.relative_to(folder).as_posix()}\0{_file_digest(file)}\n".encode(errors="surrogateescape")
            )
        return whole.hexdigest()


def _files_in(folder: Path, endings: Sequence[str]) -> Iterator[Path]:
    yield from sorted(file for file in folder.rglob("*") if file.suffix.lower() in endings and file.is_file())


def _file_digest(path: Path) -> str:
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()
