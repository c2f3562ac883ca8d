"""What has become of a campaign's tasks so far: accepted, rejected, divided, still open; and round by round."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Literal, NamedTuple

from benchwright.errors import BenchwrightError

from .aspects import criteria_of
from .rules import Rule, parse_rule
from .store import Campaign
from .store.patterns import Pattern

NO_AGREEMENT, DECIDED, BEGUN, UNTOUCHED = "no_agreement", "decided", "begun", "untouched"
WAITS, FAILED = "waits", "failed_review"
Facet = Literal["kind", "task", "category"]
_PASSED, _REVISE = "accept", "revise"


class Standing(NamedTuple):
    """Tasks of a campaign, or of a part of it.

    Args:
        name: Of the part; "" where tasks have no such value.
        tasks: How many.
        outcomes: Tasks by what they came to: an adjudicator's decision or one under the rule, `no_agreement`, `waits`
            for an adjudicator, `failed_review` where too few votes were for a criterion, `decided` where the rule
            settles nothing, `begun` or `untouched`. Those that can occur, in this order.
    """

    name: str
    tasks: int
    outcomes: Mapping[str, int]


class InRound(NamedTuple):
    """What became of the items of one round.

    Args:
        round: From 1.
        items: That came to it.
        passed: Accepted in it.
        revised: Edited in it, so that they came again.
        dropped: Neither, and decided.
        waiting: For an adjudicator.
        open: Not decided yet.
    """

    round: int
    items: int
    passed: int
    revised: int
    dropped: int
    waiting: int
    open: int

    @property
    def parts(self) -> dict[str, int]:
        """Return what the items are parted into."""
        return {name: number for name, number in self._asdict().items() if name not in {"round", "items"}}


class _Game(NamedTuple):
    """By what tasks of a campaign are settled."""

    rule: Rule | None
    order: tuple[str, ...]
    criteria: tuple[str, ...]
    rounds: int

    @property
    def known(self) -> tuple[str, ...]:
        """Return the outcomes of decided tasks that can occur."""
        if self.rule is None:
            return (DECIDED,)
        if self.criteria:
            return (_PASSED, "reject", WAITS) if self.rule.is_adjudicated else (_PASSED, FAILED)
        return (*self.order, WAITS if self.rule.is_adjudicated else NO_AGREEMENT)


def standing_of(campaign: Campaign, patterns: Iterable[Pattern], name: str = "") -> Standing:
    """Return what became of tasks."""
    game = _game_of(campaign)
    counted: Counter[str] = Counter()
    for one in patterns:
        counted[_outcome(game, one)] += one.times
    outcomes = {outcome: counted.pop(outcome, 0) for outcome in (*game.known, BEGUN, UNTOUCHED)}
    return Standing(name, sum(outcomes.values()) + counted.total(), {**dict(sorted(counted.items())), **outcomes})


def standings_by(campaign: Campaign, patterns: Sequence[Pattern], facet: Facet) -> list[Standing]:
    """Return what became of the tasks of each kind, task or category, by name."""
    names = sorted({getattr(one, facet) or "" for one in patterns})
    return [
        standing_of(campaign, [one for one in patterns if (getattr(one, facet) or "") == name], name) for name in names
    ]


def rounds_of(campaign: Campaign, patterns: Iterable[Pattern], revised: Mapping[int, int]) -> list[InRound]:
    """Return what became of items round by round; nothing where a campaign has no rounds.

    Args:
        campaign: The campaign.
        patterns: Its current tasks.
        revised: How many items each round revised.
    """
    game = _game_of(campaign)
    if not game.rounds:
        return []
    found: dict[int, Counter[str]] = {number: Counter(revised=times) for number, times in revised.items()}
    for one in patterns:
        found.setdefault(one.round, Counter())[_part(_outcome(game, one))] += one.times
    return [
        InRound(number, found[number].total(), **{part: found[number][part] for part in InRound._fields[2:]})
        for number in sorted(found)
    ]


def _part(outcome: str) -> str:
    known = {_PASSED: "passed", WAITS: "waiting", BEGUN: "open", UNTOUCHED: "open"}
    return known.get(outcome, "dropped")


def _game_of(campaign: Campaign) -> _Game:
    form: Mapping[str, Any] = campaign.form
    rule = None
    with suppress(BenchwrightError):  # a rule such as answers(3) settles nothing
        rule = parse_rule(campaign.rule)
    return _Game(rule, tuple(form.get("decisions", ())), criteria_of(campaign), form.get("rounds") or 0)


def _outcome(game: _Game, one: Pattern) -> str:
    if one.state == "open":
        return BEGUN if one.given else UNTOUCHED
    if game.rule is None:
        return DECIDED
    if one.adjudicated is not None:
        return one.adjudicated
    if game.criteria:
        passes = all(one.votes[name] >= game.rule.need for name in game.criteria)
        return _PASSED if passes else WAITS if game.rule.is_adjudicated else FAILED
    given = [*game.order, *sorted(set(one.decisions) - set(game.order))]
    agreed = next((said for said in given if one.decisions.get(said, 0) >= game.rule.need), None)
    if not game.rule.is_adjudicated:
        return agreed or NO_AGREEMENT
    # With one edit that all agree on it would have come again, as long as there are rounds.
    waits = agreed is None or (agreed == _REVISE and one.round < game.rounds)
    return WAITS if waits else str(agreed)
