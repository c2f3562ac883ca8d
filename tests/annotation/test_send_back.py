"""Items that go back to their writers: who gets them, what they see, the results, and the record of them.

- A reviewer sends an item back with the required changes, and its writer gets the old text with them.
- No text is lost, and a task of several writers asks only the one whose question returned.
- In tables, the writer's row has the old text, and an unchanged row changes nothing.
- Items without a human writer cannot be sent back.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from walks import make_photographs, run_json

from benchwright.annotation.app.task_card.card import card_of
from benchwright.annotation.campaigns.review import Review
from benchwright.annotation.campaigns.verify import Verify
from benchwright.annotation.campaigns.write.step import Write
from benchwright.annotation.exchange.decision_file import import_decisions
from benchwright.annotation.exchange.task_file import export_tasks
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.store.accounts.forgetting import forget_person
from benchwright.annotation.store.check import row_problems
from benchwright.annotation.store.database.records import RefusedError
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.annotation.workflow.task_queue import TaskQueue
from benchwright.errors import RecipeError
from benchwright.pipeline import run_recipe
from benchwright.questions.written import WrittenQuestions
from benchwright.recipe import parse_recipe
from benchwright.records import Choice, ImageRecord, Item, ItemImage
from benchwright.release import Release
from benchwright.steps import CampaignContext, Flag, Verdicts

pytestmark = pytest.mark.slow

IMAGE = "a" * 64
CUP = {"ask": "What does the cup hold?", "right": "Coffee", "wrong": ["Tea", "Milk"]}
SPOON = {"ask": "Where is the spoon?", "right": "On the saucer", "wrong": ["On the floor", "In a drawer"]}
NOTE = "Say which cup, Ann: there are two."
YES = {"accurate": "yes", "reasonable": "yes", "difficult": "yes"}
NAMES = ("ann", "ben", "cyd", "dan", "eve")


class Course:
    """A campaign `write`, whose questions are made into items, and a campaign that judges these.

    Args:
        context: Context of both campaigns.
        judge: The campaign that judges.
        writers: Writers of each picture.
    """

    def __init__(self, context: CampaignContext, judge: Review | Verify, *, writers: int = 1) -> None:
        self._write = Write(task="cups", options=3, questions={"at_least": 1, "at_most": 2}, annotators=writers)
        self._judge, self._context = judge, context

    def written(self) -> Verdicts:
        picture = ImageRecord(
            image_id=IMAGE, width=40, height=30, media_type="image/png", size_bytes=9, root_image_id=IMAGE
        )
        return self._write.advance([picture], self._context._replace(stage="write"))

    def items(self) -> list[Item]:
        text = self.written().outcomes[IMAGE].values["questions"]
        questions = WrittenQuestions.model_validate_json(text).questions
        return [
            Item(
                item_id=f"{question.written_in.slot}{number}" + "0" * 30, task="cups", kind="multiple_choice",
                images=(ItemImage(image_id=IMAGE, role="reference"),), question=question.ask,
                choices=tuple(Choice(key=key, text=words) for key, words in zip("ABC", (question.right, *question.wrong), strict=True)),
                answer="A", root_image_id=IMAGE, made_from=IMAGE, operation_id="0" * 64,
                evidence={"written_in": question.written_in.model_dump(mode="json")},
            )
            for number, question in enumerate(questions)
        ]  # fmt: skip

    def judged(self, *, flags: dict[str, dict[str, Flag]] | None = None) -> Verdicts:
        return self._judge.advance(self.items(), self._context._replace(stage=self._judge.name, flags=flags or {}))


@pytest.fixture
def store(context: CampaignContext) -> Iterator[ReviewStore]:
    with open_store(context.store_url) as opened:
        for name in NAMES:
            opened.upsert_annotator(name)
        yield opened


def moment() -> datetime:
    return datetime.now(UTC)


def task_of(store: ReviewStore, campaign: str, name: str) -> tuple[TaskQueue, Any]:
    queue = TaskQueue(store, store.campaign(campaign), name)
    return queue, queue.next(now=moment())


def write(store: ReviewStore, name: str, *questions: dict[str, Any]) -> None:
    queue, task = task_of(store, "write", name)
    fields = {"writing": "written", "questions": list(questions)}
    queue.submit(task.slot_id, Submission(fields=fields), now=moment())


def judge_all(store: ReviewStore, name: str, submissions: dict[str, Submission]) -> None:
    """Judge every item of `verify`, by its question; accept the others."""
    while (got := task_of(store, "verify", name))[1] is not None:
        queue, task = got
        queue.submit(task.slot_id, submissions.get(task.item.question, Submission("accept")), now=moment())


def back(note: str = NOTE) -> Submission:
    return Submission("to_writer", note=note)


@pytest.mark.both_databases
def test_a_reviewer_sends_a_question_back_and_its_writer_revises_it(
    context: CampaignContext, store: ReviewStore
) -> None:
    course = Course(context, Verify(rule="single", send_back={}))
    course.written()
    write(store, "ann", CUP, SPOON)
    assert "waits for people" in (course.judged().waiting or "")
    judge_all(store, "ben", {CUP["ask"]: back()})
    waiting = course.judged().waiting or ""
    assert "1 item went back to the writers in 'write'" in waiting
    assert task_of(store, "write", "ben")[1] is None
    queue, task = task_of(store, "write", "ann")
    card = asdict(card_of(task, queue.campaign))
    assert card["beside"] == [{"label": "Sent back", "text": f"«{CUP['ask']}»\n{NOTE}"}]
    assert card["draft"]["fields"] == {"writing": "written", "questions": [CUP, SPOON]}
    assert "to be revised" not in waiting
    assert course.written().waiting  # the campaign of the writers is open again
    named = {**CUP, "ask": "What does the white cup hold?"}
    write(store, "ann", named, SPOON)
    assert "1 of 2 tasks" in (course.judged().waiting or "")  # the other question stays accepted
    judge_all(store, "cyd", {})
    verdicts = course.judged()
    assert verdicts.waiting is None
    assert {outcome.verdict for outcome in verdicts.outcomes.values()} == {"keep"}
    [sent] = [
        outcome.evidence["sent_back"] for outcome in verdicts.outcomes.values() if "sent_back" in outcome.evidence
    ]
    assert sent == {"verify": 1}
    assert verdicts.summary["sent_back"] == {"items": 1, "versions": {"verify": 1}}
    history = TaskQueue(store, store.campaign("write"), "ann").history()
    assert [entry.annotation.fields["questions"][0]["ask"] for entry in history] == [named["ask"], CUP["ask"]]
    assert list(row_problems(store)) == []


def test_in_a_review_it_goes_back_where_it_does_not_pass_and_somebody_sends_it_back(
    context: CampaignContext, store: ReviewStore
) -> None:
    course = Course(context, Review(rule="at_least(2, of=2)", send_back={}))
    course.written()
    write(store, "ann", CUP)
    course.judged()
    for name, votes in (("ben", YES), ("cyd", {**YES, "accurate": "no", "to_writer": "yes"})):
        queue, task = task_of(store, "review", name)
        queue.answer(task.slot_id, "A", now=moment())
        card = asdict(card_of(queue.open(task.task_id, now=moment()), queue.campaign))
        assert ([field["name"] for field in card["fields"]][-3:], card["to_writer"]) == (
            ["to_writer", "change", "note"], True,
        )  # fmt: skip
        if "to_writer" in votes:
            with pytest.raises(RefusedError, match="change"):
                queue.submit(task.slot_id, Submission(fields=votes), now=moment())
        changes = {"change": NOTE} if "to_writer" in votes else {}
        queue.submit(task.slot_id, Submission(fields={**votes, **changes}), now=moment())
    assert "went back" in (course.judged().waiting or "")
    _, task = task_of(store, "write", "ann")
    assert NOTE in task.beside[0]["text"]


@pytest.mark.parametrize("text", [CUP["ask"], "What does the white cup hold?"])
def test_what_its_writer_leaves_as_it_was_or_never_mends_is_dropped(
    text: str, context: CampaignContext, store: ReviewStore
) -> None:
    course = Course(context, Verify(rule="single", send_back={"rounds": 1}))
    course.written()
    write(store, "ann", CUP)
    course.judged()
    judge_all(store, "ben", {CUP["ask"]: back()})
    course.judged()
    write(store, "ann", {**CUP, "ask": text})
    course.judged()
    judge_all(store, "ben", {text: back("Still two cups.")})
    [outcome] = course.judged().outcomes.values()
    reason = "needs_revision" if text == CUP["ask"] else "out_of_rounds"
    assert (outcome.verdict, outcome.reason) == ("drop", reason)


@pytest.mark.both_databases
def test_of_several_writers_only_the_one_whose_question_came_back_is_asked(
    context: CampaignContext, store: ReviewStore
) -> None:
    course = Course(context, Verify(rule="single", send_back={}), writers=2)
    course.written()
    write(store, "ann", CUP)
    write(store, "ben", SPOON)
    course.judged()
    judge_all(store, "cyd", {SPOON["ask"]: back("Name the saucer.")})
    course.judged()
    assert store.status("write", now=moment()).slots == {"free": 0, "leased": 1, "submitted": 0}
    assert task_of(store, "write", "ann")[1] is None
    write(store, "ben", {**SPOON, "ask": "Where is the silver spoon?"})
    assert [item.question for item in course.items()] == [CUP["ask"], "Where is the silver spoon?"]


def test_another_takes_over_once_the_time_is_over(context: CampaignContext, store: ReviewStore) -> None:
    course = Course(context, Verify(rule="single", send_back={"hold_hours": 2}))
    course.written()
    write(store, "ann", CUP)
    course.judged()
    judge_all(store, "ben", {CUP["ask"]: back()})
    course.judged()
    queue = TaskQueue(store, store.campaign("write"), "dan")
    assert queue.next(now=moment() + timedelta(hours=1)) is None
    task = queue.next(now=moment() + timedelta(hours=3))
    assert task is not None
    fields = {"writing": "written", "questions": [{**CUP, "ask": "What does the white cup hold?"}]}
    queue.submit(task.slot_id, Submission(fields=fields), now=moment() + timedelta(hours=3))
    course.judged()
    for name in ("ann", "dan"):  # both wrote it, and neither judges it
        assert task_of(store, "verify", name)[1] is None
    judge_all(store, "cyd", {})
    assert course.judged().waiting is None


def test_flags_of_checks_go_back_in_words_before_anybody_reviews_and_reviewers_judge_what_stays(
    context: CampaignContext, store: ReviewStore
) -> None:
    course = Course(context, Verify(rule="single", send_back={"flagged_by": ("wording_bias", "language")}))
    course.written()
    write(store, "ann", CUP, SPOON)
    cup, _ = course.items()
    rule = {"rule": "longest option", "accuracy": 1.0, "items": 2, "chance": 1 / 3}
    fault = {"kind": "spelling", "place": "B", "words": "Te", "correction": "Tea"}
    flags = {
        "wording_bias": {cup.item_id: Flag("wording_gives_key_away", {"rules": [rule]})},
        "language": {cup.item_id: Flag("spelling", {"faults": [fault], "kinds": ["spelling"]})},
    }
    assert "1 of 1 task" in (course.judged(flags=flags).waiting or "")  # only the other one is reviewed
    _, task = task_of(store, "write", "ann")
    assert task.beside[0]["text"].splitlines() == [
        f"«{CUP['ask']}»",
        "wording_bias: A rule picks the key from words alone. longest option: right on 100% of 2 items, chance 33%.",
        "language: A word is in no word list; the evidence suggests a correction. spelling, B: Te (Tea?).",
    ]
    write(store, "ann", CUP, SPOON)  # they find nothing wrong with it: then people judge it as it is
    assert "2 of 2 tasks" in (course.judged(flags=flags).waiting or "")
    judge_all(store, "ben", {})
    verdicts = course.judged(flags=flags)
    assert [outcome.verdict for outcome in verdicts.outcomes.values()] == ["keep", "keep"]


def test_by_tables_a_writers_row_has_the_old_text_and_one_left_as_it_was_changes_nothing(
    context: CampaignContext, store: ReviewStore, tmp_path: Path
) -> None:
    course = Course(context, Verify(rule="single", send_back={}))
    course.written()
    write(store, "ann", CUP)
    course.judged()
    verify, table = tmp_path / "verify.csv", tmp_path / "write.csv"
    export_tasks(store, "verify", verify, image_name=lambda image: "cup.png")
    change(verify, annotator="ben", decision="to_writer", note=NOTE)
    assert import_decisions(store, "verify", verify, now=moment()).new == 1
    course.judged()
    export_tasks(store, "write", table, image_name=lambda image: "cup.png")
    [row] = rows_of(table)
    assert (row["annotator"], row["ask_1"], row["wrong_1"]) == ("ann", CUP["ask"], "Tea | Milk")
    assert NOTE in row["beside"]
    imported = import_decisions(store, "write", table, now=moment())
    assert (imported.new, imported.unchanged) == (0, 1)
    change(table, ask_1="What does the white cup hold?")
    assert import_decisions(store, "write", table, now=moment()).new == 1
    assert [item.question for item in course.items()] == ["What does the white cup hold?"]


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))


def change(path: Path, **cells: str) -> None:
    """Fill in cells of every row of a table."""
    rows = rows_of(path)
    with path.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, list(rows[0]))
        writer.writeheader()
        writer.writerows({**row, **cells} for row in rows)


def test_an_item_that_nobody_wrote_cannot_go_back(context: CampaignContext, store: ReviewStore) -> None:
    course = Course(context, Verify(rule="single", send_back={}))
    course.written()
    write(store, "ann", CUP)
    [item] = course.items()
    step, ctx = Verify(rule="single", send_back={}), context._replace(stage="verify")
    step.advance([item.model_copy(update={"evidence": {}})], ctx)
    queue, task = task_of(store, "verify", "ben")
    assert not card_of(task, queue.campaign).to_writer
    with pytest.raises(RefusedError, match="this item has no writer"):
        queue.submit(task.slot_id, back(), now=moment())
    queue.submit(task.slot_id, Submission("accept"), now=moment())


@pytest.mark.both_databases
def test_a_person_who_is_forgotten_is_named_nowhere_in_what_went_back(
    context: CampaignContext, store: ReviewStore
) -> None:
    course = Course(context, Verify(rule="single", send_back={}))
    course.written()
    write(store, "ann", CUP)
    course.judged()
    judge_all(store, "ben", {CUP["ask"]: back("Ann should name the cup, says ben.")})
    course.judged()
    forget_person(store, "ben", now=moment())
    _, task = task_of(store, "write", "ann")
    assert "ben" not in task.beside[0]["text"]
    assert "Ann should name the cup" in task.beside[0]["text"]
    assert list(row_problems(store)) == []


def test_a_check_that_does_not_stand_before_is_named() -> None:
    step = Verify(send_back={"flagged_by": ("shortcuts",)})
    assert step.placed({"shortcuts.cues": {}, "shortcuts.solvers": {}}) is step
    with pytest.raises(RecipeError, match=r"flagged_by: \[shortcuts\]"):
        step.placed({"write": {}})
    with pytest.raises(ValidationError, match="rounds"):
        Verify(send_back={"rounds": 0})


def test_simulated_reviewers_send_back_and_simulated_writers_revise_within_one_run(tmp_path: Path) -> None:
    make_photographs(tmp_path / "photographs", count=8)
    recipe = parse_recipe(SIMULATED, "recipe.yaml", folder=tmp_path)
    done = run_recipe(recipe, workspace=tmp_path / "workspace", images=tmp_path / "photographs", workers=1)
    assert done.state == "done"
    release = Release.open(tmp_path / "workspace" / done.artifacts["release"])
    revised = [one.item for one in release.items() if one.item.question.startswith("Revised: ")]
    assert revised
    assert {item.written_by["question"] for item in revised} == {"simulated"}
    summary = run_json("review", "status", "--workspace", tmp_path / "workspace")["campaigns"]
    assert {one["name"]: one for one in summary}["write"]["revisions"]["done"] >= len(revised)


SIMULATED = """
name: simulated
seed: 3
shards: 1
steps:
  - {step: write, task: cups, options: 3, questions: 2, simulate: {annotators: 3}}
  - written_questions
  - step: verify
    rule: single
    send_back: {}
    simulate: {annotators: 3, to_writer_rate: 0.3}
  - {step: freeze, name: simulated, version: "1.0", licence: cc0-1.0}
"""
