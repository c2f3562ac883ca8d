"""Keys from answers: four equal answers of five make the key, an adjudicator names others, the rest is dropped."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest
from pydantic import ValidationError
from walks import make_photographs

from benchwright.annotation.app.task_card.adjudication_card import adjudication_card
from benchwright.annotation.campaigns.answer import Answer
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.progress.campaign_progress import progress_of
from benchwright.annotation.progress.overview import Overview
from benchwright.annotation.store.check import row_problems
from benchwright.annotation.store.database.records import RefusedError
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.annotation.workflow.adjudication import AdjudicationQueue
from benchwright.pipeline import run_recipe
from benchwright.recipe import parse_recipe
from benchwright.records import Item
from benchwright.release import Release
from benchwright.steps import CampaignContext

MakeItems = Callable[..., list[Item]]
PEOPLE = ("ann", "ben", "cas", "dan", "eve")


@pytest.fixture
def context(context: CampaignContext) -> CampaignContext:
    return context._replace(stage="answer")


def say(store: ReviewStore, item_id: str, letters: str, now: datetime) -> None:
    """Let each of five people answer an item."""
    [task] = [task.id for task in store.tasks("answer", states=("open", "done")) if task.item_id == item_id]
    for name, letter in zip(PEOPLE, letters, strict=True):
        store.upsert_annotator(name)
        store.decide("answer", task, name, Submission(letter), now=now)


@pytest.mark.both_databases
def test_four_of_five_make_the_key_an_adjudicator_names_others_and_items_with_a_key_are_asked_of_nobody(
    context: CampaignContext, store: ReviewStore, make_items: MakeItems, now: datetime
) -> None:
    clear, split, hopeless = make_items(answer=None, open=3)
    [known] = make_items(known=1)
    step, items = Answer(key="adjudicated(at_least(4, of=5))"), [clear, split, hopeless, known]
    assert "15 slots are open under adjudicated(at_least(4, of=5))" in str(step.advance(items, context).waiting)
    say(store, clear.item_id, "AAAAB", now)
    say(store, split.item_id, "AABBB", now)
    say(store, hopeless.item_id, "ABABA", now)
    waiting = step.advance(items, context).waiting
    assert waiting is not None
    assert "waits for an adjudicator: 2 of 3 items undecided" in waiting
    store.upsert_annotator("ada")
    queue = AdjudicationQueue(store, store.campaign("answer"), "ada")
    cases = {queue.open(case.task_id, now=now).item.item_id: case.task_id for case in queue.queue()}
    assert set(cases) == {split.item_id, hopeless.item_id}
    card = adjudication_card(queue.open(cases[split.item_id], now=now), queue.campaign)
    assert (card.mode, card.right, [answer["lines"] for answer in card.answers].count(["B"])) == ("answer", None, 3)
    with pytest.raises(RefusedError, match="decision 'C' is not one of A, B, reject, send_back"):
        queue.decide(cases[split.item_id], Submission("C"), now=now)
    with pytest.raises(RefusedError, match="a rejection needs a note"):
        queue.decide(cases[hopeless.item_id], Submission("reject"), now=now)
    queue.decide(cases[split.item_id], Submission("B"), now=now)
    queue.decide(cases[hopeless.item_id], Submission("reject", note="Neither can be defended."), now=now)
    verdicts = step.advance(items, context)
    kept = {item_id: outcome.items[0] for item_id, outcome in verdicts.outcomes.items() if outcome.items}
    assert {item_id: (item.answer, item.revision) for item_id, item in kept.items()} == {
        clear.item_id: ("A", 1), split.item_id: ("B", 1),
    }  # fmt: skip
    assert kept[clear.item_id].evidence["answered_by_people"]["answers"] == {"A": 4, "B": 1}
    assert kept[split.item_id].evidence["answered_by_people"]["adjudicated"] == "B"
    assert verdicts.outcomes[hopeless.item_id].reason == "rejected"
    assert verdicts.outcomes[known.item_id].verdict == "keep"
    assert {name: verdicts.summary[name] for name in ("total", "kept", "rejected", "adjudicated", "answers")} == {
        "total": 3, "kept": 2, "rejected": 1, "adjudicated": 2, "answers": 15,
    }  # fmt: skip
    overview = Overview(store, store.campaign("answer"))
    outcomes = progress_of(overview.campaign, overview.decision_counts()).outcomes
    assert {name: count for name, count in outcomes.items() if count} == {"A": 1, "B": 1, "reject": 1}
    assert list(row_problems(store)) == []


def test_without_an_adjudicator_an_item_without_agreement_is_dropped(
    context: CampaignContext, store: ReviewStore, make_items: MakeItems, now: datetime
) -> None:
    clear, split = make_items(answer=None, open=2)
    step = Answer(key="at_least(4, of=5)")
    step.advance([clear, split], context)
    say(store, clear.item_id, "BBBBB", now)
    say(store, split.item_id, "AABBB", now)
    verdicts = step.advance([clear, split], context)
    assert verdicts.outcomes[clear.item_id].items[0].answer == "B"
    assert verdicts.outcomes[split.item_id].reason == "no_agreement"


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"annotators_per_item": 3}, "asks 5 about each item"),
        ({"evidence": {}}, "exclude each other"),
        ({"simulate": {"annotators": 5}}, "these items have none"),
        ({"key": "answers(5)"}, "is not a rule"),
    ],
)
def test_what_does_not_go_with_a_key_is_refused(settings: dict[str, object], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        Answer.model_validate({"key": "at_least(4, of=5)", **settings})


@pytest.mark.slow
def test_questions_of_a_table_without_keys_are_released_with_those_that_people_agree_on(
    tmp_path: Path, now: datetime
) -> None:
    make_photographs(tmp_path, count=2)
    rows = "image,question,A,B\npiece-00.png,What is it?,a cup,a pot\npiece-01.jpg,Where is it?,inside,outside\n"
    (tmp_path / "asked.csv").write_text(rows)
    text = (
        "name: open\nsteps:\n  - {step: items, file: asked.csv, keyless: keep}\n"
        "  - {step: answer, key: 'at_least(4, of=5)'}\n  - {step: freeze, name: open}\n"
    )

    def run() -> str:
        recipe = parse_recipe(text, "open.yaml", tmp_path)
        return run_recipe(recipe, images=None, workspace=tmp_path / "workspace", workers=1).state

    assert run() == "waiting"
    with open_store(f"sqlite:///{tmp_path / 'workspace' / 'review.sqlite'}") as store:
        first, second = sorted(store.tasks("answer"), key=lambda task: str(task.payload["question"]))
        say(store, first.item_id, "BBBBA", now)
        say(store, second.item_id, "ABABA", now)
    assert run() == "done"
    [release] = (tmp_path / "workspace" / "releases").iterdir()
    [released] = Release.open(release).items()
    assert (released.item.question, released.item.answer) == ("What is it?", "B")
