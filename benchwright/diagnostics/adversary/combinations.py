"""Probe of combinations: two measures that reveal nothing separately, such as the inputs of an exclusive or.

From each probe, the measures that separate most clearly into two classes are used, without looking at any key. Each is
coded as -1 to 1. The product of any two is another measure; keys drawn uniformly show what the largest product reaches
by chance.

The task is what the question asks of a picture, and also what one picture has that another lacks. Measures of pictures
are therefore not combined with words, nor those of one picture with those of another. Measures of options are combined
with those of the reference only if similarity is not the task.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchwright.steps import CueFamily

from .measured_blocks import Block, LearnedItems, classed
from .probes import Array, OfItems, centred

_MOST_OF_OPTIONS, _MOST_OF_ITEMS = 84, 56
"""Largest numbers of measures of options, and of whole items, that are combined."""
_LEAST_OF_BLOCK, _MOST_OF_BLOCK = 6, 24
_LEAST_SHARE = 0.1
"""Smallest proportion of the smaller class."""
_ALIKE = 0.9
"""Correlation at which a second measure is considered to repeat the first."""
_TOGETHER = 256
_NEVER = (frozenset(("picture", "words")), frozenset(("reference", "words")))
_LIKENESS: frozenset[CueFamily] = frozenset(("reference_pixels", "reference_file"))
_OF_PICTURE = re.compile(r" of picture (\d+)$")

Numbers = NDArray[np.int64]


class _Coded(NamedTuple):
    """Measures coded as -1 to 1, shape (items, options or 1, measures), with their names and their origins."""

    values: NDArray[np.float16]
    names: tuple[str, ...]
    kinds: tuple[str, ...]

    def may_join(self, other: _Coded, first: Numbers, second: Numbers, forbidden: frozenset[frozenset[str]]) -> Numbers:
        """Return the indices of those pairs of measures that may be combined."""
        allowed = [
            frozenset((self.kinds[a], other.kinds[b])) not in forbidden
            and not _of_two_pictures(self.names[a], other.names[b])
            for a, b in zip(first.tolist(), second.tolist(), strict=True)
        ]
        return np.flatnonzero(allowed)


def combinations_of(
    items: LearnedItems, blocks: Sequence[Block], *, without: frozenset[CueFamily] = frozenset()
) -> Block | None:
    """Return the probe of combinations; None if there are fewer than two measures.

    Args:
        items: The items.
        blocks: Probes with the measures of which they consist (`Block.plain`).
        without: Families of cues that the task asks about.
    """
    forbidden = set(_NEVER)
    if _LIKENESS & without:
        forbidden |= {frozenset((kind, "reference")) for kind in ("picture", "file", "name")}
    exists = items.keyed.exists
    plain = [block for block in blocks if block.plain is not None]
    is_of_option = [block.plain is not None and block.plain.shape[1] > 1 for block in plain]
    of_options = _chosen([b for b, is_its in zip(plain, is_of_option, strict=True) if is_its], exists, _MOST_OF_OPTIONS)
    of_items = _chosen([b for b, is_its in zip(plain, is_of_option, strict=True) if not is_its], None, _MOST_OF_ITEMS)
    pairs = [] if of_options is None else list(_option_pairs(of_options, of_items, frozenset(forbidden)))
    of_whole = None if of_items is None else _item_pairs(items, of_items, frozenset(forbidden))
    count = sum(len(each.first) for each in pairs)
    names = [name for each in pairs for name in each.names] + ([] if of_whole is None else list(of_whole.names))
    if not count:
        return of_whole
    measures = np.empty((*exists.shape, len(names)), np.float32)
    if of_whole is not None:
        whole = of_whole.measures
        measures[:, :, count:] = whole.rows() if isinstance(whole, OfItems) else whole
    at = 0
    for each in pairs:
        _fill(measures[:, :, at : at + len(each.first)], items, each)
        at += len(each.first)
    return Block("learned combinations", "combination", measures, tuple(names))


class _Pairs(NamedTuple):
    """Pairs of measures of options with each other, or with measures of whole items."""

    left: _Coded
    right: _Coded
    first: Numbers
    second: Numbers

    @property
    def names(self) -> list[str]:
        """Return the name of each product."""
        return [
            f"{self.left.names[a]} with {self.right.names[b]}" for a, b in zip(self.first, self.second, strict=True)
        ]


def _option_pairs(
    of_options: _Coded, of_items: _Coded | None, forbidden: frozenset[frozenset[str]]
) -> Iterator[_Pairs]:
    first, second = _pairs(of_options, forbidden)
    yield _Pairs(of_options, of_options, first, second)
    if of_items is not None:
        first, second = np.divmod(np.arange(len(of_options.names) * len(of_items.names)), len(of_items.names))
        may = of_options.may_join(of_items, first, second, forbidden)
        yield _Pairs(of_options, of_items, first[may], second[may])


def _item_pairs(items: LearnedItems, of_items: _Coded, forbidden: frozenset[frozenset[str]]) -> Block | None:
    if len(of_items.names) < 2:
        return None
    first, second = _pairs(of_items, forbidden)
    values = of_items.values[:, 0].astype(np.float32)
    titles = [f"{of_items.names[a]} with {of_items.names[b]}" for a, b in zip(first, second, strict=True)]
    return classed(items, "combinations", "combination", values[:, first] * values[:, second], titles)


def _pairs(coded: _Coded, forbidden: frozenset[frozenset[str]]) -> tuple[Numbers, Numbers]:
    first, second = np.triu_indices(len(coded.names), 1)
    may = coded.may_join(coded, first, second, forbidden)
    return first[may], second[may]


def _kind_of(block: Block) -> str:
    """Return the kind of a probe's measures: `words`, `picture`, `reference`, or the family of its cue."""
    if block.solver == "learned reference" or block.solver.startswith("learned marks in the reference"):
        return "reference"
    if block.family in ("pixels", "marks"):
        return "picture"
    return "words" if block.family in ("question", "text") else block.family


def _of_two_pictures(first: str, second: str) -> bool:
    numbers = {found[1] for name in (first, second) if (found := _OF_PICTURE.search(name)) is not None}
    return len(numbers) > 1


def _fill(found: Array, items: LearnedItems, pairs: _Pairs) -> None:
    """Write the products of pairs of measures as rows for options, shape (items, largest number of options, pairs)."""
    for start in range(0, len(pairs.first), _TOGETHER):
        some = slice(start, start + _TOGETHER)
        left, right = pairs.left.values[:, :, pairs.first[some]], pairs.right.values[:, :, pairs.second[some]]
        found[:, :, some] = centred(left.astype(np.float32) * right, items.keyed, by_place=True)


def _chosen(blocks: Sequence[Block], exists: NDArray[np.bool_] | None, most: int) -> _Coded | None:
    """Return the measures that split most clearly into two classes, the same number per probe, or None without
    measures.
    """
    if not blocks:
        return None
    of_block = int(np.clip(most // len(blocks), _LEAST_OF_BLOCK, _MOST_OF_BLOCK))
    parts: list[Array] = []
    names: list[str] = []
    kinds: list[str] = []
    for block in blocks:
        assert block.plain is not None
        flat = block.plain[exists] if exists is not None else block.plain[:, 0]
        coded, clearness = _in_two(flat)
        for at in _distinct(coded, clearness, of_block):
            spread = np.zeros(block.plain.shape[:2], np.float32)
            if exists is not None:
                spread[exists] = coded[:, at]
            else:
                spread[:, 0] = coded[:, at]
            parts.append(spread)
            names.append(block.plain_names[at])
            kinds.append(_kind_of(block))
    return _Coded(np.stack(parts, axis=2).astype(np.float16), tuple(names), tuple(kinds)) if parts else None


def _distinct(coded: Array, clearness: NDArray[np.float64], most: int) -> list[int]:
    """Return the indices of the clearest measures, no two of which repeat each other."""
    units = coded - coded.mean(axis=0)
    units /= np.maximum(np.linalg.norm(units, axis=0), 1e-9)
    chosen: list[int] = []
    for at in np.argsort(-clearness, kind="stable").tolist():
        if len(chosen) >= most or clearness[at] <= 0:
            break
        if not chosen or float(np.abs(units[:, chosen].T @ units[:, at]).max()) < _ALIKE:
            chosen.append(at)
    return chosen


def _in_two(values: Array) -> tuple[Array, NDArray[np.float64]]:
    """Return measures coded by the two classes into which they separate, and how clearly they separate, 0-1.

    The classes are those with the least variance within each (N. Otsu, "A threshold selection method from gray-level
    histograms", 1979). The clearness is the proportion of variance between the classes, reduced if one of them is
    small.
    """
    coded = np.zeros(values.shape, np.float32)
    clearness = np.zeros(values.shape[1])
    for start in range(0, values.shape[1], _TOGETHER):
        some = slice(start, start + _TOGETHER)
        coded[:, some], clearness[some] = _coded(values[:, some].astype(np.float64))
    return coded, clearness


def _coded(values: NDArray[np.float64]) -> tuple[Array, NDArray[np.float64]]:
    count = len(values)
    ordered = np.sort(values, axis=0)
    below = np.cumsum(ordered, axis=0)[:-1]
    number = np.arange(1, count)[:, None]
    low, high = below / number, (ordered.sum(axis=0) - below) / (count - number)
    between = number * (count - number) / count**2 * (high - low) ** 2
    is_split = np.diff(ordered, axis=0) > 0
    share = np.minimum(number, count - number) / count
    between = np.where(is_split & (share >= _LEAST_SHARE), between, 0)
    at = between.argmax(axis=0)
    columns = np.arange(values.shape[1])
    evenness = 4 * share[at, 0] * (1 - share[at, 0])
    clearness = evenness * between[at, columns] / np.maximum(values.var(axis=0), 1e-12)
    middle = (ordered[at, columns] + ordered[np.minimum(at + 1, count - 1), columns]) / 2
    half = np.maximum((high - low)[at, columns] / 2, 1e-9)
    return np.clip((values - middle) / half, -1, 1).astype(np.float32), clearness
