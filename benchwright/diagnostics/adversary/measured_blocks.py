"""Probes made of named measures: measures of each option, or of the whole item, used once per class of options."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchwright.steps import CueFamily

from .item_evidence import ItemEvidence
from .probes import Array, KeyedItems, OfItems, centred, of_letters

Rows = Sequence[Sequence[Mapping[str, float] | None]]
"""Measures by name of each option of each item; None for an option without measures."""


class Classes(NamedTuple):
    """Classes of options, one of which a measure of a whole item can indicate.

    Args:
        names: Name of each class, such as `A` or `yes`.
        numbers: Class of each option, shape (items, most options); -1 where an item has fewer.
    """

    names: tuple[str, ...]
    numbers: NDArray[np.int64]


class Block(NamedTuple):
    """A probe and its measures.

    Args:
        solver: Name of the solver, such as `learned map`.
        family: Family of its cue.
        measures: Measures of options as rows (`probes.centred`), shape (items, most options, measures), or of whole
            items, once per letter.
        names: Name of each measure.
        plain: Leading measures before centering, for combinations; shape (items, most options, measures), or (items, 1,
            measures) if they describe whole items; None for maps.
        plain_names: Names of the measures in `plain`.
        of_letters: Number of leading measures that test letters, if the rest test texts; None for measures of options
            and for those that test one of the two alone.
    """

    solver: str
    family: CueFamily
    measures: Array | OfItems
    names: tuple[str, ...]
    plain: Array | None = None
    plain_names: tuple[str, ...] = ()
    of_letters: int | None = None


class LearnedItems(NamedTuple):
    """The items of one task as the adversary's training data.

    Args:
        evidence: Evidence of each item.
        keyed: Keys of the items.
        classes: Classes of options: letters and, if the options have a fixed vocabulary, texts.
        rows: Index of each item in the order of the source; None if the order reveals nothing.
    """

    evidence: Sequence[ItemEvidence]
    keyed: KeyedItems
    classes: tuple[Classes, ...]
    rows: NDArray[np.int64] | None = None


def of_options(
    items: LearnedItems, name: str, family: CueFamily, rows: Rows, *, with_odd: bool = False
) -> Iterator[Block]:
    """Yield a probe of measures of options by name; an option without measures gets the mean of the others.

    Args:
        items: The items.
        name: Name of the probe, without `learned`.
        family: Family of its cue.
        rows: The measures; a measure that an option lacks is treated as 0.
        with_odd: Whether to add the distance of a value from the median over the item's options, for items with more
            than two options.
    """
    names = sorted({measure for row in rows for option in row if option is not None for measure in option})
    exists = items.keyed.exists
    place = {measure: number for number, measure in enumerate(names)}
    values = np.zeros((*exists.shape, len(names)), np.float32)
    known = exists.copy()
    for item, row in enumerate(rows):
        for option, measures in enumerate(row):
            if measures is None:
                known[item, option] = False
                continue
            values[item, option, [place[measure] for measure in measures]] = list(measures.values())
    if not known.all():
        counts = np.maximum(1, known.sum(axis=1))[:, None]
        mean = np.where(known[:, :, None], values, 0).sum(axis=1) / counts
        values = np.where(known[:, :, None], values, mean[:, None, :]).astype(np.float32)
    yield from of_option_values(items, name, family, values, names, with_odd=with_odd)


def of_option_values(
    items: LearnedItems,
    name: str,
    family: CueFamily,
    values: NDArray[np.float32],
    names: Sequence[str],
    *,
    with_odd: bool = False,
) -> Iterator[Block]:
    """Yield a probe of measures of options: values, ranks and, for more than two options, how unusual each value is.

    Args:
        items: The items.
        name: Name of the probe, without `learned`.
        family: Family of its cue.
        values: The measures, shape (items, most options, measures).
        names: Names of the measures.
        with_odd: Whether to measure how unusual values are.
    """
    if not names:
        return
    exists = items.keyed.exists
    varies = np.ptp(np.where(exists[:, :, None], values, values[:, :1]), axis=1).max(axis=0) > 0
    values, names = values[:, :, varies], [each for each, keep in zip(names, varies, strict=True) if keep]
    if not names:
        return
    parts = [values, ranks(values, exists)]
    titles = [*names, *(f"rank of {each}" for each in names)]
    if with_odd and int(items.keyed.options.min()) > 2:
        filled = np.where(exists[:, :, None], values, np.nan)
        parts.append(np.nan_to_num(np.abs(filled - np.nanmedian(filled, axis=1, keepdims=True))))
        titles += [f"unusual {each}" for each in names]
    rows_of_options = centred(np.concatenate(parts, axis=2), items.keyed, by_place=True)
    yield Block(f"learned {name}", family, rows_of_options, tuple(titles), values, tuple(names))


def ranks(values: NDArray[Any], exists: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Return, for each option, how many options have a smaller value, counting ties as half; shape of `values`."""
    found = np.zeros(values.shape, np.float32)
    for other in range(values.shape[1]):
        there = exists[:, other, None, None]
        beside = values[:, other : other + 1]
        found += there * ((beside < values) + np.float32(0.5) * (beside == values))
    return found


def of_item(items: LearnedItems, name: str, family: CueFamily, rows: Sequence[Mapping[str, float]]) -> Iterator[Block]:
    """Yield a probe of measures of items by name, each once per class of options.

    Args:
        items: The items.
        name: Name of the probe, without `learned`.
        family: Family of its cue.
        rows: The measures of each item; a missing one is treated as 0.
    """
    names = sorted({measure for row in rows for measure in row})
    place = {measure: number for number, measure in enumerate(names)}
    values = np.zeros((len(rows), len(names)), np.float32)
    for item, measures in enumerate(rows):
        values[item, [place[measure] for measure in measures]] = list(measures.values())
    varies = np.ptp(values, axis=0) > 0 if names else np.zeros(0, np.bool_)
    values, names = values[:, varies], [each for each, keep in zip(names, varies, strict=True) if keep]
    if not names:
        return
    continuous = np.array([len(np.unique(column)) > 3 for column in values.T])
    ranked = np.argsort(np.argsort(values[:, continuous], axis=0, kind="stable"), axis=0, kind="stable")
    titles = [*names, *(f"rank of {each}" for each, keep in zip(names, continuous, strict=True) if keep)]
    block = classed(items, name, family, np.concatenate([values, ranked.astype(np.float32)], axis=1), titles)
    yield block._replace(plain=values[:, None, :], plain_names=tuple(names))


def classed(
    items: LearnedItems, name: str, family: CueFamily, values: NDArray[np.float32], titles: Sequence[str]
) -> Block:
    """Return a probe of measures of items, shape (items, measures), each once per class of options."""
    centre = values - values.mean(axis=0)
    limit = 4 * centre.std(axis=0) + 1e-9
    centre = np.clip(centre, -limit, limit)
    centre -= centre.mean(axis=0)
    if len(items.classes) == 1 and items.keyed.options.min() == items.keyed.options.max() > 1:
        of_letter = of_letters(centre, items.keyed)  # with two letters, the other repeats it
        names = [f"{title} for {called}" for called in items.classes[0].names[: of_letter.letters] for title in titles]
        return Block(f"learned {name}", family, of_letter, tuple(names))
    of_class = [(classes.numbers == n, called) for classes in items.classes for n, called in enumerate(classes.names)]
    count = len(titles)
    measures = np.empty((*items.keyed.exists.shape, count * len(of_class)), np.float32)
    for number, (is_its, _) in enumerate(of_class):
        some = slice(number * count, (number + 1) * count)
        measures[:, :, some] = centred(is_its[:, :, None] * centre[:, None, :], items.keyed, by_place=False)
    of_each = tuple(f"{title} for {called}" for _, called in of_class for title in titles)
    leading = count * len(items.classes[0].names) if len(items.classes) > 1 else None
    return Block(f"learned {name}", family, measures, of_each, of_letters=leading)
