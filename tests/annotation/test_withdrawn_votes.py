"""Votes whose annotations are deleted in Label Studio: withdrawn, requested again, and restored once they reappear."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from benchwright.annotation.forms.kinds import AUTHORED_KINDS
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.progress.overview import Overview
from benchwright.annotation.store.backup import restore_backup, write_backup
from benchwright.annotation.store.campaigns.set_asides import DELETED_ELSEWHERE, is_paused
from benchwright.annotation.store.campaigns.withdrawn_votes import Vote
from benchwright.annotation.store.check import row_problems
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.annotation.store.submissions.external_annotations import ExternalAnnotation
from benchwright.annotation.workflow.set_asides import (
    bring_deleted_back,
    set_votes_aside,
    take_votes_back,
    withdraw_deleted,
)

OpenCampaign = Callable[..., ReviewStore]


def import_votes(store: ReviewStore, name: str, *places: int, now: datetime, decision: str = "accept") -> list[Vote]:
    """Import a decision of one annotator on each of some tasks, like a pull."""
    tasks = store.tasks("verify", states=("open", "done"))
    for place in places:
        store.take_in("verify", ExternalAnnotation(tasks[place].id, name, Submission(decision), now, now), now=now)
    return [Vote(tasks[place].id, name) for place in places]


@pytest.mark.both_databases
def test_a_withdrawn_vote_counts_nowhere_and_its_author_may_decide_again(
    open_campaign: OpenCampaign, now: datetime
) -> None:
    store = open_campaign(tasks=2)
    votes = import_votes(store, "ann", 0, 1, now=now)
    import_votes(store, "ben", 0, 1, now=now)
    campaign, before = store.campaign("verify"), store.decisions("verify")
    assert withdraw_deleted(store, campaign, votes[:1], now=now) == {votes[0]}
    assert withdraw_deleted(store, campaign, votes[:1], now=now) == frozenset(), "it counted no more already"
    status = store.status("verify", now=now)
    assert (dict(status.tasks), status.slots["free"]) == ({"open": 1, "done": 1, "retired": 0}, 1)
    assert len(store.decisions("verify")) == 3
    [listed] = Overview(store, campaign).set_aside()
    assert (listed.annotator, listed.votes, listed.by, listed.is_in_force) == ("ann", 1, DELETED_ELSEWHERE, False)
    with store.reading() as connection:
        assert not is_paused(connection, campaign, "ann")
    assert list(row_problems(store)) == []
    again = ExternalAnnotation(votes[0].task_id, "ann", Submission("accept"), now, now)
    assert store.take_in("verify", again, now=now) == "returned"
    assert store.decisions("verify") == before
    assert (Overview(store, campaign).set_aside(), list(row_problems(store))) == ([], [])
    assert store.audited().broken is None


def test_a_curators_act_and_a_deletion_are_taken_back_apart(open_campaign: OpenCampaign, now: datetime) -> None:
    store = open_campaign(tasks=3)
    votes = import_votes(store, "ann", 0, 1, 2, now=now)
    campaign = store.campaign("verify")
    withdraw_deleted(store, campaign, votes[:1], now=now)
    assert set_votes_aside(store, "verify", "ann", by="cur", why="rushes", now=now) == 2
    listed = [(each.votes, each.is_in_force) for each in Overview(store, campaign).set_aside()]
    assert sorted(listed) == [(1, False), (2, True)]
    assert take_votes_back(store, "verify", "ann", by="cur", now=now).votes == 2
    assert [each.votes for each in Overview(store, campaign).set_aside()] == [1]
    assert take_votes_back(store, "verify", "ann", by="cur", now=now).votes == 1


def test_kept_votes_count_again_where_nobody_else_decided(
    open_campaign: OpenCampaign, now: datetime, tmp_path: Path
) -> None:
    store = open_campaign(tasks=2)
    votes = import_votes(store, "ann", 0, 1, now=now)
    import_votes(store, "ben", 0, 1, now=now)
    campaign = store.campaign("verify")
    withdraw_deleted(store, campaign, votes, now=now)
    import_votes(store, "cas", 1, now=now, decision="reject")
    write_backup(store, tmp_path / "backup.zip")
    url = f"sqlite:///{tmp_path / 'restored.sqlite'}"
    restore_backup(tmp_path / "backup.zip", url)
    with open_store(url) as restored:
        assert bring_deleted_back(restored, campaign, by="cur", now=now) == (1, 1)
        assert list(row_problems(restored)) == []


def test_what_people_wrote_is_not_withdrawn(open_campaign: OpenCampaign, now: datetime) -> None:
    store = open_campaign(tasks=1)
    votes = import_votes(store, "ann", 0, now=now)
    written = replace(store.campaign("verify"), kind=sorted(AUTHORED_KINDS)[0])
    assert withdraw_deleted(store, written, votes, now=now) == frozenset()
