"""Faults in a set's items, judged by their words and keys: options, questions, letters, rules over words.

The steps `repeated_options`, `duplicate_questions`, `answer_balance` and `wording_bias`, the command `filter items` and
the audit agree on a set, since all call the functions that this report calls.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.records import Item

from .shortcuts.letter_groups import JudgedLetters, groups_of_set, judged
from .shortcuts.picks import Bounds
from .shortcuts.wording_rules import RuleResult, rule_results
from .wording.repeated_options import OptionPair, repeated_pairs, similar_options
from .wording.repeated_questions import Repetition, Scope, repeated_questions


class ItemReport(NamedTuple):
    """The faults of a set's items.

    Args:
        items: Number of items.
        repeated_options: Pairs of equal options.
        similar_options: Pairs of options that are nearly equal.
        questions: Items that repeat others, exactly or nearly.
        letters: The distribution of right letters, and of refusal choices, by task and over the whole set.
        rules: Rules over words, by task and over the whole set.
    """

    items: int
    repeated_options: tuple[OptionPair, ...]
    similar_options: tuple[OptionPair, ...]
    questions: tuple[Repetition, ...]
    letters: tuple[JudgedLetters, ...]
    rules: tuple[RuleResult, ...]

    @property
    def giveaways(self) -> tuple[RuleResult, ...]:
        """Return the rules by which words alone give keys away."""
        return tuple(rule for rule in self.rules if rule.gives_away(Bounds()))

    def document(self) -> dict[str, Any]:
        """Return the report as JSON values."""
        return {
            "items": self.items,
            "repeated_options": [pair._asdict() for pair in self.repeated_options],
            "similar_options": [pair._asdict() for pair in self.similar_options],
            "questions": [
                {"item_id": each.item_id, "reason": each.reason, "of": list(each.of)} for each in self.questions
            ],
            "letters": [letters.to_json() for letters in self.letters],
            "rules": [{**rule.to_json(), "gives_away": rule.gives_away(Bounds())} for rule in self.rules],
        }


def report_on_release(folder: Path, *, scope: Scope = "same_image") -> ItemReport:
    """Report on all items of a release.

    Args:
        folder: Folder of the release.
        scope: The questions to compare (`repeated_questions`).

    Raises:
        DataError: The folder is not a release, or is damaged.
    """
    from benchwright.release import Release

    return report_on([released.item for released in Release.open(folder).items()], scope=scope)


def report_on(
    items: Sequence[Item],
    *,
    scope: Scope = "same_image",
    similar: Callable[[Item], Sequence[OptionPair]] | None = None,
    rules: Callable[[Sequence[Item]], Sequence[RuleResult]] | None = None,
) -> ItemReport:
    """Report on items, whose order does not matter.

    Args:
        items: The items.
        scope: The questions to compare (`repeated_questions`).
        similar: Function from an item to its nearly equal options, if these are already known; if None,
            `similar_options` is used.
        rules: Function from the items, by id, to the results of rules over their words, if these may already be known;
            if None, `rule_results` is used.
    """
    similar = similar or similar_options
    ordered = sorted(items, key=lambda item: item.item_id)
    return ItemReport(
        items=len(ordered),
        repeated_options=tuple(
            OptionPair(item.item_id, pair, 1.0) for item in ordered for pair in repeated_pairs(item)
        ),
        similar_options=tuple(pair for item in ordered for pair in similar(item)),
        questions=tuple(repeated_questions(ordered, scope=scope)),
        letters=tuple(judged(groups_of_set(ordered, seed=0), seed=0)),
        rules=tuple(rule_results(ordered, per="both") if rules is None else rules(ordered)),
    )
