"""Regions that justify answers, from end to end: from annotators' decisions into the release and to models."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from scripted_model import Scripted
from walks import RECIPE, make_photographs, run_json

from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.store.database.records import RefusedError
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.evaluation.run import evaluate
from benchwright.regions import ANSWER_REGIONS, AnswerRegions, answer_regions_of, area_iou, read_region
from benchwright.release import Release

NOW = datetime(2026, 3, 1, tzinfo=UTC)
PEOPLE = """\
  - step: answer
    annotators_per_item: 3
    evidence:
      shape: box
"""
SIMULATED = """\
  - step: answer
    annotators_per_item: 2
    evidence: {shape: mask}
    simulate:
      annotators: 3
      accuracy: 1.0
"""


def recipe(scene: Path, campaigns: str) -> Path:
    text = RECIPE.replace("  - splits\n", f"{campaigns}  - splits\n")
    path = scene / "walk.yaml"
    path.write_text(
        text.replace('[random, "constant:A", edge_continuity, local_features]', "[random]"), encoding="utf-8"
    )
    return path


def run(scene: Path, campaigns: str) -> dict[str, Any]:
    document: dict[str, Any] = run_json(
        "run", recipe(scene, campaigns), "--images", scene / "photographs", "--workspace", scene / "w"
    )
    return document


def released(scene: Path) -> Release:
    [folder] = (scene / "w" / "releases").iterdir()
    assert run_json("release", "verify", folder)["ok"]
    return Release.open(folder)


@pytest.fixture
def scene(tmp_path: Path) -> Path:
    make_photographs(tmp_path / "photographs", count=3)
    return tmp_path


def store_of(scene: Path) -> ReviewStore:
    return open_store(f"sqlite:///{scene / 'w' / 'review.sqlite'}")


def box(x0: float, y0: float, x1: float, y1: float) -> dict[str, Any]:
    return {"shape": "box", "points": [[x0, y0], [x1, y1]]}


def test_what_people_agree_on_is_released_and_models_are_asked_for_it(scene: Path) -> None:
    assert run(scene, PEOPLE)["state"] == "waiting"
    with store_of(scene) as store:
        tasks = store.tasks("answer")
        for task in tasks:
            [[width, height]] = task.payload["sizes_wh"]
            right = task.payload["item"]["answer"]
            wrong = next(choice["key"] for choice in task.payload["item"]["choices"] if choice["key"] != right)
            marked = {
                "ann": (right, [box(0, 0, width / 2, height)]),
                "ben": (right, [box(2, 0, width / 2 + 2, height)]),
                "cas": (wrong, [box(0, height / 2, width, height)]),
            }
            for annotator, (letter, regions) in marked.items():
                store.upsert_annotator(annotator)
                store.decide("answer", task.id, annotator, Submission(letter, fields={"evidence": regions}), now=NOW)
    assert run(scene, PEOPLE)["state"] == "done"
    release = released(scene)
    for row in release.items():
        [regions] = answer_regions_of(row.item).values()
        width, height = regions.size_wh
        # The median of two boxes: who was wrong is not asked why.
        assert (regions.annotators, regions.need, regions.simulated) == (2, 2, False)
        [agreed] = regions.regions
        assert agreed.points == ((1, 0), (width / 2 + 1, height))
        assert regions.share_matched == 1
        assert regions.mean_iou == pytest.approx((width / 2 - 2) / (width / 2 + 2), abs=1e-6)
    model = Scripted(lambda question: "(A) [0, 0, 500, 1000]")
    score = evaluate(release, model, protocol="grounded")
    assert score.metrics["grounding/found"].value == 1
    assert score.metrics["grounding/mean_iou"].value == pytest.approx(1, abs=0.05)
    campaign = json.loads((scene / "w" / "tables" / "answer" / "summary.json").read_text(encoding="utf-8"))
    assert campaign["evidence"]["share_matched"] == 1


def test_an_answer_without_what_justifies_it_is_refused_in_words(scene: Path) -> None:
    run(scene, PEOPLE)
    with store_of(scene) as store:
        task = store.tasks("answer")[0]
        store.upsert_annotator("ann")
        for fields, why in (
            (None, "mark what in the picture justifies 'A', by boxes"),
            ({"evidence": []}, "mark what in the picture justifies 'A', by boxes"),
            ({"evidence": [{"shape": "point", "points": [[1, 1]]}]}, "takes boxes, not points"),
            ({"evidence": [box(0, 0, 1, 9e9)]}, "lies outside the picture"),
            ({"evidence": [box(0, 0, 1, 1)], "mood": "good"}, "takes a decision without fields"),
            ({"evidence": [box(0, 0, 1, 1)] * 6}, "at most 5 regions"),
        ):
            with pytest.raises(RefusedError, match=why):
                store.decide("answer", task.id, "ann", Submission("A", fields=fields), now=NOW)


def test_a_verifier_who_accepts_marks_why_and_one_who_rejects_need_not(scene: Path) -> None:
    campaigns = "  - step: verify\n    as: checked\n    rule: single\n    evidence: {shape: polygon}\n"
    assert run(scene, campaigns)["state"] == "waiting"
    with store_of(scene) as store:
        first, *others = store.tasks("checked")
        store.upsert_annotator("ann")
        with pytest.raises(RefusedError, match="mark what in the picture justifies 'accept', by polygons"):
            store.decide("checked", first.id, "ann", Submission("accept"), now=NOW)
        store.decide("checked", first.id, "ann", Submission("reject", reasons=("other",)), now=NOW)
        triangle = {"shape": "polygon", "points": [[0, 0], [40, 0], [0, 40]]}
        for task in others:
            store.decide("checked", task.id, "ann", Submission("accept", fields={"evidence": [triangle]}), now=NOW)
    assert run(scene, campaigns)["state"] == "done"
    items = [row.item for row in released(scene).items()]
    assert len(items) == len(others)
    for item in items:
        [agreed] = answer_regions_of(item)["checked"].regions
        assert agreed == read_region(triangle, [answer_regions_of(item)["checked"].size_wh])


def test_simulated_annotators_mark_too_and_the_release_says_so(scene: Path) -> None:
    assert run(scene, SIMULATED)["state"] == "done"
    agreements = []
    for row in released(scene).items():
        document = row.item.evidence[ANSWER_REGIONS]["answer"]
        regions = AnswerRegions.model_validate(document)
        assert regions.simulated
        assert all(region.mask is not None for region in regions.regions)
        if regions.regions:
            assert area_iou(regions.regions, regions.regions, regions.size_wh) == 1
        agreements.append(regions.share_matched)
    assert max(agreements) == 1
