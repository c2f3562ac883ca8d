"""Models' replies from a user's files, matched with the items of a benchmark.

A file may have any of the common layouts (`reply_files`); the reader of `benchwright evaluate` reads letters from free
replies. Nothing is guessed: a row that names no item, lists options that differ from the item's, or answers an item
again with another answer is an outcome with its reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchwright.errors import DataError
from benchwright.records import LETTERS
from benchwright.replies.answers import read_answer
from benchwright.replies.reply_text import plain
from benchwright.statistics.components import components_of
from benchwright.texts.normalization import counted

from .reply_files import ReplyRow, UnreadReply, reply_rows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NO_LETTER = -1
_LEAST_KEYS_ALIKE = 0.9
"""Smallest proportion of rows whose key must be that of the item with the same number, to match by number alone."""
_LEAST_ROWS = 20
"""Smallest number of rows at which a column of replies that always equals the key is taken to be the key."""

_LEAST_ERRORS_ALIKE = 5
"""Smallest number of wrong replies at which two models with identical replies are considered the same."""


class KeyedItem(NamedTuple):
    """An item with its options and its key, with which replies are matched.

    Args:
        item_id: Id of the item, unique in the benchmark.
        options: Text of each option, in order; None for a picture or an unavailable text.
        key: Index of the right option; None if the benchmark states none.
        task: Name of the item's task; comparisons stay within a task.
        group_keys: Keys that related items share, such as a picture or a scene.
        names: Other ids of the item in reply files.
    """

    item_id: str
    options: tuple[str | None, ...]
    key: int | None
    task: str = ""
    group_keys: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


class ModelReplies(NamedTuple):
    """Replies of a single model.

    Args:
        model: Name of the model.
        letters: Index of the chosen option, by item id; `NO_LETTER` if the reply gives none.
        texts: The replies without a letter, by item id, for inspection.
        unread: Unused rows, with reasons.
        elsewhere: Number of rows that do not name an item of the benchmark.
    """

    model: str
    letters: Mapping[str, int]
    texts: Mapping[str, str]
    unread: tuple[UnreadReply, ...] = ()
    elsewhere: int = 0

    def __str__(self) -> str:
        """Return the counts as one line of text."""
        told = len(self.letters) - len(self.texts)
        parts = [f"{self.model}: options are named by {told:,} of {counted(len(self.letters), 'reply', 'replies')}"]
        parts += [f"{counted(self.elsewhere, 'row is', 'rows are')} of no item here"] if self.elsewhere else []
        parts += (
            [
                f"{counted(len(self.unread), 'row')} could not be read, such as {self.unread[0].where} "
                f"({self.unread[0].reason})"
            ]
            if self.unread
            else []
        )
        return "; ".join(parts)


class LetterMatrix(NamedTuple):
    """Options that models gave to items: one row per model, one column per item.

    Args:
        item_ids: Ids of the items.
        tasks: Names of the tasks, sorted.
        models: Names of the models.
        letter: Index of the chosen option, models x items; `NO_LETTER` without a readable letter or without a reply.
        asked: Whether the model replied to the item, models x items.
        key: Index of each item's key; `NO_LETTER` if it has none.
        options: Number of options of each item.
        task: Index of each item's task.
        group: Index of each item's cluster; items of a cluster share a picture, a pair or a scene.
    """

    item_ids: tuple[str, ...]
    tasks: tuple[str, ...]
    models: tuple[str, ...]
    letter: NDArray[np.int8]
    asked: NDArray[np.bool_]
    key: NDArray[np.int8]
    options: NDArray[np.int64]
    task: NDArray[np.int64]
    group: NDArray[np.int64]

    @property
    def scored(self) -> NDArray[np.bool_]:
        """Return a mask, models x items, of replies that can be right or wrong: those to items that have a key."""
        scored: NDArray[np.bool_] = self.asked & (self.key >= 0)
        return scored

    @property
    def right(self) -> NDArray[np.bool_]:
        """Return a mask, models x items, of the replies that give the key; a reply without a letter counts as wrong."""
        right: NDArray[np.bool_] = self.scored & (self.letter == self.key)
        return right


def named_reply_source(text: str) -> tuple[str, Path]:
    """Return the model and the file in `NAME=FILE`; the name is empty for `FILE` alone, since the file then states it.

    Raises:
        DataError: The file does not exist.
    """
    name, equals, path = text.partition("=")
    if Path(text).exists() or not equals:
        name, path = "", text
    if not Path(path).exists():
        raise DataError(f"{path} does not exist; --replies takes NAME=FILE with a file of a model's replies")
    return name.strip(), Path(path)


def read_replies(path: Path, items: Sequence[KeyedItem], *, model: str = "") -> list[ModelReplies]:
    """Return the replies in a file or folder, one entry per model.

    Args:
        path: File of replies in one of the layouts of `reply_files`, or a folder of such files.
        items: Items of the benchmark.
        model: Name of the model, which overrides names in the file; by default those, or else the file's name. Must be
            empty for a file of several models.

    Raises:
        DataError: The file cannot be read at all, contains several models under one name, names no item of the
            benchmark, or has the keys in place of replies.
    """
    by_model: dict[str, list[ReplyRow]] = {}
    unread: list[UnreadReply] = []
    for row in reply_rows(path):
        if isinstance(row, UnreadReply):
            unread.append(row)
        else:
            by_model.setdefault(row.model, []).append(row)
    if not by_model:
        reason = f": {unread[0].where}: {unread[0].reason}" if unread else ""
        raise DataError(f"{path} contains no replies{reason}")
    if len(by_model) > 1 and model:
        raise DataError(
            f"{path} contains replies of {', '.join(map(repr, sorted(by_model)))}; give the file without the name "
            f"{model!r}"
        )
    lookup = _lookup(items)
    return [
        _matched(path, rows, items, lookup, model or name or path.name.partition(".")[0], tuple(unread))
        for name, rows in sorted(by_model.items())
    ]


def _lookup(items: Sequence[KeyedItem]) -> dict[str, int]:
    """Return the index of each item by its id and by every other name that belongs to only one item."""
    counted = Counter(name for item in items for name in {*item.names} - {item.item_id})
    places = {name: k for k, item in enumerate(items) for name in item.names if counted[name] == 1}
    return places | {item.item_id: k for k, item in enumerate(items)}


def id_column(ids: Iterable[Mapping[str, str]], is_known: Callable[[str], bool]) -> str:
    """Return the column that names items most often, or the first of `ID_COLUMNS` in a tie; empty if no column does.

    Args:
        ids: Candidate values of the item's id, by column, for each row.
        is_known: Function that returns whether an item has a name.
    """
    hits = Counter(column for row in ids for column, name in row.items() if is_known(name))
    return max(hits, key=lambda name: hits[name], default="")


def _matched(
    path: Path,
    rows: Sequence[ReplyRow],
    items: Sequence[KeyedItem],
    lookup: Mapping[str, int],
    model: str,
    unread: tuple[UnreadReply, ...],
) -> ModelReplies:
    column = id_column((row.ids for row in rows), lookup.__contains__)
    by_number = not column and _numbers_fit(rows, items)
    if not column and not by_number:
        shown = ", ".join(f"{name}={value[:40]!r}" for name, value in list(rows[0].ids.items())[:3])
        raise DataError(
            f"{path}: of its {counted(len(rows), 'row')} none names an item of the benchmark ({rows[0].where} has "
            f"{shown}; ids are such as {items[0].item_id!r}); the file belongs to other items"
            if items
            else f"{path}: the benchmark has no items to match replies with"
        )
    letters: dict[str, int] = {}
    texts: dict[str, str] = {}
    first: dict[str, ReplyRow] = {}
    problems, elsewhere = list(unread), 0
    for row in rows:
        name = row.ids.get("doc_id" if by_number else column, "")
        place = int(name) if by_number else lookup.get(name, -1)
        if place < 0:
            elsewhere += 1
            continue
        item = items[place]
        earlier = first.setdefault(item.item_id, row)
        if earlier is not row:
            if earlier.text != row.text:
                problems.append(UnreadReply(row.where, f"item {name} has another answer earlier ({earlier.where})"))
            continue
        given = letter_of(row, item)
        if isinstance(given, str):
            problems.append(UnreadReply(row.where, given))
            continue
        letters[item.item_id] = given
        if given == NO_LETTER:
            texts[item.item_id] = row.text[:1000]
    _check_no_keys(path, rows, items, letters)
    return ModelReplies(model, letters, texts, tuple(problems), elsewhere)


def _numbers_fit(rows: Sequence[ReplyRow], items: Sequence[KeyedItem]) -> bool:
    """Return whether `doc_id` numbers the items: each is an index, and the rows' keys are those items' keys."""
    alike = stated = 0
    for row in rows:
        number = row.ids.get("doc_id", "")
        if not (number.isascii() and number.isdigit() and len(number) < 10 and int(number) < len(items)):
            return False
        item = items[int(number)]
        if row.key and item.key is not None:
            stated += 1
            alike += _same_key(row.key, item)
    return stated > 0 and alike >= _LEAST_KEYS_ALIKE * stated


def _same_key(text: str, item: KeyedItem) -> bool:
    letter = read_answer(text, _choices(item.options)).letter
    return letter is not None and LETTERS.index(letter) == item.key


def _choices(options: Sequence[str | None]) -> list[tuple[str, str | None]]:
    return list(zip(LETTERS, options, strict=False))


def letter_of(row: ReplyRow, item: KeyedItem) -> int | str:
    """Return the index of the option that a reply gives, `NO_LETTER` if it gives none, or why the row is unusable.

    If the row lists the options in another order, as shown to the model, the option's text identifies it.
    """
    if not row.options or None in item.options:
        letter = read_answer(row.text, _choices(item.options)).letter
        return NO_LETTER if letter is None else LETTERS.index(letter)
    places = places_of_options(row.options, item.options)
    if isinstance(places, str):
        return places
    letter = read_answer(row.text, _choices(row.options)).letter
    return NO_LETTER if letter is None else places[LETTERS.index(letter)]


def places_of_options(shown: Sequence[str], options: Sequence[str | None]) -> list[int] | str:
    """Return the index of each shown option among an item's options, or the reason why they are not the item's options.

    Args:
        shown: Texts of the options shown to the model.
        options: Texts of the item's options.
    """
    ours, theirs = ([plain(option or "") for option in texts] for texts in (options, shown))
    if ours == theirs:
        return list(range(len(ours)))
    if sorted(ours) != sorted(theirs):
        return "the options in this row are not those of the item"
    if len(set(ours)) < len(ours):
        return "the options in this row have another order, and two of them are equal"
    return [ours.index(text) for text in theirs]


def _check_no_keys(
    path: Path, rows: Sequence[ReplyRow], items: Sequence[KeyedItem], letters: Mapping[str, int]
) -> None:
    """Reject a file whose replies are in a column `answer` and always equal the key, because they are then the keys."""
    keys = {item.item_id: item.key for item in items if item.key is not None}
    keyed = [item_id for item_id in letters if item_id in keys]
    is_answer = all(row.column == "answer" for row in rows)
    if is_answer and len(keyed) >= _LEAST_ROWS and all(letters[item_id] == keys[item_id] for item_id in keyed):
        raise DataError(
            f"{path}: the column 'answer' contains the keys of all {counted(len(keyed), 'item')}; if these are a "
            "model's replies, rename the column to prediction or reply"
        )


def given_twice(models: Sequence[ModelReplies], items: Sequence[KeyedItem]) -> dict[str, str]:
    """Return the names of models that are duplicates, each with the name of its original.

    One model is a duplicate of another if all its replies, at least `_LEAST_ROWS`, are replies of the other, and at
    least `_LEAST_ERRORS_ALIKE` of them differ from the key: two good models may both be right, but do not share all
    errors. The longer file is the original; if both are equally long, the first.

    Args:
        models: Replies of models.
        items: Items of the benchmark.
    """
    keys = {item.item_id: item.key for item in items if item.key is not None}
    repeated: dict[str, str] = {}
    ordered = sorted(models, key=lambda model: -len(model.letters))
    for number, model in enumerate(ordered):
        wrong = sum(
            place >= 0 and item_id in keys and place != keys[item_id] for item_id, place in model.letters.items()
        )
        if len(model.letters) < _LEAST_ROWS or wrong < _LEAST_ERRORS_ALIKE:
            continue
        for larger in ordered[:number]:
            if larger.model != model.model and model.letters.items() <= larger.letters.items():
                repeated[model.model] = repeated.get(larger.model, larger.model)
                break
    return repeated


def letter_matrix(items: Sequence[KeyedItem], replies: Iterable[ModelReplies]) -> LetterMatrix:
    """Return the replies of several models as a matrix.

    Raises:
        DataError: Two models have the same name.
    """
    import numpy as np

    models = list(replies)
    repeated = [name for name, count in Counter(model.model for model in models).items() if count > 1]
    if repeated:
        raise DataError(f"two files of replies are named {repeated[0]!r}; rename one with --replies NAME=FILE")
    shape = len(models), len(items)
    letter, was_asked = np.full(shape, NO_LETTER, dtype=np.int8), np.zeros(shape, dtype=bool)
    for number, model in enumerate(models):
        given: list[Any] = [model.letters.get(item.item_id) for item in items]
        was_asked[number] = [place is not None for place in given]
        letter[number] = [NO_LETTER if place is None else place for place in given]
    tasks = sorted({item.task for item in items})
    number_of = {name: number for number, name in enumerate(tasks)}
    return LetterMatrix(
        tuple(item.item_id for item in items),
        tuple(tasks),
        tuple(model.model for model in models),
        letter,
        was_asked,
        np.array([NO_LETTER if item.key is None else item.key for item in items], dtype=np.int8),
        np.array([len(item.options) for item in items], dtype=np.int64),
        np.array([number_of[item.task] for item in items], dtype=np.int64),
        np.array(components_of(item.group_keys for item in items), dtype=np.int64),
    )


def votes_of(people: Iterable[ModelReplies], items: Sequence[KeyedItem]) -> NDArray[np.int64]:
    """Return the number of people who chose each option of each item, items x options, excluding replies without a
    letter.

    Args:
        people: Answers of annotators, one entry each, read like models' replies; they must not have seen the key.
        items: Items of the benchmark.
    """
    import numpy as np

    votes = np.zeros((len(items), max((len(item.options) for item in items), default=2)), dtype=np.int64)
    place = {item.item_id: k for k, item in enumerate(items)}
    for person in people:
        for item_id, option in person.letters.items():
            if option >= 0:
                votes[place[item_id], option] += 1
    return votes
