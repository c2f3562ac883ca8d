"""The campaigns `screen` and `screen_items`: discarded records are dropped for their most frequent reason."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from typed_answers import say
from walks import make_photographs, run_json

from benchwright.annotation.campaigns.running.results import document_of, write_results
from benchwright.annotation.campaigns.screen import Screen, ScreenItems
from benchwright.annotation.exchange.decision_file import import_decisions
from benchwright.annotation.exchange.task_file import export_tasks
from benchwright.annotation.forms.campaign_form import CampaignForm
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.progress.overview import Overview
from benchwright.annotation.simulated.annotators import SimulatedScreeners
from benchwright.annotation.store.database.records import RefusedError
from benchwright.annotation.store.review_store import open_store
from benchwright.annotation.workflow.submitted_answers import results_of
from benchwright.canonical import digest
from benchwright.errors import BenchwrightError
from benchwright.pipeline import run_recipe
from benchwright.recipe import parse_recipe
from benchwright.records import ImageRecord, Item, Source
from benchwright.steps import CampaignContext

MakeItems = Callable[..., list[Item]]


def pictures(count: int) -> list[ImageRecord]:
    return [
        ImageRecord(
            image_id=digest(["picture", n]), width=40, height=30, media_type="image/png", size_bytes=9,
            source=Source(uri=f"{n}.png"), root_image_id=digest(["picture", n]),
        )
        for n in range(count)
    ]  # fmt: skip


KEEP = {"verdict": "keep"}


def discard(*reasons: str) -> dict[str, Any]:
    return {"verdict": "discard", "reasons": list(reasons)}


@pytest.fixture
def screen_context(context: CampaignContext) -> CampaignContext:
    return context._replace(stage="screen")


def test_images_are_dropped_for_the_reason_that_most_annotators_gave(
    screen_context: CampaignContext, now: datetime
) -> None:
    step, images = Screen(rule="majority(3)"), pictures(3)
    waiting = step.advance(images, screen_context).waiting
    assert waiting is not None
    assert "3 of 3 tasks and 9 slots are open under at_least(2, of=3)" in waiting
    kept, dropped, tied = (image.image_id for image in images)
    with open_store(screen_context.store_url) as store:
        said = {
            kept: {"ann": KEEP, "ben": KEEP, "cas": discard("offensive")},
            dropped: {"ann": discard("other", "poor_quality"), "ben": discard("poor_quality"), "cas": KEEP},
            tied: {"ann": discard("other"), "ben": discard("no_implication"), "cas": discard("other", "no_implication")},
        }  # fmt: skip
        say(store, "screen", said, now)
    verdicts = step.advance(images, screen_context)
    assert {one: outcome.reason for one, outcome in verdicts.outcomes.items()} == {
        kept: None, dropped: "poor_quality", tied: "no_implication",
    }  # fmt: skip
    assert verdicts.outcomes[dropped].evidence == {
        "rule": "at_least(2, of=3)", "keep": 1, "discard": 2, "reasons": {"other": 1, "poor_quality": 2},
        "simulated": False,
    }  # fmt: skip
    summary = verdicts.summary
    assert (summary["total"], summary["kept"], summary["rejected"], summary["no_agreement"]) == (3, 1, 2, 0)
    assert summary["reasons"] == {"no_implication": 1, "poor_quality": 1}
    # Pairs of annotators that agree: 1, 1 and 3 of 3 each.
    assert summary["tasks"]["image"]["percent"] == round(5 / 9, 6)
    assert summary["annotators"]["annotator-1"] == {"keep": 1, "discard": 2}
    assert "ann" not in str(summary).replace("annotator", "")


def test_an_image_on_which_annotators_do_not_agree_is_dropped_as_such(
    screen_context: CampaignContext, now: datetime
) -> None:
    step, [image] = Screen(rule="unanimous(2)"), pictures(1)
    step.advance([image], screen_context)
    with open_store(screen_context.store_url) as store:
        say(store, "screen", {image.image_id: {"ann": KEEP, "ben": discard("other")}}, now)
    assert step.advance([image], screen_context).outcomes[image.image_id].reason == "no_agreement"


def test_who_discards_names_a_reason_of_the_form(screen_context: CampaignContext, now: datetime) -> None:
    [image] = pictures(1)
    Screen().advance([image], screen_context)
    with open_store(screen_context.store_url) as store:
        for fields, words in (
            ({"verdict": "discard"}, "field 'reasons' .Why. is not filled in"),
            (discard("dull"), "'dull'.* is not one of no_implication"),
            ({"verdict": "burn"}, "'burn' is not one of keep, discard"),
        ):
            with pytest.raises(RefusedError, match=words):
                say(store, "screen", {image.image_id: {"ann": fields}}, now)
        # Reasons for what is kept are no part of the answer.
        say(store, "screen", {image.image_id: {"ann": KEEP | {"reasons": ["other"], "note": "  fine "}}}, now)
        assert store.decisions("screen")[0].fields == {"verdict": "keep", "note": "fine"}


def test_items_are_screened_with_their_key_and_nobody_who_saw_it_answers_them(
    context: CampaignContext, make_items: MakeItems, now: datetime
) -> None:
    items = make_items(jigsaw=1, depth=1)
    step, ctx = ScreenItems(), context._replace(stage="screen_items")
    step.advance(items, ctx)
    with open_store(ctx.store_url) as store:
        say(
            store,
            "screen_items",
            {items[0].item_id: {"ann": discard("ambiguous")}, items[1].item_id: {"ann": KEEP}},
            now,
        )
        for name in ("baseline", "ann"):
            store.upsert_annotator(name)
        store.upsert_campaign(
            "answer", kind="answer", rule="answers(1)", slots_per_task=1, form=CampaignForm(decisions_from="choices"),
            settings={}, seed=1,
        )  # fmt: skip
        from benchwright.annotation.campaigns.running.open_campaign import work_of

        store.upsert_tasks("answer", [work_of(item) for item in items])
        assert store.claim("answer", "ann", now=now) is None
        assert store.claim("answer", "baseline", now=now) is not None
    verdicts = step.advance(items, ctx)
    assert [verdicts.outcomes[item.item_id].reason for item in items] == ["ambiguous", None]
    assert {task: told["kept"] for task, told in verdicts.summary["tasks"].items()} == {"jigsaw": 0, "depth": 1}


def test_a_table_takes_tasks_out_and_verdicts_in(
    screen_context: CampaignContext, now: datetime, tmp_path: Path
) -> None:
    step, images = Screen(), pictures(2)
    step.advance(images, screen_context)
    first, second = sorted(image.image_id for image in images)
    with open_store(screen_context.store_url) as store:
        out = tmp_path / "tasks.csv"
        assert export_tasks(store, "screen", out, image_name=lambda image: f"{image.image_id[:4]}.png") == 2
        assert out.read_text().splitlines()[0] == (
            "item_id,annotator,verdict,reasons,note,task,question,choices,answer,pictures,images,marks,beside,takes"
        )
        filled = tmp_path / "filled.csv"
        filled.write_text(
            "item_id,annotator,verdict,reasons\n"
            f"{first},ann,discard,offensive; other\n{second},ann,keep,\n{second},ben,discard,dull\n"
        )
        done = import_decisions(store, "screen", filled, now=now)
        assert (done.new, [row.line for row in done.refused]) == (2, [4])
        found = results_of(store, "screen")
        assert [(row["finding"], row["items"]) for row in document_of(found)["summary"]] == [
            ("keep", 1),
            ("discard", 1),
        ]
        write_results(found, tmp_path / "all.csv")
        assert "offensive;other" in (tmp_path / "all.csv").read_text()
        with pytest.raises(BenchwrightError, match="only the next run uses the results of a campaign of kind 'screen'"):
            write_results(found, tmp_path / "all.json")
    assert step.advance(images, screen_context).outcomes[first].reason == "offensive"


def test_simulated_annotators_screen_at_their_rate_and_show_as_simulated(screen_context: CampaignContext) -> None:
    step = Screen(rule="majority(3)", simulate=SimulatedScreeners(annotators=4, discard_rate=0.5))
    images = pictures(60)
    verdicts = step.advance(images, screen_context)
    assert verdicts.waiting is None
    assert verdicts.summary["simulated"] is True
    assert all(outcome.evidence["simulated"] for outcome in verdicts.outcomes.values())
    assert 15 < verdicts.summary["kept"] < 45
    assert step.advance(images[::-1], screen_context) == verdicts


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        pytest.param({"rule": "unanimous"}, "did you mean unanimous.2.", id="rule"),
        pytest.param({"rule": "adjudicated(majority(3))"}, "did you mean at_least.2, of=3.", id="adjudicator"),
        pytest.param({"form": {"reasons": []}}, "at least 1 item", id="no reasons"),
        pytest.param({"form": {"reasons": ["Too dull"]}}, "match pattern", id="no code"),
        pytest.param({"form": {"reasons": ["dull", "dull"]}}, "each reason once", id="twice"),
        pytest.param({"form": {"reasons": ["no_agreement"]}}, "call none of them 'no_agreement'", id="taken"),
        pytest.param(
            {"rule": "majority(3)", "simulate": {"annotators": 2}}, "2 annotators cannot fill 3 slots", id="few"
        ),
        pytest.param({"simulate": {"annotators": 2, "reasons": ["x"]}}, "'x' is not one of the form's", id="reason"),
    ],
)
def test_settings_that_cannot_work_are_refused_in_words(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        Screen(**settings)


RECIPE = """
name: screened
seed: 3
shards: 2
steps:
  - screen
  - step: jigsaw
    min_tile_px: 16
    likeness: keep
"""


@pytest.mark.slow
def test_a_run_waits_and_makes_items_only_of_what_people_kept(tmp_path: Path, now: datetime) -> None:
    make_photographs(tmp_path / "photographs", count=4)
    recipe = parse_recipe(RECIPE, "recipe.yaml", folder=tmp_path)

    def run() -> Any:
        return run_recipe(recipe, workspace=tmp_path / "w", images=tmp_path / "photographs", workers=1)

    first = run()
    assert first.state == "waiting"
    assert "campaign 'screen' waits for people: 4 of 4 tasks" in first.waits[0]
    with open_store(f"sqlite:///{tmp_path / 'w' / 'review.sqlite'}") as store:
        ids = [task.item_id for task in store.tasks("screen")]
        said = {one: {"ann": discard("mostly_text") if n == 0 else KEEP} for n, one in enumerate(ids)}
        say(store, "screen", said, now)
    done = run()
    assert done.state == "done"
    report = {step.name: step for step in done.steps}
    assert (report["screen"].records, report["screen"].kept, dict(report["screen"].dropped)) == (
        4,
        3,
        {"mostly_text": 1},
    )
    assert report["jigsaw"].records == 3
    [dropped] = [row for row in done.outcomes("screen") if row["verdict"] == "drop"]
    assert (dropped["record_id"], dropped["evidence"]["reasons"]) == (ids[0], {"mostly_text": 1})
    assert run().executed == 0
    listed = run_json("review", "status", "--workspace", tmp_path / "w")
    assert listed["campaigns"][0]["tasks"]["done"] == 4


def test_reasons_to_discard_are_told_to_curators(screen_context: CampaignContext, now: datetime) -> None:
    Screen(rule="unanimous(2)").advance(pictures(2), screen_context)
    with open_store(screen_context.store_url) as store:
        one, two = store.tasks("screen")
        for name, said in (("ann", discard("offensive", "other")), ("ben", {**discard("other"), "note": "a meme"})):
            store.upsert_annotator(name)
            store.decide("screen", one.id, name, Submission(fields=said), now=now)
            store.decide("screen", two.id, name, Submission(fields=KEEP), now=now)
        found = Overview(store, store.campaign("screen")).reasons(examples=2)
    assert [(each.decision, each.reason, each.times) for each in found] == [
        ("discard", "other", 2), ("discard", "offensive", 1),
    ]  # fmt: skip
    assert [example.note for example in found[0].examples] == ["a meme"]
