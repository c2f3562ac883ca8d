"""Published questions of every layout, in one common type."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from benchwright.errors import DataError

from . import mvp_layout
from .files import SourceRow, as_row, json_document, names_in, needed
from .mvp_bench import options_of
from .mvp_readings import category_of

_YES_NO_CLOSING = "\nPlease answer yes or no."
_FIRST_OPTION = re.compile(r"^A\. ", re.M)


class PublishedQuestion(NamedTuple):
    """One question with its picture; `answer` is None where the publisher keeps it sealed.

    Attributes:
        key: Id that the publisher uses.
        split: Split in which the question is published.
        image: Path below the data folder, as the publisher writes it.
        more_images: Images after the first, in order.
        group: Group that a later split must keep together, if the publisher names one.
    """

    key: str
    split: str
    task: str
    kind: Literal["yes_no", "multiple_choice"]
    image: str
    text: str
    options: tuple[str, ...]
    answer: str | None
    group: str | None = None
    level: str | None = None
    category: str | None = None
    attributes: Mapping[str, str] = {}
    explanation: str | None = None
    more_images: tuple[str, ...] = ()


def ii_bench_questions(data: Path) -> Iterator[PublishedQuestion]:
    """Yield II-Bench's questions, file by file: `data/dev.json`, and the test set without answers.

    Raises:
        DataError: A file does not have the expected content.
    """
    folder = data / "data"
    names = names_in(folder, ".json")
    if not names:
        raise DataError(f"{folder} holds no JSON file of questions; --data takes a folder of the official layout")
    for name in names:
        path = needed(folder, f"{name}.json")
        records = json_document(path)
        if not isinstance(records, list):
            raise DataError(f"{path}: {ascii(records)[:80]} is not a list of records")
        for number, record in enumerate(records, start=1):
            row = as_row(record, f"{path}: entry {number}")
            yield _ii_question(row, "dev" if name == "dev" else "test")


def mvp_bench_questions(data: Path) -> Iterator[PublishedQuestion]:
    """Yield MVP-Bench's questions without the closing instruction and without the options in their text.

    Raises:
        DataError: The file does not have the expected content.
    """
    for question in mvp_layout.read_questions(data).values():
        yes_no = question.kind in mvp_layout.YES_NO
        options = ("Yes", "No") if yes_no else tuple(text or "" for _, text in options_of(question.text))
        first = _FIRST_OPTION.search(question.text)
        text = (
            question.text.removesuffix(_YES_NO_CLOSING) if first is None or yes_no else question.text[: first.start()]
        )
        answer = {"yes": "A", "no": "B"}.get(question.answer.lower()) if yes_no else question.answer
        if answer is None or answer not in "ABCDEFGH"[: len(options)]:
            raise DataError(f"question {question.key} of {data}: answer {question.answer!a} is none of its options")
        side = "manipulated" if question.kind in {"y/n-e", "mcq-e"} else "natural" if yes_no else "both"
        yield PublishedQuestion(
            question.key,
            "test",
            "yes_no" if yes_no else "single_image" if question.kind == "mcq-e" else "cross_image",
            "yes_no" if yes_no else "multiple_choice",
            question.image,
            text.strip(),
            options,
            answer,
            f"pair:{question.pair}",
            question.level,
            category_of(question.pair),
            {"image_side": side},
        )


def _ii_question(row: SourceRow, split: str) -> PublishedQuestion:
    listed = row.values.get("questions")
    if not isinstance(listed, list) or len(listed) != 1:
        raise DataError(f"{row.where}: questions is {ascii(listed)[:80]}, not a list of one question")
    question, labels = as_row(listed[0], row.where), as_row(row.values.get("meta_data"), row.where).values
    options = question.values.get("options")
    if not isinstance(options, list) or len(options) < 2 or not all(isinstance(option, str) for option in options):
        raise DataError(f"{row.where}: options is {ascii(options)[:80]}, not a list of texts")
    answer = None
    if "answer" in question.values:
        answer = question.one_of("answer", tuple("ABCDEFGH"[: len(options)]))
    explanation = labels.get("explanation")
    return PublishedQuestion(
        question.text("id"),
        split,
        "implication",
        "multiple_choice",
        row.text("local_path"),
        question.text("question"),
        tuple(options),
        answer,
        category=_spelled(labels.get("domain")),
        explanation=_spelled(explanation),
        attributes={
            name: words
            for name in ("image_type", "difficulty", "emotion", "rhetoric")
            if (words := _spelled(labels.get(name))) is not None
        },
    )


def _spelled(value: object) -> str | None:
    """Return a label as a text. Lists are joined; the object that one record holds is ignored."""
    if isinstance(value, list) and value and all(isinstance(text, str) for text in value):
        return ", ".join(value)
    return value if isinstance(value, str) and value else None
