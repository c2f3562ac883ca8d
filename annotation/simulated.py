"""Annotators that are not people: they close campaigns in demonstrations and tests, and show as simulated.

A simulated annotator accepts what can be scored (the item has an answer, or a choice that declines to
answer), rejects the rest, and departs from that at a given rate. Who takes an item and what each says follow
from run seed, stage, item and annotator alone: a run killed anywhere and started again ends in the same
decisions.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import NamedTuple

from pydantic import Field

from benchwright.records import Record
from benchwright.seeds import generator_for

from .rules import Decision
from .store import SIMULATED, ReviewStore

NOW = datetime(2000, 1, 1, tzinfo=UTC)
"""The moment of all simulated work: nobody sat there, so no clock is pretended."""
BATCH = 200
"""Tasks in one transaction."""


class SimulatedAnnotators(Record):
    """A group of simulated annotators.

    Attributes:
        annotators: How many there are, at least as many as the rule asks for.
        error_rate: Chance that one departs from the sane judgement of an item, 0 to 1.
        reasons: Reasons that a rejection gives, one of them each time; none where empty.
    """

    annotators: int = Field(ge=1, le=1000)
    error_rate: float = Field(0.0, ge=0, le=1)
    reasons: tuple[str, ...] = ()


class SimulatedDecision(NamedTuple):
    """What one simulated annotator says of one item."""

    annotator: str
    decision: Decision
    reasons: tuple[str, ...]


def simulated_decisions(
    settings: SimulatedAnnotators, item_id: str, *, is_sound: bool, slots: int, seed: int, stage: str
) -> list[SimulatedDecision]:
    """Return what is said of an item, by annotator.

    Every annotator draws a lot for the item; those with the lowest take its slots.

    Args:
        settings: Who there is and how often they err.
        item_id: The item.
        is_sound: What a sane annotator would accept.
        slots: Annotators that the item gets.
        seed: Of the run.
        stage: Of the campaign.
    """
    drawn = []
    for number in range(1, settings.annotators + 1):
        annotator = f"{SIMULATED}{number}"
        rng = generator_for(seed, stage, item_id, annotator)
        lot, departs, which = rng.random(), rng.random() < settings.error_rate, rng.random()
        decision: Decision = "accept" if is_sound != departs else "reject"
        reasons = settings.reasons if decision == "reject" else ()
        drawn.append((lot, SimulatedDecision(annotator, decision, reasons[int(which * len(reasons)) :][:1])))
    return sorted(decision for _, decision in sorted(drawn)[:slots])


def simulate(
    store: ReviewStore,
    campaign: str,
    settings: SimulatedAnnotators,
    *,
    seed: int,
    stage: str,
    batch: int = BATCH,
) -> int:
    """Let simulated annotators decide every open task, as people would: claim a slot, submit a decision.

    Args:
        store: With the campaign's tasks.
        campaign: Opened for simulated annotators.
        settings: Who there is and how often they err.
        seed: Of the run.
        stage: Of the campaign.
        batch: Tasks in one transaction.

    Returns:
        How many decisions were missing and are now made.
    """
    slots = store.campaign(campaign).slots_per_task
    with store.batch() as held:
        for number in range(1, settings.annotators + 1):
            held.upsert_annotator(f"{SIMULATED}{number}", kind="simulated")
    waiting = store.tasks(campaign)
    made = 0
    for start in range(0, len(waiting), batch):
        with store.batch() as held:  # an item's decisions are in one transaction: all are there, or none
            for task in waiting[start : start + batch]:
                is_sound = task.payload.get("answer") is not None or task.payload.get("refusal") is not None
                for one in simulated_decisions(
                    settings, task.item_id, is_sound=is_sound, slots=slots, seed=seed, stage=stage
                ):
                    held.decide(campaign, task.id, one.annotator, one.decision, now=NOW, reasons=one.reasons)
                    made += 1
    return made
