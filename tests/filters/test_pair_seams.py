"""Halos, smears and seams on edits of real photographs whose outlines are known to the pixel."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from pair_pictures import PHOTOS, Pictures, judged, pair
from skimage.data import astronaut, coffee

from benchwright.construction.item_parts.cutting_out import composite, opacity
from benchwright.construction.manipulation.editors.harmony import contact_shadow, shaded
from benchwright.construction.manipulation.editors.recoloring import recolored
from benchwright.drawing.masks import mask_of
from benchwright.filters.pairs.pair_gates import PairGates
from benchwright.filters.pairs.seams import Joint, halo, seam, smear
from benchwright.filters.pairs.standing import contact

pytestmark = pytest.mark.slow

ASTRONAUT = np.ascontiguousarray(astronaut())[:400, :400]
COFFEE = np.ascontiguousarray(coffee())[:400, 100:500]
MIDDLE = np.hypot(*np.mgrid[-200:200, -200:200].astype(float)) < 90
"""A disc; what it shows of one photograph is laid over another, so that its outline is certain."""


def cut_too_wide(by_px: int) -> tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.bool_]]:
    """Return a picture with a disc of coffee on an astronaut, the same disc before a plain wall, and where it hides it."""
    natural = composite(COFFEE, MIDDLE.astype(np.float32), ASTRONAUT)
    wall = np.full_like(natural, (40, 160, 90))
    cut = cv2.dilate(MIDDLE.astype(np.uint8), np.ones((2 * by_px + 1,) * 2, np.uint8)) > 0
    shows = opacity(cut, feather_px=1.0)
    return natural, composite(natural, shows, wall), shows >= 0.999


def test_a_rim_of_the_old_background_is_a_halo_and_a_clean_rim_is_none() -> None:
    shares = {}
    for by_px in (0, 4):
        natural, made, front = cut_too_wide(by_px)
        shares[by_px] = halo(Joint(made, natural, front))
    assert shares[0] is not None
    assert shares[4] is not None
    assert shares[0] < 0.05 < 0.12 < shares[4]


def test_where_the_old_background_looks_like_the_subject_no_halo_is_claimed() -> None:
    flat = np.full_like(ASTRONAUT, 120)
    assert halo(Joint(np.full_like(flat, 200), flat, MIDDLE)) is None


def test_a_filling_without_detail_is_a_smear_and_the_true_pixels_are_none() -> None:
    filled = cv2.inpaint(ASTRONAUT, MIDDLE.astype(np.uint8) * 255, 5, cv2.INPAINT_TELEA)
    smeared, true = smear(filled, MIDDLE), smear(ASTRONAUT, MIDDLE)
    assert smeared is not None
    assert true is not None
    assert true < 0.4 < smeared


def test_a_filling_in_another_light_is_a_seam_and_the_true_pixels_are_none() -> None:
    paler = np.where(MIDDLE[..., None], np.clip(ASTRONAUT.astype(int) + 30, 0, 255), ASTRONAUT).astype(np.uint8)
    stepped, true = seam(paler, MIDDLE), seam(ASTRONAUT, MIDDLE)
    assert stepped is not None
    assert true is not None
    assert true < 0.14 < stepped


def test_of_a_filling_of_a_few_pixels_nothing_is_claimed() -> None:
    dot = np.zeros(MIDDLE.shape, np.bool_)
    dot[100:103, 100:103] = True
    assert smear(ASTRONAUT, dot) is None
    assert seam(ASTRONAUT, dot) is None


def runs(mask: NDArray[np.bool_]) -> dict[str, Any]:
    return mask_of(mask).model_dump(mode="json")


@pytest.fixture
def pictures(tmp_path: Any) -> Pictures:
    return Pictures(tmp_path)


def test_the_gate_drops_a_subject_cut_out_too_wide_and_keeps_a_clean_one(pictures: Pictures) -> None:
    outcomes = {}
    for by_px in (0, 4):
        natural, made, front = cut_too_wide(by_px)
        one = pair(pictures, made, ~front, way="background")
        evidence = {**one.evidence, "natural": pictures.put(natural, "natural.png")}
        told = one.model_copy(update={"evidence": evidence})
        outcomes[by_px] = judged(pictures, told)
        assert judged(pictures, told, max_halo=1.0).verdict == "keep"
    assert outcomes[0].verdict == "keep"
    assert (outcomes[4].verdict, outcomes[4].reason) == ("drop", "halo")


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize(("by_px", "reason"), [(0, None), (5, "halo")])
def test_a_donor_is_judged_by_its_own_old_background(
    pictures: Pictures, mirrored: bool, by_px: int, reason: str | None
) -> None:
    lent, _, _ = cut_too_wide(0)
    cut = cv2.dilate(MIDDLE.astype(np.uint8), np.ones((2 * by_px + 1,) * 2, np.uint8)) > 0
    rows, columns = np.flatnonzero(cut.any(axis=1)), np.flatnonzero(cut.any(axis=0))
    x0, y0, x1, y1 = (int(v) for v in (columns[0], rows[0], columns[-1] + 1, rows[-1] + 1))
    wide, high, left, top = 150, 150, 40, 50
    part = cv2.resize(lent[y0:y1, x0:x1], (wide, high), interpolation=cv2.INTER_AREA)
    shape = cv2.resize(cut[y0:y1, x0:x1].astype(np.uint8), (wide, high), interpolation=cv2.INTER_AREA)
    if mirrored:
        part, shape = part[:, ::-1], shape[:, ::-1]
    layer, shows = np.zeros((512, 512, 3), np.uint8), np.zeros((512, 512), np.uint8)
    layer[top : top + high, left : left + wide], shows[top : top + high, left : left + wide] = part, shape
    opaque = opacity(shows > 0, feather_px=1.0)
    wall = np.full((512, 512, 3), (40, 160, 90), np.uint8)
    made = composite(layer, opaque, wall)
    donor = {
        "image_id": pictures.put(lent, "lent.png"), "donor_xyxy": [x0, y0, x1, y1], "pasted_at": [left, top],
        "pasted_wh": [wide, high], "mirrored": mirrored, "shows": runs(opaque >= 0.5),
    }  # fmt: skip
    one = pair(pictures, made, opaque > 0, way="partial", made_with={"donor": donor})
    evidence = {**one.evidence, "natural": pictures.put(wall, "wall.png")}
    assert judged(pictures, one.model_copy(update={"evidence": evidence})).reason == reason


def test_a_filling_is_judged_where_the_editor_says_that_it_filled(pictures: Pictures) -> None:
    photo = np.ascontiguousarray(astronaut())
    region = np.zeros(photo.shape[:2], np.bool_)
    region[150:330, 120:330] = True
    filled = cv2.inpaint(photo, region.astype(np.uint8) * 255, 5, cv2.INPAINT_TELEA)
    told = pair(pictures, filled, region, way="partial", made_with={"filled": runs(region)})
    untold = pair(pictures, filled, region, way="partial", made_with={})
    assert judged(pictures, told).reason == "smeared"
    assert judged(pictures, told, max_smear=None).verdict == "keep"
    assert judged(pictures, untold).verdict == "keep"
    measured = PairGates().measure(untold, pictures)
    assert measured["smear"] is None
    assert PairGates().judge({**measured, "seam": 0.3}).reason == "seam"
    assert PairGates().judge({**measured, "tear": 0.7}).reason == "torn"
    assert PairGates(max_tear=None).judge({**measured, "tear": 0.7}).verdict == "keep"
    assert PairGates(max_seam=0.4).judge({**measured, "seam": 0.3}).verdict == "keep"
    assert PairGates().judge({**measured, "watermark": 0.2}).reason == "watermarked"
    assert PairGates(max_watermark=None).judge({**measured, "watermark": 0.2}).verdict == "keep"
    assert measured["watermark"] < 0.022


def before_coffee(pictures: Pictures, shade: NDArray[np.float32] | None, mask: NDArray[np.bool_], by: str) -> Any:
    """Return a disc of coffee that stood on an astronaut, now before a beach of noise, with a shadow or without."""
    beach = np.full((400, 400, 3), (200, 180, 140), np.uint8)
    beach[:200] = (140, 170, 220)
    natural, made = (composite(COFFEE, MIDDLE.astype(np.float32), one) for one in (ASTRONAUT, shaded(beach, shade)))
    made_with = {
        "mask": {"by": by, "runs": runs(mask)}, "donor": {"image_id": pictures.put(beach, "beach.png")},
    }  # fmt: skip
    one = pair(pictures, made, ~MIDDLE, way="background", made_with=made_with)
    return one.model_copy(update={"evidence": {**one.evidence, "natural": pictures.put(natural, "natural.png")}})


def test_a_subject_without_a_shadow_floats_and_one_that_stands_in_it_does_not(pictures: Pictures) -> None:
    shade = contact_shadow(MIDDLE.astype(np.float32), darkness=0.45)
    assert judged(pictures, before_coffee(pictures, shade, MIDDLE, "facts")).verdict == "keep"
    outcome = judged(pictures, before_coffee(pictures, None, MIDDLE, "facts"))
    assert (outcome.verdict, outcome.reason) == ("drop", "floating")
    assert judged(pictures, before_coffee(pictures, None, MIDDLE, "facts"), min_contact=None).verdict == "keep"


def test_a_subject_that_the_frame_cuts_off_below_need_not_stand() -> None:
    front = np.roll(MIDDLE, 130, axis=0)
    front[:100] = False
    assert contact(ASTRONAUT, ASTRONAUT, front) is None


def test_an_outline_that_a_program_tore_is_named_and_one_that_people_drew_is_not_judged(pictures: Pictures) -> None:
    bitten = MIDDLE & (np.arange(400) > 190)
    shade = contact_shadow(MIDDLE.astype(np.float32), darkness=0.45)
    torn = judged(pictures, before_coffee(pictures, shade, bitten, "grabcut"), min_contact=None)
    assert (torn.verdict, torn.reason) == ("drop", "torn")
    measured = PairGates().measure(before_coffee(pictures, shade, bitten, "facts"), pictures)
    assert measured["tear"] is None


def the_suit() -> NDArray[np.bool_]:
    """Return the astronaut's orange suit, without the red stripes of the flag beside it."""
    lab = cv2.cvtColor(PHOTOS["a"], cv2.COLOR_RGB2LAB).astype(int)
    orange = ((lab[..., 1] > 150) & (lab[..., 2] > 150)).astype(np.uint8)
    whole = cv2.morphologyEx(orange, cv2.MORPH_CLOSE, np.ones((7, 7), np.uint8))
    flag_ends = np.interp(np.arange(512), [0, 215, 240, 270, 400, 512], [115, 102, 72, 46, 24, 34])
    return np.asarray((whole > 0) & (np.arange(512) > flag_ends[:, None]), np.bool_)


def test_a_suit_of_which_a_part_kept_its_old_color_is_refused(tmp_path: Path) -> None:
    """The astronaut's orange suit turned blue, whole and without its upper part."""
    suit = the_suit()
    half = suit.copy()
    half[:400] = False
    outcomes = []
    for mask in (suit, half):
        done = recolored(PHOTOS["a"], mask, "blue", band=2.5)
        assert not isinstance(done, str)
        context = Pictures(tmp_path)
        made = pair(context, done[0], done[1] > 0, way="partial", made_with={"color": "blue"})
        outcomes.append(judged(context, made).reason)
    assert outcomes == [None, "color_left"]


def test_a_wall_that_took_the_new_color_of_a_suit_is_refused(tmp_path: Path) -> None:
    suit = the_suit()
    done = recolored(PHOTOS["a"], suit, "blue", band=2.5)
    assert not isinstance(done, str)
    beside = done[0].copy()
    beside[200:240, 330:370] = np.clip(beside[200:240, 330:370] - np.array([60, 20, -30]), 0, 255)
    outline = {"mask": {"by": "facts", "runs": mask_of(suit).model_dump(mode="json")}}
    outcomes = []
    for after in (done[0], np.asarray(beside, np.uint8)):
        context = Pictures(tmp_path)
        differs = np.asarray((after != PHOTOS["a"]).any(axis=2), np.bool_)
        made = pair(context, after, differs, way="partial", made_with={"color": "blue", **outline})
        outcomes.append(judged(context, made).reason)
    assert outcomes == [None, "color_spilled"]
