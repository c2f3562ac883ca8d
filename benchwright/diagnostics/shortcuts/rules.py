"""Rules that pick an option by one cue; some rules first fit a number or a table to the other items."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchwright.diagnostics.shortcuts.text_only_baseline import FOLDS, held_out_guesses
from benchwright.records import LETTERS
from benchwright.steps import CueFamily

from .cue_table import Cue, CueTable, Floats
from .picks import Picks, Sides, best_options

_SCALES = tuple(round(0.4 * 1.1**step, 3) for step in range(24))
"""Factors, 0.4 to 3.6, by which positions are scaled about the picture's center."""
_BINS = 4


class SolverPicks(NamedTuple):
    """The picks of one solver on the items of a task.

    Args:
        solver: Name of the solver, such as `most position.x`.
        family: Family of its cue.
        picks: Its picks.
        sides: Whether accuracy below chance is also considered a cue.
    """

    solver: str
    family: CueFamily
    picks: Picks
    sides: Sides = "both"


def rule_picks(table: CueTable, *, without: frozenset[CueFamily]) -> Iterator[SolverPicks]:
    """Yield the picks of every rule on the items of a task.

    Args:
        table: The items, without cues of excluded families.
        without: Families of cues to exclude.
    """
    if "letter" not in without:
        yield from _letters(table)
    if table.vocabulary and "text" not in without:
        yield from _constant_texts(table)
    for cue in table.of_options:
        yield from _extremes(table, cue)
    if "reference_position" not in without:
        yield from _fitted_places(table)
    for cue in table.of_items:
        yield SolverPicks(f"table of {cue.title}", cue.family, _looked_up(table, cue.values), "above")
    if "question" not in without and _has_words(table):
        yield SolverPicks("words", "question", _by_words(table), "above")


def _letters(table: CueTable) -> Iterator[SolverPicks]:
    for number in range(int(table.options.max())):
        scores = np.broadcast_to(np.arange(table.exists.shape[1]) == number, table.exists.shape).astype(np.float64)
        yield SolverPicks(f"always {LETTERS[number]}", "letter", best_options(scores, table.exists))


def _constant_texts(table: CueTable) -> Iterator[SolverPicks]:
    if (table.texts == table.texts[0]).all():
        return  # each text has a separate letter
    for number, text in enumerate(table.vocabulary):
        scores = (table.texts == number).astype(np.float64)
        yield SolverPicks(f'always "{text}"', "text", best_options(scores, table.exists))


def _extremes(table: CueTable, cue: Cue) -> Iterator[SolverPicks]:
    """Yield the rules that pick the option with the largest, smallest, most typical and most unusual value.

    With two options, the smallest value belongs to the other option, which accuracy below chance already shows, and no
    value is unusual.
    """
    values = np.where(table.exists, cue.values, np.nan)
    yield SolverPicks(f"most {cue.title}", cue.family, best_options(values, table.exists))
    if (table.options > 2).any():
        yield SolverPicks(f"least {cue.title}", cue.family, best_options(-values, table.exists))
        unusual = np.abs(values - _medians(values))
        unusual[np.isfinite(values).sum(axis=1) < 3] = np.nan
        yield SolverPicks(f"middle {cue.title}", cue.family, best_options(-unusual, table.exists))
        yield SolverPicks(f"odd {cue.title}", cue.family, best_options(unusual, table.exists))


def _medians(values: Floats) -> Floats:
    """Return the median of each row, shape (rows, 1); NaN for rows without a value."""
    medians = np.full((len(values), 1), np.nan)
    known = np.isfinite(values).any(axis=1)
    medians[known] = np.nanmedian(values[known], axis=1, keepdims=True)
    return medians


def _fitted_places(table: CueTable) -> Iterator[SolverPicks]:
    """Yield the rules that predict the position of the right mark and pick the nearest mark."""
    shape = table.exists.shape
    places, references = np.full((*shape, 2), np.nan), np.full((shape[0], 2), np.nan)
    for row, item in enumerate(table.items):
        for number, place in enumerate(item.places):
            if place is not None:
                places[row, number] = place
        if item.reference is not None:
            references[row] = item.reference
    keys = places[np.arange(len(table.right)), table.right]
    usable = np.isfinite(keys).all(axis=1) & np.isfinite(references).all(axis=1)
    if not usable.any():
        return

    def scaled(train: NDArray[np.bool_]) -> Floats:
        candidates = [_near(places, 0.5 + scale * (references - 0.5)) for scale in _SCALES]
        worth = [best_options(scores[train], table.exists[train]) for scores in candidates]
        right = [picks.shares[np.arange(int(train.sum())), table.right[train]].sum() for picks in worth]
        return candidates[int(np.argmax(right))]

    def affine(train: NDArray[np.bool_]) -> Floats:
        known = np.column_stack([np.ones(int(train.sum())), references[train]])
        weights = np.linalg.lstsq(known, keys[train], rcond=None)[0]
        return _near(places, np.column_stack([np.ones(len(references)), references]) @ weights)

    fits: tuple[tuple[str, Callable[[NDArray[np.bool_]], Floats]], ...] = (("scaled", scaled), ("affine", affine))
    for name, fit in fits:
        scores = np.full(shape, np.nan)
        for fold in range(FOLDS):
            train, test = usable & (table.folds != fold), table.folds == fold
            if train.any():
                scores[test] = fit(train)[test]
        solver = f"nearest reference_position.{name}"
        yield SolverPicks(solver, "reference_position", best_options(scores, table.exists), "above")


def _near(places: Floats, aim: Floats) -> Floats:
    return np.asarray(-np.linalg.norm(places - aim[:, None, :], axis=2), np.float64)


def _looked_up(table: CueTable, values: Floats) -> Picks:
    """Return picks from a table of how often each text is right for each quarter of the range of an item's cue.

    Each text is scored by its excess over its overall frequency, so that a frequent right answer is not a cue by
    itself.
    """
    of_items = values[:, 0]
    known = np.isfinite(of_items)
    scores = np.full(values.shape, np.nan)
    for fold in range(FOLDS):
        train, test = known & (table.folds != fold), known & (table.folds == fold)
        if not train.any() or not test.any():
            continue
        edges = np.quantile(of_items[train], np.arange(1, _BINS) / _BINS)
        bins = np.searchsorted(edges, of_items, side="right")
        right_in_bin, offered_in_bin = np.zeros((2, _BINS, len(table.vocabulary)))
        rows, places = np.nonzero(table.exists & train[:, None])
        texts = table.texts[rows, places]
        np.add.at(offered_in_bin, (bins[rows], texts), 1)
        np.add.at(right_in_bin, (bins[rows], texts), table.is_right[rows, places])
        share = right_in_bin.sum(axis=0) / np.maximum(1, offered_in_bin.sum(axis=0))
        lift = (right_in_bin + share) / (offered_in_bin + 1) - share
        rows, places = np.nonzero(table.exists & test[:, None])
        scores[rows, places] = lift[bins[rows], table.texts[rows, places]]
    return best_options(scores, table.exists)


def _has_words(table: CueTable) -> bool:
    """Return whether words differ between items, ignoring words that state where an option is marked or shown."""
    if all(item.places or item.texts[0] is None or "file.format" in item.of_options for item in table.items):
        return False
    return len({(item.question, tuple(sorted(map(str, item.texts)))) for item in table.items}) > 1


def _by_words(table: CueTable) -> Picks:
    """Return the picks of the text-only baseline, trained on words of other clusters' items; it ignores letters."""
    picked = np.zeros(table.exists.shape)
    for row, letter in enumerate(held_out_guesses(table.words, table.folds.tolist(), with_places=False)):
        picked[row, LETTERS.index(letter)] = 1
    return best_options(picked, table.exists)
