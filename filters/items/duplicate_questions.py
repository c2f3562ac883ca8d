"""The step `duplicate_questions`, which drops all but one of equal questions, and asks about near-equal ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from pydantic import Field

from benchwright.diagnostics.wording.repeated_questions import (
    CONTRADICTING,
    DUPLICATE,
    LISTED_PARTNERS,
    MIN_SIMILARITY,
    NEAR,
    Repetition,
    Scope,
    is_half_of_pair,
    repeated_questions,
)
from benchwright.records import Item
from benchwright.steps import GatherContext, Gathered, GatherStep, Stream, Verdict

if TYPE_CHECKING:
    import pyarrow as pa


class RepetitionVerdict(NamedTuple):
    """The verdict on an item that repeats, or nearly repeats, another item."""

    verdict: Verdict
    reason: str
    evidence: Mapping[str, Any]
    group: str | None = None


class DuplicateQuestions(GatherStep):
    """Drop repeated questions, and ask about near-equal ones.

    Among equal items, the one with the smallest id is kept, preferably one with a key. Items of a declared pair are
    asked about instead of dropped, since half a pair is useless. If equal items name different right options, none is
    dropped and all are `contradicting_keys`. Near-equal questions are sought only among those that were not written by
    a template, because questions of one template resemble one another by design. Two questions about the same pictures
    with the same three or more text options and the same right option are near-equal whatever their wording.

    Args:
        min_similarity: Jaccard similarity of character trigrams, above 0 and at most 1, from which two questions are
            `near_duplicate_question`; None asks about none.
        scope: `same_image` compares the questions of items that show the same pictures with the same marks. `all`
            compares question and options of all items, whatever they show, except within a declared pair.

    Reasons:
        duplicate_question (drop or ask): It has the same pictures, words and options as the item named in the evidence;
            asked about within a declared pair.
        contradicting_keys (ask): It has the same pictures, words and options as another item, but another key.
        near_duplicate_question (ask): It has nearly the same words as another item, or the same options and the same
            right option.
    """

    name: ClassVar[str] = "duplicate_questions"
    version: ClassVar[int] = 2
    consumes: ClassVar[Stream] = "items"
    values: ClassVar[Mapping[str, str]] = {"group": "string"}
    columns: ClassVar[tuple[str, ...]] = ("record",)

    min_similarity: float | None = Field(MIN_SIMILARITY, gt=0, le=1)
    scope: Scope = "same_image"

    def gather(self, columns: pa.Table, ctx: GatherContext) -> Gathered:
        """Compare all items."""
        del ctx
        items = [Item.model_validate_json(record) for record in columns["record"].to_pylist()]
        decisions = self.verdicts(items)
        rows = sorted(decisions)
        return Gathered(
            rows=np.array(rows, np.int64),
            verdicts=[decisions[row].verdict for row in rows],
            reasons=[decisions[row].reason for row in rows],
            values={"group": [decisions[row].group for row in rows]},
            evidence=[decisions[row].evidence for row in rows],
        )

    def verdicts(self, items: Sequence[Item]) -> dict[int, RepetitionVerdict]:
        """Return, by row, the verdicts on items that repeat other items."""
        row_of = {item.item_id: row for row, item in enumerate(items)}
        repetitions = repeated_questions(items, scope=self.scope, min_similarity=self.min_similarity)
        return {(row := row_of[each.item_id]): _verdict(each, items[row]) for each in repetitions}


def _verdict(repetition: Repetition, item: Item) -> RepetitionVerdict:
    if repetition.reason == DUPLICATE:
        verdict: Verdict = "ask" if is_half_of_pair(item) else "drop"
        return RepetitionVerdict(verdict, DUPLICATE, {"of": repetition.of[0]})
    if repetition.reason == CONTRADICTING:
        equal = sorted((repetition.item_id, *repetition.of))[:LISTED_PARTNERS]
        return RepetitionVerdict("ask", CONTRADICTING, {"equal_items": equal})
    evidence = {
        "partners": [partner.to_json() for partner in repetition.partners],
        "partners_total": repetition.partners_total,
    }
    return RepetitionVerdict("ask", NEAR, evidence, f"questions:{repetition.group[:16]}")
