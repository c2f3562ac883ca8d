"""Spatial relation and counting: keys from the datasets' own files by the paper's rule, derived without the reader and
the step.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from dataset_fixtures.iiw_files import write_iiw
from dataset_fixtures.pictures import save
from dataset_fixtures.vsr_files import QUOTED, write_vsr
from dataset_reading import write_lines
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from stated_values import GivenMarks
from truth_runs import TruthRun, right_text

from benchwright.construction.distractors.sources import other_numbers
from benchwright.construction.ground_truth.truths import CountQuestion, SpatialClaim
from benchwright.construction.tasks.counting import Counting
from benchwright.construction.tasks.spatial_relation import SpatialRelation
from benchwright.errors import RecipeError
from benchwright.pipeline import run_recipe
from benchwright.recipe import Recipe, step
from benchwright.records import Item
from benchwright.release import Release
from benchwright.settings.help import reasons_of

pytestmark = pytest.mark.slow


def released(folder: Path, *steps: Any, name: str = "w", workers: int = 1, seed: int = 1) -> tuple[list[Item], Release]:
    recipe = Recipe("tasks", [*steps, step("freeze", name="tasks", version="1.0")], seed=seed, folder=folder, shards=2)
    finished = run_recipe(recipe, workspace=folder / name, workers=workers)
    release = Release.open(finished.workspace / finished.artifacts["release"])
    return [item.item for item in release.items()], release


def test_the_answer_to_a_claim_is_its_label_in_the_file(tmp_path: Path) -> None:
    rows = write_vsr(tmp_path / "vsr")
    labels = {row["caption"]: row["label"] for row in rows}
    votes = {
        row["caption"]: [len(json.loads(row[f"vote_{side}_validator_id"])) for side in ("false", "true")]
        for row in rows
    }
    vsr = step("dataset", reader="vsr", folder="vsr", records=None)
    items, _ = released(tmp_path, vsr, step("spatial_relation", mode="paper", min_side_px=16, uses=None, wordings=1))
    asked = {item.evidence["claim"]: item for item in items}
    kept = {claim for claim, counts in votes.items() if (counts[labels[claim]] + 1) / (sum(counts) + 1) >= 0.6}
    assert set(asked) == kept
    for claim, item in asked.items():
        assert right_text(item) == ("Yes" if labels[claim] else "No")
        assert [choice.text for choice in item.choices] == ["Yes", "No"]
        asked_for = item.question.lower().replace("is the", "the").rstrip("?").replace(" to the ", " ")
        assert asked_for in claim.lower().replace(" is ", " ").replace(" to the ", " ")
    quoted = json.loads(QUOTED)
    assert asked[quoted["caption"]].question == "Is the bench at the right side of the train?"
    assert right_text(asked[quoted["caption"]]) == "No"


def test_each_picture_is_asked_about_once_and_answers_are_even(tmp_path: Path) -> None:
    write_vsr(tmp_path / "vsr")
    vsr = step("dataset", reader="vsr", folder="vsr", records=None)
    items, _ = released(tmp_path, vsr, step("spatial_relation", mode="paper", min_side_px=16))
    assert len({item.images[0].image_id for item in items}) == len(items)
    counts = Counter(right_text(item) for item in items)
    assert abs(counts["Yes"] - counts["No"]) <= 2


def claim(number: int, *, true: bool, **more: Any) -> SpatialClaim:
    return SpatialClaim(claim=f"The cups are beside the plate {number}.", relation="beside", is_true=true, **more)


def test_an_inverted_question_turns_the_key_around(tmp_path: Path) -> None:
    run = TruthRun(tmp_path)
    is_true = {}
    for number in range(40):
        image_id = run.picture(number)
        is_true[image_id] = number % 4 > 0
        run.state(f"vsr:{number}", [image_id], claim(number, true=number % 4 > 0))
    items = run.run(SpatialRelation(mode="paper", inverted=0.5, wordings=1))
    forms = Counter(item.attributes["form"] for item in items)
    assert min(forms["affirmative"], forms["inverted"]) >= 10
    for item in items:
        asks_false = item.question.startswith("Is it false that the cups are beside")
        assert asks_false == (item.attributes["form"] == "inverted")
        assert right_text(item) == ("Yes" if is_true[item.images[0].image_id] != asks_false else "No")


def test_claims_that_people_dispute_or_that_nobody_understands_say_why(tmp_path: Path) -> None:
    run = TruthRun(tmp_path)
    disputed, unread = run.picture(1), run.picture(2)
    run.state("vsr:1", [disputed], claim(1, true=True, votes_true=0, votes_false=2))
    run.state("vsr:2", [unread], SpatialClaim(claim="Cat on bed", relation="on", is_true=True))
    assert run.run(SpatialRelation(mode="paper")) == []
    assert (run.reason(disputed), run.reason(unread)) == ("disputed", "unread_claim")
    assert len(run.run(SpatialRelation(mode="paper", min_agreement=0.3))) == 1


def test_the_right_number_is_the_count_and_the_others_are_three_different_ones(tmp_path: Path) -> None:
    run = TruthRun(tmp_path)
    counts = {}
    for number in range(48):
        image_id = run.picture(number)
        counts[image_id] = number % 16
        run.state(
            f"tallyqa:{number}", [image_id], CountQuestion(question="how many  birds are there?", count=number % 16)
        )
    items = run.run(Counting(mode="paper"))
    assert len(items) == 48
    for item in items:
        count = counts[item.images[0].image_id]
        assert right_text(item) == str(count)
        numbers = [int(choice.text or "") for choice in item.choices]
        assert len(set(numbers)) == 4
        assert min(numbers) >= 0
        assert max(abs(other - count) for other in numbers) <= 3
        assert item.question == "How many birds are there?"
    assert Counter(item.answer for item in items) == {"A": 12, "B": 12, "C": 12, "D": 12}


@given(st.integers(0, 60), st.integers(3, 9), st.integers(0, 2**32))
def test_other_numbers_are_near_and_never_negative(count: int, reach: int, seed: int) -> None:
    others = other_numbers(count, reach, np.random.default_rng(seed))
    assert len({count, *others}) == 4
    assert min(others) >= 0
    assert max(abs(other - count) for other in others) <= reach


def test_the_right_number_has_every_rank_equally_often() -> None:
    ranks = Counter(
        sum(other < 7 for other in other_numbers(7, 3, np.random.default_rng(seed))) for seed in range(2000)
    )
    assert set(ranks) == {0, 1, 2, 3}
    assert max(ranks.values()) - min(ranks.values()) < 120


def test_counts_of_marked_boxes_are_asked_by_label(tmp_path: Path) -> None:
    run = TruthRun(tmp_path)
    image_id = run.picture(1)
    boxes = [("wine glass", n) for n in range(3)] + [("a person", n) for n in range(2)]
    run.mark(
        image_id,
        [{"field": "things", "shape": "box", "points": [[5 + 30 * n, 5], [25 + 30 * n, 90]], "label": label}
         for label, n in boxes],
    )  # fmt: skip
    items = run.run(Counting(mode="paper", marked_by="people", uses=None, wordings=1))
    assert {item.question: right_text(item) for item in items} == {
        "How many wine glasses are there in the picture?": "3",
        "How many people are there in the picture?": "2",
    }


def test_questions_that_cannot_be_asked_say_why(tmp_path: Path) -> None:
    run = TruthRun(tmp_path)
    asked = {
        "out_of_range": [("How many?", 16, False)],
        "no_question": [("Count the birds", 2, False)],
        "other_question": [("How many?", 2, True)],
        "contradicted": [("How many?", 2, False), ("how  many?", 3, False)],
    }
    images = {}
    for number, (reason, questions) in enumerate(asked.items()):
        images[reason] = run.picture(number)
        for place, (question, count, is_simple) in enumerate(questions):
            truth = CountQuestion(question=question, count=count, is_simple=is_simple)
            run.state(f"t:{number}/{place}", [images[reason]], truth)
    assert run.run(Counting(mode="paper", questions="complex")) == []
    assert {reason: run.reason(image_id) for reason, image_id in images.items()} == {reason: reason for reason in asked}


def test_settings_that_contradict_each_other_are_refused() -> None:
    with pytest.raises(ValidationError, match="max_count 2 is below min_count 5"):
        Counting(min_count=5, max_count=2)


@pytest.mark.workers
def test_several_tasks_read_several_datasets_and_workers_change_no_byte(tmp_path: Path) -> None:
    write_vsr(tmp_path / "vsr")
    write_iiw(tmp_path / "iiw-dataset")
    steps = [
        step("dataset", as_="vsr", reader="vsr", folder="vsr", records=None),
        step("dataset", as_="iiw", reader="iiw", folder="iiw-dataset", records=None),
        step("spatial_relation", mode="paper", dataset="vsr", min_side_px=16),
        step("relative_reflectance", mode="paper", dataset="iiw", min_side_px=16, margin=0.0),
        step("counting", mode="paper", dataset="vsr"),
    ]
    made = [released(tmp_path, *steps, name=name, workers=workers)[0] for name, workers in (("one", 1), ("four", 4))]
    assert made[0] == made[1]
    assert Counter(item.task for item in made[0]).keys() == {"spatial_relation", "relative_reflectance"}
    other, _ = released(tmp_path, *steps, name="other", seed=2)
    assert {item.item_id for item in other}.isdisjoint(item.item_id for item in made[0])


def test_reflectance_of_a_photograph_is_what_its_json_says(tmp_path: Path) -> None:
    photos = {f"iiw:{photo['photo']}": photo for photo in write_iiw(tmp_path / "iiw-dataset")}
    iiw = step("dataset", reader="iiw", folder="iiw-dataset", records=None)
    items, _ = released(
        tmp_path, iiw, step("relative_reflectance", mode="paper", min_side_px=16, margin=0.0, uses=None)
    )
    assert len(items) > 60
    for item in items:
        photo = photos[item.evidence["record"].partition("#")[0]]
        by_id = {point["id"]: point for point in photo["intrinsic_points"]}
        [compared] = [
            row for row in photo["intrinsic_comparisons"] if row["id"] == item.evidence["original"]["comparison"]
        ]
        assert compared["darker_score"] >= 0.5
        width = round(60 * photo["aspect_ratio"])
        ends = [(by_id[compared[f"point{n}"]]["x"] * width, by_id[compared[f"point{n}"]]["y"] * 60) for n in (1, 2)]
        text = right_text(item) or ""
        if compared["darker"] == "E":
            assert text == "Both are about the same"
        else:
            marked = {prompt.label: prompt.points[0] for prompt in item.images[0].prompts}
            letter = text[len("The surface at ")]
            assert marked[letter] == pytest.approx(ends[int(compared["darker"]) - 1], abs=0.01)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "not an earlier entry of a step `dataset`"),
        ({"dataset": "vsr"}, "takes its ground truth from 'vsr'"),
        ({"marked_by": "people"}, "does not use marks"),
    ],
)
def test_a_recipe_without_the_ground_truth_is_refused_in_words(tmp_path: Path, settings: Any, message: str) -> None:
    (tmp_path / "images").mkdir()
    recipe = Recipe("r", [step("spatial_relation", **settings)], folder=tmp_path, shards=2)
    with pytest.raises(RecipeError, match=message):
        run_recipe(recipe, images=tmp_path / "images", workspace=tmp_path / "w")


def test_help_names_the_reasons_that_all_such_tasks_share_behind_those_of_the_task() -> None:
    codes = [reason.code for reason in reasons_of(SpatialRelation)]
    assert codes[:2] == ["unread_claim", "unclear_side"]
    assert {"nothing_stated", "picture_missing", "too_small", "used_already", "enough"} <= set(codes)
    assert len(codes) == len(set(codes))


def test_a_filter_of_images_may_still_not_come_after_a_task(tmp_path: Path) -> None:
    write_vsr(tmp_path / "vsr")
    steps = [step("dataset", reader="vsr", folder="vsr"), "spatial_relation", "quality"]
    with pytest.raises(RecipeError, match="filters images, but 'spatial_relation' before it has made items"):
        run_recipe(Recipe("r", steps, folder=tmp_path, shards=2), workspace=tmp_path / "w")


def test_a_run_counts_what_a_campaign_before_it_marked_and_says_so_where_nobody_did(tmp_path: Path) -> None:
    for number in range(3):
        save(tmp_path / "images" / f"{number}.png", number, 200, 150)
    boxes = [
        {"field": "cups", "shape": "box", "points": [[10 + 40 * n, 20], [40 + 40 * n, 90]], "label": "cup"}
        for n in range(3)
    ]
    document = {"size_wh": [200, 150], "regions": boxes, "nothing": False, "simulated": True}
    marks = GivenMarks(texts={"1.png": json.dumps(document)})
    recipe = Recipe(
        "r",
        [marks, step("counting", mode="paper", marked_by="mark", wordings=1), step("freeze", name="r", version="1.0")],
        folder=tmp_path,
    )
    finished = run_recipe(recipe, images=tmp_path / "images", workspace=tmp_path / "w")
    [released_item] = Release.open(finished.workspace / finished.artifacts["release"]).items()
    assert (released_item.item.question, right_text(released_item.item)) == (
        "How many cups are there in the picture?",
        "3",
    )
    assert released_item.item.evidence["original"] == {"marked_by": "mark", "simulated": True}
    assert released_item.item.written_by == {"question": "template", "choices": "template"}


def test_a_task_shows_none_of_the_pictures_of_a_task_that_it_stays_apart_from(tmp_path: Path) -> None:
    rows = [
        {"images": [{"image": f"{number}.png"}], "truths": [
            {"kind": "counts", "question": "How many?", "count": number % 4},
            {"kind": "claims", "claim": "The cat is on the bed.", "relation": "on", "is_true": number % 2 == 0},
        ]}
        for number in range(10)
    ]  # fmt: skip
    write_lines(tmp_path / "mine" / "table.jsonl", rows)
    for number in range(10):
        save(tmp_path / "mine" / f"{number}.png", number, 200, 150)
    mine = step("dataset", reader="folder", folder="mine")
    tasks = [
        step("spatial_relation", mode="paper", items=6),
        step("counting", mode="paper", apart_from=["spatial_relation"]),
    ]
    items, _ = released(tmp_path, mine, *tasks)
    shown = {
        task: {item.images[0].image_id for item in items if item.task == task}
        for task in ("spatial_relation", "counting")
    }
    assert [len(images) for images in shown.values()] == [6, 4]
    assert shown["spatial_relation"].isdisjoint(shown["counting"])
    recipe = Recipe("r", [mine, step("counting", apart_from=["jigsaw"])], folder=tmp_path, shards=2)
    with pytest.raises(RecipeError, match="stay apart from 'jigsaw', which is not an earlier task of ground truth"):
        run_recipe(recipe, workspace=tmp_path / "other")
