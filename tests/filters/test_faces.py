"""The gate `faces`: the number of faces on both pictures of a pair, and the size of the largest."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from pydantic import ValidationError
from skimage.data import astronaut, chelsea
from step_context import StepContext
from worded_items import item

from benchwright.errors import PrerequisiteError
from benchwright.filters.pairs.faces import CascadeFaces, Faces, YuNetFaces
from benchwright.steps import Measured, Outcome

FACE = np.ascontiguousarray(astronaut()[:360, 40:420])
NOBODY = np.ascontiguousarray(chelsea())


@pytest.fixture(scope="module")
def cascade() -> CascadeFaces:
    return CascadeFaces(min_size=0.12)


def measured(folder: Path, cascade: CascadeFaces, after: np.ndarray, **evidence: Any) -> Measured:
    context = StepContext(folder)
    step = Faces()
    context.opened = step.open(context)
    pictures = {
        "natural": context.add(FACE, "natural.png").image_id,
        "manipulated": context.add(np.ascontiguousarray(after), "after.png").image_id,
    }
    found = step.measure(item("pair", category="E2", evidence={**pictures, **evidence}), context)
    assert isinstance(found, Measured)
    return found


def judged(found: Measured, **settings: Any) -> Outcome:
    return Faces(**settings).judge(found.values)


def test_the_astronaut_has_one_face_where_it_is_and_the_cat_none(cascade: CascadeFaces) -> None:
    [face] = cascade.faces(np.ascontiguousarray(astronaut()))
    assert face.left + face.wide / 2 == pytest.approx(0.43, abs=0.04)
    assert face.top + face.high / 2 == pytest.approx(0.22, abs=0.04)
    assert cascade.faces(NOBODY) == []


def test_a_face_of_a_picture_twice_as_large_has_the_same_fractions(cascade: CascadeFaces) -> None:
    [small] = cascade.faces(FACE)
    [large] = cascade.faces(cv2.resize(FACE, None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC))
    assert large == pytest.approx(small, abs=0.03)


def test_a_face_that_is_painted_over_has_vanished(tmp_path: Path, cascade: CascadeFaces) -> None:
    after = FACE.copy()
    after[40:180, 100:260] = 90
    found = measured(tmp_path, cascade, after)
    assert (found.values["natural"], found.values["manipulated"]) == (1, 0)
    outcome = judged(found)
    assert (outcome.verdict, outcome.reason) == ("ask", "face_vanished")
    assert judged(found, verdict="drop").verdict == "drop"
    assert judged(found, may_change=("E2",)).verdict == "keep"
    assert len(found.evidence["natural"]) == 1


@pytest.mark.slow
def test_a_face_that_was_pasted_in_has_appeared(tmp_path: Path, cascade: CascadeFaces) -> None:
    whole = np.zeros((360, 760, 3), np.uint8)
    whole[:, :380], whole[:, 380:] = FACE, FACE
    assert judged(measured(tmp_path, cascade, whole)).reason == "face_appeared"


@pytest.mark.slow
def test_a_face_that_stays_passes_and_one_that_shrinks_does_not(tmp_path: Path, cascade: CascadeFaces) -> None:
    assert judged(measured(tmp_path, cascade, FACE.copy())).verdict == "keep"
    further = np.full_like(FACE, 120)
    further[:216, :228] = cv2.resize(FACE, (228, 216), interpolation=cv2.INTER_AREA)
    found = measured(tmp_path, cascade, further)
    assert found.values["size_ratio"] == pytest.approx(0.6, abs=0.08)
    assert judged(found).reason == "face_resized"
    assert judged(found, max_resize=2.0).verdict == judged(found, max_resize=None).verdict == "keep"


def test_smaller_faces_than_wanted_do_not_count() -> None:
    assert CascadeFaces(min_size=0.6).faces(FACE) == []


def test_items_without_a_pair_pass_unmeasured(tmp_path: Path) -> None:
    context = StepContext(tmp_path)
    found = Faces().measure(item("alone"), context)
    assert set(found.values.values()) == {None}
    assert judged(found) == Outcome()


def test_a_model_that_is_none_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(PrerequisiteError, match="does not exist; download"):
        Faces(model="nowhere.onnx").weights_hash()
    (tmp_path / "yunet.onnx").write_bytes(b"nothing of the kind")
    with pytest.raises(PrerequisiteError, match="cannot be loaded as a YuNet model"):
        YuNetFaces(tmp_path / "yunet.onnx", min_score=0.5, min_size=0.1)
    digest = Faces(model=str(tmp_path / "yunet.onnx")).parameters()["model"]
    assert digest.startswith("sha256:")
    with pytest.raises(PrerequisiteError, match="known by digest only"):
        Faces(model=digest).open(StepContext(tmp_path))


@pytest.mark.parametrize("wrong", [{"max_resize": 0.5}, {"min_score": 0}, {"verdict": "x"}, {"model": ""}])
def test_wrong_settings_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Faces(**wrong)
