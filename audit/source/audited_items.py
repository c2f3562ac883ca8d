"""The input of checks: the items of a source with their ids and splits, their pictures, and its unreadable parts.

Checks of words, options and pictures use `AuditedItems.items`; checks of keys and replies use `AuditedItems.all_items`,
which includes items whose words the source lacks.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from benchwright.canonical import digest
from benchwright.question_files.indexed_rows import AbsentPicture, IndexedPicture
from benchwright.questions.own_ids import ENTRY_ID, OWN_ID, STATED_ID
from benchwright.records import LETTERS, Item
from benchwright.replies.model_replies import KeyedItem, ModelReplies


class UnreadableRow(NamedTuple):
    """A row, file or picture that cannot be read: its location (`quiz.csv, row 7`), and the reason as text."""

    where: str
    reason: str


UNREADABLE_PICTURE = "unreadable_picture"
_ID_ATTRIBUTES = ("source_id", "published_id")
"""Attributes of items whose values files of replies may use as ids."""


@dataclass(frozen=True)
class AuditedItem:
    """One question of the source.

    Args:
        item_id: Its own id, unique in the source.
        item: The question as an item. Its `item_id` is a digest; `answer` and `refusal` are None if the source states
            no key. A missing or unreadable picture has an id that represents its name.
        split: Its split, as named by the source; None if the source states none.
        where: File and row, such as `test.json, row 7`.
        missing: Names of its pictures that are missing or unreadable.
        names: Names of its pictures in the source, in the order of `item.images`; empty for a release.
        padded: Letters of options whose words have surrounding white space in the source, but not in the item.
    """

    item_id: str
    item: Item
    split: str | None
    where: str
    missing: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    padded: tuple[str, ...] = ()

    @property
    def has_key(self) -> bool:
        """Return whether the source states which option is right."""
        return self.item.right_key is not None

    @property
    def task(self) -> str:
        """Return the item's task."""
        return self.item.task

    @property
    def group_keys(self) -> tuple[str, ...]:
        """Return the keys that the item shares with linked items."""
        return self.item.group_keys

    @property
    def stated_id(self) -> str:
        """Return the id that the source states; other items may have the same id."""
        return str(self.item.attributes.get(STATED_ID) or self.item.attributes.get(OWN_ID, self.item_id))

    @property
    def id_from_source(self) -> str:
        """Return the id without anything that Benchwright adds to it: for one of several questions, the id of the
        entry.
        """
        return str(self.item.attributes.get(ENTRY_ID, self.item_id))

    @property
    def keyed_item(self) -> KeyedItem:
        """Return the item in the form for reading replies; items that show the same picture are linked."""
        item = self.item
        stated = (str(item.attributes[name]) for name in _ID_ATTRIBUTES if name in item.attributes)
        return KeyedItem(
            self.item_id,
            tuple(choice.text for choice in item.choices),
            None if item.right_key is None else LETTERS.index(item.right_key),
            item.task,
            (*item.group_keys, *(f"picture:{image.image_id}" for image in item.images)),
            (item.item_id, *stated),
        )


@dataclass(frozen=True)
class WordlessItem:
    """A question whose words the source lacks, such as an entry of a file of keys: its key can be checked.

    Args:
        item_id: Its own id, unique in the source.
        task: Task of the question.
        options: Text of each option; None for an option without text in the source. If the source states no options,
            their number is inferred from the keys of the task.
        key: Index of the right option, from 0; None if the source states none.
        split: Its split, as named by the source; None if the source states none.
        where: File and row.
        group_keys: Keys that linked items share.
        stated_id: The id that the source states, which other items may share.
        states_options: Whether the number of options is stated for it, rather than inferred from other items of its
            task.
    """

    item_id: str
    task: str
    options: tuple[str | None, ...]
    key: int | None
    split: str | None
    where: str
    group_keys: tuple[str, ...]
    stated_id: str
    states_options: bool = True

    @property
    def has_key(self) -> bool:
        """Return whether the source states which option is right."""
        return self.key is not None

    @property
    def fewest_options(self) -> int:
        """Return the smallest possible number of options, which is at least two and sufficient for the key."""
        return len(self.options) if self.states_options else max(2, (self.key or 0) + 1)

    @property
    def keyed_item(self) -> KeyedItem:
        """Return the item in the form for reading replies."""
        return KeyedItem(self.item_id, self.options, self.key, self.task, self.group_keys)


@dataclass(frozen=True)
class OpenItem:
    """A question without options, which is answered in free text: its words, pictures and key can be checked.

    Args:
        item_id: Its own id, unique in the source.
        item: The question as an item without options and key, for checks of words only; it must not enter a table or
            release.
        answer: The right answer in the words of the source; None if it states none.
        split: Its split, as named by the source; None if the source states none.
        where: File and row.
        missing: Names of its pictures that are missing or unreadable.
        names: Names of its pictures in the source, in the order of `item.images`.
        stated_id: The id that the source states, which other items may share.
    """

    item_id: str
    item: Item
    answer: str | None
    split: str | None
    where: str
    missing: tuple[str, ...]
    names: tuple[str, ...]
    stated_id: str

    @property
    def has_key(self) -> bool:
        """Return whether the source states the right answer."""
        return self.answer is not None

    @property
    def task(self) -> str:
        """Return the item's task."""
        return self.item.task

    @property
    def group_keys(self) -> tuple[str, ...]:
        """Return the keys that the item shares with linked items."""
        return self.item.group_keys


class RotatedQuestion(NamedTuple):
    """A question that repeats another question with its options in a different order.

    Args:
        item_id: Its own id.
        of: Own id of the repeated question.
        where: File and row.
        problem: Difference between their keys, as text; empty if the same option is right.
    """

    item_id: str
    of: str
    where: str
    problem: str = ""


class RowFault(NamedTuple):
    """The fault in the key or options of a row because of which its question is not an item.

    Args:
        item_id: Id of the question in its source. If the fault is in the options, no item has this id.
        where: File and row.
        reason: Stable code of the reader, such as `key_not_an_option` or `empty_option`.
        detail: The reason as text.
    """

    item_id: str
    where: str
    reason: str
    detail: str


@dataclass(frozen=True)
class AuditedItems:
    """The complete input of an audit.

    Args:
        source: File or folder of the source.
        items: Items with words, in the order of the source.
        pictures: Readable pictures by id.
        unreadable: Rows and pictures that cannot be read.
        reading: Lines about the reading of the source: its files and how each column is used.
        absent: Reason each missing picture is missing, by the name that items use for it.
        replies: Replies of models next to the questions, as options of the items.
        wordless: Items whose words the source lacks.
        rotations: Questions that repeat an item with its options in a different order; they are not items.
        open_items: Questions without options, in the order of the source.
        left_out: Rows that no check covers, except those in `faults`; all are also in `unreadable`.
        files: Paths of the question files relative to the source; none for a release.
        faults: Rows that runs omit because of their key or their options, in the order of the source.
    """

    source: Path
    items: tuple[AuditedItem, ...]
    pictures: Mapping[str, IndexedPicture]
    unreadable: tuple[UnreadableRow, ...] = ()
    reading: tuple[str, ...] = ()
    absent: Mapping[str, AbsentPicture] = field(default_factory=dict)
    replies: tuple[ModelReplies, ...] = ()
    wordless: tuple[WordlessItem, ...] = ()
    rotations: tuple[RotatedQuestion, ...] = ()
    faults: tuple[RowFault, ...] = ()
    open_items: tuple[OpenItem, ...] = ()
    left_out: tuple[RowFault, ...] = ()
    files: tuple[str, ...] = ()

    @cached_property
    def fault_of(self) -> Mapping[str, RowFault]:
        """Return the fault in the key or the options of a question, by its own id."""
        return {fault.item_id: fault for fault in self.faults}

    @cached_property
    def content_digest(self) -> str:
        """Return a digest of all items and pictures that does not depend on their location."""
        with_words = [[each.item_id, each.split, each.item.content_hash] for each in self.items]
        wordless = [[each.item_id, each.split, each.task, each.key, list(each.options)] for each in self.wordless]
        in_words = [[each.item_id, each.split, each.item.content_hash, each.answer] for each in self.open_items]
        return digest(with_words + wordless + in_words)

    @cached_property
    def all_items(self) -> tuple[AuditedItem | WordlessItem | OpenItem, ...]:
        """Return all items: those with words and options, those without words, and the open questions."""
        return (*self.choice_items, *self.open_items)

    @cached_property
    def choice_items(self) -> tuple[AuditedItem | WordlessItem, ...]:
        """Return all items with options, those with words first."""
        return (*self.items, *self.wordless)

    @cached_property
    def open_by_id(self) -> Mapping[str, OpenItem]:
        """Return the open questions by their own ids."""
        return {audited.item_id: audited for audited in self.open_items}

    @cached_property
    def worded(self) -> Mapping[str, AuditedItem | OpenItem]:
        """Return the items with words and options, then the open questions, by their own ids."""
        return {**self.by_id, **self.open_by_id}

    @cached_property
    def where_of(self) -> Mapping[str, str]:
        """Return the file and row of all subjects of findings, by own id: items, rotations, and rows that are not
        items.
        """
        rows = (*self.left_out, *self.faults, *self.rotations, *self.all_items)
        return {each.item_id: each.where for each in rows}

    @cached_property
    def by_id(self) -> Mapping[str, AuditedItem]:
        """Return the items with words and options by their own ids."""
        return {audited.item_id: audited for audited in self.items}

    @cached_property
    def wordless_by_id(self) -> Mapping[str, WordlessItem]:
        """Return the items without words by their own ids."""
        return {audited.item_id: audited for audited in self.wordless}

    @cached_property
    def own_id(self) -> Mapping[str, str]:
        """Return the own id of each item, by the digest in `Item.item_id`."""
        return {audited.item.item_id: audited.item_id for audited in self.items}

    @cached_property
    def _places(self) -> Mapping[str, int]:
        return {audited.item_id: place for place, audited in enumerate(self.all_items)}

    def place(self, item_id: str) -> int:
        """Return the index of an item in the source, from 0."""
        return self._places[item_id]

    def in_order(self, items: Iterable[str]) -> tuple[str, ...]:
        """Return own ids in the order of the source, without repetitions."""
        return tuple(sorted(set(items), key=self._places.__getitem__))

    @cached_property
    def items_of_picture(self) -> Mapping[str, tuple[str, ...]]:
        """Return, for each readable picture, the own ids of the items that show it, in order."""
        shown: defaultdict[str, list[str]] = defaultdict(list)
        for audited in self.worded.values():
            for image_id in dict.fromkeys(image.image_id for image in audited.item.images):
                if image_id in self.pictures:
                    shown[image_id].append(audited.item_id)
        return {image_id: tuple(ids) for image_id, ids in shown.items()}

    @cached_property
    def keyed(self) -> tuple[AuditedItem, ...]:
        """Return the items with words whose key is known."""
        return tuple(audited for audited in self.items if audited.has_key)

    @cached_property
    def all_keyed(self) -> tuple[AuditedItem | WordlessItem, ...]:
        """Return all items whose right option is known, those with words first."""
        return tuple(audited for audited in self.choice_items if audited.has_key)

    @cached_property
    def splits(self) -> Mapping[str, str]:
        """Return the split of each item with a stated one, by own id."""
        return {audited.item_id: audited.split for audited in self.all_items if audited.split is not None}
