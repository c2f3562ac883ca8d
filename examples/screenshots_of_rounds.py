"""Pictures of a curator's pages on rounds, adjudicators and votes; `screenshots.py` takes them with the others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta

from PIL import Image
from screenshots_of_kinds import CAMPAIGN, CURATOR, Shot, Tour, again, open_campaign

from benchwright.annotation.campaigns.review import review_form
from benchwright.annotation.forms.campaign_form import CampaignForm
from benchwright.annotation.forms.kinds import REVIEW, VERIFY
from benchwright.annotation.forms.payloads import TaskInput
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.store.database.records import Task
from benchwright.annotation.workflow.adjudication import AdjudicationQueue
from benchwright.annotation.workflow.settlement.revisions import open_next_rounds
from benchwright.annotation.workflow.task_queue import TaskQueue
from benchwright.canonical import digest

PEOPLE = ("ann", "ben", "dan")
BEGUN = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
EDITS = {"question": "Which of them fits best?"}
SAID = ("aaa", "aaa", "rrr", "aar", "are", "aaa", "eee", "rra", "are", "aae", "rar", "eee")
"""Decisions of the three annotators, task by task: accept, reject, or edit."""
WORDS = {"a": "accept", "r": "reject", "e": "revise"}
CRITERIA = ("accurate", "reasonable", "difficult")


def rounds(tour: Tour, shot: Shot) -> Image.Image:
    """The outcomes of items round by round, and the decisions of an adjudicator."""
    name = "rounds"
    form = tour.store.campaign(CAMPAIGN).form.model_copy(update={"rounds": 3})
    open_campaign(
        tour, name, VERIFY, form, map(again, _some(tour, 48)), rule="adjudicated(unanimous(3))", slots=len(PEOPLE)
    )
    for person in (*PEOPLE, "eva"):
        tour.store.upsert_annotator(person)
    moments = _moments()
    for n, task in enumerate(_in_order(tour, name)):
        for person, letter in zip(PEOPLE, SAID[n % len(SAID)], strict=True):
            _say(tour, name, task, person, WORDS[letter], next(moments))
    open_next_rounds(tour.store, name)
    for n, task in enumerate(one for one in _in_order(tour, name) if one.state == "open"):
        for person in ("ben", "dan", "eva"):  # not ann, whose edits these are
            _say(tour, name, task, person, "reject" if n % 3 == 2 and person == "eva" else "accept", next(moments))
    queue = AdjudicationQueue(tour.store, tour.store.campaign(name), CURATOR)
    for n, head in enumerate(sorted(queue.queue(), key=lambda head: head.task_id)[:-3]):
        queue.open(head.task_id, now=next(moments))
        decision = ("accept", "reject", "accept", "send_back")[n % 4]
        reasons = ("wrong_answer",) if decision == "reject" else ()
        queue.decide(head.task_id, Submission(decision, reasons=reasons), now=next(moments))
    page = tour.page(CURATOR, f"/progress?campaign={name}")
    page.get_by_role("heading", name="Adjudicators' decisions").wait_for()
    page.locator("#plot-days svg").wait_for()
    page.get_by_role("heading", name="Round by round").evaluate("one => one.scrollIntoView()")
    page.mouse.move(640, 400)
    page.mouse.wheel(0, -70)
    page.mouse.move(5, 795)  # away from headings, which show a link under the pointer
    return shot(page)


def criteria(tour: Tour, shot: Shot) -> Image.Image:
    """Votes on each criterion of a review, and the reviewers' agreement on them."""
    name = "votes"
    work = [_of_its_own(task) for task in _some(tour, 40)]
    form = CampaignForm(fields=review_form(CRITERIA).fields, blind_first=True, edits=True, rounds=4)
    open_campaign(tour, name, REVIEW, form, work, rule="at_least(2, of=3)", slots=len(PEOPLE))
    moments = _moments()
    for person in PEOPLE:
        tour.store.upsert_annotator(person)
        queue = TaskQueue(tour.store, tour.store.campaign(name), person)
        while (task := queue.next(now=(now := next(moments)))) is not None:
            queue.answer(task.slot_id, _answer(task.item.answer or "A", task.item.item_id, person), now=now)
            queue.submit(
                task.slot_id, Submission(fields=_votes(task.item.item_id, person)), now=now + timedelta(seconds=20)
            )
    page = tour.page(CURATOR, f"/agreement?campaign={name}")
    page.get_by_role("heading", name="Votes by criterion").wait_for()
    return shot(page)


def _say(tour: Tour, campaign: str, task: Task, person: str, decision: str, now: datetime) -> None:
    reasons = ("unclear",) if decision == "reject" else ()
    submission = Submission(decision, reasons, edits=EDITS if decision == "revise" else None)
    tour.store.decide(campaign, task.id, person, submission, now=now)


def _some(tour: Tour, count: int) -> list[Task]:
    return sorted(tour.store.tasks(CAMPAIGN, states=("open", "done")), key=lambda one: one.item_id)[:count]


def _in_order(tour: Tour, campaign: str) -> list[Task]:
    return sorted(tour.store.tasks(campaign, states=("open", "done")), key=lambda one: one.item_id)


def _of_its_own(task: Task) -> TaskInput:
    """Return an item with an unseen key: annotators do not review items that they decided before."""
    item_id = digest(["votes", task.item_id])[:32]
    return TaskInput(item_id, task.content_hash, {**task.payload, "item_id": item_id})


def _chance(*about: str) -> float:
    return int(digest(list(about))[:8], 16) / 16**8


def _answer(key: str, item_id: str, person: str) -> str:
    misleading = _chance("answer", item_id) < 0.12
    return key if _chance("answer", item_id, person) < (0.3 if misleading else 0.97) else ("B" if key == "A" else "A")


def _votes(item_id: str, person: str) -> dict[str, str]:
    """Return votes with mostly agreeing annotators; difficult items are difficult for most."""
    found = {}
    for criterion, likely in zip(CRITERIA, (0.93, 0.88, 0.6), strict=True):
        is_so = _chance(criterion, item_id) < likely
        found[criterion] = "yes" if is_so == (_chance(criterion, item_id, person) < 0.9) else "no"
    return found


def _moments() -> Iterator[datetime]:
    """Yield times within four working days."""
    for n in range(10**6):
        yield BEGUN + timedelta(days=n // 60, minutes=4 * (n % 60))


PICTURES: Mapping[str, Callable[[Tour, Shot], Image.Image]] = {
    "review-rounds.png": rounds,
    "review-criteria.png": criteria,
}
