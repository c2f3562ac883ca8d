"""Annotators' care from gold, attention checks, pace and agreement, and the pause of careless ones.

- A rubber-stamper falls below the bounds, is paused with a row in the log, and their tasks open again.
- A curator can reverse that as easily, and the bounds do not pause the annotator again.
- An annotator who is careful, fast, or alone against colluders is not paused.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from benchwright.annotation.agreement.annotator_quality import RightOf
from benchwright.annotation.agreement.care import Care, Known, cares
from benchwright.annotation.agreement.ratings import Rating
from benchwright.annotation.forms.assignment_settings import SETTING, AssignmentSettings
from benchwright.annotation.forms.campaign_form import CampaignForm
from benchwright.annotation.forms.kinds import ATTENTION
from benchwright.annotation.forms.payloads import TaskInput
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.store.campaigns.set_asides import list_set_aside
from benchwright.annotation.store.check import row_problems
from benchwright.annotation.store.database.audit import AUTOMATIC
from benchwright.annotation.store.review_store import ReviewStore
from benchwright.annotation.workflow.pausing import cares_of, checked_people
from benchwright.annotation.workflow.set_asides import take_votes_back
from benchwright.annotation.workflow.task_queue import TaskQueue
from benchwright.release.card.people_checks import checks

UNITS = 30


def truth(unit: int) -> str:
    return "reject" if unit % 5 == 0 else "accept"


def of_all(
    said: dict[str, Callable[[int], str]],
    known: dict[str, tuple[int, int]],
    pace: dict[tuple[str, str], RightOf] | None = None,
) -> dict[str, Care]:
    """Return each annotator's care, from their decisions by unit, and right and wrong attention checks."""
    ratings = [Rating(str(unit), name, says(unit)) for name, says in said.items() for unit in range(UNITS)]
    checks = [
        Known(name, "", "reject" if number < right else "accept", "reject", is_check=True)
        for name, (right, wrong) in known.items()
        for number in range(right + wrong)
    ]
    groups = {str(unit): "counting" if unit % 2 else "reading" for unit in range(UNITS)}
    return {care.rater: care for care in cares(ratings, checks, pace, groups)}


def test_a_rubber_stamper_whom_agreement_praises_is_known_by_checks_and_pace() -> None:
    said = {"ann": truth, "ben": truth, "stamper": lambda _: "accept"}
    pace = {("stamper", "counting"): RightOf(0, 54), ("ann", "counting"): RightOf(30, 30)}
    found = of_all(said, {"ann": (6, 0), "ben": (5, 1), "stamper": (0, 6)}, pace)
    assert found["stamper"].high < 0.3
    assert min(found["ann"].low, found["ben"].low) > 0.6
    sources = {each.source: (each.right, each.of) for each in found["stamper"].evidence}
    assert (sources["attention"], sources["pace"]) == ((0, 6), (0, 54))
    assert {*found["stamper"].by_group} == {"counting", "reading"}
    assert found["stamper"].by_group["reading"].high > found["stamper"].by_group["counting"].high, "nobody timed it"


def test_one_label_for_all_proves_nothing_where_it_is_always_right() -> None:
    known = [Known("ann", "", "accept", "accept") for _ in range(20)]
    [care] = cares([Rating(str(unit), "ann", "accept") for unit in range(20)], known)
    assert care.low < 0.6 < care.high


def test_whoever_is_right_alone_against_colluders_stays_above_them() -> None:
    def colluded(unit: int) -> str:
        return "accept" if truth(unit) == "reject" else "reject"

    said = {"ann": truth, "ben": colluded, "cas": colluded, "dan": colluded}
    found = of_all(said, {"ann": (6, 0), "ben": (0, 6), "cas": (0, 6), "dan": (0, 6)})
    assert found["ann"].low > 0.6 > max(found[name].high for name in ("ben", "cas", "dan"))


def test_nothing_known_is_the_prior_and_haste_alone_is_outweighed_by_known_answers() -> None:
    habit = [Rating(str(unit), "ann", "yes") for unit in range(9)]
    [quick] = cares(habit, [Known("ann", "", "no", "no", is_check=True)] * 8, {("ann", ""): RightOf(0, 500)})
    assert quick.high > 0.6
    [nobody] = cares([Rating("1", "ann", "yes")])
    assert nobody.evidence == ()
    assert nobody.mean == pytest.approx(0.8, abs=0.01)


def opened(store: ReviewStore, **handout: object) -> None:
    settings = AssignmentSettings.model_validate({"gold_rate": 0.3, **handout}).to_json()
    store.upsert_campaign(
        "verify",
        kind="verify",
        rule="unanimous(2)",
        slots_per_task=2,
        form=CampaignForm(decisions=["accept", "reject"], reasons=["unclear"]),
        settings={SETTING: settings},
        seed=1,
    )
    work = [
        TaskInput(f"item-{number:03}", "content", {"task": "counting", "question": f"How many, {number}?"})
        for number in range(20)
    ]
    checks = [
        TaskInput(f"check-{number}", "content", {"task": ATTENTION, "question": f"Reject {number}."}, gold="reject")
        for number in range(8)
    ]
    store.upsert_tasks("verify", [*work, *checks])
    for name in ("ann", "ben"):
        store.upsert_annotator(name)


def work_through(store: ReviewStore, name: str, now: datetime, *, reads: bool) -> int:
    """Decide all tasks of an annotator, with attention to checks or without; return the number of tasks."""
    queue, done = TaskQueue(store, store.campaign("verify"), name), 0
    while (task := queue.next(now=now)) is not None:
        is_check = task.item.task == ATTENTION
        given = Submission("reject", reasons=("unclear",)) if is_check and reads else Submission("accept")
        queue.submit(task.slot_id, given, now=now + timedelta(seconds=9))
        done += 1
    return done


@pytest.mark.slow
@pytest.mark.both_databases
def test_a_rubber_stamper_is_paused_their_tasks_open_again_and_a_curator_undoes_it(
    store: ReviewStore, now: datetime
) -> None:
    opened(store)
    assert work_through(store, "ben", now, reads=True) == 28
    done = work_through(store, "ann", now, reads=False)
    queue = TaskQueue(store, store.campaign("verify"), "ann")
    assert done < 28
    assert queue.is_paused
    assert not TaskQueue(store, store.campaign("verify"), "ben").is_paused
    with store.reading() as connection:
        [aside] = list_set_aside(connection, store.campaign("verify"))
    assert (aside.annotator, aside.by) == ("ann", AUTOMATIC)
    assert "attention checks right" in aside.why
    assert store.status("verify", now=now).tasks["done"] == 0, "every task is asked again"
    taken = take_votes_back(store, "verify", "ann", by="cur", now=now)
    assert (taken.votes, taken.replaced, queue.is_paused) == (aside.votes, 0, False)
    assert work_through(store, "ann", now, reads=False) == 28 - done, "the curator's word stands"
    assert not queue.is_paused
    assert list(row_problems(store)) == []
    [ann, ben] = cares_of(store, store.campaign("verify"))
    assert (ann.known, ben.known) == (8, 8)
    assert ann.high < ben.low


@pytest.mark.slow
def test_without_bounds_nobody_is_paused(store: ReviewStore, now: datetime) -> None:
    opened(store, pause=None)
    assert work_through(store, "ann", now, reads=False) == 28


@pytest.mark.slow
def test_a_release_says_how_these_people_were_checked_without_their_names(store: ReviewStore, now: datetime) -> None:
    opened(store)
    work_through(store, "ben", now, reads=True)
    work_through(store, "ann", now, reads=False)
    checked = checked_people(store, store.campaign("verify"))
    assert checked is not None
    assert (checked["known"], checked["right"], checked["set_aside"], len(checked["care"])) == (8, 8, 1, 1)
    [words] = checks({"verify": {"checked": checked}, "screen": {}})
    assert "8 of 8 answers to items with known answers" in words
    assert "votes of 1 person were set aside" in words
    assert not {"ann", "ben"} & {*words.replace("`", " ").split()}
    [forged] = checks({"verify": {"checked": {"known": "<b>", "care": [{"low": "|", "high": 7}]}}})
    assert "<b>" not in forged
    assert "not stated to not stated" in forged
