"""VQAv2: a file of questions, and a file of annotations with ten annotators' answers to each question.

Answers are open: the key is the most frequent one (`multiple_choice_answer`). Yes/no questions become items of two
options, and questions of version 1 with `multiple_choices` items of these options. The others stay open, for checks of
their texts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from benchwright.errors import BenchwrightError
from benchwright.files.bounded_json import plain_value
from benchwright.regions.formats.streamed_json import JsonLists
from benchwright.source_files.files import DatasetFiles
from benchwright.source_files.refusals import RefusedRow
from benchwright.source_files.rows import BadRow, Reshaped, Row

from ..mapping.columns import FIELDS, own_picture
from ..mapping.configs import split_of
from .joined_files import KEYS_DIFFER, JoinedFile
from .picture_lists import LISTS, listed_pictures

_LOOKED_AT = 64
"""Number of entries from which the kind of a file is determined."""
_BEFORE = frozenset({*LISTS, "info", "licenses", "categories"})
"""Lists that may precede the questions."""


_PLAIN_KEYS = tuple(name for name in FIELDS["answer"] if name not in ("answers", "multiple_choice_answer"))
_SUBTYPE = re.compile(r"mscoco_((?:train|val|test)(?:-dev)?20\d\d)_")
"""The part of COCO named in a VQA file name: `mscoco_val2014_annotations.json`."""


class _Key(NamedTuple):
    answer: Any
    labels: Mapping[str, Any]


_AMBIGUOUS = _Key(None, {KEYS_DIFFER: "several questions or annotations have its id"})


def is_vqa(lists: JsonLists) -> bool:
    """Return whether an object's lists are VQAv2 questions or annotations, possibly after a list of pictures."""
    others = (pair for pair in lists.elements() if pair[0] not in _BEFORE)
    return any(
        key in ("questions", "annotations") and isinstance(element, Mapping)
        and {"question_id", "image_id"} <= element.keys()
        for key, _, _, element in islice(others, _LOOKED_AT)
    )  # fmt: skip


def vqa_rows(
    files: DatasetFiles, path: str, lists: JsonLists, joined: list[JoinedFile] | None = None
) -> Iterator[Row | RefusedRow]:
    """Yield the questions of a file, with the answers of the files of annotations in the same folder.

    A file of annotations alone yields nothing, unless the annotations contain the questions. Pictures come from the
    document's list (`images`), if it has one. Otherwise, their names are COCO's if the file states its part
    (`val2014`), or else their numbers.
    """
    subtype = next((str(e) for key, _, _, e in lists.elements() if key == "data_subtype" and isinstance(e, str)), None)
    if subtype is None and (named := _SUBTYPE.search(path)) is not None:
        subtype = named[1]
    pictures = listed_pictures(lists)
    are_annotated = "questions" not in lists.keys
    keys: dict[str, _Key] | None = None
    several: frozenset[str] = frozenset()
    number = 0
    for key, _, _, stated in lists.elements():
        if key != ("annotations" if are_annotated else "questions") or not isinstance(stated, Mapping):
            continue
        element = plain_value(stated)
        if are_annotated and not any(name in element for name in FIELDS["question"]):
            continue
        if keys is None:
            keys = {} if are_annotated else _annotated(files, path, subtype, [] if joined is None else joined)
            several = _of_several(lists) if keys else several
        number += 1
        own, entry = str(element.get("question_id")), f"{key} {number}"
        found = _AMBIGUOUS if own in several and own in keys else keys.get(own)
        try:
            referred = pictures.referred(element)
        except BadRow as error:
            yield RefusedRow(path, entry, error.reason, str(error), source_id=own)
            continue
        if referred is not None:
            picture: Any = referred[1]
        else:
            picture = own_picture(element) or _picture(element.get("image_id"), subtype)
        row = {**element, "image": picture}
        if found is not None:
            row |= {**found.labels, "answer": found.answer}
            if not _agree(element.get("answer"), found.answer):
                row |= {"answer": None, KEYS_DIFFER: "the question and its annotation state different keys"}
        row = row if subtype is None else {"split": split_of(subtype), **row}
        step = Reshaped("the files of questions and annotations", frozenset({"question_id", "image_id"}), element)
        yield Row(entry, row, made=(step,))


def _agree(own: Any, other: Any) -> bool:
    """Return whether the keys of a question and of its annotation are compatible."""
    return own in (None, "", []) or other is None or str(own) == str(other)


def _of_several(lists: JsonLists) -> frozenset[str]:
    """Return the ids that several questions in a file share, for which an annotation is ambiguous."""
    known: dict[str, int] = {}
    several = set()
    for key, _, _, element in lists.elements():
        if key == "questions" and isinstance(element, Mapping) and "question_id" in element:
            own, content = str(element["question_id"]), hash(repr(sorted(map(str, element.items()))))
            if known.setdefault(own, content) != content:
                several.add(own)
    return frozenset(several)


def _picture(image_id: Any, subtype: str | None) -> str:
    number = str(image_id)
    if subtype is None or not number.isdigit():
        return number
    part = re.sub(r"^test-dev", "test", subtype)
    return f"COCO_{part}_{int(number):012d}.jpg"


def _annotated(files: DatasetFiles, path: str, subtype: str | None, joined: list[JoinedFile]) -> dict[str, _Key]:
    """Return the key of each question from a file of annotations in the folder of the questions or next to it."""
    folder = path.rpartition("/")[0]
    upper = folder.rpartition("/")[0]
    names = sorted(
        other
        for other in files.walk(suffixes=(".json", ".json.gz"))
        if (above := other.rpartition("/")[0]) in (folder, upper) or above.rpartition("/")[0] in (folder, upper)
    )
    keys: dict[str, _Key] = {}
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
                        own, key_of = str(element["question_id"]), _key(element)
                        if keys.setdefault(own, key_of).answer != key_of.answer:
                            keys[own] = _AMBIGUOUS
            if len(keys) > known and name != path:
                joined.append(JoinedFile(name, path, "keys"))
        except BenchwrightError:
            continue  # the folder may hold other annotations
    return keys


def _key(annotation: Mapping[str, Any]) -> _Key:
    given = annotation.get("answers")
    answers: Sequence[Any] = given if isinstance(given, list) else []
    counts = Counter(str(a.get("answer")) for a in answers if isinstance(a, Mapping) and a.get("answer") is not None)
    stated = annotation.get("multiple_choice_answer")
    # Of equally frequent ones the first in the alphabet, so that the key does not depend on the order of the file.
    answer: Any = str(stated) if stated is not None else min(counts, key=lambda a: (-counts[a], a)) if counts else None
    if answer is None:
        answer = next((annotation[n] for n in _PLAIN_KEYS if annotation.get(n) not in (None, "", [])), None)
    labels = {name: annotation[name] for name in ("question_type", "answer_type") if name in annotation}
    if counts and answer is not None:
        labels |= {"answers_given": counts.total(), "answers_agreeing": counts[answer]}
    return _Key(answer, labels)
