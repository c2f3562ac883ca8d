"""Questions without options: asked twice, exactly or nearly, or with contradictory answers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from benchwright.diagnostics.wording.repeated_questions import NEAR, repeated_questions
from benchwright.texts.normalization import normal

from ..check import AuditContext, CheckSkipped
from ..evidence import standing_items
from ..findings.finding import Finding
from ..source.audited_items import AuditedItems, OpenItem


class RepeatedOpenQuestions:
    """Open questions that are asked twice about the same pictures; copies of a picture are treated as one."""

    name: ClassVar[str] = "repeated_open_questions"
    title: ClassVar[str] = "Open questions asked twice, in the same or nearly the same words, and their answers"

    def run(self, audited: AuditedItems, context: AuditContext) -> Iterator[Finding]:
        """Return a finding for each group of open questions that ask the same thing.

        Raises:
            CheckSkipped: No question is open.
        """
        open_items = [each for each in audited.open_items if each.item.question]
        if not open_items:
            raise CheckSkipped("no question with words is open-ended")
        shown = standing_items(audited, context)
        standing = {each.item_id: shown[each.item_id] for each in open_items}
        own_id = {item.item_id: own for own, item in standing.items()}
        groups: defaultdict[tuple[bool, str], set[str]] = defaultdict(set)
        pictured = [item for item in standing.values() if item.images]
        bare = [item for item in standing.values() if not item.images]  # similar words may be about anything
        for repetition in (*repeated_questions(pictured), *repeated_questions(bare, min_similarity=None)):
            members = groups[repetition.reason == NEAR, repetition.group]
            members |= {own_id[item_id] for item_id in (repetition.item_id, *repetition.of)}
        for (is_near, _), members in sorted(groups.items(), key=lambda entry: entry[0]):
            items = [audited.open_by_id[item_id] for item_id in audited.in_order(members)]
            yield _nearly(items) if is_near else _asked_twice(items, audited.splits)


def _nearly(items: Sequence[OpenItem]) -> Finding:
    return Finding(
        "nearly_repeated_question",
        "low",
        tuple(each.item_id for each in items),
        "Open questions about the same picture are nearly the same: a curator should decide whether one is enough.",
        {"questions": [each.item.question for each in items[:8]]},
        "possible",
    )


def _asked_twice(items: Sequence[OpenItem], splits: Mapping[str, str]) -> Finding:
    ids = tuple(each.item_id for each in items)
    answers = {each.item_id: each.answer.replace("\n", " or ") for each in items if each.answer is not None}
    evidence = {"question": items[0].item.question, "answers": answers}
    if _contradict(items):
        summary = "The same open question about the same picture has different answers: one of them may be wrong."
        return Finding("contradicting_keys", "high", ids, summary, evidence)
    named = sorted({splits[item_id] for item_id in ids if item_id in splits})
    where = f" in the splits {', '.join(named)}" if len(named) > 1 else ""
    summary = f"The same open question about the same picture is asked {len(ids)} times{where}."
    return Finding("repeated_question", "high" if where else "medium", ids, summary, evidence, "certain")


def _contradict(items: Sequence[OpenItem]) -> bool:
    """Return whether two questions have no right answer in common, ignoring case, width and punctuation."""
    stated = [{normal(line) for line in each.answer.splitlines()} for each in items if each.answer is not None]
    return any(first.isdisjoint(second) for at, first in enumerate(stated) for second in stated[at + 1 :])
