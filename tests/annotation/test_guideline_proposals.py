"""Open points of the guidelines: reasons on which annotators differ, with representative notes."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from benchwright.annotation.progress.guideline_proposals import grouped_notes, guideline_proposals
from benchwright.annotation.store.database.records import Annotation

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def said(
    item: int, annotator: str, decision: str, *reasons: str, note: str | None = None, version: int = 1
) -> Annotation:
    return Annotation(
        decision=decision, reasons=reasons, note=note, item_id=f"item-{item}", content_hash="v1", round=1, slot=1,
        annotator=annotator, annotator_kind="person", version=version, started_at=NOW, submitted_at=NOW,
    )  # fmt: skip


def test_reasons_on_which_annotators_differ_are_proposed_with_the_number_of_items() -> None:
    decisions = [
        said(1, "ann", "accept"), said(1, "ben", "reject", "unclear", note="which corner?"),
        said(2, "ann", "reject", "unclear", note="which corner is meant?"), said(2, "ben", "accept"),
        said(3, "ann", "reject", "wrong_answer"), said(3, "ben", "reject", "wrong_answer"),
        said(4, "ann", "reject", "wrong_answer"), said(4, "ben", "accept"),
    ]  # fmt: skip
    [proposal] = guideline_proposals(decisions)
    assert (proposal.reason, proposal.items, proposal.divided, proposal.annotators) == ("unclear", 2, 2, 2)
    assert proposal.notes == ("which corner?",)


def test_only_the_last_version_of_a_decision_counts_and_other_versions_of_an_item_divide_nobody() -> None:
    first = said(1, "ben", "reject", "unclear")
    decisions = [
        said(1, "ann", "accept"), first, replace(first, decision="accept", reasons=(), version=2),
        said(2, "ann", "accept"), replace(said(2, "ben", "reject", "unclear"), content_hash="v2"),
        said(3, "ann", "accept"), said(3, "ben", "reject", "unclear"),
    ]  # fmt: skip
    assert guideline_proposals(decisions) == []


def test_one_note_stands_for_each_group_that_shares_words() -> None:
    notes = [
        "the two options mean the same", "blurred", "options A and B mean the same", "both options mean the same thing",
        "too blurred to read",
    ]  # fmt: skip
    assert grouped_notes(notes) == ("the two options mean the same", "blurred")
    assert grouped_notes([]) == ()
    assert grouped_notes(["?", "!"]) == ("?", "!")
