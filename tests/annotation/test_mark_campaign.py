"""The campaign `mark`: annotators mark regions of pictures, and agreed regions become the pictures' value.

- Agreed regions form the consensus, others are disputed, and an adjudicator's marks count if the rule has one.
- The task keeps whether regions agree, in the transaction of the decision that settles it.
- Pairs come from a table or from a value, and a recipe with simulated annotators runs without people.
"""

from __future__ import annotations

import csv
import io
import json
from contextlib import redirect_stdout
from datetime import datetime, timedelta
from math import cos, sin
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from typed_answers import say
from walks import make_photographs

from benchwright.annotation.campaigns.mark.step import Mark
from benchwright.annotation.exchange.decision_file import import_decisions
from benchwright.annotation.exchange.task_file import export_tasks
from benchwright.annotation.forms.campaign_form import CampaignForm
from benchwright.annotation.forms.fields.field_types import Option
from benchwright.annotation.forms.kind_forms.marking import MARKED, MarkField
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.progress.campaign_progress import progress_of
from benchwright.annotation.progress.mark_figures import mark_figures
from benchwright.annotation.progress.overview import Overview
from benchwright.annotation.simulated.markers import SimulatedMarkers
from benchwright.annotation.store.database.records import RefusedError
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.annotation.workflow.adjudication import AdjudicationQueue
from benchwright.annotation.workflow.practising import PracticeQueue
from benchwright.annotation.workflow.settlement.marked_regions import compare_regions
from benchwright.annotation.workflow.task_queue import TaskQueue
from benchwright.canonical import bytes_digest
from benchwright.cli.main import invoke
from benchwright.errors import BenchwrightError, DataError, PrerequisiteError
from benchwright.pipeline import run_recipe
from benchwright.recipe import parse_recipe
from benchwright.records import ImageRecord, Source
from benchwright.steps import CampaignContext, Verdicts
from benchwright.workspace.workspace import Workspace

NAMED = (Option(code="dog", words="A dog"), Option(code="cat", words="A cat"))
BOXES = MarkField(name="boxes", label="Boxes", shape="box", options=NAMED, max_count=5)
NOTHING, UNSURE = {"marked": "nothing"}, {"marked": "unsure"}
A, B, C = "a" * 64, "b" * 64, "c" * 64


def box(left: float, top: float, right: float, bottom: float, label: str = "dog") -> dict[str, Any]:
    return {"shape": "box", "points": [[left, top], [right, bottom]], "label": label}


def boxes(*regions: dict[str, Any]) -> dict[str, Any]:
    return {"marked": "marked", "boxes": list(regions)}


@pytest.fixture
def mark_context(context: CampaignContext) -> CampaignContext:
    return context._replace(stage="mark")


def picture(image_id: str, uri: str | None = None) -> ImageRecord:
    source = None if uri is None else Source(uri=uri)
    return ImageRecord(
        image_id=image_id, width=400, height=300, media_type="image/png", size_bytes=9, root_image_id=image_id,
        source=source,
    )  # fmt: skip


def marking(rule: str = "unanimous(2)", **settings: Any) -> Mark:
    return Mark(fields=(BOXES,), rule=rule, **settings)


def marked(
    step: Mark, context: CampaignContext, now: datetime, said: dict[str, dict[str, Any]], images: tuple[str, ...] = (A,)
) -> Verdicts:
    """Run the step, let annotators decide, and run it again."""
    records = [picture(image_id) for image_id in images]
    assert step.advance(records, context).waiting is not None
    with open_store(context.store_url) as store:
        say(store, "mark", said, now)
    return step.advance(records, context)


def regions_of(verdicts: Verdicts, image_id: str = A) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(str(verdicts.outcomes[image_id].values["regions"]))
    return document


def test_what_two_people_mark_alike_is_the_median_of_their_boxes_with_its_spread(
    mark_context: CampaignContext, now: datetime
) -> None:
    said = {A: {"ann": boxes(box(10, 10, 110, 110)), "ben": boxes(box(14, 10, 110, 106))}}
    verdicts = marked(marking(), mark_context, now, said)
    document = regions_of(verdicts)
    [region] = document["regions"]
    assert document["size_wh"] == [400, 300]
    assert document["nothing"] is False
    assert (region["field"], region["label"], region["by"]) == ("boxes", "dog", 2)
    assert region["points"] == [[12.0, 10.0], [110.0, 108.0]]
    assert 0.9 < region["spread"]["iou_least"] <= region["spread"]["iou_mean"] < 1
    assert verdicts.outcomes[A].verdict == "keep"
    summary = verdicts.summary
    assert (summary["total"], summary["marked"], summary["no_agreement"], summary["adjudicated"]) == (1, 1, 0, 0)
    assert "ann" not in json.dumps(dict(summary)).replace("annotator", "")


def test_without_an_adjudicator_what_agrees_stands_and_the_rest_is_evidence(
    mark_context: CampaignContext, now: datetime
) -> None:
    dog, cat = box(10, 10, 110, 110), box(200, 200, 260, 260, "cat")
    verdicts = marked(marking(), mark_context, now, {A: {"ann": boxes(dog, cat), "ben": boxes(dog)}})
    outcome = verdicts.outcomes[A]
    assert (outcome.verdict, outcome.reason) == ("ask", "disputed")
    assert [region["label"] for region in regions_of(verdicts)["regions"]] == ["dog"]
    assert outcome.evidence["disputed"] == [
        {
            "field": "boxes", "reason": "too_few", "by": 1, "missing": 1, "labels": ["cat"],
            "bounds": [200.0, 200.0, 260.0, 260.0],
        }
    ]  # fmt: skip
    assert "ann" not in json.dumps(outcome.evidence)


@pytest.mark.parametrize(
    ("said", "verdict", "reason"),
    [
        ((NOTHING, NOTHING), "keep", None),
        ((UNSURE, UNSURE), "ask", "cannot_tell"),
        ((boxes(box(1, 1, 50, 50)), NOTHING), "ask", "disputed"),
        ((boxes(box(1, 1, 50, 50)), UNSURE), "ask", "disputed"),
        ((boxes(box(1, 1, 50, 50)), boxes(box(100, 1, 150, 50))), "ask", "disputed"),
        ((boxes(box(1, 1, 50, 50)), boxes(box(1, 1, 50, 50, "cat"))), "ask", "disputed"),
    ],
)
def test_nothing_to_mark_and_doubt_are_outcomes_of_their_own(
    mark_context: CampaignContext, now: datetime, said: tuple[Any, Any], verdict: str, reason: str | None
) -> None:
    verdicts = marked(marking(), mark_context, now, {A: dict(zip(("ann", "ben"), said, strict=True))})
    assert (verdicts.outcomes[A].verdict, verdicts.outcomes[A].reason) == (verdict, reason)
    if reason is None:
        assert regions_of(verdicts) == {"nothing": True, "regions": [], "size_wh": [400, 300]}
    if reason == "disputed":  # what one of them alone marked does not count
        assert regions_of(verdicts)["regions"] == []


def test_pictures_with_nothing_to_mark_may_be_dropped(mark_context: CampaignContext, now: datetime) -> None:
    verdicts = marked(marking("single", when_nothing="drop"), mark_context, now, {A: {"ann": NOTHING}})
    assert (verdicts.outcomes[A].verdict, verdicts.outcomes[A].reason) == ("drop", "nothing_to_mark")


def open_marking(step: Mark, context: CampaignContext, *image_ids: str) -> ReviewStore:
    step.advance([picture(image_id) for image_id in image_ids or (A,)], context)
    store = open_store(context.store_url)
    for name in ("ann", "ben", "cem", "judge"):
        store.upsert_annotator(name)
    return store


def decide(store: ReviewStore, name: str, fields: dict[str, Any], now: datetime) -> None:
    queue = TaskQueue(store, store.campaign("mark"), name)
    task = queue.next(now=now)
    assert task is not None
    queue.submit(task.slot_id, Submission(fields=fields), now=now)


def outcomes(store: ReviewStore) -> dict[str, int]:
    campaign = store.campaign("mark")
    counted = progress_of(campaign, Overview(store, campaign).decision_counts()).outcomes
    return {name: n for name, n in counted.items() if n}


def test_the_decision_that_settles_a_task_compares_its_regions_and_a_changed_one_compares_them_again(
    mark_context: CampaignContext, now: datetime
) -> None:
    with open_marking(marking("adjudicated(unanimous(2))"), mark_context) as store:
        decide(store, "ann", boxes(box(10, 10, 110, 110)), now)
        assert outcomes(store) == {"begun": 1}
        decide(store, "ben", boxes(box(210, 10, 310, 110)), now)
        assert outcomes(store) == {"waits": 1}
        assert compare_regions(store, "mark") == 0
        queue = TaskQueue(store, store.campaign("mark"), "ben")
        [entry] = queue.history()
        task = queue.open(entry.task_id, now=now)
        queue.submit(task.slot_id, Submission(fields=boxes(box(12, 10, 110, 110))), now=now + timedelta(seconds=5))
        assert outcomes(store) == {MARKED: 1}
        assert AdjudicationQueue(store, store.campaign("mark"), "judge").queue() == []


def test_regions_are_compared_again_where_the_recipe_lets_more_or_less_pass(
    mark_context: CampaignContext, now: datetime
) -> None:
    said = {A: {"ann": boxes(box(0, 0, 100, 100)), "ben": boxes(box(0, 0, 100, 60))}}
    assert marked(marking(), mark_context, now, said).outcomes[A].reason is None
    strict = marking(agreement={"box_iou": 0.9})
    assert strict.advance([picture(A)], mark_context).outcomes[A].reason == "disputed"
    assert strict.parameters() != marking().parameters()
    with open_store(mark_context.store_url) as store:
        assert outcomes(store) == {"no_agreement": 1}


def test_an_adjudicator_sees_all_marks_and_decides_with_regions_of_their_own(
    mark_context: CampaignContext, now: datetime
) -> None:
    step = marking("adjudicated(unanimous(2))")
    with open_marking(step, mark_context) as store:
        decide(store, "ann", boxes(box(10, 10, 110, 110)), now)
        decide(store, "ben", NOTHING, now)
        waiting = step.advance([picture(A)], mark_context).waiting
        assert waiting is not None
        assert "waits for an adjudicator: 1 of 1 item undecided" in waiting
        campaign = store.campaign("mark")
        assert AdjudicationQueue(store, campaign, "ann").queue() == []  # who marked it does not judge it
        queue = AdjudicationQueue(store, campaign, "judge")
        [head] = queue.queue()
        with pytest.raises(RefusedError, match="open the case"):
            queue.decide(head.task_id, Submission(fields=NOTHING), now=now)
        case = queue.open(head.task_id, now=now)
        assert {(said.decision, len((said.fields or {}).get("boxes", ()))) for said in case.annotations} == {
            ("marked", 1), ("nothing", 0),
        }  # fmt: skip
        with pytest.raises(RefusedError, match="outside the picture of 400 x 300"):
            queue.decide(head.task_id, Submission(fields=boxes(box(10, 10, 410, 110))), now=now)
        queue.decide(head.task_id, Submission(fields=boxes(box(20, 20, 90, 90, "cat"))), now=now)
        assert outcomes(store) == {MARKED: 1}
        [decided] = queue.decided()
        assert decided.adjudication.fields == boxes(box(20, 20, 90, 90, "cat"))
        store.audited()
    verdicts = step.advance([picture(A)], mark_context)
    document = regions_of(verdicts)
    assert document["adjudicated"] is True
    assert [(region["label"], region["by"]) for region in document["regions"]] == [("cat", 1)]
    assert verdicts.outcomes[A].evidence["adjudicated"] == "marked"


def test_a_case_that_is_sent_back_is_settled_by_those_who_mark_it_afterwards(
    mark_context: CampaignContext, now: datetime
) -> None:
    with open_marking(marking("adjudicated(unanimous(2))"), mark_context) as store:
        for name, fields in (("ann", boxes(box(10, 10, 110, 110))), ("ben", NOTHING)):
            decide(store, name, fields, now)
        queue = AdjudicationQueue(store, store.campaign("mark"), "judge")
        [head] = queue.queue()
        queue.open(head.task_id, now=now)
        queue.decide(head.task_id, Submission("send_back"), now=now)
        assert outcomes(store) == {"begun": 1} or outcomes(store) == {"untouched": 1}
        store.upsert_annotator("dia")
        for name in ("cem", "dia"):
            decide(store, name, boxes(box(50, 50, 90, 90)), now)
        assert outcomes(store) == {MARKED: 1}
    verdicts = marking("adjudicated(unanimous(2))").advance([picture(A)], mark_context)
    assert regions_of(verdicts)["regions"][0]["points"] == [[50.0, 50.0], [90.0, 90.0]]


SAME = MarkField(name="same", label="The same", shape="correspondence", max_count=9)


def test_pairs_of_a_table_are_shown_side_by_side_and_the_first_gets_the_value(
    mark_context: CampaignContext, now: datetime, tmp_path: Path
) -> None:
    (tmp_path / "pairs.csv").write_text("first,second\nleft.png,right.png\nabsent.png,right.png\n", encoding="utf-8")
    step = Mark.model_validate({"fields": [SAME], "over": "pairs", "pairs": "pairs.csv"}, context={"folder": tmp_path})
    images = [picture(A, "images/left.png"), picture(B, "images/right.png"), picture(C, "images/other.png")]
    assert "1 of 1 task" in str(step.advance(images, mark_context).waiting)
    points = {"shape": "correspondence", "points": [[10, 20], [390, 290]]}
    with open_store(mark_context.store_url) as store:
        [task] = store.tasks("mark")
        say(store, "mark", {task.item_id: {"ann": {"marked": "marked", "same": [points]}}}, now)
    verdicts = step.advance(images, mark_context)
    document = regions_of(verdicts)
    assert document["other"] == B
    assert document["regions"][0]["points"] == [[10.0, 20.0], [390.0, 290.0]]
    assert not verdicts.outcomes[B].values
    assert not verdicts.outcomes[C].values
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "pairs.csv").rename(tmp_path / "elsewhere" / "the_same.csv")
    moved = Mark.model_validate(
        {"fields": [SAME], "over": "pairs", "pairs": "elsewhere/the_same.csv"}, context={"folder": tmp_path}
    )
    assert moved.parameters() == step.parameters()


@pytest.fixture
def example_context(mark_context: CampaignContext, tmp_path: Path) -> CampaignContext:
    Workspace.create(tmp_path / "workspace").save_settings({"images": str(tmp_path)})
    return mark_context._replace(workspace=tmp_path / "workspace")


def with_example(example: str, folder: Path) -> Mark:
    field = {"name": "cups", "label": "Cups", "shape": "box", "example": example, "example_words": "A cup"}
    return Mark.model_validate({"fields": [field]}, context={"folder": folder})


def test_an_example_picture_is_a_setting_by_its_content_and_goes_into_the_workspace(
    example_context: CampaignContext, tmp_path: Path
) -> None:
    Image.new("RGB", (40, 30), "teal").save(tmp_path / "cup.png")
    step = with_example("cup.png", tmp_path)
    image_id = bytes_digest((tmp_path / "cup.png").read_bytes())
    assert step.parameters()["fields"][0]["example"] == image_id
    step.advance([picture(A)], example_context)
    with open_store(example_context.store_url) as store:
        [field] = store.campaign("mark").form.region_fields
    assert (field.example, field.example_words) == (image_id, "A cup")
    (tmp_path / "cup.png").rename(tmp_path / "moved.png")
    moved = with_example("moved.png", tmp_path)
    assert moved.parameters() == step.parameters()
    by_id = with_example(image_id, tmp_path)  # the workspace has it by now
    assert by_id.parameters() == step.parameters()
    assert by_id.advance([picture(A)], example_context).waiting is not None


def test_an_example_that_is_not_there_or_changes_meanwhile_is_refused_in_words(
    example_context: CampaignContext, tmp_path: Path
) -> None:
    with pytest.raises(PrerequisiteError, match="the example of field 'cups' is not a picture of this workspace"):
        with_example("0" * 64, tmp_path).advance([picture(A)], example_context)
    Image.new("RGB", (40, 30), "teal").save(tmp_path / "cup.png")
    step = with_example("cup.png", tmp_path)
    Image.new("RGB", (40, 30), "red").save(tmp_path / "cup.png")
    with pytest.raises(DataError, match="has changed since the recipe was read"):
        step.advance([picture(A)], example_context)
    (tmp_path / "cup.png").unlink()
    with pytest.raises(DataError, match=r"cup\.png cannot be read"):
        step.advance([picture(A)], example_context)


def test_pairs_may_come_from_a_value_of_an_earlier_step(mark_context: CampaignContext) -> None:
    step = Mark(fields=(SAME,), over="pairs", pairs="near_duplicates.kept.like")
    assert step.reads == ("near_duplicates.kept.like",)
    context = mark_context._replace(values={"near_duplicates.kept.like": {A: [C, B], B: ["d" * 64]}})
    assert "1 of 1 task" in str(step.advance([picture(A), picture(B)], context).waiting)
    with open_store(context.store_url) as store:
        [task] = store.tasks("mark")
    assert [image["image_id"] for image in task.payload["images"]] == [A, B]
    assert task.payload["sizes_wh"] == [[400, 300], [400, 300]]


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ("first\na.png\n", "no column 'second'"),
        ("first,second\n", "names 0 pairs"),
        ("first,second\na.png,a.png\n", "line 2: 'a.png' is paired with itself"),
        ("first,second\na.png,b.png\na.png,c.png\n", "line 3: 'a.png' is already the first of another pair"),
        ("first,second\na.png,\n", "line 2: a pair names two pictures"),
    ],
)
def test_a_table_of_pairs_that_is_wrong_is_refused_with_its_line(tmp_path: Path, table: str, why: str) -> None:
    (tmp_path / "pairs.csv").write_text(table, encoding="utf-8")
    with pytest.raises((DataError, ValueError), match=why):
        Mark.model_validate({"fields": [SAME], "over": "pairs", "pairs": "pairs.csv"}, context={"folder": tmp_path})


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"fields": [SAME]}, "set `over: pairs`"),
        ({"fields": [BOXES], "over": "pairs"}, "`pairs` and `over: pairs` need each other"),
        ({"fields": [BOXES], "pairs": "pairs.csv"}, "`pairs` and `over: pairs` need each other"),
        ({"fields": [BOXES, BOXES]}, "two fields are called 'boxes'"),
        ({"fields": [{"name": "note", "label": "Note", "shape": "box"}]}, "no field can be called 'note'"),
        ({"fields": []}, "at least 1"),
        ({"fields": [BOXES], "handout": {"close_decided": True}}, "cannot close"),
        ({"fields": [BOXES], "rule": "unanimous(3)", "simulate": {"annotators": 2}}, "cannot fill 3 slots"),
    ],
)
def test_settings_that_do_not_fit_are_refused_in_words(settings: dict[str, Any], why: str) -> None:
    with pytest.raises((ValueError, BenchwrightError), match=why):
        Mark.model_validate(settings)


@pytest.mark.slow
def test_simulated_annotators_agree_where_their_hands_are_steady_and_differ_where_they_miss(
    mark_context: CampaignContext,
) -> None:
    shapes = ("point", "points", "box", "polygon", "mask")
    fields = tuple(
        MarkField(name=f"{shape}_field", label=shape, shape=shape, free_label=True, max_count=3) for shape in shapes
    )
    images = [picture(f"{number:064x}") for number in range(30)]
    steady = Mark(fields=fields, rule="at_least(2, of=3)", simulate=SimulatedMarkers(annotators=3, jitter=0.001))
    verdicts = steady.advance(images, mark_context)
    assert (verdicts.summary["simulated"], verdicts.summary["marked"]) == (True, 30)
    assert {outcome.evidence["simulated"] for outcome in verdicts.outcomes.values()} == {True}
    assert {region["field"] for region in regions_of(verdicts, images[0].image_id)["regions"]} == {
        f"{shape}_field" for shape in shapes
    }
    again = steady.advance(images, mark_context)
    assert again.outcomes == verdicts.outcomes
    careless = SimulatedMarkers(annotators=3, jitter=0.05, miss_rate=0.4, extra_rate=0.4, nothing_rate=0.1)
    messy = Mark(fields=fields, rule="at_least(2, of=3)", simulate=careless).advance(images, mark_context)
    assert messy.summary["no_agreement"] > 10


def test_simulated_annotators_mark_what_an_earlier_step_knows(mark_context: CampaignContext) -> None:
    simulated = SimulatedMarkers(annotators=2, jitter=0.0, truth="facts.kept.subjects")
    step = marking("unanimous(2)", simulate=simulated)
    assert step.reads == ("facts.kept.subjects",)
    subjects = [{"name": "dog", "phrase": "the dog", "box": [10, 20, 60, 80]}, {"name": "cow", "box": [0, 0, 9, 9]}]
    context = mark_context._replace(values={"facts.kept.subjects": {A: json.dumps(subjects)}})
    verdicts = step.advance([picture(A), picture(B)], context)
    assert [(region["label"], region["points"]) for region in regions_of(verdicts)["regions"]] == [
        ("dog", [[10.0, 20.0], [60.0, 80.0]])
    ]
    assert regions_of(verdicts, B)["nothing"] is True


RECIPE = """
name: marked
seed: 7
shards: 2
steps:
  - step: mark
    rule: at_least(2, of=3)
    fields:
      - {name: things, label: Things, shape: box, options: [{code: face, words: A face}, {code: hand, words: A hand}]}
      - {name: outline, label: Outline, shape: mask, max_count: 1}
    simulate: {annotators: 4, jitter: 0.01, miss_rate: 0.05}
"""


def test_a_recipe_with_simulated_annotators_runs_by_itself_and_says_so(tmp_path: Path) -> None:
    make_photographs(tmp_path / "photographs", count=8)
    recipe = parse_recipe(RECIPE, "recipe.yaml", folder=tmp_path)
    run = run_recipe(recipe, workspace=tmp_path / "w", images=tmp_path / "photographs", workers=1)
    assert not run.waits
    with open_store(f"sqlite:///{tmp_path / 'w' / 'review.sqlite'}") as store:
        campaign = store.campaign("mark")
        assert campaign.is_simulated
        assert sum(outcomes(store).values()) == 8
        assert {decision.annotator_kind for decision in store.decisions("mark")} == {"simulated"}
        assert isinstance(campaign.form, CampaignForm)


def gold_of(tmp_path: Path, *rows: str) -> dict[str, Any]:
    (tmp_path / "gold.csv").write_text("\n".join(["item_id,decision,regions,tolerance", *rows]), encoding="utf-8")
    return {"gold": str(tmp_path / "gold.csv"), "gold_rate": 0.5, "gold_feedback": True}


def cell(value: Any) -> str:
    return '"' + json.dumps(value).replace('"', '""') + '"'


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tolerance", "decision", "regions", "is_right"),
    [
        ("", "marked", [box(0, 0, 100, 60)], True),
        ("0.9", "marked", [box(0, 0, 100, 60)], False),
        ("0.9", "marked", [box(0, 0, 100, 98)], True),
        (cell({"box_iou": 0.3}), "marked", [box(0, 0, 100, 35)], True),
        ("", "marked", [box(0, 0, 100, 100, "cat")], False),
        ("", "marked", [box(0, 0, 100, 100), box(200, 0, 300, 100)], False),
        ("", "nothing", [], False),
    ],
)
def test_gold_pictures_carry_the_regions_that_are_right_and_a_tolerance(
    mark_context: CampaignContext, now: datetime, tmp_path: Path, tolerance: str, decision: str,
    regions: list[dict[str, Any]], is_right: bool,
) -> None:  # fmt: skip
    handout = gold_of(tmp_path, f"{A},marked,{cell({'boxes': [box(0, 0, 100, 100)]})},{tolerance}")
    step = marking("single", handout=handout)
    every = (A, *(digit * 64 for digit in "123456"))
    with open_marking(step, mark_context, *every) as store:
        queue = TaskQueue(store, store.campaign("mark"), "ann")
        while (task := queue.next(now=now)) is not None:
            fields = {"marked": decision, **({"boxes": regions} if regions else {})}
            queue.submit(task.slot_id, Submission(fields=fields), now=now)
            feedback = queue.gold_feedback(task.task_id, now=now)
            assert (feedback is None) == (task.item.images[0].image_id != A)
            assert feedback is None or feedback.is_right is is_right
        assert Overview(store, store.campaign("mark")).gold()["ann"] == (int(is_right), 1)
    verdicts = step.advance([picture(image_id) for image_id in every], mark_context)
    assert verdicts.summary["gold"] == {"items": 1, "kept": 1}
    assert verdicts.outcomes[A].evidence == {"gold": "marked"}
    document = regions_of(verdicts)  # what is known counts, whatever people marked
    assert [region["points"] for region in document["regions"]] == [[[0.0, 0.0], [100.0, 100.0]]]
    assert document["gold"] is True


@pytest.mark.parametrize(
    ("row", "why"),
    [
        (f"{A},marked,[1],", "regions must be a JSON object"),
        (f"{A},marked,{{,", "is not JSON"),
        (f"{A},nothing,{cell({'boxes': [box(0, 0, 9, 9)]})},", "so the decision must be 'marked'"),
        (f"{A},marked,{cell({'masks': []})},", "the form has no field 'masks'"),
        (f"{A},marked,{cell({'boxes': [box(0, 0, 900, 9)]})},", "lies outside the picture of 400 x 300"),
        (f"{A},marked,{cell({'boxes': [box(0, 0, 9, 9)]})},7", "tolerance: box_iou"),
        (f"{A},marked,,0.5", "needs `regions`"),
    ],
)
def test_a_gold_file_whose_regions_do_not_fit_is_refused_in_words(
    mark_context: CampaignContext, tmp_path: Path, row: str, why: str
) -> None:
    with pytest.raises((BenchwrightError, ValueError), match=why):
        marking(handout=gold_of(tmp_path, row)).advance([picture(A)], mark_context)


def test_each_annotator_stands_beside_what_counts_the_worst_first(mark_context: CampaignContext, now: datetime) -> None:
    dog, cat = box(10, 10, 110, 110), box(200, 200, 260, 260, "cat")
    said = {
        A: {"ann": boxes(dog, cat), "ben": boxes(dog, cat), "cem": boxes(dog)},
        B: {"ann": boxes(dog), "ben": boxes(box(12, 10, 110, 110)), "cem": boxes(dog, box(300, 5, 350, 60))},
    }
    step = marking("at_least(2, of=3)", agreement={"counts": "majority"})
    marked(step, mark_context, now, said, (A, B))
    with open_store(mark_context.store_url) as store:
        figures = mark_figures(store, store.campaign("mark"))
    assert (figures.compared, figures.of) == (2, 2)
    assert [marks.annotator for marks in figures.marks[:2]] == ["cem", "cem"]
    [worst, *others] = figures.annotators()
    assert (worst.annotator, worst.missed, worst.extra, worst.matched) == ("cem", 1, 1, 2)
    assert all(other.missed == other.extra == 0 for other in others)
    assert figures.agreement.figures["share_matched"] is not None
    assert figures.agreement.compared == 2


def test_regions_come_by_way_of_a_table_and_are_compared_at_once(
    mark_context: CampaignContext, now: datetime, tmp_path: Path
) -> None:
    outline = MarkField(name="outline", label="Outline", shape="polygon")
    step = Mark(fields=(outline,), rule="unanimous(2)")
    ring = [[200 + 90.123456789 * cos(n / 150), 150 + 90.123456789 * sin(n / 150)] for n in range(900)]
    with open_marking(step, mark_context) as store:
        assert (
            export_tasks(store, "mark", tmp_path / "tasks.csv", image_name=lambda image: f"{image.image_id}.png") == 1
        )
        [task] = csv.DictReader(io.StringIO((tmp_path / "tasks.csv").read_text(encoding="utf-8")))
        assert task["images"] == f"{A}.png (400 x 300)"
        regions = json.dumps([{"shape": "polygon", "points": ring}])
        assert len(regions) > 10_000
        rows = [
            {"annotator": name, "item_id": task["item_id"], "marked": "marked", "outline": regions}
            for name in ("ann", "ben")
        ]
        rows.append({"annotator": "cem", "item_id": task["item_id"], "marked": "marked", "outline": "[{}]"})
        with (tmp_path / "filled.csv").open("w", encoding="utf-8", newline="") as handle:
            writer = csv.DictWriter(handle, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
        imported = import_decisions(store, "mark", tmp_path / "filled.csv", now=now)
        assert (imported.new, len(imported.refused)) == (2, 1)
        assert "region 1" in imported.refused[0].why
        assert outcomes(store) == {MARKED: 1}


@pytest.mark.slow
def test_commands_say_how_far_annotators_agree_on_where_things_are(tmp_path: Path) -> None:
    make_photographs(tmp_path / "photographs", count=12)
    recipe = parse_recipe(RECIPE, "recipe.yaml", folder=tmp_path)
    run_recipe(recipe, workspace=tmp_path / "w", images=tmp_path / "photographs", workers=1)
    output = io.StringIO()
    with redirect_stdout(output):
        assert invoke(["review", "agreement", "--workspace", str(tmp_path / "w"), "--json"]) == 0
    regions = json.loads(output.getvalue())["regions"]
    assert regions["compared"] == 12
    assert regions["ci"]["mean_iou"][0] <= regions["mean_iou"] <= regions["ci"]["mean_iou"][1]
    assert set(regions["by_field"]) == {"things", "outline"}
    output = io.StringIO()
    with redirect_stdout(output):
        assert invoke(["review", "annotators", "--workspace", str(tmp_path / "w")]) == 0
    assert "simulated-marker-1: marks compared with the accepted ones: quality 0." in output.getvalue()


def test_marking_is_practised_on_drawn_pictures_whose_balls_are_known(
    mark_context: CampaignContext, now: datetime
) -> None:
    marking().advance([picture(A)], mark_context)
    with open_store(mark_context.store_url) as store:
        store.upsert_annotator("ann")
        queue = PracticeQueue(store, store.campaign("mark"), "ann")
        attempt = queue.begin(now=now)
        for place, name in enumerate(attempt.items):
            item = queue.item(name)
            regions = {
                field: [region.model_dump(mode="json") for region in listed] for field, listed in item.regions.items()
            }
            fields: dict[str, Any] = {"marked": item.right[0], **regions}
            if name == "one of three":  # one box too many
                fields["boxes"] = [*fields["boxes"], box(0, 0, 30, 30, "red")]
            attempt = queue.submit(place, Submission(fields=fields), now=now)
        assert [attempt.answers[place].is_right for place in range(5)] == [
            name != "one of three" for name in attempt.items
        ]
        assert store.decisions("mark") == []
