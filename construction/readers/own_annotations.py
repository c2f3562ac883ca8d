"""Records from files that annotate your own photographs: COCO, captions, Pascal VOC, YOLO, facts.

A file states the path or name of each picture. The path is first looked up relative to the file; then the name is
looked up anywhere in the folder and used if only one picture has it. Each file yields a separate record for each
picture, so that the statements of several files accumulate. Boxes also yield counts, since annotators box every
instance of a label; a facts file names only what matters and yields no counts.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from pydantic import BaseModel, ConfigDict

from benchwright.canonical import file_digest
from benchwright.errors import BenchwrightError
from benchwright.facts import read_facts
from benchwright.regions.formats.mark_files import MarkFormat, read_marks
from benchwright.regions.formats.picture_marks import PictureMarks, RefusedMark
from benchwright.regions.formats.streamed_json import JsonLists
from benchwright.source_files.refusals import BAD_ROW, MISSING_PICTURE, RefusedRow
from benchwright.source_files.rows import BadRow, LeftOutByRule, Row, checked, guarded

from ..ground_truth.truths import MARKED_BY, Captions, CountQuestion, GroundTruth, LabelledBox, LabelledBoxes, Words
from ..item_parts.wording.english_words import count_question, without_article
from .marked_boxes import BAD_ANNOTATION, boxes_of_marks, refused_mark, refused_marks, rows_of_marks
from .reader import NOTHING_STATED, DatasetPicture, DatasetRecord
from .recognition import AMBIGUOUS, FoundSource, Recognised, picture_paths

_DIGITS = 64


class _CaptionedImage(BaseModel):
    id: int | str
    file_name: object = None


class _OwnCaption(BaseModel):
    model_config = ConfigDict(str_strip_whitespace=True)

    image_id: int | str
    caption: Words


class OwnPictures:
    """Pictures of a folder by their names in files of annotations.

    Args:
        root: The folder.
        paths: Paths of the pictures, relative to the folder.
    """

    def __init__(self, root: Path, paths: Iterator[str]) -> None:
        self.root = root
        self.paths = dict.fromkeys(paths)
        self._by_end: dict[str, list[str]] = defaultdict(list)
        for path in self.paths:
            parts = path.split("/")
            for start in range(len(parts)):
                self._by_end["/".join(parts[start:])].append(path)
        self._by_digest: dict[str, str] | None = None

    @classmethod
    def of(cls, root: Path, here: Recognised) -> OwnPictures:
        """Return the pictures of a folder that neither belong to a source dataset nor are maps of other pictures.

        Args:
            root: The folder.
            here: Content of the folder.
        """
        maps = here.map_paths
        return cls(root, (path for path in picture_paths(root, without=here.dataset_folders) if path not in maps))

    def path_of(self, name: str, folder: str) -> str:
        """Return the path of a picture.

        Args:
            name: Name of the picture in a file.
            folder: Folder of that file below the root; empty for the root.

        Raises:
            BadRow: No picture has this name, or several do.
        """
        parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".")]
        ends = ["/".join(parts[start:]) for start in range(len(parts))]
        for end in ends:
            for beside in (folder, f"{folder}/images" if folder else "images"):
                path = f"{beside}/{end}" if beside else end
                if path in self.paths:
                    return path
        for above in PurePosixPath(folder).parents if folder else ():
            for place in (above.joinpath(*parts), above.joinpath("images", *parts)):
                if place.as_posix() in self.paths:
                    return place.as_posix()
        for end in ends:
            if len(known := self._by_end.get(end, [])) == 1:
                return known[0]
            if known:
                raise BadRow(f"{name!r} may be {' or '.join(known[:3])}; state the path", AMBIGUOUS)
        if len(name) == _DIGITS and (same := self._digests().get(name)) is not None:
            return same
        raise BadRow(f"the folder contains no picture {name!r}", MISSING_PICTURE)

    def _digests(self) -> dict[str, str]:
        if self._by_digest is None:
            self._by_digest = {file_digest(self.root / path): path for path in self.paths}
        return self._by_digest


def own_records(source: FoundSource, pictures: OwnPictures) -> Iterator[DatasetRecord | RefusedRow]:
    """Yield the records of files of annotations, and the faults of these files.

    Args:
        source: The files.
        pictures: Pictures of the folder.
    """
    if source.form == "yolo":
        yield from _marked(source.path, pictures.root / source.path, "yolo", pictures)
        return
    for path in source.annotations:
        with guarded(path) as guard:
            if source.form == "captions":
                yield from _captioned(path, pictures)
            elif source.form == "facts":
                yield from _stated(path, pictures)
            else:
                form: MarkFormat = "voc" if source.form == "voc" else "coco"
                yield from _marked(path, pictures.root / path, form, pictures)
        if guard.refusal is not None:
            yield guard.refusal


def _marked(path: str, place: Path, form: MarkFormat, pictures: OwnPictures) -> Iterator[DatasetRecord | RefusedRow]:
    folder = path if form == "yolo" else _folder(path)
    try:
        for marks in read_marks(place, form, shape="box"):
            if isinstance(marks, RefusedMark):
                yield refused_mark(marks, path)
                continue
            yield from refused_marks(marks, path)
            entry = f"image {marks.name}"
            with guarded(path, entry) as guard:
                shown = pictures.path_of(marks.name, folder)
                yield _record(path, entry, shown, _truths(marks, path), marks.size_wh, parts=rows_of_marks(marks))
            if guard.refusal is not None:
                yield guard.refusal._replace(rows=1 + rows_of_marks(marks))
    except BenchwrightError as error:
        yield RefusedRow(path, "", "unreadable_file", str(error))


def _truths(marks: PictureMarks, path: str) -> tuple[GroundTruth, ...]:
    """Return a picture's boxes and, for each label whose objects certainly all have boxes, the number of objects.

    Args:
        marks: The marks.
        path: Path of their file.
    """
    boxes = boxes_of_marks(marks, incomplete=marks.crowds)
    truths: list[GroundTruth] = [boxes]
    unsure = {without_article(label) for label in boxes.incomplete}
    for label, count in sorted(Counter(without_article(box.label) for box in boxes.boxes).items()):
        if label not in unsure:
            question = count_question(label)
            truths.append(CountQuestion(question=question, count=count, original={MARKED_BY: path}))
    return tuple(truths)


def _captioned(path: str, pictures: OwnPictures) -> Iterator[DatasetRecord | RefusedRow]:
    """Yield a record for each picture that a COCO caption file describes."""
    names: dict[int | str, object] = {}
    texts: dict[int | str, list[str]] = defaultdict(list)
    numbers: Counter[str] = Counter()
    for key, _, _, element in JsonLists(pictures.root / path).elements():
        if key not in ("images", "annotations"):
            continue
        numbers[key] += 1
        entry = f"{key.removesuffix('s')} {numbers[key]}"
        with guarded(path, entry) as guard:
            row = Row(entry, element)
            if key == "images":
                image = checked(_CaptionedImage, row)
                names.setdefault(image.id, image.file_name)
            else:
                caption = checked(_OwnCaption, row)
                texts[caption.image_id].append(caption.caption)
        if guard.refusal is not None:
            yield guard.refusal._replace(reason=BAD_ANNOTATION)
    for image_id, name in names.items():
        entry, stated = f"image {image_id}", tuple(texts.pop(image_id, ()))
        with guarded(path, entry) as guard:
            if not stated:
                raise LeftOutByRule(NOTHING_STATED, "no caption is about it")
            if not isinstance(name, str) or not name:
                raise BadRow(f"captions name picture {image_id}, which has no file_name")
            shown = pictures.path_of(name, _folder(path))
            yield _record(path, entry, shown, (Captions(texts=stated),), parts=len(stated))
        if guard.refusal is not None:
            yield guard.refusal._replace(rows=1 + len(stated))
    for image_id, stated_of_none in texts.items():
        detail = f"captions name picture {image_id}, which is not among the images"
        yield RefusedRow(path, f"image {image_id}", BAD_ROW, detail, len(stated_of_none))


def _stated(path: str, pictures: OwnPictures) -> Iterator[DatasetRecord | RefusedRow]:
    """Yield a record for each picture of a facts file that names subjects; the picture may show further objects."""
    for key, facts in read_facts(pictures.root / path).images.items():
        with guarded(path, f"image {key}") as guard:
            if not facts.subjects:
                raise LeftOutByRule(NOTHING_STATED, "it names no subjects")
            shown = pictures.path_of(key, _folder(path))
            boxes = tuple(
                LabelledBox(label=without_article(subject.phrase), box=subject.box) for subject in facts.subjects
            )
            truths = (LabelledBoxes(boxes=boxes, is_federated=True),)
            yield _record(path, f"image {key}", shown, truths, facts.size_wh, parts=len(boxes))
        if guard.refusal is not None:
            yield guard.refusal._replace(rows=1 + len(facts.subjects))


def _record(
    path: str,
    entry: str,
    shown: str,
    truths: tuple[GroundTruth, ...],
    size_wh: tuple[int, int] | None = None,
    *,
    parts: int,
) -> DatasetRecord:
    picture = DatasetPicture(shown, f"found:{shown}", size_wh=size_wh)
    return DatasetRecord(f"found:{path}:{shown}", path, entry, (picture,), truths, parts)


def _folder(path: str) -> str:
    folder = PurePosixPath(path).parent.as_posix()
    return "" if folder == "." else folder
