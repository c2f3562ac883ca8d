"""Files of review tasks: evaluation writes them, a campaign reads them.

The format is JSON Lines. The first line describes the tasks and names their release; every other line is one item of
that release, with texts to show next to it. The file contains no question, key or picture: these come from the release,
so that a file from an unknown source cannot change them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, TypeVar

from pydantic import Field, ValidationError

from benchwright.canonical import canonical_json, file_digest
from benchwright.errors import BenchwrightError, DataError
from benchwright.records import ItemId, Record, Sha256
from benchwright.release.format import documents
from benchwright.workspace.written_once import REPLACE, written_once

FORMAT: Literal["benchwright/review-tasks"] = "benchwright/review-tasks"
VERSION = 1
SUFFIX = ".jsonl"
MAX_BYTES = 512 * 2**20
_MAX_LINE = 2**20
LONGEST_TEXT = 20_000
"""Largest number of characters of a text shown next to an item; longer texts must be cut before the file is written."""

_Line = TypeVar("_Line", bound=Record)
_Short = Annotated[str, Field(min_length=1, max_length=200)]
Code = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,63}$")]


class FindingCategory(Record):
    """A category of findings that annotators can choose.

    Attributes:
        code: Code of the category in tables.
        words: Name of the category as shown to people.
        help: One sentence on when it applies.
    """

    code: Code
    words: _Short
    help: str = Field("", max_length=1000)


class TaskFileHead(Record):
    """First line of a task file, which describes its tasks.

    Attributes:
        kind: Kind of the campaign for which the tasks are meant.
        name: Name of the campaign, unless it is given another.
        release: Name and version of the release, for display.
        release_id: Id of the release that the items belong to.
        categories: Categories from which annotators choose, if the kind has any.
        seed: Seed of the order in which tasks are assigned.
    """

    format: Literal["benchwright/review-tasks"] = FORMAT
    version: Literal[1] = 1
    kind: Code
    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_.-]{0,63}$")]
    release: _Short
    release_id: Sha256
    categories: tuple[FindingCategory, ...] = Field((), max_length=100)
    seed: int = 0


class SideText(Record):
    """A text shown next to an item, such as a model's reply."""

    label: _Short
    text: str = Field(max_length=LONGEST_TEXT)


class ReviewTask(Record):
    """One item to review.

    Attributes:
        item_id: Id of the item in the release.
        content_hash: Content hash of the item, so that a changed item with the same id is not mistaken for it.
        about: Value that separates the tables of results, such as the model; annotators do not see it.
        beside: Texts that annotators see next to the item.
    """

    item_id: ItemId
    content_hash: Sha256
    about: dict[Code, Annotated[str, Field(max_length=1000)]] = Field(default_factory=dict)
    beside: tuple[SideText, ...] = Field((), max_length=40)


class ReviewTasks(NamedTuple):
    """Content of a task file.

    Args:
        head: First line of the file.
        tasks: Tasks of the other lines, each item once.
        sha256: SHA-256 of the file.
    """

    head: TaskFileHead
    tasks: tuple[ReviewTask, ...]
    sha256: str


def write_review_tasks(path: Path, head: TaskFileHead, tasks: Iterable[ReviewTask], *, force: bool = False) -> int:
    """Write a file of tasks and return the number of tasks; equal tasks give equal bytes.

    Raises:
        BenchwrightError: The name does not end in `.jsonl`, the path already has other content and `force` is not
            given, or the file cannot be written.
    """
    if path.suffix.lower() != SUFFIX:
        raise BenchwrightError(f"{path}: tasks are written as JSON Lines; give a name that ends in {SUFFIX}")
    try:
        with written_once(path, otherwise=REPLACE, force=force) as draft:
            count = _write(draft, head, tasks)
    except OSError as error:
        raise BenchwrightError(f"{path} cannot be written: {error.strerror or error}") from error
    return count


def _write(draft: Path, head: TaskFileHead, tasks: Iterable[ReviewTask]) -> int:
    count = 0
    with draft.open("w", encoding="utf-8", newline="\n") as handle:
        handle.write(canonical_json(head.model_dump(mode="json")) + "\n")
        for task in tasks:
            handle.write(canonical_json(task.model_dump(mode="json")) + "\n")
            count += 1
    return count


def read_review_tasks(path: Path) -> ReviewTasks:
    """Return the content of a task file, with every line checked.

    Raises:
        DataError: The file is not a task file, has a newer version, or has an invalid line.
    """
    if not path.is_file() or path.stat().st_size > MAX_BYTES:
        problem = "too large" if path.is_file() else "not a file" if path.exists() else "not there"
        raise DataError(f"{path} is {problem}; expected a {SUFFIX} file of tasks of at most {MAX_BYTES >> 20} MiB")
    lines = _lines(path)
    number, first = next(lines, (1, None))
    problem = f"{path}, line {number}"
    head = _checked(TaskFileHead, documents.stated(first, FORMAT, VERSION, title=problem), problem)
    tasks: dict[str, ReviewTask] = {}
    for number, document in lines:
        task = _checked(ReviewTask, document, f"{path}, line {number}")
        if task.item_id in tasks:
            raise DataError(f"{path}, line {number}: item {task.item_id} appears twice; keep one of the two lines")
        tasks[task.item_id] = task
    return ReviewTasks(head, tuple(tasks.values()), file_digest(path))


def _lines(path: Path) -> Iterator[tuple[int, Any]]:
    """Yield the number and value of each nonempty line."""
    try:
        with path.open(encoding="utf-8", newline="\n") as handle:
            number = 0
            while line := handle.readline(_MAX_LINE + 1):
                number += 1
                if len(line) > _MAX_LINE:
                    raise DataError(f"{path}, line {number}: longer than {_MAX_LINE} characters")
                if line.strip():
                    yield number, documents.parse(line, title=f"{path}, line {number}")
    except UnicodeDecodeError as error:
        raise DataError(f"{path} is not UTF-8 ({error.reason}); expected a {SUFFIX} file of tasks") from error
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}") from error


def _checked(cls: type[_Line], document: Any, title: str) -> _Line:
    try:
        return cls.model_validate(document)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part)[:60] for part in first["loc"])
        raise DataError(f"{title}: {ascii(place)[1:-1]}: {first['msg']}") from error
