"""VQAv2: a file of questions, and one of annotations with ten people's answers to each.

Answers are open: the key is the one that most gave (`multiple_choice_answer`). Yes/no questions become items of two
options, questions of version 1 with `multiple_choices` of as many; the others are open, and checked as texts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from benchwright.errors import BenchwrightError
from benchwright.regions.formats.streamed_json import JsonLists
from benchwright.source_files.files import DatasetFiles
from benchwright.source_files.rows import Reshaped, Row

from ..mapping.columns import own_picture
from ..mapping.configs import split_of
from .joined_files import JoinedFile

_LOOKED_AT = 64
"""Entries from which the kind of a file is told."""


_SUBTYPE = re.compile(r"mscoco_((?:train|val|test)(?:-dev)?20\d\d)_")
"""The part of COCO in the name of a file of VQA: `mscoco_val2014_annotations.json`."""


class _Key(NamedTuple):
    answer: str | None
    labels: Mapping[str, Any]


def is_vqa(lists: JsonLists) -> bool:
    """Return whether an object's lists are questions or annotations of VQAv2."""
    return any(
        key in ("questions", "annotations") and isinstance(element, Mapping)
        and {"question_id", "image_id"} <= element.keys()
        for key, _, _, element in islice(lists.elements(), _LOOKED_AT)
    )  # fmt: skip


def vqa_rows(files: DatasetFiles, path: str, lists: JsonLists, joined: list[JoinedFile] | None = None) -> Iterator[Row]:
    """Yield the questions of a file, with the answers of the files of annotations in the same folder.

    A file of annotations alone yields nothing. Pictures are named as COCO names them where the file states its part
    (`val2014`), else by their number.
    """
    subtype = next((str(e) for key, _, _, e in lists.elements() if key == "data_subtype" and isinstance(e, str)), None)
    if subtype is None and (named := _SUBTYPE.search(path)) is not None:
        subtype = named[1]
    keys: dict[Any, _Key] | None = None
    number = 0
    for key, _, _, element in lists.elements():
        if key != "questions" or not isinstance(element, Mapping):
            continue
        if keys is None:
            keys = _annotated(files, path, subtype, [] if joined is None else joined)
        number += 1
        found = keys.get(element.get("question_id"), _Key(None, {}))
        picture = own_picture(element) or _picture(element.get("image_id"), subtype)
        row = {**element, **found.labels, "image": picture, "answer": found.answer}
        row = row if subtype is None else {"split": split_of(subtype), **row}
        step = Reshaped("the files of questions and annotations", frozenset({"question_id", "image_id"}), element)
        yield Row(f"questions {number}", row, made=(step,))


def _picture(image_id: Any, subtype: str | None) -> str:
    number = str(image_id)
    if subtype is None or not number.isdigit():
        return number
    part = re.sub(r"^test-dev", "test", subtype)
    return f"COCO_{part}_{int(number):012d}.jpg"


def _annotated(files: DatasetFiles, path: str, subtype: str | None, joined: list[JoinedFile]) -> dict[Any, _Key]:
    """Return the key of each question that a file of annotations has, in the folder of the questions or beside it."""
    folder = path.rpartition("/")[0]
    upper = folder.rpartition("/")[0]
    names = sorted(
        other
        for other in files.walk(suffixes=(".json", ".json.gz"))
        if (above := other.rpartition("/")[0]) in (folder, upper) or above.rpartition("/")[0] in (folder, upper)
    )
    keys: dict[Any, _Key] = {}
    for name in names:
        low = name.lower()
        part = _SUBTYPE.search(name)
        is_of_other = part is not None and subtype is not None and part[1] != subtype
        if is_of_other or ("annotation" not in low.rpartition("/")[2] and name != path):
            continue
        try:
            known = len(keys)
            with files.as_path(name) as place:
                for key, _, _, element in JsonLists(place).elements():
                    if key == "annotations" and isinstance(element, Mapping) and "question_id" in element:
                        keys.setdefault(element["question_id"], _key(element))
            if len(keys) > known and name != path:
                joined.append(JoinedFile(name, path, "keys"))
        except BenchwrightError:
            continue  # the folder may hold annotations of anything
    return keys


def _key(annotation: Mapping[str, Any]) -> _Key:
    answers: Sequence[Any] = annotation.get("answers") or []
    counts = Counter(str(a.get("answer")) for a in answers if isinstance(a, Mapping) and a.get("answer") is not None)
    stated = annotation.get("multiple_choice_answer")
    # Of equally many the first in the alphabet, so that the key does not depend on the order of the file.
    answer = str(stated) if stated is not None else min(counts, key=lambda a: (-counts[a], a)) if counts else None
    labels = {name: annotation[name] for name in ("question_type", "answer_type") if name in annotation}
    if counts and answer is not None:
        labels |= {"answers_given": counts.total(), "answers_agreeing": counts[answer]}
    return _Key(answer, labels)
