"""Fields of a form in which annotators mark regions.

- Regions are checked against the pictures of the task, and every wrong one is named by its place.
- Labels are those of the field, or the annotator's own.
- Other input from browsers and tables is refused with a message.
- A decision, a draft and a table keep them as drawn, and accept larger drafts for them only.
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import pytest

from benchwright.annotation.forms.campaign_form import CampaignForm
from benchwright.annotation.forms.fields.field_types import OneOf, OnlyIf, Option, RegionField
from benchwright.annotation.forms.fields.field_values import FormError
from benchwright.annotation.forms.fields.field_words import takes_in_words
from benchwright.annotation.forms.fields.form import Form
from benchwright.annotation.forms.fields.region_values import MAX_REGION_BYTES
from benchwright.annotation.forms.payloads import TaskInput
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.forms.task_content import TaskContent
from benchwright.annotation.store.database.records import RefusedError
from benchwright.annotation.store.review_store import ReviewStore
from benchwright.annotation.workflow.drafts import MAX_DRAFT_BYTES
from benchwright.annotation.workflow.task_queue import TaskQueue
from benchwright.records import ItemImage

SIZE_WH = (640, 480)
NAMED = (Option(code="dog", words="A dog"), Option(code="name_tag", words="A name tag"))
MARKED = OneOf(
    name="marked",
    label="The picture",
    options=(Option(code="marked", words="Marked"), Option(code="nothing", words="Nothing to mark")),
)
IF_MARKED = OnlyIf(field="marked", codes=("marked",))
BOXES = RegionField(name="boxes", label="Boxes", shape="box", options=NAMED, max_count=3, only_if=IF_MARKED)
SPOTS = RegionField(
    name="spots", label="Spots", shape="point", free_label=True, is_required=False, min_count=2, only_if=IF_MARKED
)
FORM = Form(fields=(MARKED, BOXES, SPOTS))
DOG = {"shape": "box", "points": [[10.25, 20.0], [100.0, 200.0]], "label": "dog"}
TAG = {"shape": "box", "points": [[40.0, 50.5], [60.0, 64.0]], "label": "name_tag"}


def checked(fields: dict[str, Any], form: Form = FORM, sizes_wh: tuple[Any, ...] = (SIZE_WH,)) -> dict[str, Any]:
    return form.checked({"marked": "marked", **fields}, letters=(), key=None, sizes_wh=sizes_wh)


def test_regions_are_kept_in_the_order_in_which_they_were_drawn() -> None:
    assert checked({"boxes": [TAG, DOG]})["boxes"] == [TAG, DOG]


def test_a_table_gives_regions_as_json_in_a_cell() -> None:
    assert checked({"boxes": json.dumps([DOG])})["boxes"] == [DOG]
    assert '"points": [[x, y], ...], "label"' in takes_in_words(BOXES)
    assert "1 to 3 boxes (labels dog, name_tag)" in takes_in_words(BOXES)


def test_a_list_says_how_many_regions_of_which_label_there_are() -> None:
    assert FORM.describe(checked({"boxes": [DOG, TAG, DOG]})) == "Marked · 3 boxes (A dog 2, A name tag)"


def test_regions_do_not_apply_where_there_is_nothing_to_mark() -> None:
    values = FORM.checked({"marked": "nothing", "boxes": [DOG]}, letters=(), key=None, sizes_wh=[SIZE_WH])
    assert values == {"marked": "nothing"}


def test_a_field_of_at_least_no_region_may_be_left_empty() -> None:
    none_needed = Form(fields=(MARKED, BOXES.model_copy(update={"min_count": 0})))
    assert checked({}, none_needed) == {"marked": "marked"}
    with pytest.raises(FormError, match=r"'boxes' .* not filled in"):
        checked({})


def test_a_label_of_ones_own_is_stored_without_spaces_around_it() -> None:
    spot = {"shape": "point", "points": [[1, 2]], "label": "  left ear "}
    assert [spot["label"] for spot in checked({"boxes": [DOG], "spots": [spot, spot]})["spots"]] == ["left ear"] * 2


def test_a_correspondence_lies_in_both_pictures() -> None:
    pairs = RegionField(name="pairs", label="Pairs", shape="correspondence")
    form, sizes_wh = Form(fields=(MARKED, pairs)), ((100, 50), (640, 480))
    same = {"shape": "correspondence", "points": [[99.0, 49.0], [600.0, 400.0]]}
    assert checked({"pairs": [same]}, form, sizes_wh)["pairs"] == [same]
    turned = {"shape": "correspondence", "points": [[600.0, 400.0], [99.0, 49.0]]}
    with pytest.raises(FormError, match=r"region 1: \(600, 400\) lies outside the picture of 100 x 50"):
        checked({"pairs": [turned]}, form, sizes_wh)
    with pytest.raises(FormError, match="takes two pictures; this task shows 1"):
        checked({"pairs": [same]}, form, (SIZE_WH,))


MANY = [[float(i % 640), float(i % 480)] for i in range(100_000)]
WRONG: list[tuple[Any, str]] = [
    ([DOG] * 4, "at most 3 regions; it has 4"),
    ([{**DOG, "label": "cat"}], "label 'cat' is not one of dog, name_tag"),
    ([{"shape": "box", "points": DOG["points"]}], "a label is missing; it is one of dog, name_tag"),
    ([{"shape": "point", "points": [[1, 2]], "label": "dog"}], "takes boxes, not points"),
    ([{**DOG, "points": [[float("nan"), 1], [2, 2]]}], "not a finite number"),
    ([{**DOG, "points": [[0, 0], [1e308, 2]]}], "outside the picture"),
    ([{**DOG, "points": [[0, 0], ["1; DROP TABLE", 2]]}], "valid number"),
    ([{**DOG, "points": [[-1, 0], [5, 5]]}], r"\(-1, 0\) lies outside the picture of 640 x 480"),
    ([{**DOG, "points": [[5, 5], [1, 1]]}], "top left"),
    ([{**DOG, "points": MANY}], "2000 items|2,000"),
    ([{**DOG, "label": "d" * 201}], "200 characters"),
    ([{**DOG, "color": "red"}], "color"),
    ([{**DOG, "proposal": {"helper": "sam", "points": [[float("inf"), 0]]}}], "not a finite number"),
    ([{**DOG, "points": []}, TAG, {**TAG, "points": [[1, 1], [1, 2]]}], "region 1: .*; region 3: "),
    ("[" * 5000, "not a list of regions in JSON"),
    ("[1, 2", "not a list of regions in JSON"),
    ({"boxes": []}, "regions must be a list"),
    (7, "regions must be a list"),
    ([[DOG]], "region 1: "),
    ([None], "region 1: "),
]


@pytest.mark.parametrize(("value", "why"), WRONG)
def test_what_is_no_region_of_the_task_is_refused_in_words(value: Any, why: str) -> None:
    with pytest.raises(FormError, match=why) as refused:
        checked({"boxes": value})
    assert "field 'boxes' (Boxes): " in str(refused.value)
    assert len(str(refused.value)) < 3000


def mask(counts: str, size: tuple[int, int] = (480, 640)) -> dict[str, Any]:
    return {"shape": "mask", "mask": {"size": list(size), "counts": counts}}


@pytest.mark.parametrize(
    ("region", "why"),
    [
        (mask("021O", (2, 2)), "a mask of 2 x 2 cells does not fit a picture of 640 x 480 pixels"),
        (mask("021O"), "counts describe 4 cells"),
        (mask("\N{SNOWMAN}"), "counts"),
        (mask("0" * 1_000_001), "1000000 characters"),
        (mask("P\\\\]1", (65_536, 1)), "size"),
        ({"shape": "polygon", "points": [[0, 0], [10, 10], [10, 0], [0, 10]]}, "not polygons"),
    ],
)
def test_run_lengths_that_lie_are_refused_in_words(region: dict[str, Any], why: str) -> None:
    form = Form(fields=(MARKED, RegionField(name="masks", label="Masks", shape="mask")))
    with pytest.raises(FormError, match=r"field 'masks'") as refused:
        checked({"masks": [region]}, form)
    assert why in str(refused.value) or region["shape"] == "polygon"


def test_a_polygon_that_crosses_itself_is_refused() -> None:
    form = Form(fields=(MARKED, RegionField(name="outline", label="Outline", shape="polygon")))
    with pytest.raises(FormError, match="crosses or touches itself"):
        checked({"outline": [{"shape": "polygon", "points": [[0, 0], [10, 10], [10, 0], [0, 10]]}]}, form)


@pytest.mark.slow
def test_all_regions_of_a_decision_together_have_a_limit() -> None:
    form = Form(fields=(MARKED, RegionField(name="outlines", label="Outlines", shape="polygon", max_count=1000)))
    ring = [[300 + r * x, 200 + r * y] for r, x, y in _circle(1900)]
    with pytest.raises(FormError, match="together take at most 4 MiB"):
        checked({"outlines": [{"shape": "polygon", "points": ring}] * 80}, form)


def _circle(n: int) -> list[tuple[float, float, float]]:
    from math import cos, pi, sin

    return [(150.123456789, cos(2 * pi * i / n), sin(2 * pi * i / n)) for i in range(n)]


def test_regions_are_refused_where_no_picture_of_known_size_is_shown() -> None:
    with pytest.raises(FormError, match="this task shows none whose size is known"):
        checked({"boxes": [DOG]}, sizes_wh=())


def test_a_field_hangs_on_no_regions_and_its_counts_are_in_order() -> None:
    with pytest.raises(ValueError, match="which is not a choice"):
        Form(fields=(MARKED, BOXES, SPOTS.model_copy(update={"only_if": OnlyIf(field="boxes", codes=("dog",))})))
    with pytest.raises(ValueError, match="at least 4 and at most 3"):
        RegionField(name="boxes", label="Boxes", shape="box", min_count=4, max_count=3)
    with pytest.raises(ValueError, match="same code"):
        RegionField(name="boxes", label="Boxes", shape="box", options=(NAMED[0], NAMED[0]))
    with pytest.raises(ValueError, match="first field of a form must be a choice"):
        Form(fields=(BOXES.model_copy(update={"only_if": None}),))


def open_marking(store: ReviewStore, form: Form = FORM) -> None:
    store.upsert_annotator("ann")
    store.upsert_campaign(
        "mark", kind="mark", rule="single", slots_per_task=1, form=CampaignForm(fields=form.fields), settings={}, seed=1
    )
    picture = "a" * 64
    shown = (ItemImage(image_id=picture, role="reference"),)
    content = TaskContent(task="mark", question="What is here?", images=shown, sizes_wh=(SIZE_WH,))
    store.upsert_tasks("mark", [TaskInput(picture, picture, content.model_dump(mode="json"))])


def test_a_decision_holds_the_regions_and_the_store_refuses_those_of_another_picture(
    store: ReviewStore, now: datetime
) -> None:
    open_marking(store)
    queue = TaskQueue(store, store.campaign("mark"), "ann")
    task = queue.next(now=now)
    assert task is not None
    assert task.item.sizes_wh == (SIZE_WH,)
    with pytest.raises(RefusedError, match="outside the picture of 640 x 480"):
        queue.submit(
            task.slot_id,
            Submission(fields={"marked": "marked", "boxes": [{**DOG, "points": [[0, 0], [641, 480]]}]}),
            now=now,
        )
    queue.submit(task.slot_id, Submission(fields={"marked": "marked", "boxes": [DOG]}), now=now)
    [decision] = store.decisions("mark")
    assert (decision.decision, decision.fields) == ("marked", {"marked": "marked", "boxes": [DOG]})


def test_larger_drafts_are_taken_where_regions_are_marked_and_nowhere_else(store: ReviewStore, now: datetime) -> None:
    large = {"fields": {"boxes": [{**DOG, "label": "x" * MAX_DRAFT_BYTES}]}}
    open_marking(store)
    queue = TaskQueue(store, store.campaign("mark"), "ann")
    task = queue.next(now=now)
    assert task is not None
    queue.save_draft(task.task_id, large, now=now)
    assert queue.open(task.task_id, now=now).draft == large
    with pytest.raises(RefusedError, match="at most 4160 kB"):
        queue.save_draft(task.task_id, {"note": "x" * (MAX_REGION_BYTES + MAX_DRAFT_BYTES)}, now=now)
    open_marking(store, Form(fields=(MARKED,)))
    with pytest.raises(RefusedError, match="at most 64 kB"):
        TaskQueue(store, store.campaign("mark"), "ann").save_draft(task.task_id, large, now=now)


def test_contents_without_regions_are_stored_as_before() -> None:
    assert "sizes_wh" not in TaskContent(task="screen", question="Keep it?").model_dump(mode="json")
