"""Visual Genome (Krishna et al. 2017): questions, objects with boxes, and phrases about parts of pictures.

    image_data.json                                           ids, addresses and sizes of the pictures
    question_answers.json, objects.json, region_descriptions.json     any of them
    VG_100K/1.jpg, VG_100K_2/2407890.jpg

Each file is one large list. Versions differ in names: `id` or `image_id`, `w` or `width`, `a_objects` or
`answer_objects`. Boxes of objects are incomplete, so an object without a box may be present.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Annotated, ClassVar, Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from benchwright.files.lists_on_disk import ListsOnDisk
from benchwright.source_files.files import DatasetFiles
from benchwright.source_files.refusals import RefusedRow
from benchwright.source_files.rows import BadRow, LeftOutByRule, Row, checked, checked_beside, guarded, json_list

from ..ground_truth.truths import Captions, GroundTruth, LabelledBox, LabelledBoxes, VisualQuestion, Words
from .reader import (
    NOTHING_STATED,
    DatasetPicture,
    DatasetReader,
    DatasetRecord,
    NeededFiles,
    bad_cells,
    chosen,
    length,
)

File = Literal["question_answers", "objects", "region_descriptions"]
FILES: tuple[File, ...] = ("question_answers", "objects", "region_descriptions")
_LICENCE = "CC BY 4.0 (https://creativecommons.org/licenses/by/4.0/)"
_ID = AliasChoices("image_id", "id")


class _GenomePicture(BaseModel):
    image_id: int = Field(ge=0, validation_alias=_ID)
    url: str = ""
    width: int = Field(gt=0)
    height: int = Field(gt=0)
    coco_id: int | None = None


class _GenomeQuestion(BaseModel):
    model_config = ConfigDict(str_strip_whitespace=True)

    qa_id: int
    question: str = Field(min_length=1)
    answer: str = Field(min_length=1)


class _GenomeThing(BaseModel):
    model_config = ConfigDict(str_strip_whitespace=True)

    x: float
    y: float
    w: float = Field(gt=0)
    h: float = Field(gt=0)
    names: list[Annotated[str, Field(min_length=1)]] = Field(min_length=1)


class _GenomeRegion(BaseModel):
    model_config = ConfigDict(str_strip_whitespace=True)

    phrase: Words


class _GenomeEntry(BaseModel):
    """What one file states about one picture."""

    image_id: int = Field(ge=0, validation_alias=_ID)
    qas: list[object] = []
    objects: list[object] = []
    regions: list[object] = []


class VisualGenome(DatasetReader):
    """Questions, boxes and phrases of Visual Genome.

    Args:
        files: Files to read without `.json`, of `question_answers`, `objects` and `region_descriptions`; all existing
            files by default.
    """

    name: ClassVar[str] = "visual_genome"
    version: ClassVar[int] = 2
    title: ClassVar[str] = "Visual Genome (Krishna et al. 2017)"
    home: ClassVar[str] = "https://homes.cs.washington.edu/~ranjay/visualgenome"
    licence: ClassVar[str] = "CC BY 4.0"
    pictures_licence: ClassVar[str] = "those of Flickr's pictures in YFCC100M and COCO; the dataset states CC BY 4.0"
    needs: ClassVar[tuple[NeededFiles, ...]] = (
        NeededFiles("image_data.json", "ids, addresses and sizes of the pictures", "image_data.json.zip, unpacked"),
        NeededFiles("question_answers.json", "questions", "question_answers.json.zip, unpacked"),
        NeededFiles("objects.json", "boxes around things", "objects.json.zip, unpacked"),
        NeededFiles("region_descriptions.json", "phrases", "region_descriptions.json.zip, unpacked"),
        NeededFiles("VG_100K/<id>.jpg, VG_100K_2/<id>.jpg", "the pictures", "its images.zip and images2.zip"),
    )
    gives: ClassVar[tuple[type[GroundTruth], ...]] = (VisualQuestion, LabelledBoxes, Captions)
    landmarks: ClassVar[tuple[str, ...]] = (
        "image_data.json",
        "question_answers.json|objects.json|region_descriptions.json",
    )

    files: tuple[File, ...] = ()

    def annotations(self, files: DatasetFiles) -> Iterator[str]:
        """Yield the list of pictures, then the files that describe them."""
        there = [name for name in FILES if files.has(f"{name}.json")]
        yield "image_data.json"
        yield from (f"{name}.json" for name in chosen(there, self.files, "annotation file"))

    def gives_here(self, files: DatasetFiles) -> tuple[type[GroundTruth], ...]:
        """Return the kinds of truth in the files to read."""
        read = {PurePosixPath(path).stem for path in self.annotations(files)}
        return tuple(kind for name, kind in zip(FILES, self.gives, strict=True) if name in read)

    def read(self, files: DatasetFiles, pictures: DatasetFiles) -> Iterator[DatasetRecord | RefusedRow]:
        """Yield one record for each question, and for each picture one record of its objects and one of its phrases."""
        listing, *paths = self.annotations(files)
        with ListsOnDisk[int]() as known:
            for row in json_list(files, listing):
                with guarded(listing, row.entry) as guard:
                    picture, wrong = checked_beside(_GenomePicture, row, ("coco_id", "url"))
                    known.add(picture.image_id, picture.model_dump())
                    yield from bad_cells(listing, row.entry, wrong)
                if guard.refusal is not None:
                    yield guard.refusal._replace(rows=0)  # the file that describes the picture counts its rows
            for path in paths:
                for row in json_list(files, path):
                    yield from _records(path, row, known, pictures)


def _records(
    path: str, row: Row, known: ListsOnDisk[int], pictures: DatasetFiles
) -> Iterator[DatasetRecord | RefusedRow]:
    own = int(PurePosixPath(path).stem != "question_answers")  # each question is a separate record
    stated = row.document if isinstance(row.document, Mapping) else {}
    parts = sum(length(stated.get(name)) for name in ("qas", "objects", "regions"))
    with guarded(path, row.entry) as guard:
        entry = checked(_GenomeEntry, row)
        documents = known[entry.image_id]
        if not documents:
            raise BadRow(f"picture {entry.image_id} is not in image_data.json")
        shown = _picture(checked(_GenomePicture, Row("", documents[0])), pictures)
        if PurePosixPath(path).stem == "question_answers":
            if not entry.qas:
                raise LeftOutByRule(NOTHING_STATED, "no question is about it")
            yield from _questions(path, row, entry, shown)
        else:
            truths, refused = (_boxes if PurePosixPath(path).stem == "objects" else _phrases)(path, row, entry)
            yield from refused
            parts -= len(refused)
            if truths is None:
                raise LeftOutByRule(NOTHING_STATED, "nothing of it can be used")
            record_id = f"visual_genome:{PurePosixPath(path).stem}:{entry.image_id}"
            yield DatasetRecord(record_id, path, row.entry, (shown,), (truths,), parts)
    if guard.refusal is not None:
        yield guard.refusal._replace(rows=max(1, own + parts))


def _questions(path: str, row: Row, entry: _GenomeEntry, shown: DatasetPicture) -> Iterator[DatasetRecord | RefusedRow]:
    for number, document in enumerate(entry.qas, start=1):
        place = f"{row.entry}, question {number}"
        with guarded(path, place) as guard:
            question = checked(_GenomeQuestion, Row(place, document))
            # Answers are sentences in this dataset: "Black." for "black".
            answer = " ".join(question.answer.split()).removesuffix(".")
            truth = VisualQuestion(
                question=" ".join(question.question.split()),
                answer=answer,
                original={} if answer == question.answer else {"answer": question.answer},
            )
            yield DatasetRecord(f"visual_genome:qa:{question.qa_id}", path, place, (shown,), (truth,))
        if guard.refusal is not None:
            yield guard.refusal


def _boxes(path: str, row: Row, entry: _GenomeEntry) -> tuple[GroundTruth | None, list[RefusedRow]]:
    boxes: list[LabelledBox] = []
    refused: list[RefusedRow] = []
    for number, document in enumerate(entry.objects, start=1):
        place = f"{row.entry}, object {number}"
        with guarded(path, place) as guard:
            thing = checked(_GenomeThing, Row(place, document))
            box = (thing.x, thing.y, thing.x + thing.w, thing.y + thing.h)
            boxes += [LabelledBox(label=name, box=box) for name in dict.fromkeys(thing.names)]
        if guard.refusal is not None:
            refused.append(guard.refusal)
    return (LabelledBoxes(boxes=tuple(boxes), is_federated=True) if boxes else None), refused


def _phrases(path: str, row: Row, entry: _GenomeEntry) -> tuple[GroundTruth | None, list[RefusedRow]]:
    texts: list[str] = []
    refused: list[RefusedRow] = []
    for number, document in enumerate(entry.regions, start=1):
        place = f"{row.entry}, region {number}"
        with guarded(path, place) as guard:
            texts.append(" ".join(checked(_GenomeRegion, Row(place, document)).phrase.split()))
        if guard.refusal is not None:
            refused.append(guard.refusal)
    return (Captions(texts=tuple(dict.fromkeys(texts))) if texts else None), refused


def _picture(picture: _GenomePicture, pictures: DatasetFiles) -> DatasetPicture:
    """Return a picture; its folder is derived from its URL, since some pictures are in the first folder and others in
    the second.

    A picture that is also in COCO has COCO's id, so that the two are recognized as the same picture.
    """
    parts = PurePosixPath(picture.url).parts[-2:]
    name = f"{picture.image_id}.jpg"
    path = pictures.first("/".join(parts), f"VG_100K/{name}", f"VG_100K_2/{name}", f"images/{name}", name)
    canonical_id = f"vg:{picture.image_id}" if picture.coco_id is None else f"coco:{picture.coco_id}"
    size_wh = (picture.width, picture.height)
    return DatasetPicture(
        path or "/".join(parts) or f"VG_100K/{name}", canonical_id, _LICENCE, "Visual Genome", size_wh
    )
