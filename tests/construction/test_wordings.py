"""Wordings of a question: several with the same meaning, drawn by the seed, the same for twins, and recorded in the
item.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError
from step_context import StepContext
from truth_runs import TruthRun

from benchwright.construction.ground_truth.truths import DepthComparison, SpatialClaim
from benchwright.construction.item_parts.wording.english_words import count_question, count_wordings
from benchwright.construction.item_parts.wording.spatial_questions import questions_of, read_claim
from benchwright.construction.item_parts.wording.wordings import Wordings
from benchwright.construction.tasks import (
    art_style,
    correspondence_of_views,
    forensic_detection,
    functional_correspondence,
    jigsaw,
    localization_of_boxes,
    multi_view_reasoning,
    relative_depth,
    relative_reflectance,
    semantic_correspondence,
    visual_correspondence,
    visual_similarity,
)
from benchwright.construction.tasks.jigsaw import Jigsaw
from benchwright.construction.tasks.relative_depth import RelativeDepth
from benchwright.construction.tasks.spatial_relation import SpatialRelation
from benchwright.construction.truth_tasks import pattern_puzzles
from benchwright.records import Item
from benchwright.rooms import find

FIXED = (
    art_style, correspondence_of_views, forensic_detection, functional_correspondence, jigsaw, localization_of_boxes,
    relative_depth, relative_reflectance, semantic_correspondence, visual_correspondence, visual_similarity,
    pattern_puzzles,
)  # fmt: skip
ALL: dict[str, Wordings] = {module.__name__.rpartition(".")[2]: module.QUESTIONS for module in FIXED}
ALL |= {"frames": multi_view_reasoning.OF_FRAMES, "places": multi_view_reasoning.OF_PLACES}


@pytest.mark.parametrize("task", ALL)
def test_a_task_has_three_wordings_that_ask_with_the_same_names(task: str) -> None:
    templates = ALL[task].templates
    assert len(set(templates)) >= 3
    names = [set(re.findall(r"{(\w+)}", template)) for template in templates]
    assert names[1:] == names[:-1] or task == "frames"
    for template in templates:
        assert template.count("?") == 1
        assert template[0] == "{" or template[0].isupper()


def depth_items(folder: Path, task: RelativeDepth, count: int) -> list[Item]:
    run = TruthRun(folder)
    for number in range(count):
        closer = "first" if number % 2 else "second"
        truth = DepthComparison(first=(100.0, 100.0), second=(220.0, 100.0), closer=closer)  # type: ignore[arg-type]
        run.state(f"diw:{number}", [run.picture(number)], truth)
    return run.run(task)


def test_the_seed_draws_a_wording_that_says_nothing_about_the_key(tmp_path: Path) -> None:
    items = depth_items(tmp_path, RelativeDepth(), 60)
    keys: dict[str, Counter[str | None]] = defaultdict(Counter)
    for item in items:
        number = item.attributes["wording"]
        assert item.question == relative_depth.QUESTIONS.of_number(int(str(number)))
        keys[str(number)][item.answer] += 1
    assert keys.keys() == {"1", "2", "3"}
    assert all(min(counts["A"], counts["B"]) >= 3 for counts in keys.values())


def test_one_wording_is_the_first(tmp_path: Path) -> None:
    items = depth_items(tmp_path, RelativeDepth(wordings=1), 6)
    assert {item.question for item in items} == {relative_depth.QUESTIONS.of_number(1)}
    assert {item.attributes["wording"] for item in items} == {"1"}


def test_twins_have_one_wording(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    for number in range(6):
        (tmp_path / str(number)).mkdir()
        context = StepContext(tmp_path / str(number), seed=number)
        pixels = rng.integers(0, 256, (8, 8, 3), dtype=np.uint8).repeat(60, axis=0).repeat(60, axis=1)
        first, second = context.run(Jigsaw(twins=True, lettering="keep", strips="keep"), context.add(pixels)).items
        assert first.attributes["wording"] == second.attributes["wording"]
    (tmp_path / "depth").mkdir()
    items = depth_items(tmp_path / "depth", RelativeDepth(twins=True), 12)
    for first, second in zip(items[::2], items[1::2], strict=True):
        assert first.question == second.question


def test_a_claim_is_asked_about_in_three_ways_with_one_answer() -> None:
    claim = read_claim("The cups are left of the plate.", "left of")
    assert claim is not None
    assert questions_of(claim, from_camera=True).templates == (
        "Are the cups to the left of the plate, as seen from the camera?",
        "In this picture, are the cups to the left of the plate, as seen from the camera?",
        "Is it true that the cups are to the left of the plate, as seen from the camera?",
    )
    assert questions_of(claim, "inverted").templates[2] == (
        "Would it be wrong to say that the cups are to the left of the plate?"
    )


def test_claims_about_sides_can_be_left_out(tmp_path: Path) -> None:
    run = TruthRun(tmp_path)
    run.state("one", [run.picture(1)], SpatialClaim(claim="The cat is right of it.", relation="right of", is_true=True))
    assert run.run(SpatialRelation(mode="paper", sides="leave_out")) == []
    assert run.reason(next(iter(run.records))) == "unclear_side"
    with pytest.raises(ValidationError, match="not who sees left and right"):
        SpatialRelation.model_validate({"sides": "camera", "chat": {"model": "m"}})


def test_our_own_question_of_a_count_is_known_again() -> None:
    ours = count_wordings(count_question("wine glass"))
    assert ours is not None
    assert list(ours.templates) == [
        "How many wine glasses are there in the picture?",
        "How many wine glasses does the picture show?",
        "How many wine glasses can you count in the picture?",
    ]
    assert count_wordings("How many birds are flying?") is None


def test_tasks_whose_questions_others_wrote_have_no_wordings() -> None:
    step: Any = find("steps", "basic_vis_qa").load()
    with pytest.raises(ValidationError, match="asks questions that others wrote: leave out wordings"):
        step.model_validate({"wordings": 1})
