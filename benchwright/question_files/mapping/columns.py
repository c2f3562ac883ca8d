"""Meaning of the columns of a question table: guessed from names, or stated by a curator.

| field         | content                                                                                   |
|---------------|-------------------------------------------------------------------------------------------|
| `id`          | the question's id; the row's number if it has none                                        |
| `question`    | its text                                                                                  |
| `options`     | a list, a mapping from letter to text, or either as text; or columns A, B, ..., option1, ... |
| `answer`      | letter, text, or number of the right option; yes or no without options                    |
| `refusal`     | the option that declines to answer, named like a key                                      |
| `context`     | text to read before the question, such as a hint                                          |
| `image`       | path, name, address, base64 or bytes of the picture, or a list of such; also image_1, ... |
| `task`, `category`, `level`, `split`, `group`, `explanation` | as in an item                              |

Names in other languages are recognized if the column of questions has such a name (`header_words`). Columns that no
field uses become labels. A file of models' replies has a reply column in addition to the question's id
(`REPLY_FIELDS`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import count, takewhile
from typing import Any

from pydantic import Field

from benchwright.errors import DataError
from benchwright.files.recoded_text import known_encoding
from benchwright.records import LETTERS, Record
from benchwright.source_files.picture_names import is_picture_name

from .header_words import FOREIGN, bare_name, foreign_option, is_option_name
from .readings import READINGS, Reading

FIELDS: Mapping[str, tuple[str, ...]] = {
    "id": (
        "question_id", "questionid", "qid", "item_id", "idx", "id", "uid", "index", "sample_id", "key", "pid",
        "problem_id", "question_index", "instance_id", "example_id", "sample_index", "global_id", "figure_id", "qa_id",
    ),
    "question": (
        "question", "query", "ask", "question_text", "text", "prompt", "problem", "input", "text_in", "instruction",
        "being_asked", "question_string",
    ),
    "options": (
        "options", "choices", "candidates", "answer_choices", "multiple_choices", "mc_options", "answer_options",
        "answer_texts", "possible_answers", "alternatives", "option_list", "choice_list", "options_list",
        "choices_list", "actions",
    ),
    "answer": (
        "answer", "correct_option", "correct_answer", "answer_key", "right", "gt_answer", "ground_truth", "target",
        "label", "correct", "gt", "multiple_choice_answer", "correct_choice", "correct_choice_idx", "answer_idx",
        "answer_index", "correct_ans", "correct_index", "correct_idx", "answer_letter", "correct_letter", "ans", "gold",
        "choice", "answers", "truth", "text_out", "right_answer", "answer_text",
    ),
    "refusal": ("refusal", "refusal_option", "refuse_option", "refuse_choice", "refusal_choice", "refuse"),
    "context": ("hint", "context", "passage", "background_description"),
    "image": (
        "image", "images", "image_path", "img_path", "local_path", "image_file", "file_name", "filename", "img",
        "picture", "pictures", "image_paths", "image_filename", "image_name", "imagename", "img_name", "imgname",
        "image_src", "image_list", "images_list", "image_files", "images_path", "images_paths", "img_paths", "img_list",
        "image_id", "imageid", "image_url", "image_urls", "img_id", "data_id",
    ),
    "task": ("task", "sub_task", "subtask"),
    "category": ("category", "subject", "subfield", "domain", "topic", "l2-category", "question_type"),
    "level": ("level", "difficulty", "topic_difficulty"),
    "split": ("split", "subset"),
    "group": ("group", "pair_id", "scene", "scene_id"),
    "explanation": ("explanation", "rationale", "solution", "reason"),
}  # fmt: skip
"""Recognized column names for each field, most likely first, in lower case."""

REPLY_FIELDS: Mapping[str, tuple[str, ...]] = {
    "reply": (
        "full_prediction", "output", "response", "prediction", "model_output", "model_answer", "model_response",
        "model_prediction",
        "reply", "raw_output", "generated_text",
    ),
    "choice": ("prediction", "parsed_pred", "extracted (rule)", "extracted_answer", "extracted"),
    "model": ("model_id", "model", "model_name"),
}  # fmt: skip
"""The same for replies: the raw text, the choice that its source parsed from it, and the model."""

_FIRST_ANSWER = "first_answer"
"""Setting next to columns: number of the first option for number keys, 0 or 1."""

KEYS = "keys"
"""Setting next to columns: how keys name options, one of `READINGS`."""

ENCODING = "encoding"
"""Setting next to columns: encoding of a file's text, if its bytes do not determine it."""

SETTINGS = (_FIRST_ANSWER, KEYS, ENCODING)
"""Keys of a mapping that are not fields with columns."""

_OPTION = re.compile(r"(?:option|choice|opt|answer)?[ _-]?([a-z])", re.I)
_NUMBERED_OPTION = re.compile(r"(?:option|choice|opt)[ _-]?(\d{1,2})", re.I)
_NUMBERED_IMAGE = re.compile(r"(?:image|img|picture)[ _-]?(\d{1,2})", re.I)
_OPTION_WORDS = frozenset({"option", "options", "choice", "choices", "opt"})
_REPEATED = re.compile(r"(.+)\.(\d{1,2})")
"""A repeated name as numbered by pandas."""


_PICTURE_WORD = r"(?:image|img|picture|pic|photo)(?:[ _-]?(?:path|file|name|url))?"
_OPTION_WORD = r"(?:option|choice|opt|answer|candidate)"
_OPTION_PICTURE = re.compile(
    rf"(?:{_OPTION_WORD}[ _-]?)?([a-z]|\d{{1,2}})[ _-]?{_PICTURE_WORD}"
    rf"|{_OPTION_WORD}[ _-]?{_PICTURE_WORD}[ _-]?([a-z]|\d{{1,2}})"
    rf"|{_PICTURE_WORD}[ _-]?{_OPTION_WORD}[ _-]?([a-z]|\d{{1,2}})",
    re.I,
)
"""Columns with the pictures of options: `option_A_image`, `A_image`, `option_image_1`, `image_option_1`."""
_MAY_BE_WORDS = frozenset({"text", "prompt", "input", "text_in", "problem"})
"""Columns used for questions that, without further evidence, may contain other texts."""
QUESTION_LISTS = ("qa_pairs", "qas", "qa", "question_answers", "question_answer_pairs", "question_answering_pairs")
"""Columns that list the questions about a picture."""
_KNOWN = frozenset(
    {
        *QUESTION_LISTS,
        "option",
        "metadata",
        "attributes",
        "kind",
        "messages",
        "conversations",
        "conversation",
        "dialogue",
        "dialog",
        *(n for names in (*FIELDS.values(), *REPLY_FIELDS.values()) for n in names),
    }
)


def spellings(name: str) -> tuple[str, ...]:
    """Return the lookup forms of a column's name: in lower case, and with `_` between words."""
    bare = name.strip()
    parted = re.sub(r"[ -]+", "_", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", bare))
    return bare.lower(), bare.lower().replace(" ", "_"), parted.lower()


def is_known_column(name: str) -> bool:
    """Return whether a column's name indicates a part of a question or of a reply."""
    is_numbered = any(form.fullmatch(name.strip().lower()) for form in (_OPTION, _NUMBERED_OPTION, _NUMBERED_IMAGE))
    is_numbered = is_numbered or _OPTION_PICTURE.fullmatch(name.strip()) is not None
    if is_numbered or any(spelling in _KNOWN for spelling in spellings(name)):
        return True
    is_repeated = (match := _REPEATED.fullmatch(name.strip())) is not None and is_option_word(match[1])
    return is_repeated or any(bare_name(name) in names for names in FOREIGN.values()) or bool(foreign_option(name))


def is_option_word(name: str) -> bool:
    """Return whether a name is the word for an option, without a letter or number, in any language."""
    return name.strip().lower() in _OPTION_WORDS or is_option_name(name)


def own_picture(row: Mapping[str, Any]) -> str | None:
    """Return the name of a picture's file stated in a row; None if there is no name, or only a number."""
    named = (value for name, value in row.items() if name.strip().lower() in FIELDS["image"] and is_picture_name(value))
    return next(named, None)


class ColumnMapping(Record):
    """Columns by field.

    Attributes:
        fields: Column by field, of `FIELDS`.
        options: Columns of the options, in order, if each has one.
        images: Columns of the pictures, in order, if each has one.
        replies: Column by field, of `REPLY_FIELDS`; empty if the file holds no replies.
        first_answer: Number of the first option for number keys, as a curator states it; None to determine it.
        keys: How keys name options, as a curator states it; None to determine it.
        encoding: Encoding of the file's text, as a curator states it; None to detect it.
        absent: Mark in the last option columns of rows with fewer options, inferred from the rows.
        parted: Separator of the options in one cell, inferred from the keys; empty if there is none.
        parts: Number of separated options in a cell, if known; 0 for any.
    """

    fields: dict[str, str] = Field(default_factory=dict)
    options: tuple[str, ...] = ()
    images: tuple[str, ...] = ()
    replies: dict[str, str] = Field(default_factory=dict)
    first_answer: int | None = Field(None, ge=0, le=1)
    keys: Reading | None = None
    encoding: str | None = None
    absent: frozenset[str] = frozenset()
    parted: str = ""
    parts: int = Field(0, ge=0)

    @cached_property
    def taken(self) -> frozenset[str]:
        """Return all columns used by fields, and the one that may replace `image`."""
        own = (*self.fields.values(), *self.options, *self.images, *self.replies.values())
        return frozenset(own if self.other_image is None else (*own, self.other_image))

    @cached_property
    def other_image(self) -> str | None:
        """Return the column with the pictures of rows without one in `image`: the same name in the singular or plural.

        Files with one picture in most rows often have a list in the others: `image` and `images`.
        """
        column = self.fields.get("image")
        if column is None:
            return None
        other = column[:-1] if column[-1:] in "sS" else f"{column}s"
        is_known = {column.strip().lower(), other.strip().lower()} <= set(FIELDS["image"])
        return other if is_known and other not in self.fields.values() else None

    @property
    def has_questions(self) -> bool:
        """Return whether a row can be a question: text with options or a key, or text about a picture without a key.

        Without a key, the column's name must be that of a question, or the ids must be those of questions: texts in
        other tables of pictures are captions and the like.
        """
        question, identity = self.column("question"), self.column("id") or ""
        if question is None:
            return False
        is_asked = not _MAY_BE_WORDS.intersection(spellings(question)) or "question_id" in spellings(identity)
        has_picture = bool(self.column("image") or self.images)
        return bool(self.column("answer") or self.column("options") or self.options or (is_asked and has_picture))

    @property
    def has_keys(self) -> bool:
        """Return whether rows contain keys by id, whether or not they contain questions."""
        return bool(self.column("id") and self.column("answer"))

    def stated(self) -> dict[str, str | list[str]]:
        """Return an equivalent mapping with one column or a list of columns per field."""
        several = {"options": list(self.options), "image": list(self.images)}
        encoding = {} if self.encoding is None else {ENCODING: self.encoding}
        return {**self.fields, **{field: columns for field, columns in several.items() if columns}, **encoding}

    def column(self, field: str) -> str | None:
        """Return the column of a field; None if no column has that field."""
        return self.fields.get(field)

    def __str__(self) -> str:
        """Return the mapping as one line, for a user to check before using it."""
        parts = [f"{field}: {column}" for field, column in self.fields.items()]
        parts += [f"options: {', '.join(self.options)}"] if self.options else []
        parts += [f"image: {', '.join(self.images)}"] if self.images else []
        return "; ".join(parts)


def guessed_columns(
    columns: Sequence[str],
    stated: Mapping[str, str | int | list[str]] | None = None,
    *,
    of: str = "the file",
    no_ids: Collection[str] = (),
) -> ColumnMapping:
    """Return the columns by field.

    Args:
        columns: Names of the columns, in order.
        stated: Columns that a curator states, by field; a list for `options` and `image`. They take precedence over
            guesses, and an empty text excludes a field.
        of: Path of the file, for errors.
        no_ids: Columns not to be used as `id`, because their values repeat.

    Raises:
        DataError: A stated field or column does not exist.
    """
    given = dict(stated or {})
    first_answer = _first_answer(given.pop(_FIRST_ANSWER, None), of)
    keys = _reading(given.pop(KEYS, None), of)
    encoding = stated_encoding(given.pop(ENCODING, None), of)
    fields, several = _stated_fields(given, columns, of)
    lowered: dict[str, str] = {}
    for name in columns:
        for spelling in spellings(name):
            lowered.setdefault(spelling, name)
    for field, names in FIELDS.items():
        taken = {*fields.values(), *(name for group in several.values() for name in group)}
        taken |= set(no_ids) if field == "id" else set()
        if field in fields or field in several:
            continue
        guess = next((lowered[name] for name in names if name in lowered and lowered[name] not in taken), None)
        if guess is not None:
            fields[field] = guess
    repeated = _repeated_options(columns)
    if "options" not in given and repeated:
        fields = {field: name for field, name in fields.items() if name not in repeated or field in given}
    if "options" not in given and "options" not in fields:
        others = frozenset(fields.values())
        found = _in_order(columns, _OPTION, _NUMBERED_OPTION, without=others)
        is_foreign = any(bare_name(name) in FOREIGN["question"] for name in columns)
        several["options"] = found or repeated or (_foreign_options(columns, without=others) if is_foreign else ())
    _add_foreign(fields, several, columns, given, no_ids)
    if "image" not in given and (numbered := _in_order(columns, None, _NUMBERED_IMAGE)):
        fields.pop("image", None)
        several["image"] = numbered
    return ColumnMapping(
        fields={field: column for field, column in fields.items() if column},
        options=several.get("options", ()),
        images=several.get("image", ()),
        replies=_reply_columns(lowered, {column for field, column in fields.items() if field in given}),
        first_answer=first_answer,
        keys=keys,
        encoding=encoding,
    )


def _add_foreign(
    fields: dict[str, str],
    several: Mapping[str, tuple[str, ...]],
    columns: Sequence[str],
    given: Collection[str],
    no_ids: Collection[str],
) -> None:
    """Add the columns whose names are words of other languages, if the column of questions has such a name."""
    by_name: dict[str, str] = {}
    for name in columns:
        by_name.setdefault(bare_name(name), name)
    if not any(word in by_name for word in FOREIGN["question"]):
        return
    for field, words in FOREIGN.items():
        taken = {*fields.values(), *(name for group in several.values() for name in group)}
        taken |= set(no_ids) if field == "id" else set()
        if field in fields or several.get(field) or field in given:
            continue
        guess = next((by_name[word] for word in words if word in by_name and by_name[word] not in taken), None)
        if guess is not None:
            fields[field] = guess


def _repeated_options(columns: Sequence[str]) -> tuple[str, ...]:
    """Return the option columns of the same name, which pandas numbers: `option`, `option.1`."""
    for name in columns:
        if is_option_word(name) and f"{name}.1" in columns:
            others = takewhile(columns.__contains__, (f"{name}.{number}" for number in count(1)))
            return (name, *others)
    return ()


def _foreign_options(columns: Sequence[str], *, without: frozenset[str]) -> tuple[str, ...]:
    """Return the columns of options in other languages, of letters from the first on, or of numbers from 0 or 1 on."""
    by_kind: dict[str, dict[int, str]] = {}
    for name in columns:
        if name not in without and (found := foreign_option(name)) is not None:
            by_kind.setdefault(found[0], {}).setdefault(found[1], name)
    runs = []
    for kind, places in by_kind.items():
        first = 1 if kind == "1" and 0 not in places else 0
        runs.append(tuple(places[place] for place in takewhile(places.__contains__, count(first))))
    whole = [run for run in runs if len(run) >= 2]
    return whole[0] if len(whole) == 1 else ()


def option_columns(columns: Iterable[str]) -> tuple[str, ...]:
    """Return the columns that contain one option each, such as `A`, `B`, or `option1`, `option2`; empty if none do."""
    return _option_columns(tuple(columns))


@lru_cache(maxsize=64)
def _option_columns(columns: tuple[str, ...]) -> tuple[str, ...]:
    taken = {name for names in (FIELDS["options"], FIELDS["answer"]) for name in names}
    return _in_order([name for name in columns if name.strip().lower() not in taken], _OPTION, _NUMBERED_OPTION)


def option_picture_columns(columns: Sequence[str]) -> dict[str, str]:
    """Return the picture columns of options, by letter or number; empty unless these are consecutive.

    Example:
        >>> option_picture_columns(["option_A_image", "option_B_image"]), option_picture_columns(["option_B_image"])
        ({'A': 'option_A_image', 'B': 'option_B_image'}, {})
    """
    found: dict[str, str] = {}
    for name in columns:
        if (match := _OPTION_PICTURE.fullmatch(name.strip())) is not None:
            found.setdefault(next(filter(None, match.groups())).upper(), name)
    numbers = [str(number) for number in (range(len(found)) if "0" in found else range(1, len(found) + 1))]
    order = next((run for run in (list(LETTERS[: len(found)]), numbers) if set(run) == set(found)), [])
    return {label: found[label] for label in order} if len(order) > 1 else {}


def image_columns(columns: Sequence[str]) -> tuple[str, ...]:
    """Return the columns that contain one picture each, such as `image_1`, `image_2`; empty if there are none."""
    return _in_order(columns, None, _NUMBERED_IMAGE)


def _stated_fields(
    given: Mapping[str, str | int | list[str]], columns: Sequence[str], of: str
) -> tuple[dict[str, str], dict[str, tuple[str, ...]]]:
    """Return the stated column of each field, and the columns of fields with several."""
    fields: dict[str, str] = {}
    several: dict[str, tuple[str, ...]] = {}
    for field, stated_column in given.items():
        column = str(stated_column) if isinstance(stated_column, int) else stated_column
        if field not in FIELDS:
            raise DataError(f"{of}: unknown field {field!r} for a column; fields are {', '.join(FIELDS)}")
        named = [column] if isinstance(column, str) else list(column)
        if missing := [name for name in named if name and name not in columns]:
            raise DataError(f"{of}: column {missing[0]!r} for {field} is missing; the columns are {', '.join(columns)}")
        if isinstance(column, str):
            fields[field] = column
        elif field in ("options", "image"):
            several[field] = tuple(named)
        else:
            raise DataError(f"{of}: {field} takes one column, not a list; only options and image may have several")
    return fields, several


def _reply_columns(lowered: Mapping[str, str], stated: Collection[str]) -> dict[str, str]:
    """Return the columns of replies by field; empty if no column contains a raw reply."""
    columns: dict[str, str] = {}
    for field, names in REPLY_FIELDS.items():
        taken = {*stated, *columns.values()}
        column = next((lowered[name] for name in names if name in lowered and lowered[name] not in taken), None)
        if column is not None:
            columns[field] = column
    return columns if "reply" in columns else {}


def _first_answer(value: object, of: str) -> int | None:
    if value is None or str(value) in ("0", "1"):
        return None if value is None else int(str(value))
    raise DataError(f"{of}: {_FIRST_ANSWER} is {value!r}; write 0 or 1, the number that keys give the first option")


def _reading(value: object, of: str) -> Reading | None:
    if value is None or value in READINGS:
        return None if value is None else READINGS[READINGS.index(value)]
    raise DataError(f"{of}: {KEYS} is {value!r}; write how keys name options: {', '.join(READINGS)}")


def stated_encoding(value: object, of: str) -> str | None:
    """Return the encoding that a curator states for a file; None if no encoding is stated.

    Raises:
        DataError: The encoding is unknown.
    """
    if value is None or (known := known_encoding(value)) is not None:
        return None if value is None else known
    raise DataError(f"{of}: {ENCODING} is {value!r}; write a name such as cp1252, latin-1, utf-16 or gbk")


def _in_order(
    columns: Sequence[str],
    lettered: re.Pattern[str] | None,
    numbered: re.Pattern[str],
    *,
    without: frozenset[str] = frozenset(),
) -> tuple[str, ...]:
    """Return the columns named by consecutive letters from A, or numbers from 0 or 1, in that order."""
    by_letter: dict[str, str] = {}
    by_number: dict[int, str] = {}
    for name in columns:
        if name in without:
            continue
        if lettered is not None and (match := lettered.fullmatch(name.strip())):
            by_letter.setdefault(match[1].upper(), name)
        elif match := numbered.fullmatch(name.strip()):
            by_number.setdefault(int(match[1]), name)
    letters = [by_letter[letter] for letter in takewhile(by_letter.__contains__, LETTERS)]
    numbers = [by_number[number] for number in takewhile(by_number.__contains__, count(0 if 0 in by_number else 1))]
    return tuple(letters if len(letters) >= 2 else numbers)
