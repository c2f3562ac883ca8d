"""The protocol `grounded`: a letter and a box, both scored, the box against the regions that people marked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scripted_model import Scripted, rows, words_of

from benchwright.drawing import mask_of
from benchwright.errors import DataError
from benchwright.evaluation.prompting.question import Question
from benchwright.evaluation.run import evaluate
from benchwright.regions import ANSWER_REGIONS, Region, area_iou

SIZE_WH = (200, 100)
LEFT_HALF = {"shape": "box", "points": [[0, 0], [100, 100]]}


def marked(*regions: dict[str, Any], **fields: Any) -> dict[str, Any]:
    document = {"image": 1, "size_wh": list(SIZE_WH), "regions": list(regions), "annotators": 3, "need": 2, **fields}
    return {ANSWER_REGIONS: {"answer": document}}


def test_the_letter_and_the_box_of_a_reply_are_scored_apart(bench: Any, tmp_path: Path) -> None:
    replies = {
        "right and found": "(A) [0, 0, 500, 1000]",
        "right and half of it": "(A) [0, 0, 250, 1000]",
        "right and elsewhere": "(A) [500, 0, 1000, 1000]",
        "wrong and found": "(B)\n[0, 0, 250, 1000], [250, 0, 500, 1000]",
        "no box": "(A)",
        "numbers that are no box": "(A) [5000, 0, 6000, 1000] [1, 2, 3]",
        "failed": None,
    }
    for question in replies:
        bench.add(question, options=("x", "y"), answer="A", evidence=marked(LEFT_HALF))
    bench.add("nobody marked", options=("x", "y"), answer="A")
    bench.add("they did not agree", options=("x", "y"), answer="A", evidence=marked())
    model = Scripted(lambda question: replies[question.text])
    score = evaluate(
        bench.release(tmp_path / "release"), model, protocol="grounded", out=tmp_path / "out", max_errors=1
    )
    overlaps = {row["reply"]: row["region_iou"] for row in rows(tmp_path / "out", "scripted@grounded")}
    assert overlaps == {
        "(A) [0, 0, 500, 1000]": 1.0,
        "(A) [0, 0, 250, 1000]": 0.5,
        "(A) [500, 0, 1000, 1000]": 0.0,
        "(B)\n[0, 0, 250, 1000], [250, 0, 500, 1000]": 1.0,
        "(A)": 0.0,
        "(A) [5000, 0, 6000, 1000] [1, 2, 3]": 0.0,
        None: 0.0,
    }
    # Of 7 asked: overlaps 1 + .5 + 1; three found; found and right 2; of the 5 right ones 2 found.
    figures = {name: estimate.value for name, estimate in score.metrics.items() if name.startswith("grounding/")}
    assert figures == {
        "grounding/mean_iou": pytest.approx(2.5 / 7),
        "grounding/found": pytest.approx(3 / 7),
        "grounding/right_and_found": pytest.approx(2 / 7),
        "grounding/found_if_right": pytest.approx(2 / 5),
    }
    assert all(score.metrics[name].ci is not None for name in figures)
    assert score.metrics["accuracy"].value == pytest.approx(5 / 7)


@pytest.mark.parametrize(
    ("protocol", "reply"),
    [
        ("grounded", "(A) [0, 0, 500, 1000]"),
        ("grounded:unit=unit", '(A) {"bbox_2d": [0.0, 0.0, 0.5, 1.0]}'),
        ("grounded:order=yxyx", "A. The box is (0, 0, 1000, 500)."),
    ],
)
def test_boxes_are_read_in_the_convention_that_was_asked_for(
    bench: Any, tmp_path: Path, protocol: str, reply: str
) -> None:
    bench.add("q", options=("x", "y"), answer="A", evidence=marked(LEFT_HALF))
    model = Scripted(lambda question: reply)
    score = evaluate(bench.release(tmp_path / "release"), model, protocol=protocol)
    assert score.metrics["grounding/right_and_found"].value == 1
    [asked] = model.asked
    assert "box" in words_of(asked)
    assert "nothing else" in words_of(asked).splitlines()[-1]


def test_a_reply_full_of_boxes_finds_nothing(bench: Any, tmp_path: Path) -> None:
    bench.add("q", options=("x", "y"), answer="A", evidence=marked(LEFT_HALF))
    boxes = " ".join(f"[{place}, 0, {place + 20}, 1000]" for place in range(0, 500, 20))
    score = evaluate(
        bench.release(tmp_path / "release"), Scripted(lambda question: f"(A) {boxes}"), protocol="grounded"
    )
    assert score.metrics["grounding/found"].value == 0


def test_other_protocols_have_no_figures_of_regions(bench: Any, tmp_path: Path) -> None:
    bench.add("q", options=("x", "y"), answer="A", evidence=marked(LEFT_HALF))
    score = evaluate(bench.release(tmp_path / "release"), "constant:A", out=tmp_path / "out")
    assert not [name for name in score.metrics if name.startswith("grounding")]
    assert [row["region_iou"] for row in rows(tmp_path / "out", "constant-A")] == [None]


def test_the_campaign_that_counts_can_be_named(bench: Any, tmp_path: Path) -> None:
    evidence = marked(LEFT_HALF)
    evidence[ANSWER_REGIONS]["verify"] = marked({"shape": "box", "points": [[100, 0], [200, 100]]})[ANSWER_REGIONS][
        "answer"
    ]
    bench.add("q", options=("x", "y"), answer="A", evidence=evidence)
    release = bench.release(tmp_path / "release")
    model = Scripted(lambda question: "(A) [500, 0, 1000, 1000]")
    assert evaluate(release, model, protocol="grounded").metrics["grounding/found"].value == 0
    assert evaluate(release, model, protocol="grounded:campaign=verify").metrics["grounding/found"].value == 1


def test_evidence_that_states_something_else_is_refused_in_words(bench: Any, tmp_path: Path) -> None:
    bench.add("q", options=("x", "y"), answer="A", evidence={ANSWER_REGIONS: {"answer": {"regions": "everywhere"}}})

    def say(question: Question) -> str:
        return "(A)"

    with pytest.raises(DataError, match="its evidence contains no valid answer regions"):
        evaluate(bench.release(tmp_path / "release"), Scripted(say), protocol="grounded")


def test_areas_of_several_shapes_count_together() -> None:
    grid = np.zeros((100, 200), bool)
    grid[:, :50] = True
    painted = Region(shape="mask", mask=mask_of(grid))
    triangle = Region(shape="polygon", points=((50, 0), (100, 0), (100, 100)))
    other_triangle = Region(shape="polygon", points=((50, 0), (100, 100), (50, 100)))
    left = Region.model_validate(LEFT_HALF)
    assert area_iou([painted, triangle, other_triangle], [left], SIZE_WH) == 1
    assert area_iou([painted], [left], SIZE_WH) == 0.5
    assert area_iou([], [left], SIZE_WH) == 0
