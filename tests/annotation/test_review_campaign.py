"""The campaign `review`: the answer comes first and is kept, votes count one by one, and failed items go to others."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from dataclasses import asdict
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from pydantic import ValidationError

from benchwright.annotation.app.task_card.card import card_of
from benchwright.annotation.campaigns.answer import Answer
from benchwright.annotation.campaigns.review import Review
from benchwright.annotation.campaigns.verify import Verify
from benchwright.annotation.exchange.decision_file import import_decisions
from benchwright.annotation.exchange.task_file import export_tasks
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.simulated.annotators import SimulatedReviewers
from benchwright.annotation.store.database.records import RefusedError
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.annotation.workflow.task_queue import TaskQueue
from benchwright.errors import BenchwrightError
from benchwright.records import Item
from benchwright.steps import CampaignContext

pytestmark = pytest.mark.slow

MakeItems = Callable[..., list[Item]]
YES = {"accurate": "yes", "reasonable": "yes", "difficult": "yes"}
FIVE = ("r1", "r2", "r3", "r4", "r5")
FIVE_MORE = ("r6", "r7", "r8", "r9", "r10")


@pytest.fixture
def review(context: CampaignContext) -> CampaignContext:
    return context._replace(stage="review")


@pytest.fixture
def store(context: CampaignContext) -> Iterator[ReviewStore]:
    with open_store(context.store_url) as opened:
        for name in (*FIVE, *FIVE_MORE, "ann", "ben"):
            opened.upsert_annotator(name)
        yield opened


def item_of(make_items: MakeItems) -> Item:
    [item] = make_items(implication=1)
    return item.model_copy(update={"explanation": "because of the secret reason"})


def vote(store: ReviewStore, now: datetime, name: str, answer: str = "B", **fields: object) -> None:
    """Answer and vote on the open task: yes to all but the named criteria; `edits` revises."""
    queue = TaskQueue(store, store.campaign("review"), name)
    task = queue.next(now=now)
    assert task is not None, name
    edits = fields.pop("edits", None)
    queue.answer(task.slot_id, answer, now=now)
    queue.submit(task.slot_id, Submission(fields={**YES, **fields}, edits=edits), now=now)  # type: ignore[arg-type]


def test_the_key_and_the_explanation_come_after_the_answer_is_stored(
    review: CampaignContext, store: ReviewStore, make_items: MakeItems, now: datetime
) -> None:
    Review().advance([item_of(make_items)], review)
    campaign = store.campaign("review")
    queue = TaskQueue(store, campaign, "r1")
    task = queue.next(now=now)
    assert task is not None
    before = asdict(card_of(task, campaign))
    assert (before["mode"], before["right"], before["fields"], before["editable"]) == ("answer", None, [], None)
    assert "secret" not in json.dumps(before)
    queue.answer(task.slot_id, "A", now=now)
    after = asdict(card_of(queue.open(task.task_id, now=now), campaign))
    assert (after["mode"], after["right"]) == ("form", "B")
    assert [field["name"] for field in after["fields"]] == ["accurate", "reasonable", "difficult", "note"]
    assert after["beside"] == [
        {"label": "You answered", "text": "A: the left one"},
        {"label": "Explanation", "text": "because of the secret reason"},
    ]
    assert after["editable"]["explanation"] == "because of the secret reason"


def test_no_vote_is_taken_before_the_answer_and_no_answer_is_changed_after_it(
    review: CampaignContext, store: ReviewStore, make_items: MakeItems, now: datetime
) -> None:
    Review().advance([item_of(make_items)], review)
    queue = TaskQueue(store, store.campaign("review"), "r1")
    task = queue.next(now=now)
    assert task is not None
    with pytest.raises(RefusedError, match="answer first"):
        queue.submit(task.slot_id, Submission(fields={**YES, "answer": "B"}), now=now)
    with pytest.raises(RefusedError, match="not one of A, B"):
        queue.answer(task.slot_id, "C", now=now)
    with pytest.raises(RefusedError, match="does not hold"):
        TaskQueue(store, store.campaign("review"), "r2").answer(task.slot_id, "B", now=now)
    queue.answer(task.slot_id, "A", now=now)
    queue.answer(task.slot_id, "A", now=now)  # pressed twice
    with pytest.raises(RefusedError, match="answered A before the key was shown"):
        queue.answer(task.slot_id, "B", now=now)
    queue.submit(task.slot_id, Submission(fields={**YES, "answer": "B"}), now=now)  # whatever a browser sends
    [said] = store.decisions("review")
    assert (said.decision, dict(said.fields or {})) == ("A", {"answer": "A", **YES, "answer_right": "no"})
    queue.submit(
        task.slot_id, Submission(fields={**YES, "difficult": "no"}), now=now
    )  # votes may be changed, the answer not
    [said] = store.decisions("review")
    assert (said.version, said.decision) == (2, "A")


def test_an_answer_outlives_its_lease_and_whoever_saw_the_key_goes_on_from_there(
    review: CampaignContext, store: ReviewStore, make_items: MakeItems, now: datetime
) -> None:
    Review().advance([item_of(make_items)], review)
    queue = TaskQueue(store, store.campaign("review"), "r1")
    task = queue.next(now=now)
    assert task is not None
    queue.answer(task.slot_id, "A", now=now)
    later = now + timedelta(days=1)
    again = queue.next(now=later)
    assert again is not None
    assert again.answered == "A"
    Answer(annotators_per_item=1).advance([item_of(make_items)], review._replace(stage="answer"))
    queue.skip(again.task_id, now=later)
    assert store.claim("answer", "r1", now=later) is None  # what they saw, they saw


@pytest.mark.parametrize(
    ("votes", "kept", "missed"),
    [
        pytest.param([{}] * 5, True, [], id="all five"),
        pytest.param([{"answer": "A"}, {"accurate": "no"}, {"difficult": "no"}, {}, {}], True, [], id="one short of each"),
        pytest.param([{"answer": "A"}, {"answer": "A"}, {}, {}, {}], False, ["answer"], id="three answered as the key"),
        pytest.param([{}, {}, {}, {"difficult": "no"}, {"difficult": "no"}], False, ["difficult"], id="three votes"),
    ],
)  # fmt: skip
def test_an_item_passes_with_four_of_five_answers_and_votes_for_each_criterion(
    review: CampaignContext, store: ReviewStore, make_items: MakeItems, now: datetime,
    votes: list[dict[str, str]], kept: bool, missed: list[str],
) -> None:  # fmt: skip
    item = item_of(make_items)
    Review().advance([item], review)
    for name, fields in zip(FIVE, votes, strict=True):
        vote(store, now, name, **fields)  # type: ignore[arg-type]
    verdicts = Review().advance([item], review)
    outcome = verdicts.outcomes[item.item_id]
    assert (outcome.verdict, outcome.reason) == (("keep", None) if kept else ("drop", "failed_review"))
    assert outcome.evidence["missed"] == missed
    assert verdicts.summary["criteria"].keys() == {"answer", "accurate", "reasonable", "difficult"}
    assert "r1" not in json.dumps(verdicts.summary)


def test_what_fails_comes_again_revised_and_to_nobody_who_saw_its_key(
    review: CampaignContext, store: ReviewStore, make_items: MakeItems, now: datetime
) -> None:
    item = item_of(make_items)
    Review(rounds=2).advance([item], review)
    edits = {"question": "What does it stand for?", "right": "A"}
    for name in FIVE[:4]:
        vote(store, now, name, accurate="no")
    vote(store, now, "r5", accurate="no", edits=edits)
    [task] = store.tasks("review")
    assert task.payload["question"] == edits["question"]
    waiting = Review(rounds=2).advance([item], review).waiting
    assert waiting is not None
    assert "whose key they saw in an earlier round" in waiting
    assert "review export" in waiting
    for name in FIVE:
        assert store.claim("review", name, now=now) is None
    for name in FIVE_MORE:
        vote(store, now, name, answer="A")
    verdicts = Review(rounds=2).advance([item], review)
    outcome = verdicts.outcomes[item.item_id]
    assert outcome.verdict == "keep"
    [version] = outcome.items
    assert (version.answer, version.revision) == ("A", 1)
    told = outcome.evidence["rounds"]
    assert [one["votes"]["accurate"] for one in told] == [0, 5]
    assert told[0]["edits"] == edits


def test_nobody_reviews_what_they_verified(
    review: CampaignContext, store: ReviewStore, make_items: MakeItems, now: datetime
) -> None:
    item = item_of(make_items)
    Verify().advance([item], review._replace(stage="verify"))
    [task] = store.tasks("verify")
    for name in ("ann", "ben"):
        store.decide("verify", task.id, name, Submission("accept"), now=now)
    Review().advance([item], review)
    assert store.claim("review", "ann", now=now) is None
    assert TaskQueue(store, store.campaign("review"), "ben").progress(now=now) == (0, 0)
    assert store.claim("review", "r1", now=now) is not None
    Answer(annotators_per_item=1).advance([item], review._replace(stage="answer"))
    assert store.claim("answer", "r1", now=now) is None


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))


def write_table(path: Path, rows: list[dict[str, str]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    return path


def exported(store: ReviewStore, path: Path, *, votes: bool = False) -> list[dict[str, str]]:
    export_tasks(store, "review", path, image_name=lambda image: image.image_id, votes=votes)
    return table(path)


def test_a_review_goes_by_tables_first_the_answers_without_a_key_and_then_the_votes(
    review: CampaignContext, store: ReviewStore, make_items: MakeItems, now: datetime, tmp_path: Path
) -> None:
    items = [item.model_copy(update={"explanation": "the secret reason"}) for item in make_items(implication=2)]
    step = Review(rule="at_least(2, of=3)")
    step.advance(items, review)
    rows = exported(store, tmp_path / "answers.csv")
    assert [(row["answer"], row["decision"]) for row in rows] == [("", ""), ("", "")]
    assert "secret" not in (tmp_path / "answers.csv").read_text()
    assert exported(store, tmp_path / "early.csv", votes=True) == []
    answers = [row | {"annotator": name, "decision": "b"} for row in rows for name in ("r1", "r2", "r3")]
    answers[0]["decision"] = "A"
    del answers[-1]  # r3 has not answered the second item
    result = import_decisions(store, "review", write_table(tmp_path / "filled.csv", answers), now=now)
    assert (result.new, result.refused) == (5, ())
    assert import_decisions(store, "review", tmp_path / "filled.csv", now=now).unchanged == 5
    votes = exported(store, tmp_path / "votes.csv", votes=True)
    assert [(row["annotator"], row["answer"]) for row in votes] == [("r1", "B"), ("r2", "B"), ("r3", "B")]
    assert votes[0]["beside"] == "You answered: A\n\nExplanation: the secret reason"
    assert "accurate: yes, no | " in votes[0]["takes"]
    assert "new_explanation: new text of the explanation" in votes[0]["takes"]
    voted = [row | YES for row in votes]
    voted[2] |= {"difficult": "no", "new_explanation": "A better reason."}
    result = import_decisions(store, "review", write_table(tmp_path / "voted.csv", voted), now=now)
    assert (result.new, result.refused) == (3, ())
    assert import_decisions(store, "review", tmp_path / "voted.csv", now=now).unchanged == 3
    by_name = {decision.annotator: decision for decision in store.decisions("review")}
    assert [by_name[name].fields or {} for name in ("r1", "r2")] == [
        {"answer": letter, **YES, "answer_right": right} for letter, right in (("A", "no"), ("B", "yes"))
    ]
    assert by_name["r3"].edits == {"explanation": "A better reason."}
    assert exported(store, tmp_path / "later.csv", votes=True) == []


def test_a_table_of_a_review_says_of_each_row_what_is_wrong_with_it(
    review: CampaignContext, store: ReviewStore, make_items: MakeItems, now: datetime, tmp_path: Path
) -> None:
    Review(rule="single").advance([item_of(make_items)], review)
    [row] = exported(store, tmp_path / "answers.csv")
    wrong = [row | {"annotator": "r1", "decision": "C"}, row | {"annotator": "r1", "decision": "B"}]
    others = [row | {"annotator": "r1", "decision": "A"}, row | {"annotator": "r2", "decision": "B"}]
    result = import_decisions(store, "review", write_table(tmp_path / "filled.csv", [*wrong, *others]), now=now)
    assert (result.new, [refused.line for refused in result.refused]) == (1, [2, 4, 5])
    for refused, words in zip(result.refused, ("not one of A, B", "answered B first", "slots are taken"), strict=True):
        assert words in refused.why
    [vote] = exported(store, tmp_path / "votes.csv", votes=True)
    bad = [vote | YES | {"accurate": "perhaps"}, vote | YES | {"annotator": "r2"}, vote | {"reasonable": "yes"}]
    result = import_decisions(store, "review", write_table(tmp_path / "voted.csv", bad), now=now)
    assert result.new == 0
    reasons = (
        "'perhaps' is not one of yes, no",
        "has not answered this item",
        "reasonable is filled in, but accurate is not",
    )
    for refused, words in zip(result.refused, reasons, strict=True):
        assert words in refused.why
    later = [vote | YES | {"version": "0" * 12}, vote | YES, vote | YES | {"difficult": "no"}]
    result = import_decisions(store, "review", write_table(tmp_path / "later.csv", later), now=now)
    assert result.new == 1
    for refused, words in zip(
        result.refused, ("has been revised since", "already cast a different vote on this item"), strict=True
    ):
        assert words in refused.why


def test_only_a_review_has_a_table_of_votes(
    context: CampaignContext, store: ReviewStore, make_items: MakeItems, tmp_path: Path
) -> None:
    Verify(rule="single").advance([item_of(make_items)], context)
    with pytest.raises(BenchwrightError, match="takes no votes after an answer"):
        export_tasks(store, "verify", tmp_path / "votes.csv", image_name=lambda image: image.image_id, votes=True)


def test_simulated_reviewers_go_through_four_rounds_and_end_the_same_each_time(
    review: CampaignContext, make_items: MakeItems, tmp_path: Path
) -> None:
    items = make_items(implication=20)
    step = Review(simulate=SimulatedReviewers(annotators=8, accuracy=0.9, approval=0.75))
    verdicts = step.advance(items, review)
    summary = verdicts.summary
    assert [one["round"] for one in summary["rounds"]] == [1, 2, 3, 4]
    assert summary["kept"] + summary["failed_review"] + summary["out_of_rounds"] + summary["rejected"] == 20
    assert all(one["revised"] + one["kept"] + one["dropped"] == one["items"] for one in summary["rounds"])
    assert summary["simulated"] is True
    assert step.advance(items, review) == verdicts
    elsewhere = review._replace(store_url=f"sqlite:///{tmp_path}/other.sqlite")
    assert step.advance(items[::-1], elsewhere).outcomes == verdicts.outcomes


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        pytest.param({"rule": "four of five"}, "did you mean", id="rule"),
        pytest.param({"criteria": ["accurate", "accurate"]}, "distinct names", id="twice"),
        pytest.param({"criteria": ["answer"]}, "names other than answer", id="the answer"),
        pytest.param({"criteria": []}, "at least 1", id="none"),
        pytest.param({"simulate": {"annotators": 4}}, "4 annotators cannot fill 5 slots", id="few"),
    ],
)  # fmt: skip
def test_settings_that_cannot_work_are_refused_in_words(settings: dict[str, object], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        Review(**settings)  # type: ignore[arg-type]
