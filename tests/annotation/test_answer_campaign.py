"""The campaign step `answer`.

- It asks the set number of annotators for each item, waits for them, keeps every item, and counts right answers.
- An annotator who saw an item's key in a campaign `verify` neither gets nor answers it; export and agreement show
  none.
- Simulated annotators answer at their accuracy, and depend only on seed, stage, item and annotator.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from benchwright.annotation.campaigns.answer import Answer
from benchwright.annotation.campaigns.verify import Verify
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.simulated.annotators import SimulatedAnswerers, simulated_decisions
from benchwright.annotation.store.database.records import RefusedError
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.canonical import canonical_json
from benchwright.cli.main import invoke
from benchwright.records import Choice, Item
from benchwright.steps import CampaignContext, Outcome
from benchwright.workspace.workspace import Workspace

pytestmark = pytest.mark.slow

MakeItems = Callable[..., list[Item]]
ANN, BEN = "annotator-1", "annotator-2"
"""What ann and ben are called in what leaves the store."""


@pytest.fixture
def context(context: CampaignContext) -> CampaignContext:
    return context._replace(stage="answer")


def say(store: ReviewStore, items: list[Item], answers: dict[str, str], now: datetime) -> None:
    """Let annotators answer: by name one key per item, `.` for none."""
    tasks = {task.item_id: task.id for task in store.tasks("answer", states=("open", "done"))}
    for annotator, keys in answers.items():
        store.upsert_annotator(annotator)
        for item, key in zip(items, keys, strict=True):
            if key != ".":
                store.decide("answer", tasks[item.item_id], annotator, Submission(key), now=now)


def verify(context: CampaignContext, items: list[Item], annotator: str, now: datetime) -> None:
    """Open a campaign `verify` over these items and let one person decide the first of them."""
    Verify().advance(items, context._replace(stage="verify"))
    with open_store(context.store_url) as store:
        store.upsert_annotator(annotator)
        store.decide("verify", task_of(store, items[0], "verify"), annotator, Submission("accept"), now=now)


def task_of(store: ReviewStore, item: Item, campaign: str = "answer") -> int:
    return next(task.id for task in store.tasks(campaign) if task.item_id == item.item_id)


# Asking people


def test_it_waits_for_as_many_annotators_as_are_set_and_says_who_may_not_answer(
    context: CampaignContext, make_items: MakeItems
) -> None:
    waiting = Answer(annotators_per_item=4).advance(make_items(jigsaw=3), context).waiting
    assert waiting is not None
    assert "campaign 'answer' waits for people: 3 of 3 tasks and 12 slots are open under answers(4)" in waiting
    assert "benchwright review export" in waiting
    assert "annotators do not answer items that they decided in a `verify` campaign" in waiting


def test_every_item_is_kept_with_the_count_of_right_answers(
    context: CampaignContext, make_items: MakeItems, now: datetime
) -> None:
    items = make_items(jigsaw=2, correspondence=1)
    step = Answer(annotators_per_item=2)
    step.advance(items, context)
    with open_store(context.store_url) as store:
        say(store, items, {"ann": "BAB", "ben": "BBA"}, now)
    verdicts = step.advance(items, context)
    assert [verdicts.outcomes[item.item_id] for item in items] == [
        Outcome(
            values={
                "asked": 2,
                "right": sum(by.values()),
                "right_by": canonical_json(by),
                "asked_content": item.content_hash,
            },
            evidence={"answers": answers, "simulated": False},
        )
        for item, by, answers in zip(
            items,
            ({ANN: True, BEN: True}, {ANN: False, BEN: True}, {ANN: True, BEN: False}),
            ({"B": 2}, {"A": 1, "B": 1}, {"A": 1, "B": 1}),
            strict=True,
        )
    ]
    summary = verdicts.summary
    assert {key: summary[key] for key in ("kind", "rule", "simulated", "answers_per_item", "total", "asked")} == {
        "kind": "answer", "rule": "answers(2)", "simulated": False, "answers_per_item": 2, "total": 3, "asked": 3,
    }  # fmt: skip
    assert (summary["answers"], summary["right"]) == (6, 4)
    assert summary["tasks"]["jigsaw"] | {"krippendorff_alpha": 0} == {
        "asked": 2, "answers": 4, "right": 3, "percent": 0.5, "krippendorff_alpha": 0,
    }  # fmt: skip
    assert summary["annotators"] == {name: {"answers": 3, "right": 2} for name in (ANN, BEN)}
    assert "ann" not in json.dumps(summary).replace("annotator", "")


def test_the_choice_that_declines_is_right_where_nothing_in_the_picture_answers(
    context: CampaignContext, make_items: MakeItems, now: datetime
) -> None:
    items = [item.model_copy(update={"refusal": "A"}) for item in make_items(unanswerable=1, answer=None)]
    step = Answer(annotators_per_item=2)
    step.advance(items, context)
    with open_store(context.store_url) as store:
        say(store, items, {"ann": "A", "ben": "B"}, now)
    assert step.advance(items, context).outcomes[items[0].item_id].values["right"] == 1


def test_an_item_without_a_right_choice_is_kept_and_asked_of_nobody(
    context: CampaignContext, make_items: MakeItems
) -> None:
    items = make_items(open=2, answer=None)
    verdicts = Answer().advance(items, context)
    assert verdicts.waiting is None
    assert verdicts.outcomes == {item.item_id: Outcome() for item in items}
    assert (verdicts.summary["total"], verdicts.summary["asked"]) == (2, 0)


def test_only_the_keys_of_an_items_own_choices_are_answers(
    context: CampaignContext, make_items: MakeItems, now: datetime
) -> None:
    two, three = make_items(jigsaw=1, correspondence=1)
    three = three.model_copy(update={"choices": (*three.choices, Choice(key="C", text="none"))})
    Answer().advance([two, three], context)
    with open_store(context.store_url) as store:
        say(store, [three], {"ann": "C"}, now)
        for key in ("C", "accept", "b", ""):
            with pytest.raises(RefusedError, match="is not one of A, B"):
                say(store, [two], {"ann": key or " "}, now)


def test_counts_do_not_depend_on_the_order_of_items_or_when_people_answered(
    context: CampaignContext, make_items: MakeItems, now: datetime, tmp_path: Path
) -> None:
    items, step, found = make_items(jigsaw=4, correspondence=2), Answer(annotators_per_item=2), []
    for number, (order, moment) in enumerate([(items, now), (items[::-1], now.replace(year=2031))]):
        ctx = context._replace(store_url=f"sqlite:///{tmp_path}/{number}.sqlite")
        step.advance(order, ctx)
        with open_store(ctx.store_url) as store:
            say(store, items, {"ann": "AABBAA", "ben": "ABABAA"}, moment)
        verdicts = step.advance(order, ctx)
        found.append((dict(verdicts.outcomes), canonical_json(dict(verdicts.summary))))
    assert found[0] == found[1]


# Blindness


def test_whoever_decided_an_item_where_its_key_shows_gets_all_others_to_answer(
    context: CampaignContext, make_items: MakeItems, now: datetime
) -> None:
    items = make_items(jigsaw=3)
    verify(context, items, "ann", now)
    Answer().advance(items, context)
    with open_store(context.store_url) as store:
        store.upsert_annotator("ben")
        got: dict[str, set[str]] = {}
        for name in ("ann", "ben"):
            while (lease := store.claim("answer", name, now=now)) is not None:
                store.submit(lease.slot_id, name, Submission("A"), now=now)
                got.setdefault(name, set()).add(lease.item_id)
        assert got == {"ann": {item.item_id for item in items[1:]}, "ben": {item.item_id for item in items}}
        with pytest.raises(
            RefusedError, match="was shown the right answer in campaign 'verify'; another annotator must"
        ):
            store.claim("answer", "ann", now=now, task=task_of(store, items[0]))


def test_a_key_seen_between_claim_and_answer_counts_too_and_so_does_one_seen_before_an_amendment(
    context: CampaignContext, make_items: MakeItems, now: datetime
) -> None:
    items = make_items(jigsaw=2)
    Answer().advance(items, context)
    with open_store(context.store_url) as store:
        store.upsert_annotator("ann")
        held = store.claim("answer", "ann", now=now, task=task_of(store, items[0]))
        done = store.claim("answer", "ann", now=now, task=task_of(store, items[1]))
        assert held is not None
        assert done is not None
        store.submit(done.slot_id, "ann", Submission("A"), now=now)
        Verify().advance(items, context._replace(stage="verify"))
        for item in items:
            store.decide("verify", task_of(store, item, "verify"), "ann", Submission("accept"), now=now)
        with pytest.raises(RefusedError, match="was shown the right answer"):
            store.submit(held.slot_id, "ann", Submission("B"), now=now)
        with pytest.raises(RefusedError, match="was shown the right answer"):
            store.submit(done.slot_id, "ann", Submission("B"), now=now, amend=True)
        assert [one.decision for one in store.decisions("answer")] == ["A"]
        assert store.claim("answer", "ann", now=now) is None


def test_a_key_seen_with_an_earlier_content_of_the_item_counts_too(
    context: CampaignContext, make_items: MakeItems, now: datetime
) -> None:
    verify(context, make_items(jigsaw=1), "ann", now)
    changed = make_items("Which one?", jigsaw=1)
    Answer().advance(changed, context)
    with open_store(context.store_url) as store:
        assert store.claim("answer", "ann", now=now) is None


def test_whoever_answered_may_still_verify(context: CampaignContext, make_items: MakeItems, now: datetime) -> None:
    items = make_items(jigsaw=1)
    Answer().advance(items, context)
    with open_store(context.store_url) as store:
        say(store, items, {"ann": "B"}, now)
    verify(context, items, "ann", now)


def test_simulated_annotators_answer_what_their_namesakes_verified(
    context: CampaignContext, make_items: MakeItems
) -> None:
    items = make_items(jigsaw=5)
    group = {"annotators": 3}
    Verify.model_validate({"simulate": group}).advance(items, context._replace(stage="verify"))
    assert Answer.model_validate({"simulate": group}).advance(items, context).waiting is None


# Files


@pytest.fixture
def workspace(tmp_path: Path, make_items: MakeItems) -> Path:
    """Return a workspace whose campaign `answer` waits for two people on each of three items."""
    space = Workspace.create(tmp_path / "work")
    space.save_settings({"images": str(tmp_path), "state": "waiting"})
    context = CampaignContext(seed=1, stage="answer", workspace=space.root, store_url=space.store_url)
    Answer(annotators_per_item=2).advance(make_items(jigsaw=3), context)
    return space.root


def review(capsys: pytest.CaptureFixture[str], code: int, *arguments: object) -> Any:
    assert invoke(["review", *map(str, arguments), "--json"]) == code
    return json.loads(capsys.readouterr().out)


def test_an_export_does_not_show_the_key(workspace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "tasks.csv"
    assert review(capsys, 0, "export", "--workspace", workspace, "--out", out)["tasks"] == 3
    with out.open(encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle))
    assert [row["answer"] for row in rows] == ["", "", ""]
    assert all(row["choices"] == "A: the left one | B: the right one" for row in rows)


def test_answers_come_in_from_a_file_in_either_case_and_their_agreement_is_over_what_was_said(
    workspace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], make_items: MakeItems
) -> None:
    ids = [item.item_id for item in make_items(jigsaw=3)]
    path = tmp_path / "answers.csv"
    rows = [f"ann,{ids[0]},b", f"ben,{ids[0]},B", f"ann,{ids[1]},A", f"ben,{ids[1]}, b ", f"ann,{ids[2]},c"]
    path.write_text("\n".join(["annotator,item_id,decision", *rows]), encoding="utf-8")
    said = review(capsys, 1, "import", path, "--workspace", workspace)
    assert (said["new"], said["refused"]) == (4, [{"line": 6, "reason": "decision 'c' is not one of A, B"}])
    assert review(capsys, 1, "import", path, "--workspace", workspace)["unchanged"] == 4
    agreed = review(capsys, 0, "agreement", "--workspace", workspace, "--campaign", "answer")
    # Pairs BB and AB: half agree; o_AB = 2, n = (1, 3), so alpha is 1 - (2/4) / (2*1*3 / (4*3)) = 0.
    assert (agreed["units"], agreed["percent"]) == (2, 0.5)
    assert agreed["krippendorff_alpha"] == pytest.approx(0)


# Simulated annotators


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        pytest.param({"annotators_per_item": 0}, "greater than or equal to 1", id="none"),
        pytest.param({"annotators_per_item": 100}, "less than or equal to 99", id="many"),
        pytest.param({"simulate": {"annotators": 2}}, "2 annotators cannot give 3 answers to each item", id="few"),
        pytest.param({"simulate": {"annotators": 3, "accuracy": 1.5}}, "less than or equal to 1", id="accuracy"),
        pytest.param({"simulate": {"annotators": 3, "error_rate": 0.1}}, "Extra inputs are not", id="key of verify"),
    ],
)  # fmt: skip
def test_settings_that_cannot_work_are_refused_in_words(settings: dict[str, object], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        Answer(**settings)  # type: ignore[arg-type]


def test_simulated_annotators_close_the_campaign_and_show_as_simulated(
    context: CampaignContext, make_items: MakeItems
) -> None:
    step = Answer(simulate=SimulatedAnswerers(annotators=5, accuracy=0.8, accuracy_by_task={"jigsaw": 0.0}))
    items = make_items(jigsaw=20, correspondence=30)
    verdicts = step.advance(items, context)
    assert verdicts.waiting is None
    assert verdicts.summary["simulated"] is True
    assert all(outcome.evidence["simulated"] for outcome in verdicts.outcomes.values())
    assert {outcome.values["asked"] for outcome in verdicts.outcomes.values()} == {3}
    assert verdicts.summary["tasks"]["jigsaw"]["right"] == 0
    assert 0 < verdicts.summary["tasks"]["correspondence"]["right"] < 90
    assert step.advance(items, context) == verdicts


def test_a_simulated_annotator_is_right_at_its_accuracy_and_else_draws_evenly_among_the_others() -> None:
    group = SimulatedAnswerers(annotators=6, accuracy=0.7)
    payload = {"task": "jigsaw", "answer": None, "refusal": "C", "choices": [{"key": key} for key in "ABCD"]}
    said = Counter(
        one.submission.decision
        for number in range(600)
        for one in simulated_decisions(group, str(number), payload, slots=4, seed=1, stage="answer")
    )
    assert said["C"] / said.total() == pytest.approx(0.7, abs=0.03)
    assert [said[key] / said.total() for key in "ABD"] == pytest.approx([0.1] * 3, abs=0.02)


def test_who_answers_and_what_hangs_on_nothing_but_seed_stage_and_item() -> None:
    group = SimulatedAnswerers(annotators=6, accuracy=0.5)
    payload = {"task": "jigsaw", "answer": "B", "choices": [{"key": key} for key in "ABC"]}

    def said(item: str, seed: int = 1, stage: str = "answer") -> list[object]:
        return list(simulated_decisions(group, item, payload, slots=4, seed=seed, stage=stage))

    assert said("a") == said("a")
    assert len({str(said(item, seed, stage)) for item in "ab" for seed in (1, 2) for stage in ("v", "w")}) == 8
