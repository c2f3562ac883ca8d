"""The proportion of a rater's decisions made with care, estimated from checks, gold items, pace and agreement.

A decision is made either with care or without looking. With care, nearly all attention checks and most gold items are
right, and hardly any decision takes less time than a glance. Without looking, known answers are right only as often as
the rater's labels happen to fit, so giving every task the same label proves nothing if that label is usually right.
Each source of evidence is a number of right results under that mixture, as for the spammers of Raykar and Yu 2012 (JMLR
13). The share of care has a Beta prior; its posterior is computed on a grid.

The other raters may be wrong together, and some raters are fast. Pace and agreement therefore count as at most a few
decisions each, and the others' weights follow from checks, gold and pace: known answers outweigh both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any, Literal, NamedTuple

import numpy as np

from .annotator_quality import RightOf
from .ratings import Rating

Source = Literal["attention", "gold", "pace", "agreement"]
"""Attention checks, gold items, decisions that took long enough to look, and agreement with the others."""

_PRIOR = (2.0, 0.5)
"""Parameters of the Beta prior, by which four in five decisions are made with care."""
_OF_CAREFUL: Mapping[Source, float] = {"attention": 0.97, "gold": 0.9, "pace": 0.9}
"""Expected proportion of right results among decisions with care; for agreement it follows from the others."""
_SOON_ENOUGH = 0.5
"""Proportion of decisions made without looking that still take long enough."""
_LEAST, _MOST = 0.02, 0.98
_COUNTS_AS = 10
"""Maximum weight, in decisions, of pace and of agreement with the others; each known answer has weight 1."""
_TELLS = 0.1
"""Minimum difference between agreement with care and by chance at which agreement is used as evidence."""
_INTERVAL = 0.9
"""Probability of the credible interval; half of the rest lies on each side."""
_GRID = (np.arange(500) + 0.5) / 500


class Known(NamedTuple):
    """An answer to a gold item or an attention check.

    Args:
        rater: Name.
        group: Type of the task; '' for a check, which is evidence for all types.
        said: The rater's answer.
        truth: The right answer.
        is_check: Whether it is an attention check; default False, a gold item.
        is_right: Whether the answer is right; default None, which compares it with the truth.
    """

    rater: str
    group: str
    said: str
    truth: str
    is_check: bool = False
    is_right: bool | None = None


class CareEvidence(NamedTuple):
    """The evidence about a rater from one source.

    Args:
        source: Source of the evidence.
        right: Number of right results.
        of: Total number of results.
        careful: Expected proportion of right results among decisions with care.
        careless: Expected proportion among decisions made without looking.
        weight: Weight of each result, 0 to 1.
    """

    source: Source
    right: int
    of: int
    careful: float
    careless: float
    weight: float = 1.0

    def log_likelihood(self, care: np.ndarray[Any, np.dtype[np.float64]]) -> np.ndarray[Any, np.dtype[np.float64]]:
        """Return the log-likelihood of the evidence at each proportion of care."""
        right = care * self.careful + (1 - care) * self.careless
        return np.asarray(self.weight * (self.right * np.log(right) + (self.of - self.right) * np.log(1 - right)))

    def to_json(self) -> dict[str, Any]:
        """Return the evidence as JSON values."""
        return {
            "source": self.source,
            "right": self.right,
            "of": self.of,
            "careful": round(self.careful, 3),
            "careless": round(self.careless, 3),
        }


@dataclass(frozen=True)
class Care:
    """The proportion of a rater's decisions made with care, 0 to 1, with a 90 % credible interval.

    Args:
        rater: Name.
        mean: Mean of the posterior.
        low: Lower end of the interval.
        high: Upper end.
        evidence: The evidence; if there is none, the posterior equals the prior.
        by_group: The same for each type of task, from the evidence on that type and from all attention checks.
    """

    rater: str
    mean: float
    low: float
    high: float
    evidence: tuple[CareEvidence, ...] = ()
    by_group: Mapping[str, Care] = field(default_factory=dict)

    @property
    def known(self) -> int:
        """Return the number of answers to gold items and attention checks among the evidence."""
        return sum(each.of for each in self.evidence if each.source in {"attention", "gold"})

    def to_json(self) -> dict[str, Any]:
        """Return the figures as JSON values, rounded."""
        figures = {name: round(getattr(self, name), 3) for name in ("mean", "low", "high")}
        by_group = {name: care.to_json() for name, care in self.by_group.items()}
        return {**figures, "evidence": [each.to_json() for each in self.evidence], "by_task": by_group}


def care_from(rater: str, evidence: Iterable[CareEvidence], by_group: Mapping[str, Care] | None = None) -> Care:
    """Return the posterior of one rater's proportion of care."""
    kept = tuple(each for each in evidence if each.of)
    log = (_PRIOR[0] - 1) * np.log(_GRID) + (_PRIOR[1] - 1) * np.log(1 - _GRID)
    for each in kept:
        log = log + each.log_likelihood(_GRID)
    weights = np.exp(log - log.max())
    weights /= weights.sum()
    below = np.cumsum(weights)
    low, high = (float(_GRID[np.searchsorted(below, at)]) for at in ((1 - _INTERVAL) / 2, (1 + _INTERVAL) / 2))
    return Care(rater, float((weights * _GRID).sum()), low, high, kept, by_group or {})


def known_evidence(known: Sequence[Known], labels: Mapping[str, int], pace: RightOf) -> list[CareEvidence]:
    """Return the evidence from one rater's known answers and pace.

    Args:
        known: Their answers to gold items and attention checks.
        labels: Number of times they gave each label; empty if unknown.
        pace: Number of timed decisions that took at least the shortest believable time, and of all timed decisions.
    """
    evidence = []
    for source in ("attention", "gold"):
        answers = [answer for answer in known if answer.is_check == (source == "attention")]
        right = sum(answer.said == answer.truth if answer.is_right is None else answer.is_right for answer in answers)
        given = labels or Counter(answer.said for answer in answers)
        chance = _chance(given, Counter(answer.truth for answer in answers))
        careful = _OF_CAREFUL[source]
        evidence.append(CareEvidence(source, right, len(answers), careful, min(chance, careful)))
    # A rater who takes time may look or not: only haste is evidence.
    is_hasty = pace.right < _OF_CAREFUL["pace"] * pace.of
    weight = min(1.0, _COUNTS_AS / pace.of) if is_hasty else 0.0
    return [*evidence, CareEvidence("pace", pace.right, pace.of, _OF_CAREFUL["pace"], _SOON_ENOUGH, weight)]


def _chance(given: Mapping[str, int], truths: Mapping[str, int]) -> float:
    """Return the expected proportion of right labels if labels with these frequencies are given at random."""
    of = sum(given.values()) * sum(truths.values())
    same = sum(times * truths.get(label, 0) for label, times in given.items())
    return min(_MOST, max(_LEAST, same / of)) if of else _LEAST


def cares(
    ratings: Iterable[Rating],
    known: Iterable[Known] = (),
    pace: Mapping[tuple[str, str], RightOf] | None = None,
    groups: Mapping[str, str] | None = None,
) -> list[Care]:
    """Return the care of each rater, by name, overall and by type of task.

    Args:
        ratings: Ratings of units of unknown truth, in any order.
        known: Answers to gold items and attention checks.
        pace: By rater and type of task, the number of timed decisions that took at least the shortest believable time,
            and of all timed decisions; default none.
        groups: Type of the task of each unit; default one type.
    """
    listed, answers, paces = list(ratings), list(known), pace or {}
    names = sorted({row.rater for row in listed} | {row.rater for row in answers} | {name for name, _ in paces})
    kinds = sorted({group for group in (groups or {}).values() if group})
    labels = {name: Counter[str]() for name in names}
    for row in listed:
        labels[row.rater][row.label] += 1
    of_rater: dict[str, list[Known]] = {name: [] for name in names}
    for answer in answers:
        of_rater[answer.rater].append(answer)

    def direct(name: str, group: str | None) -> list[CareEvidence]:
        mine = [each for each in of_rater[name] if group is None or each.is_check or each.group == group]
        timed = [count for (who, kind), count in paces.items() if who == name and group in {None, kind}]
        return known_evidence(
            mine, labels[name], RightOf(sum(each.right for each in timed), sum(each.of for each in timed))
        )

    weights = {name: care_from(name, direct(name, None)).mean for name in names}
    agreement = {group: _agreement(listed, weights, groups or {}, group) for group in (None, *kinds)}
    return [
        care_from(
            name,
            [*direct(name, None), *agreement[None].get(name, ())],
            {
                group: care_from(name, [*direct(name, group), *agreement[group].get(name, ())])
                for group in kinds
                if any(each.of for each in direct(name, group) if each.source != "attention")
                or agreement[group].get(name)
            },
        )
        for name in names
    ]


def _agreement(
    ratings: Sequence[Rating], weights: Mapping[str, float], groups: Mapping[str, str], group: str | None
) -> dict[str, list[CareEvidence]]:
    """Return each rater's weighted count of agreement with most others on units of a type, ignoring ties."""
    by_unit: dict[str, list[Rating]] = {}
    for row in ratings:
        if group is None or groups.get(row.unit) == group:
            by_unit.setdefault(row.unit, []).append(row)
    same, of = Counter[str](), Counter[str]()
    said: dict[str, Counter[str]] = {}
    meant: dict[str, Counter[str]] = {}
    for rows in by_unit.values():
        total: dict[str, float] = {}
        for row in rows:
            total[row.label] = total.get(row.label, 0) + weights[row.rater]
        for row in rows:
            others = {**total, row.label: total[row.label] - weights[row.rater]}
            ranked = sorted(others.items(), key=lambda entry: -entry[1])
            if ranked[0][1] < _LEAST or (len(ranked) > 1 and ranked[0][1] - ranked[1][1] < _LEAST):
                continue
            of[row.rater] += 1
            same[row.rater] += ranked[0][0] == row.label
            said.setdefault(row.rater, Counter())[row.label] += 1
            meant.setdefault(row.rater, Counter())[ranked[0][0]] += 1
    if len(of) < 3:  # if only two differ, either may be the careless one
        return {}
    usual = min(_MOST, median(same[name] / of[name] for name in of))
    found = {}
    for name, units in of.items():
        chance = _chance(said[name], meant[name])
        if usual - chance >= _TELLS:
            weight = min(1.0, _COUNTS_AS / units)
            found[name] = [CareEvidence("agreement", same[name], units, usual, chance, weight)]
    return found
