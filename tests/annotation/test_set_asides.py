"""Votes that a curator sets aside and restores.

- They do not count for settlement, agreement, progress or quality; their tasks go to others.
- Nothing is lost: the log holds the votes and both acts, and restoring returns votes unless another annotator decided.
- Annotators who rush or miss attention checks are named, with the weight of their estimated accuracy.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchwright.annotation.agreement.annotator_quality import RightOf, qualities_in
from benchwright.annotation.agreement.ratings import Rating, columns_of
from benchwright.annotation.campaigns.verify import Verify
from benchwright.annotation.cli.agreement import annotators
from benchwright.annotation.cli.set_asides import set_aside, take_back
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.progress.label_fields import label_fields_of
from benchwright.annotation.progress.overview import Overview
from benchwright.annotation.store.backup import restore_backup, write_backup
from benchwright.annotation.store.check import row_problems
from benchwright.annotation.store.database.records import RefusedError
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.annotation.workflow.set_asides import set_votes_aside, take_votes_back
from benchwright.records import Item
from benchwright.steps import CampaignContext

pytestmark = pytest.mark.slow

OpenCampaign = Callable[..., ReviewStore]


def decide_all(store: ReviewStore, name: str, decision: str = "accept", *, most: int = 99, now: datetime) -> int:
    """Decide all tasks of an annotator alike; return their number."""
    for number in range(most):
        lease = store.claim("verify", name, now=now)
        if lease is None:
            return number
        store.submit(lease.slot_id, name, Submission(decision), now=now)
    return most


@pytest.mark.both_databases
def test_votes_set_aside_count_nowhere_and_others_are_asked_in_their_place(
    open_campaign: OpenCampaign, now: datetime
) -> None:
    store = open_campaign(tasks=3)
    assert (decide_all(store, "ann", now=now), decide_all(store, "ben", now=now)) == (3, 3)
    before, log = store.decisions("verify"), store.audited()
    overview = Overview(store, store.campaign("verify"))
    stamp, [field] = overview.stamp(), label_fields_of(store.campaign("verify"))[:1]
    assert set_votes_aside(store, "verify", "ann", by="cur", why="presses one key", now=now) == 3
    status = store.status("verify", now=now)
    assert (status.tasks["open"], status.slots, status.annotators) == (3, {"submitted": 3, "leased": 0, "free": 3}, 1)
    assert {annotation.annotator for annotation in store.decisions("verify")} == {"ben"}
    assert [quality.rater for quality in overview.qualities(overview.label_columns(field))] == ["ben"]
    assert (overview.people(), sum(overview.days().values()), overview.stamp() != stamp) == (1, 3, True)
    assert [(each.annotator, each.votes, each.why) for each in overview.set_aside()] == [("ann", 3, "presses one key")]
    assert decide_all(store, "ann", now=now) == 0, "who is set aside gets nothing more"
    assert list(row_problems(store)) == []
    taken = take_votes_back(store, "verify", "ann", by="cur", now=now)
    assert (taken.votes, taken.replaced, taken.held) == (3, 0, 0)
    assert store.decisions("verify") == before
    assert store.status("verify", now=now).tasks["done"] == 3
    after = store.audited(expect=log.head)
    assert (after.broken, after.decisions) == (None, log.decisions)
    assert list(row_problems(store)) == []


@pytest.mark.both_databases
def test_a_vote_in_whose_place_somebody_decided_or_decides_stays_aside(
    open_campaign: OpenCampaign, now: datetime
) -> None:
    store = open_campaign(tasks=3)
    decide_all(store, "ann", now=now)
    decide_all(store, "ben", now=now)
    set_votes_aside(store, "verify", "ann", by="cur", why="presses one key", now=now)
    assert decide_all(store, "cas", "reject", most=1, now=now) == 1
    assert store.claim("verify", "cas", now=now) is not None
    taken = take_votes_back(store, "verify", "ann", by="cur", now=now)
    assert (taken.votes, taken.replaced, taken.held) == (1, 1, 1)
    later = now + timedelta(days=1)
    again = take_votes_back(store, "verify", "ann", by="cur", now=later)
    assert (again.votes, again.replaced, again.held) == (1, 1, 0)
    given = sorted((annotation.annotator, annotation.decision) for annotation in store.decisions("verify"))
    assert given == [("ann", "accept")] * 2 + [("ben", "accept")] * 3 + [("cas", "reject")]
    assert list(row_problems(store)) == []


def test_a_changed_vote_that_is_set_aside_counts_as_little_until_it_is_taken_back(
    open_campaign: OpenCampaign, now: datetime
) -> None:
    store = open_campaign(tasks=1, slots=1)
    lease = store.claim("verify", "ann", now=now)
    assert lease is not None
    store.submit(lease.slot_id, "ann", Submission("accept"), now=now)
    set_votes_aside(store, "verify", "ann", by="cur", why="a slip", now=now)
    changed = Submission("reject", reasons=("unclear",))
    store.submit(lease.slot_id, "ann", changed, now=now + timedelta(seconds=9), amend=True)
    assert store.decisions("verify") == []
    take_votes_back(store, "verify", "ann", by="cur", now=now)
    assert [annotation.decision for annotation in store.decisions("verify")] == ["reject"]


def test_a_backup_keeps_votes_set_aside(open_campaign: OpenCampaign, now: datetime, tmp_path: Path) -> None:
    store = open_campaign(tasks=2, slots=1)
    decide_all(store, "ann", now=now)
    set_votes_aside(store, "verify", "ann", by="cur", why="rushes", now=now)
    write_backup(store, tmp_path / "backup.zip")
    url = f"sqlite:///{tmp_path / 'restored.sqlite'}"
    restore_backup(tmp_path / "backup.zip", url)
    with open_store(url) as restored:
        assert (restored.decisions("verify"), list(row_problems(restored))) == ([], [])
        assert take_votes_back(restored, "verify", "ann", by="cur", now=now).votes == 2


def test_what_cannot_be_set_aside_or_taken_back_is_refused_in_words(open_campaign: OpenCampaign, now: datetime) -> None:
    store = open_campaign(tasks=1)
    for name, why, words in (("ann", " ", "say in 1 to"), ("nobody", "rushes", "no annotator 'nobody'")):
        with pytest.raises(RefusedError, match=words):
            set_votes_aside(store, "verify", name, by="cur", why=why, now=now)
    with pytest.raises(RefusedError, match="no votes of 'ann'"):
        take_votes_back(store, "verify", "ann", by="cur", now=now)


def test_a_run_waits_again_and_its_summary_says_how_many_votes_were_set_aside(
    context: CampaignContext, store: ReviewStore, make_items: Callable[..., list[Item]], now: datetime
) -> None:
    items, step = make_items(jigsaw=2), Verify(rule="single")
    step.advance(items, context)
    for name in ("ann", "ben"):
        store.upsert_annotator(name)
    decide_all(store, "ann", now=now)
    assert step.advance(items, context).waiting is None
    set_votes_aside(store, "verify", "ann", by="cur", why="rushes", now=now)
    assert step.advance(items, context).waiting is not None
    decide_all(store, "ben", "reject", now=now)
    verdicts = step.advance(items, context)
    assert verdicts.summary["votes_set_aside"] == 2
    assert {outcome.verdict for outcome in verdicts.outcomes.values()} == {"drop"}


def test_the_commands_set_aside_and_take_back_and_list_whose_votes_are_aside(
    open_campaign: OpenCampaign, now: datetime, tmp_path: Path
) -> None:
    store = open_campaign(tasks=2)
    (tmp_path / "workspace.json").write_text("{}")
    decide_all(store, "ann", now=now)
    place = ["--workspace", str(tmp_path), "--campaign", "verify", "--by", "cur", "--json"]
    done = CliRunner().invoke(set_aside, ["ann", "--why", "rushes", *place], catch_exceptions=False)
    assert json.loads(done.output)["votes"] == 2
    listed = CliRunner().invoke(annotators, [*place[:4], "--json"], catch_exceptions=False)
    [row] = json.loads(listed.output)["set_aside"]
    assert (row["annotator"], row["votes"], row["gold"]["answered"], row["attention"]["answered"]) == ("ann", 2, 0, 0)
    done = CliRunner().invoke(take_back, ["ann", *place], catch_exceptions=False)
    assert json.loads(done.output) == {"campaign": "verify", "annotator": "ann", "votes": 2, "replaced": 0, "held": 0}


def test_attention_checks_and_haste_speak_against_somebody_whom_agreement_praises() -> None:
    units = range(25)
    ratings = [Rating(str(unit), name, "reject" if unit < 2 else "accept") for unit in units for name in ("ann", "ben")]
    ratings += [Rating(str(unit), "stamper", "accept") for unit in units]
    of = {
        quality.rater: quality
        for quality in qualities_in(
            columns_of(ratings),
            seconds={"ann": [9.0] * 25, "ben": [8.0] * 25, "stamper": [0.2] * 25},
            too_fast={"ann": RightOf(0, 25), "stamper": RightOf(25, 25)},
            attention={"ann": RightOf(5, 6), "stamper": RightOf(0, 6)},
        )
    }
    assert of["ann"].doubts == of["ben"].doubts == ()
    stamper = of["stamper"]
    assert stamper.estimated_accuracy == pytest.approx(0.92)
    assert stamper.constant_accuracy == pytest.approx(0.92)
    assert stamper.is_suspiciously_fast
    assert {"misses_checks", "rushes", "as_without_looking"} <= {*stamper.doubts}
    assert stamper.to_json()["doubts"] == list(stamper.doubts)
