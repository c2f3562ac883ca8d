"""Pairwise comparison of all models in a folder of results, over all tasks and for each task."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchwright.errors import BenchwrightError
from benchwright.statistics.joint_signs import joint_test, least_joint_p
from benchwright.statistics.paired_difference import ModelPair, compare_pair
from benchwright.statistics.paired_power import items_needed
from benchwright.statistics.score_interval import Z_95
from benchwright.texts.normalization import counted

from ..metrics.base import task_numbers
from ..results.score import Figure, Score, read_scores
from .ranking import Rank, group_letters, rank_intervals
from .reply_matrix import ReplyMatrix, read_reply_matrix

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from benchwright.release import Release

ALPHA = 0.05
_ALL = "all asked"
"""Name of the comparison over all tasks."""


def p_value_text(p: float) -> str:
    """Return a p-value as text, with enough digits to show whether it is below 0.05.

    Example:
        >>> p_value_text(0.0496), p_value_text(0.0123)
        ('0.0496', '0.012')
    """
    texts = [f"{p:.{digits}g}" for digits in (2, 3, 4)]
    return next((text for text in texts if (float(text) < ALPHA) == (p < ALPHA)), texts[-1])


class PairResult(NamedTuple):
    """The result for one of several compared pairs of models.

    Args:
        first: Name of the first model.
        second: Name of the second model.
        pair: Paired difference between the two models.
        p_joint: p-value of the pair, adjusted across all pairs tested together (`benchwright.statistics.joint_signs`):
            those with scores on all items, or on the same sample.
        threshold: Value that the test statistic of the first significant pair must exceed.
    """

    first: str
    second: str
    pair: ModelPair
    p_joint: float
    threshold: float = Z_95

    @property
    def told_apart(self) -> bool:
        """Return whether the two models differ significantly after adjustment across all pairs."""
        return self.p_joint < ALPHA

    @property
    def items_needed(self) -> int | None:
        """Return how many items the joint test needs to detect this difference with 80 % power, whatever the other
        pairs are.
        """
        return items_needed(self.pair.discordant, self.pair.difference, self.pair.design_effect, self.threshold)


class Ranked(NamedTuple):
    """A model in the list of ranks.

    Three kinds of models have no rank: those that were asked fewer items than others, those that were asked a sample
        while others were asked all items, and those with unfit scores.

    Args:
        model: Name of the model.
        figure: Accuracy of the model.
        rank: Best and worst possible rank; None if the model has no rank.
        groups: Letters of the model's groups; models that share no letter differ significantly.
        why_unfit: Reason the score is unfit; None if it is fit.
    """

    model: str
    figure: Figure
    rank: Rank | None
    groups: str = ""
    why_unfit: str | None = None


class Comparison(NamedTuple):
    """A comparison of models on the items of one task or of all tasks.

    Args:
        name: Name of the task; `_ALL` for all.
        ranking: Models, best first, then those without a rank; if `why_no_ranks` gives a reason, no model has a rank.
        pairs: Results of the pairs, ordered by the names of the models.
        against: Model with which all others are compared; None if all pairs are compared.
        least_p: Smallest adjusted p-value that any pair could have if all its clusters differed in one direction; None
            if there are no pairs.
        why_no_ranks: Reason the models have no ranks; None if they have ranks.
    """

    name: str
    ranking: tuple[Ranked, ...]
    pairs: tuple[PairResult, ...]
    against: str | None = None
    least_p: float | None = None
    why_no_ranks: str | None = None

    @property
    def pairs_told_apart(self) -> int:
        """Return the number of pairs that differ significantly after adjustment across all pairs."""
        return sum(result.told_apart for result in self.pairs)


def compare_results(
    results: Path, release: Release | None = None, models: Sequence[str] = (), against: str | None = None
) -> tuple[ReplyMatrix, list[Comparison]]:
    """Compare the models in a folder of results: first over all tasks, then for each task.

    Args:
        results: Folder that `evaluate run` wrote.
        release: Release on which the models were scored; needed only if an older version of the program wrote the
            predictions.
        models: Names of two models to compare only this pair; if empty, all models are compared.
        against: Name of the model with which to compare all others; None to compare all pairs.

    Raises:
        BenchwrightError: A name matches no model, there is only one model, or the release is a different one.
        DataError: The folder contains no results, results of different releases or splits, or damaged results.
    """
    if against is not None and models:
        raise BenchwrightError("give either two models to compare, or one to compare all others with (--against)")
    scores = read_scores(results)
    base = None if against is None else _named(scores, [against], results)[0].title
    sheet = read_reply_matrix(results, _chosen(scores, models, results), release)
    return sheet, [_comparison(name, scope, base) for name, scope in _scopes(sheet)]


def comparisons_of(sheet: ReplyMatrix) -> list[Comparison]:
    """Compare the models over all tasks and, if there are several tasks, for each of them."""
    return [_comparison(name, scope) for name, scope in _scopes(sheet)]


def comparison_over_all(sheet: ReplyMatrix) -> Comparison:
    """Compare the models over all tasks."""
    return _comparison(*next(_scopes(sheet)))


def _chosen(scores: Sequence[Score], models: Sequence[str], results: Path) -> list[Score]:
    if not models:
        if len(scores) < 2:
            raise BenchwrightError(
                f"{results} contains the score of only one model; score another into the same folder"
            )
        return list(scores)
    if len(models) != 2 or models[0] == models[1]:
        raise BenchwrightError(f"give two different models to compare, or none for all pairs; found {len(models)}")
    return _named(scores, models, results)


def _named(scores: Sequence[Score], models: Sequence[str], results: Path) -> list[Score]:
    by_name = {score.folder: score for score in scores} | {score.title: score for score in scores}
    if missing := [name for name in models if name not in by_name]:
        raise BenchwrightError(
            f"{results} contains no score of {missing[0]!r}; it has {', '.join(score.title for score in scores)}"
        )
    if len({by_name[name].sample for name in models}) > 1:
        raise BenchwrightError(
            f"{' and '.join(by_name[name].title for name in models)} were asked different items, and a sample "
            "compares only with the same sample; run both with the same --limit, or both without"
        )
    if unfit := [by_name[name] for name in models if by_name[name].unfit]:
        raise BenchwrightError(
            f"{unfit[0].title} cannot be compared: its score is unfit ({unfit[0].why_unfit()}); run it again, or "
            "allow more with --max-errors"
        )
    return [by_name[name] for name in models]


def _scopes(sheet: ReplyMatrix) -> Iterator[tuple[str, ReplyMatrix]]:
    """Yield the name and the replies of each comparison; single tasks are included only if there are several."""
    import numpy as np

    names, numbers = task_numbers(sheet.items.column("task"))
    yield _ALL, sheet.of_items(np.ones(len(numbers), dtype=bool))
    if len(names) > 1:
        for number, name in enumerate(names):
            yield name, sheet.of_items(numbers == number)


def _comparison(name: str, sheet: ReplyMatrix, against: str | None = None) -> Comparison:
    models, group = [score.title for score in sheet.scores], sheet.group
    pair_by_place: dict[tuple[int, int], ModelPair] = {}
    for i, k in combinations([k for k, score in enumerate(sheet.scores) if not score.unfit], 2):
        is_wanted = against is None or against in {models[i], models[k]}
        is_wanted = is_wanted and sheet.scores[i].sample == sheet.scores[k].sample
        if is_wanted and (pair := _pair(sheet, group, i, k)):
            pair_by_place[i, k] = pair
    found: dict[tuple[int, int], PairResult] = {}
    # Test each sample separately, so that models asked a sample widen no rank of models asked all items.
    for sample in {sheet.scores[i].sample for i, _ in pair_by_place}:
        tested = {place: pair for place, pair in pair_by_place.items() if sheet.scores[place[0]].sample == sample}
        adjusted, threshold = _adjusted(tested, sheet, group, name)
        for ((i, k), pair), p in zip(tested.items(), adjusted, strict=True):
            found[i, k] = PairResult(models[i], models[k], pair, p, threshold)
    pairs = {place: found[place] for place in pair_by_place}
    least = min((least_joint_p(pair.clusters) for pair in pair_by_place.values()), default=None)
    why_no_ranks = _why_no_ranks(list(pair_by_place.values()), least, against)
    apart = {frozenset(key) for key, result in pairs.items() if result.told_apart}
    ranking = _ranking(name, sheet, apart, has_ranks=why_no_ranks is None)
    return Comparison(name, ranking, tuple(pairs.values()), against, least, why_no_ranks)


def _adjusted(
    pairs: Mapping[tuple[int, int], ModelPair], sheet: ReplyMatrix, group: NDArray[Any], name: str
) -> tuple[list[float], float]:
    """Return each pair's adjusted p-value, which is never below the unadjusted one, and the threshold of the test
    statistic.
    """
    import numpy as np

    if len(pairs) < 2:
        return [pair.p for pair in pairs.values()], Z_95
    columns: dict[tuple[int, bytes], int] = {}
    counts: list[NDArray[Any]] = []

    def column(model: int, both: NDArray[np.bool_]) -> int:
        """Return the index of the column for the model on these items; each column is computed only once."""
        key = model, both.tobytes()
        if key not in columns:
            columns[key] = len(counts)
            counts.append(np.bincount(group[both], weights=sheet.right[model, both], minlength=clusters))
        return columns[key]

    clusters = int(group.max()) + 1
    placed = [[column(model, sheet.asked[i] & sheet.asked[k]) for model in (i, k)] for i, k in pairs]
    firsts, seconds = np.array(placed).T
    joint = joint_test(np.stack(counts, axis=1), firsts, seconds, name)
    return [max(pair.p, float(p)) for pair, p in zip(pairs.values(), joint.p, strict=True)], joint.threshold


def _why_no_ranks(pairs: Sequence[ModelPair], least: float | None, against: str | None) -> str | None:
    if against is not None:
        return f"models are compared with {against} only, so there are no ranks"
    if least is None or least < ALPHA:
        return None
    clusters = max(pair.clusters for pair in pairs)
    return (
        f"ranks are unknown: with {counted(clusters, 'cluster')} no p can be below {least:.2g}, and significance "
        f"needs one under {ALPHA}; score a release with more clusters"
    )


def _pair(sheet: ReplyMatrix, group: NDArray[Any], i: int, k: int) -> ModelPair | None:
    """Compare two models on the items that both were asked."""
    both = sheet.asked[i] & sheet.asked[k]
    return compare_pair(sheet.right[i, both], sheet.right[k, both], group[both])


def _ranking(name: str, sheet: ReplyMatrix, apart: set[frozenset[int]], *, has_ranks: bool) -> tuple[Ranked, ...]:
    """Rank the models that were asked the same items as the model that was asked the most items.

    A model that can take none of a release's tasks comes last in the comparison over all tasks and is absent from those
    of single tasks.
    """
    was_asked = sheet.asked
    numbers = [k for k in range(len(sheet.scores)) if name == _ALL or was_asked[k].any()]
    fit = [k for k in numbers if not sheet.scores[k].unfit and was_asked[k].any()]
    fit = [k for k in fit if sheet.scores[k].sample is None] or fit  # a sample is ranked with no score of all items
    metric = "accuracy" if name == _ALL else f"accuracy/{name}"
    most = max(fit, key=lambda k: (int(was_asked[k].sum()), -k), default=None)
    placed = [k for k in fit if most is not None and (was_asked[k] == was_asked[most]).all()]

    def order(k: int) -> tuple[float, str]:
        asked = int(was_asked[k].sum())
        return -int(sheet.right[k, was_asked[k]].sum()) / asked if asked else 1.0, sheet.scores[k].title

    placed.sort(key=order)

    def told_apart(high: int, low: int) -> bool:
        return frozenset((placed[high], placed[low])) in apart

    ranks, letters = rank_intervals(len(placed), told_apart), group_letters(len(placed), told_apart)
    places = zip(ranks, letters, strict=True) if has_ranks else repeat((None, ""))
    unplaced = sorted(set(numbers) - set(placed), key=lambda k: (sheet.scores[k].unfit, *order(k)))
    return (
        *(_ranked(sheet.scores[k], metric, *place) for k, place in zip(placed, places, strict=False)),
        *(_ranked(sheet.scores[k], metric) for k in unplaced),
    )


def _ranked(score: Score, metric: str, rank: Rank | None = None, groups: str = "") -> Ranked:
    return Ranked(score.title, score.metrics[metric], rank, groups, score.why_unfit() if score.unfit else None)
