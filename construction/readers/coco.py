"""COCO (Lin et al. 2014), boxes and captions, and LVIS (Gupta et al. 2019), boxes of COCO's pictures.

    annotations/{instances,captions}_{train,val}{2014,2017}.json
    annotations/lvis_v1_{train,val}.json
    train2017/000000000009.jpg, val2017/..., train2014/COCO_train2014_000000000009.jpg

Boxes are read like marks (`benchwright.regions.formats`); this module adds licenses, crowds, and the objects that LVIS
states to be absent. A file is one large document; an index by picture is kept on disk while it is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any, ClassVar, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from benchwright.errors import DataError
from benchwright.files.lists_on_disk import ListsOnDisk
from benchwright.regions.formats.mark_files import read_marks
from benchwright.regions.formats.picture_marks import PictureMarks, RefusedMark, shown
from benchwright.regions.formats.streamed_json import JsonLists
from benchwright.source_files.files import DatasetFiles
from benchwright.source_files.refusals import RefusedRow
from benchwright.source_files.rows import LeftOutByRule, Row, checked, checked_beside, guarded

from ..ground_truth.truths import Captions, GroundTruth, LabelledBoxes, Words
from .coco_pictures import coco_path
from .marked_boxes import boxes_of_marks, refused_mark, refused_marks, rows_of_marks
from .reader import (
    NOTHING_STATED,
    DatasetPicture,
    DatasetReader,
    DatasetRecord,
    NeededFiles,
    bad_cells,
    chosen,
    licence_text,
)

_PICTURES_LICENCE = "one per picture, in the annotations; some forbid derivatives or commercial use"
_PICTURES = NeededFiles(
    "<train|val><2014|2017>/<name>.jpg",
    "the pictures",
    "train2017.zip and val2017.zip, or those of 2014, of cocodataset.org",
)


class _ImageEntry(BaseModel):
    id: int = Field(ge=0)
    width: int = Field(gt=0)
    height: int = Field(gt=0)
    file_name: str | None = None
    coco_url: str | None = None
    flickr_url: str | None = None
    license: int | None = None
    neg_category_ids: list[int] = []
    not_exhaustive_category_ids: list[int] = []


_BESIDE = ("license", "flickr_url", "coco_url", "neg_category_ids")
"""Optional fields of a picture in its annotations: its origin, and the objects known to be absent. Its URL is needed
only if there is no `file_name`; it then names the picture.
"""


class _Caption(BaseModel):
    model_config = ConfigDict(str_strip_whitespace=True)

    image_id: int
    caption: Words


class _FileIndex(NamedTuple):
    """The contents of a file other than its boxes and captions.

    Args:
        images: Entries of pictures, by the name that their marks use; the first entry of a name is used.
        licences: Licenses by id.
        categories: Names of categories by id.
    """  # phrase: allowed

    images: ListsOnDisk[str]
    licences: dict[int, str | None]
    categories: dict[int, str]


class Coco(DatasetReader):
    """Boxes and captions of COCO.

    Args:
        files: Names of annotation files without `.json`, such as `captions_val2017`; all existing files by default.
    """

    name: ClassVar[str] = "coco"
    version: ClassVar[int] = 2
    title: ClassVar[str] = "COCO, instances and captions (Lin et al. 2014)"
    home: ClassVar[str] = "https://cocodataset.org"
    licence: ClassVar[str] = "CC BY 4.0, as generally stated"
    pictures_licence: ClassVar[str] = _PICTURES_LICENCE
    needs: ClassVar[tuple[NeededFiles, ...]] = (
        NeededFiles(
            "annotations/instances_<part><year>.json", "boxes", "annotations_trainval<year>.zip, unpacked or not"
        ),
        NeededFiles("annotations/captions_<part><year>.json", "captions", "the same archive"),
        _PICTURES,
    )
    gives: ClassVar[tuple[type[GroundTruth], ...]] = (LabelledBoxes, Captions)
    landmarks: ClassVar[tuple[str, ...]] = ("annotations",)
    is_told_by_names: ClassVar[bool] = True
    pattern: ClassVar[str] = r"(?:instances|captions)_(?:train|val)20\d\d"
    is_lvis: ClassVar[bool] = False

    files: tuple[str, ...] = ()

    def annotations(self, files: DatasetFiles) -> Iterator[str]:
        """Yield the annotation files."""
        names = [name.removesuffix(".json") for name in files.listing("annotations")]
        there = [name for name in names if re.fullmatch(self.pattern, name)]
        if not there:
            raise DataError(
                f"{files.shown('annotations')} contains no file of {self.title}; found "
                f"{', '.join(names[:8]) or 'nothing'}"
            )
        yield from (f"annotations/{name}.json" for name in chosen(there, self.files, "annotation file"))

    def gives_here(self, files: DatasetFiles) -> tuple[type[GroundTruth], ...]:
        """Return which kinds the files supply, judged by their names: boxes, captions or both."""
        kinds = {Captions if PurePosixPath(path).name.startswith("captions_") else LabelledBoxes
                 for path in self.annotations(files)}  # fmt: skip
        return tuple(kind for kind in self.gives if kind in kinds)

    def read(self, files: DatasetFiles, pictures: DatasetFiles) -> Iterator[DatasetRecord | RefusedRow]:
        """Yield one record for each picture of each file."""
        for path in self.annotations(files):
            with files.as_path(path) as place:
                name = PurePosixPath(path).stem
                read = _captions if name.startswith("captions_") else _boxes
                try:
                    yield from read(self, path, place, pictures)
                except DataError as error:
                    raise DataError(str(error).replace(str(place), files.shown(path))) from None


class Lvis(Coco):
    """Boxes of LVIS.

    Args:
        files: Names of annotation files without `.json`, such as `lvis_v1_val`; all existing files by default.
    """

    name: ClassVar[str] = "lvis"
    title: ClassVar[str] = "LVIS (Gupta et al. 2019)"
    home: ClassVar[str] = "https://www.lvisdataset.org"
    needs: ClassVar[tuple[NeededFiles, ...]] = (
        NeededFiles("annotations/lvis_v1_<train|val>.json", "boxes", "lvis_v1_<part>.json.zip, unpacked"),
        _PICTURES,
    )
    gives: ClassVar[tuple[type[GroundTruth], ...]] = (LabelledBoxes,)
    pattern: ClassVar[str] = r"lvis_v\d(?:\.\d)?_(?:train|val)\w*"
    is_lvis: ClassVar[bool] = True


def _boxes(reader: Coco, path: str, place: Path, pictures: DatasetFiles) -> Iterator[DatasetRecord | RefusedRow]:
    marks = read_marks(place, "lvis" if reader.is_lvis else "coco", shape="box")
    with ListsOnDisk[str]() as images:
        index = _indexed(place, images, is_lvis=reader.is_lvis)
        for picture in marks:
            if isinstance(picture, RefusedMark):
                yield refused_mark(picture, path)
                continue
            yield from refused_marks(picture, path)
            entry = f"image {picture.name}"
            with guarded(path, entry) as guard:
                image, wrong = _image(index, picture.name)
                yield from bad_cells(path, entry, wrong)
                truth = _labelled(picture, image, index, reader)
                yield _record(reader, path, entry, image, index, pictures, truth, rows_of_marks(picture))
            if guard.refusal is not None:
                yield guard.refusal._replace(rows=1 + rows_of_marks(picture))


def _labelled(picture: PictureMarks, image: _ImageEntry, index: _FileIndex, reader: Coco) -> LabelledBoxes:
    if not reader.is_lvis:
        return boxes_of_marks(picture, incomplete=picture.crowds)
    absent, incomplete = (
        {index.categories[key] for key in keys if key in index.categories}
        for keys in (image.neg_category_ids, image.not_exhaustive_category_ids)
    )
    return boxes_of_marks(picture, is_federated=True, absent=absent, incomplete=incomplete)


def _captions(reader: Coco, path: str, place: Path, pictures: DatasetFiles) -> Iterator[DatasetRecord | RefusedRow]:
    with ListsOnDisk[str]() as images, ListsOnDisk[int]() as captions:
        index = _indexed(place, images, is_lvis=False)
        yield from _unnamed(path, place)
        for key, _, _, element in JsonLists(place).elements():
            if key == "annotations":
                entry = f"annotation {element.get('id') if isinstance(element, dict) else element!r}"
                with guarded(path, entry) as guard:
                    caption = checked(_Caption, Row(entry, element))
                    captions.add(caption.image_id, caption.caption)
                if guard.refusal is not None:
                    yield guard.refusal
        for name in images:
            entry = f"image {name}"
            texts: tuple[str, ...] = ()
            with guarded(path, entry) as guard:
                image, wrong = _image(index, name)
                yield from bad_cells(path, entry, wrong)
                texts = tuple(captions.pop(image.id))
                if not texts:
                    raise LeftOutByRule(NOTHING_STATED, "no caption is about it")
                yield _record(reader, path, entry, image, index, pictures, Captions(texts=texts), len(texts))
            if guard.refusal is not None:
                yield guard.refusal._replace(rows=1 + len(texts))
        for image_id in captions:
            detail = f"{len(captions[image_id])} captions name picture {image_id}, which is not among the images"
            yield RefusedRow(path, f"image {image_id}", "bad_row", detail, len(captions[image_id]))


def _unnamed(path: str, place: Path) -> Iterator[RefusedRow]:
    """Yield the images without a name in a file of captions."""
    number = 0
    for key, _, _, element in JsonLists(place).elements():
        if key == "images":
            number += 1
            if not isinstance(element, dict) or _name(element, is_lvis=False) is None:
                yield RefusedRow(path, f"image {number}", "bad_row", f"it has no file_name: {shown(element)}")


def _record(
    reader: Coco,
    path: str,
    entry: str,
    image: _ImageEntry,
    index: _FileIndex,
    pictures: DatasetFiles,
    truth: GroundTruth,
    parts: int,
) -> DatasetRecord:
    stem = PurePosixPath(path).stem
    stated = PurePosixPath(image.coco_url).parts[-2:] if image.coco_url else ()
    name = "/".join(stated) or f"{stem.rpartition('_')[2]}/{image.file_name}"
    licence = index.licences.get(image.license) if image.license is not None else None
    shown = DatasetPicture(
        coco_path(pictures, name, image.id),
        f"coco:{image.id}",
        licence,
        image.flickr_url or image.coco_url,
        (image.width, image.height),
    )
    return DatasetRecord(f"{reader.name}:{stem}:{image.id}", path, entry, (shown,), (truth,), parts)


def _image(index: _FileIndex, name: str) -> tuple[_ImageEntry, list[str]]:
    return checked_beside(_ImageEntry, Row("", index.images[name][0]), _BESIDE)


def _indexed(place: Path, images: ListsOnDisk[str], *, is_lvis: bool) -> _FileIndex:
    source = JsonLists(place)
    index = _FileIndex(images, {}, {})
    for key, _, _, element in source.elements():
        if not isinstance(element, dict):
            continue
        if key == "images" and (name := _name(element, is_lvis=is_lvis)) is not None:
            images.add(name, element)
        elif key == "licenses" and isinstance(element.get("id"), int):
            index.licences[element["id"]] = licence_text(element.get("name"), element.get("url"))
        elif key == "categories" and isinstance(element.get("id"), int) and isinstance(element.get("name"), str):
            index.categories[element["id"]] = element["name"]
    if missing := [key for key in ("images", "annotations") if key not in source.keys]:
        raise DataError(f"{place}: a COCO file has the lists images and annotations; {missing[0]} is missing")
    return index


def _name(image: Mapping[str, Any], *, is_lvis: bool) -> str | None:
    """Return the name that a picture's marks use: the last part of the URL in LVIS, otherwise the file name."""
    name, url = image.get("file_name"), image.get("coco_url")
    if (is_lvis or not name) and isinstance(url, str):
        return "/".join(PurePosixPath(url).parts[-2:])
    return name if isinstance(name, str) and name else None
