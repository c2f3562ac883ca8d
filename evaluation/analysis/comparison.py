"""Pairwise comparison of all models in a folder of results, over all tasks and for each task."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from benchwright.errors import BenchwrightError
from benchwright.statistics import holm
from benchwright.statistics.paired_difference import ModelPair, compare_pair, least_p
from benchwright.statistics.score_interval import Interval
from benchwright.texts.normalization import counted

from ..metrics.base import task_numbers
from ..results.score import Figure, Score, read_scores
from .ranking import Rank, tied_ranks
from .reply_matrix import ReplyMatrix, read_reply_matrix

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from benchwright.release import Release

ALPHA = 0.05
_ALL = "all asked"
"""Name of the comparison over all tasks."""


class PairResult(NamedTuple):
    """Result of one pair of models within a comparison of several pairs.

    Args:
        first: Name of the first model.
        second: Name of the second model.
        pair: Paired difference of the two models.
        p_holm: p of the pair, adjusted over all pairs of the same comparison.
        p_mcnemar_holm: p of the exact McNemar test, adjusted likewise.
    """

    first: str
    second: str
    pair: ModelPair
    p_holm: float
    p_mcnemar_holm: float

    @property
    def told_apart(self) -> bool:
        """Return whether the two models differ significantly after adjustment over all pairs."""
        return self.p_holm < ALPHA


class Ranked(NamedTuple):
    """A model in the ranking.

    Models asked fewer items than others, a sample where others were asked all, and unfit scores have no place.
    """

    model: str
    figure: Figure
    place: Rank | None
    why_unfit: str | None = None


class Comparison(NamedTuple):
    """Comparison of models on the items of one task, or of all tasks.

    Args:
        name: Name of the task; `_ALL` for all.
        ranking: Models, best first; those without a place come last. Places mean nothing where `why_no_ranks` gives a
            reason.
        pairs: Results of the pairs, ordered by the names of the models.
        against: Model that all others are compared with; None where all pairs are compared.
    """

    name: str
    ranking: tuple[Ranked, ...]
    pairs: tuple[PairResult, ...]
    against: str | None = None

    @property
    def least_p_holm(self) -> float | None:
        """Return the smallest adjusted p that any pair could reach, if all differences of its clusters had one sign."""
        least = [least_p(result.pair.clusters) for result in self.pairs]
        return min(1.0, len(least) * min(least)) if least else None

    @property
    def pairs_told_apart(self) -> int:
        """Return the number of pairs that differ significantly after adjustment over all pairs."""
        return sum(result.told_apart for result in self.pairs)

    @property
    def why_no_ranks(self) -> str | None:
        """Return the reason why the models have no ranks; None where they may have ranks."""
        if self.against is not None:
            return f"models are compared with {self.against} only, so there are no ranks"
        if self.least_p_holm is None or self.least_p_holm < ALPHA:
            return None
        clusters = max(result.pair.clusters for result in self.pairs)
        return (
            f"ranks cannot be told: with {counted(clusters, 'cluster')} no p can be below {least_p(clusters):.2g}, and "
            f"over {counted(len(self.pairs), 'pair')} Holm's correction cannot bring it below {self.least_p_holm:.2g}, "
            f"which is not under {ALPHA}; compare fewer pairs (two models by name, or all with one by --against "
            "MODEL), or score a release with more clusters"
        )


def compare_results(
    results: Path, release: Release | None = None, models: Sequence[str] = (), against: str | None = None
) -> tuple[ReplyMatrix, list[Comparison]]:
    """Compare the models in a folder of results: first over all tasks, then on each task.

    Args:
        results: Folder that `evaluate run` wrote.
        release: Release that was scored; needed only if an older version of the program wrote the predictions.
        models: Names of two models, to compare only this pair; all models where empty.
        against: Name of the model that all others are compared with, instead of with one another; all pairs where None.

    Raises:
        BenchwrightError: A name is none of the models, there is just one model, or the release is another.
        DataError: There are no results, they are of different releases or splits, or they are damaged.
    """
    if against is not None and models:
        raise BenchwrightError("give two models to compare, or one to compare all others with (--against), not both")
    scores = read_scores(results)
    base = None if against is None else _named(scores, [against], results)[0].title
    sheet = read_reply_matrix(results, _chosen(scores, models, results), release)
    return sheet, [_comparison(name, held, sheet, base) for name, held in _scopes(sheet)]


def comparison_over_all(sheet: ReplyMatrix) -> Comparison:
    """Compare the models over all tasks."""
    import numpy as np

    return _comparison(_ALL, np.ones(sheet.items.num_rows, dtype=bool), sheet)


def _chosen(scores: Sequence[Score], models: Sequence[str], results: Path) -> list[Score]:
    if not models:
        if len(scores) < 2:
            raise BenchwrightError(f"{results} holds the score of one model only; score another beside it")
        return list(scores)
    if len(models) != 2 or models[0] == models[1]:
        raise BenchwrightError(f"give two different models to compare, or none for all pairs; found {len(models)}")
    return _named(scores, models, results)


def _named(scores: Sequence[Score], models: Sequence[str], results: Path) -> list[Score]:
    by_name = {score.folder: score for score in scores} | {score.title: score for score in scores}
    if missing := [name for name in models if name not in by_name]:
        raise BenchwrightError(
            f"{results} holds no score of {missing[0]!r}; it has {', '.join(score.title for score in scores)}"
        )
    if len({by_name[name].sample for name in models}) > 1:
        raise BenchwrightError(
            f"{' and '.join(by_name[name].title for name in models)} were not asked the same items: a sample is "
            "compared with the same sample only; run both with the same --limit, or both without"
        )
    if unfit := [by_name[name] for name in models if by_name[name].unfit]:
        raise BenchwrightError(
            f"{unfit[0].title} cannot be compared: its score is unfit, since {unfit[0].why_unfit()}; run it again, or "
            "allow more with --max-errors"
        )
    return [by_name[name] for name in models]


def _scopes(sheet: ReplyMatrix) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Yield the name and the items of each comparison; single tasks only where there is more than one."""
    import numpy as np

    names, numbers = task_numbers(sheet.items.column("task"))
    yield _ALL, np.ones(len(numbers), dtype=bool)
    if len(names) > 1:
        for number, name in enumerate(names):
            yield name, numbers == number


def _comparison(name: str, held: NDArray[np.bool_], sheet: ReplyMatrix, against: str | None = None) -> Comparison:
    models = [score.title for score in sheet.scores]
    pair_by_place: dict[tuple[int, int], ModelPair] = {}
    for i, k in combinations([k for k, score in enumerate(sheet.scores) if not score.unfit], 2):
        is_wanted = against is None or against in {models[i], models[k]}
        is_wanted = is_wanted and sheet.scores[i].sample == sheet.scores[k].sample
        if is_wanted and (pair := _pair(sheet, i, k, held, name)):
            pair_by_place[i, k] = pair
    adjusted = holm([pair.p for pair in pair_by_place.values()])
    mcnemar = holm([pair.p_mcnemar for pair in pair_by_place.values()])
    pairs = {
        key: PairResult(models[key[0]], models[key[1]], pair, p, q)
        for (key, pair), p, q in zip(pair_by_place.items(), adjusted, mcnemar, strict=True)
    }
    apart = {frozenset(key) for key, result in pairs.items() if result.told_apart}
    return Comparison(name, _ranking(name, held, sheet, apart), tuple(pairs.values()), against)


def _pair(sheet: ReplyMatrix, i: int, k: int, held: NDArray[np.bool_], name: str) -> ModelPair | None:
    """Compare two models on the items that both were asked. Exchanging the models only changes the signs."""
    models = [sheet.scores[i].model, sheet.scores[k].model]
    turned = models != sorted(models)
    first, second = (k, i) if turned else (i, k)
    both = held & sheet.asked[i] & sheet.asked[k]
    pair = compare_pair(
        sheet.right[first, both], sheet.right[second, both], sheet.group[both], "difference", name, *sorted(models)
    )
    if pair is None or not turned:
        return pair
    low, high = pair.interval
    return pair._replace(only_first=pair.only_second, only_second=pair.only_first, interval=Interval(-high, -low))


def _ranking(name: str, held: NDArray[np.bool_], sheet: ReplyMatrix, apart: set[frozenset[int]]) -> tuple[Ranked, ...]:
    """Rank the models that were asked the same items as the model that was asked the most."""
    was_asked = sheet.asked & held
    numbers = [k for k in range(len(sheet.scores)) if was_asked[k].any()]
    fit = [k for k in numbers if not sheet.scores[k].unfit]
    fit = [k for k in fit if sheet.scores[k].sample is None] or fit  # a sample is ranked beside no score of all items
    metric = "accuracy" if name == _ALL else f"accuracy/{name}"
    most = max(fit, key=lambda k: (int(was_asked[k].sum()), -k), default=None)
    placed = [k for k in fit if most is not None and (was_asked[k] == was_asked[most]).all()]

    def order(k: int) -> tuple[float, str]:
        return -int(sheet.right[k, was_asked[k]].sum()) / int(was_asked[k].sum()), sheet.scores[k].title

    placed.sort(key=order)
    places = tied_ranks(len(placed), lambda i, k: frozenset((placed[i], placed[k])) in apart)
    unplaced = sorted(set(numbers) - set(placed), key=lambda k: (sheet.scores[k].unfit, *order(k)))
    ranked = [*zip(placed, places, strict=True), *((k, None) for k in unplaced)]
    return tuple(_ranked(sheet.scores[k], metric, place) for k, place in ranked)


def _ranked(score: Score, metric: str, place: Rank | None) -> Ranked:
    return Ranked(score.title, score.metrics[metric], place, score.why_unfit() if score.unfit else None)
