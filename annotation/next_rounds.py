"""Opening the next round of a campaign: a version of an item that was revised comes again, to other eyes.

Called where people work, after each decision, and by a run for whatever came in otherwise. Safe to repeat.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from benchwright.records import Item

from .hand_out import HandOut, hand_out_of
from .kinds import REVIEW, VERIFY
from .review_votes import reviewed, reviewed_already
from .revising import ItemEdits, revised
from .rounds import Judge, Settled, in_count, settle, verified, verified_already
from .rules import Rule, parse_rule
from .store import Annotation, Campaign, ReviewStore, Task, Work, item_in
from .store.adjudicating import list_adjudicated
from .store.campaigns import find_task
from .store.records import Adjudicated
from .store.reports import list_decisions
from .store.revisions import add_revision, round_of

JUDGES: Mapping[str, Judge] = {VERIFY: verified, REVIEW: reviewed}
"""What decisions come to, by the kind of campaigns that have rounds."""
FOREGONE: Mapping[str, Judge] = {VERIFY: verified_already, REVIEW: reviewed_already}
"""What they come to already, whatever is said by those who have not decided."""
NOBODY = Adjudicated(0, None)


def foregone_of(kind: str, handout: HandOut) -> Judge | None:
    """Return what tells that a task is decided already; None where tasks do not close before all have decided."""
    return FOREGONE.get(kind) if handout.close_decided else None


class Game(NamedTuple):
    """By what a campaign goes: its rule, what decisions come to, and how many rounds there are."""

    rule: Rule
    judge: Judge
    rounds: int
    foregone: Judge | None = None
    """Where tasks close as soon as they are decided: what tells so."""

    def settle(self, said: Sequence[Annotation], adjudicated: Adjudicated = NOBODY) -> Settled:
        """Return what the decisions on one version came to."""
        counted, _ = in_count(self.rule, said, sent_back=adjudicated.sent_back)
        return settle(self.rule, self.judge, counted, adjudicated.decision, foregone=self.foregone)


def game_of(campaign: Campaign) -> Game | None:
    """Return by what a campaign goes; None where it has no rounds."""
    rounds = campaign.form.get("rounds")
    judge = JUDGES.get(campaign.kind)
    if rounds is None or judge is None:
        return None
    return Game(parse_rule(campaign.rule), judge, rounds, foregone_of(campaign.kind, hand_out_of(campaign.settings)))


def open_next_rounds(store: ReviewStore, name: str | Campaign, *, task: int | None = None) -> int:
    """Open the next round of every item that was revised, or only of one task's; return how many.

    A revision happens at the moment of the last decision that it took.

    Args:
        store: The review store.
        name: The campaign, or its name; one without rounds is left alone.
        task: Only where this task is decided.
    """
    campaign = store.campaign(name) if isinstance(name, str) else name
    game = game_of(campaign)
    if game is None:
        return 0
    with store.writing() as connection:
        said = by_version(list_decisions(connection, campaign, task=task))
        adjudicated = list_adjudicated(connection, campaign, task=task)
        opened = 0
        for key, given in said.items():
            verdict = adjudicated.get(key, NOBODY)
            settled = game.settle(given, verdict)
            if settled.state != "revise" or settled.proposal is None:
                continue
            before = find_task(connection, campaign, *key)
            if round_of(connection, before.id) < game.rounds:
                edits, by = settled.proposal
                work, now = _next(before, edits), max(_moments(given, verdict))
                opened += add_revision(connection, campaign, before, work, edits=edits, annotator=by, now=now)
        return opened


def by_version(decisions: Iterable[Annotation]) -> dict[tuple[str, str], list[Annotation]]:
    """Return decisions by item id and content hash, each by slot."""
    found: dict[tuple[str, str], list[Annotation]] = {}
    for one in decisions:
        found.setdefault((one.item_id, one.content_hash), []).append(one)
    return found


def _moments(said: Sequence[Annotation], verdict: Adjudicated) -> list[datetime]:
    decided = [] if verdict.decision is None else [verdict.decision.decided_at]
    return [*(one.submitted_at for one in said), *decided]


def _next(task: Task, edits: Mapping[str, object]) -> Work:
    item = revised(Item.model_validate(item_in(task.payload)), ItemEdits.model_validate(edits))
    return Work(item.item_id, item.content_hash, item.model_dump(mode="json"))
