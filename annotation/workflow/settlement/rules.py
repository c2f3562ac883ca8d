"""Acceptance rules: the number of annotators per item, and the outcome of their decisions.

Rules as a recipe writes them:

    single               one annotator decides
    unanimous(2)         two annotators, both must agree
    majority(5)          five annotators, more than half of them must agree
    at_least(4, of=5)    five annotators, four of them must agree

and each of these within `adjudicated(...)`: if the rule reaches no decision, an adjudicator decides.

A task closes when all its slots are done, even if fewer decisions would settle it. Every item then has the same number
of decisions, which Fleiss' kappa requires and which keeps agreement comparable between items. A campaign may close a
task as soon as the missing decisions cannot change its outcome (`closing`); `Rule.certain_of` determines this.

The recipe's reader checks the rule in a step's settings and stores it in a normalized spelling.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Annotated, Literal, TypeVar

from pydantic import AfterValidator

from benchwright.errors import BenchwrightError
from benchwright.texts.normalization import counted

Decision = Literal["accept", "reject", "revise"]
DECISIONS: tuple[Decision, ...] = ("accept", "reject", "revise")
"""Decisions of an annotator; if several have as many votes as a rule needs, the first of these settles the task."""

MAX_SLOTS = 99
_Code = TypeVar("_Code", bound=str)
_SINGLE = re.compile(r"single(?:\( *\))?")
_MAJORITY = re.compile(r"majority\( *([0-9]{1,4}) *\)")
_UNANIMOUS = re.compile(r"unanimous\( *([0-9]{1,4}) *\)")
_AT_LEAST = re.compile(r"at_least\( *([0-9]{1,4}) *, *of *= *([0-9]{1,4}) *\)")
_ADJUDICATED = re.compile(r"adjudicated\( *(.*?) *\)")


@dataclass(frozen=True)
class Rule:
    """A rule: `need` equal decisions out of `slots`, made by as many different annotators.

    Args:
        need: Number of equal decisions that settle a task, 1 to `slots`.
        slots: Number of annotators of each task, 1 to 99.
        is_adjudicated: Whether an adjudicator decides the tasks that these decisions leave open; default False.
    """

    need: int
    slots: int
    is_adjudicated: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.need <= self.slots <= MAX_SLOTS:
            raise BenchwrightError(
                f"{self.need} of {counted(self.slots, 'annotator')}; possible rules are 1 of 1 to {MAX_SLOTS} of "
                f"{MAX_SLOTS}"
            )

    def __str__(self) -> str:
        inner = f"unanimous({self.slots})" if self.need == self.slots else f"at_least({self.need}, of={self.slots})"
        return f"adjudicated({inner})" if self.is_adjudicated else inner

    def of_fewer(self, votes: int) -> Rule:
        """Return the rule for fewer annotators: at least the same proportion of them must agree, rounded up.

        Example:
            >>> [str(Rule(3, 5).of_fewer(votes)) for votes in (2, 3, 4)]
            ['unanimous(2)', 'at_least(2, of=3)', 'at_least(3, of=4)']

        Raises:
            ValueError: The rule would have no slots, or more slots than before.
        """
        if not 1 <= votes <= self.slots:
            raise ValueError(f"{self} has no {votes} of {counted(self.slots, 'annotator')}")
        return replace(self, need=-(-self.need * votes // self.slots), slots=votes)

    def decide(self, decisions: Iterable[Decision]) -> Decision | None:
        """Return the decision that settles a task, regardless of the order of the decisions.

        If several decisions can reach `need` (as with two of four), the first of `DECISIONS` wins.

        Returns:
            The decision, or None if a slot is still open or no decision has enough votes. `settlement` handles
            adjudicators' decisions.

        Raises:
            ValueError: There are more decisions than slots, or one is not in `DECISIONS`.
        """
        listed = list(decisions)
        if len(listed) > self.slots or not set(listed) <= set(DECISIONS):
            raise ValueError(
                f"{self} takes {counted(self.slots, 'decision')}, each one of {', '.join(DECISIONS)}, not {listed}"
            )
        return self.certain_of(Counter(listed), DECISIONS, missing=0) if len(listed) == self.slots else None

    def certain_of(self, counts: Mapping[str, int], possible: Sequence[_Code], *, missing: int) -> _Code | None:
        """Return the decision that results whatever the missing decisions are; None if it depends on them.

        Args:
            counts: Number of times each decision was made.
            possible: Possible decisions, at least two; if several have enough votes, the first wins.
            missing: Number of missing decisions.
        """
        # A decision is certain once it has enough votes and no decision before it can still get enough. All missing
        # ones may be another decision, so none of them counts for it.
        for decision in possible:
            if counts.get(decision, 0) >= self.need:
                return decision
            if counts.get(decision, 0) + missing >= self.need:
                return None
        return None


def parse_rule(text: str) -> Rule:
    """Return the rule in a text such as `single`, `unanimous(2)`, `majority(5)` or `at_least(4, of=5)`.

    `single` and `majority` are abbreviations of rules of the other two kinds; the returned rule is of one of these
    kinds.

    Raises:
        BenchwrightError: The text does not name a rule; the message suggests the nearest valid text.
    """
    written = text.strip()
    if match := _ADJUDICATED.fullmatch(written):
        inner = parse_rule(match[1])
        if inner.is_adjudicated:
            raise BenchwrightError(f"{_shown(text)} names an adjudicator twice; did you mean {inner}?")
        return replace(inner, is_adjudicated=True)
    try:
        if _SINGLE.fullmatch(written):
            return Rule(1, 1)
        if match := _MAJORITY.fullmatch(written):
            return Rule(int(match[1]) // 2 + 1, int(match[1]))
        if match := _UNANIMOUS.fullmatch(written):
            return Rule(int(match[1]), int(match[1]))
        if match := _AT_LEAST.fullmatch(written):
            return Rule(int(match[1]), int(match[2]))
    except BenchwrightError as error:
        raise BenchwrightError(f"{_shown(text)} asks for {error}; did you mean {_nearest(written)}?") from None
    raise BenchwrightError(f"{_shown(text)} is not a rule; did you mean {_nearest(written)}?")


def _shown(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:60] + "...")


def _nearest(written: str) -> str:
    """Return a guess at the intended rule, based on the first word and the numbers in the text."""
    word = re.match(r"[A-Za-z_-]*", written[:60])
    known = ["unanimous", "at_least", "majority", "single", "adjudicated"]
    name = (get_close_matches(word[0].lower() if word else "", known, n=1, cutoff=0.4) or [""])[0]
    numbers = [
        min(max(int(digits), 1), MAX_SLOTS) for digits in re.findall(r"(?<![0-9])[0-9]{1,4}(?![0-9])", written[:60])
    ]
    if name == "at_least" or (name == "" and len(numbers) > 1):
        first, second = (numbers[0], numbers[1]) if len(numbers) > 1 else (4, 5)
        return f"at_least({min(first, second)}, of={max(first, second)})"
    if name == "single":
        return name
    if name == "majority":
        return f"majority({numbers[0] if numbers else 5})"
    if name == "adjudicated":
        inside = written.partition("(")[2]
        return f"adjudicated({_nearest(inside) if inside else 'unanimous(2)'})"
    if name == "unanimous":
        return f"unanimous({numbers[0] if numbers else 2})"
    return "unanimous(2) or at_least(4, of=5)"


def _spelled(value: str) -> str:
    try:
        return str(parse_rule(value))
    except BenchwrightError as error:
        raise ValueError(str(error)) from None


RuleSetting = Annotated[str, AfterValidator(_spelled)]
"""Setting such as `single`, `unanimous(2)`, `majority(3)` or `at_least(4, of=5)`."""


def _of_annotators(value: str) -> str:
    rule = parse_rule(value)
    if rule.is_adjudicated:
        raise ValueError(
            "an adjudicator decides in `verify`, `review` and `mark` only; did you mean "
            f"{replace(rule, is_adjudicated=False)}?"
        )
    return value


AnnotatorsRule = Annotated[RuleSetting, AfterValidator(_of_annotators)]
"""The same, without rules that name an adjudicator."""
