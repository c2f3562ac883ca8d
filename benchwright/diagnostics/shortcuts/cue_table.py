"""The cues of all items of one task as arrays, and the evaluation of picks among options."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchwright.diagnostics.shortcuts.text_only_baseline import ItemWords, folds_of, joined_by_options
from benchwright.records import LETTERS
from benchwright.statistics.components import components_of
from benchwright.steps import CueFamily
from benchwright.texts.normalization import normal

from .item_cues import ItemCues

Floats = NDArray[np.float64]

_MOST_TEXTS = 12
"""Largest number of different option texts of a task with a fixed vocabulary."""


class Cue(NamedTuple):
    """A cue of the items of one task.

    Args:
        family: Source of its values.
        name: Name of the cue within the family.
        values: One value per item and option, shape (items, most options); NaN where an item has fewer. A cue of items
            has the same value for all options of an item.
    """

    family: CueFamily
    name: str
    values: Floats

    @property
    def title(self) -> str:
        """Return the family and name."""
        return f"{self.family}.{self.name}"


class CueTable(NamedTuple):
    """The items of one task with their cues.

    Args:
        task: The task.
        items: The items, in order.
        right: Index of each item's right option.
        options: Number of options of each item.
        groups: Index of each item's cluster; items of a cluster share a source image, pair or scene.
        folds: Fold of each item, 0 to `FOLDS` - 1 of the text-only baseline; all items of a cluster are in the same
            fold.
        of_options: Cues of options, sorted.
        of_items: Cues of items, sorted.
        texts: Index of each option's text among the texts of the task, -1 if the options have no fixed vocabulary;
            shape (items, most options).
        vocabulary: Those texts.
        words: The words of each item.
    """

    task: str
    items: tuple[ItemCues, ...]
    right: NDArray[np.int64]
    options: NDArray[np.int64]
    groups: NDArray[np.int64]
    folds: NDArray[np.int64]
    of_options: tuple[Cue, ...]
    of_items: tuple[Cue, ...]
    texts: NDArray[np.int64]
    vocabulary: tuple[str, ...]
    words: tuple[ItemWords, ...]

    @property
    def exists(self) -> NDArray[np.bool_]:
        """Return a mask of the options that exist, shape (items, largest number of options)."""
        return np.asarray(np.arange(self.texts.shape[1]) < self.options[:, None], np.bool_)

    @property
    def is_right(self) -> NDArray[np.bool_]:
        """Return a mask of the right options, shape (items, largest number of options)."""
        return np.asarray(np.arange(self.texts.shape[1]) == self.right[:, None], np.bool_)


def with_source_image(group_keys: Sequence[str], root_image_id: str) -> tuple[str, ...]:
    """Return the keys that link items: their group keys and the key of their source image."""
    return tuple(sorted({*group_keys, f"image:{root_image_id}"}))


def table_of(
    items: Sequence[ItemCues], group_keys: Sequence[Sequence[str]], *, without: frozenset[CueFamily]
) -> CueTable:
    """Return the table of items of one task.

    Args:
        items: The items; at least one.
        group_keys: Group keys of each item.
        without: Families of cues to exclude because they are the task.
    """
    options = np.array([len(item.texts) for item in items], np.int64)
    most = int(options.max())
    of_options: dict[str, Floats] = {}
    of_items: dict[str, Floats] = {}
    for row, item in enumerate(items):
        for name, values in item.of_options.items():
            column = _column(of_options, name, (len(items), most))
            column[row, : len(values)] = [np.nan if value is None else value for value in values]
        for name, value in item.of_item.items():
            column = _column(of_items, name, (len(items), most))
            column[row, : options[row]] = np.nan if value is None else value
    words = tuple(joined_by_options([_item_words(item, keys) for item, keys in zip(items, group_keys, strict=True)]))
    texts, vocabulary = _texts(items, most)
    return CueTable(
        items[0].task,
        tuple(items),
        np.array([item.right for item in items], np.int64),
        options,
        np.array(components_of(each.group_keys for each in words), np.int64),
        np.array(folds_of(words), np.int64),
        _cues(of_options, without),
        _cues(of_items, without) if vocabulary else (),
        texts,
        vocabulary,
        words,
    )


def _column(columns: dict[str, Floats], name: str, shape: tuple[int, int]) -> Floats:
    """Return a column of cues, which is created when its first value arrives."""
    if name not in columns:
        columns[name] = np.full(shape, np.nan)
    return columns[name]


def _item_words(item: ItemCues, group_keys: Sequence[str]) -> ItemWords:
    """Return the words of an item for the text-only baseline; options that are pictures have none."""
    options = tuple((key, text or "") for key, text in zip(LETTERS, item.texts, strict=False))
    return ItemWords(item.item_id, item.task, item.question, options, LETTERS[item.right], tuple(group_keys))


def _cues(columns: Mapping[str, Floats], without: frozenset[CueFamily]) -> tuple[Cue, ...]:
    cues = []
    for title, values in sorted(columns.items()):
        family, _, name = title.partition(".")
        # Names of families come from `item_cues`, which writes no others.
        cue = Cue(family, name, values)  # type: ignore[arg-type]
        known = values[np.isfinite(values)]
        if cue.family not in without and len(known) and known.max() > known.min():
            cues.append(cue)
    return tuple(cues)


def _texts(items: Sequence[ItemCues], most: int) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Return the index of each option's text, and the texts; empty if there is no fixed vocabulary."""
    spelled = [[None if text is None else normal(text) for text in item.texts] for item in items]
    counts = Counter(text for row in spelled for text in row)
    numbers = np.full((len(items), most), -1, np.int64)
    if None in counts or len(counts) > min(_MOST_TEXTS, max(2, len(items) // 4)):
        return numbers, ()
    vocabulary = sorted(text for text in counts if text is not None)
    place = {text: number for number, text in enumerate(vocabulary)}
    for row, texts in enumerate(spelled):
        numbers[row, : len(texts)] = [place[text] for text in texts if text is not None]
    return numbers, tuple(vocabulary)
