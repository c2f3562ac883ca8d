"""The step `manipulate` without models.

- What must not change stays the same to the byte, for parts, backgrounds (moved or not) and any position of the boxes.
- Both images of a pair have the same size; each candidate states its settings and its editor.
- An idea that cannot be carried out is left out with a reason, and the others are carried out.
- Equal seeds yield equal pixels for any order, batch size and number of workers.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from planned_ideas import PlannedIdeas, idea
from step_context import StepContext

from benchwright.construction.item_parts.idea import Donor, GroundedSubject, Idea, packed
from benchwright.construction.manipulation.manipulate import Manipulate
from benchwright.construction.manipulation.manipulated import Manipulated, unpacked
from benchwright.drawing import mask_of
from benchwright.drawing.areas import Rect
from benchwright.drawing.masks import PlacedMask
from benchwright.errors import PrerequisiteError
from benchwright.images.covering import cover
from benchwright.pipeline import run_steps
from benchwright.records import ImageRecord, MaskRuns
from benchwright.steps import Outcome

pytestmark = pytest.mark.slow

LENIENT = {"partial": "rectangle", "min_box_iou": 0, "max_tear": 1}
CAT = GroundedSubject(phrase="the cat", box=(45, 4, 224, 149), inside=((115, 60), (150, 110)), outside=((15, 75),))
EYE = GroundedSubject(phrase="its left eye", box=(90, 47, 120, 70))
WIDE = GroundedSubject(phrase="its face", box=(60, 30, 160, 120))


class Made(NamedTuple):
    """What a step said of a picture, and everything around it."""

    outcome: Outcome
    pairs: tuple[Manipulated, ...]
    context: StepContext
    record: ImageRecord
    donor: ImageRecord

    def pixels(self, pair: Manipulated) -> np.ndarray:
        return self.context.stored[pair.manipulated]

    @property
    def left_out(self) -> dict[str, str]:
        return self.outcome.evidence.get("left_out", {})


def cells(mask: MaskRuns) -> np.ndarray:
    """Return a mask's grid."""
    height, width = mask.size
    placed = PlacedMask(mask, Rect(0, 0, width, height), 0)
    return placed.at(np.arange(width) + 0.5, np.arange(height) + 0.5)


def make(folder: Path, pixels: np.ndarray, donor: np.ndarray, *plans: Any, seed: int = 3, **how: Any) -> Made:
    """Carry out ideas, each an idea or a function of the donor's id that gives one."""
    folder.mkdir(exist_ok=True, parents=True)
    context = StepContext(folder, seed=seed)
    record, other = context.add(pixels), context.add(donor, "donor.png")
    ideas = [one if isinstance(one, Idea) else one(other.image_id) for one in plans]
    context._values = {(record.image_id, "ideas.planned"): packed(ideas)}
    outcome = context.run(Manipulate.model_validate(how), record)
    return Made(outcome, unpacked(outcome.values["pairs"]), context, record, other)  # type: ignore[arg-type]


def part(target: GroundedSubject | None = EYE, *, number: int = 1, of: Any = ((40, 30, 90, 80),), **more: Any) -> Any:
    """Return what makes the idea to put the donor's disc in a part's place."""
    disc = None if of is None else GroundedSubject(phrase="the disc", box=of[0], inside=((65, 55),))
    return lambda donor: idea(
        "partial", number, **{"subject": CAT, "target": target, "donor": Donor(image_id=donor, of=disc), **more}
    )


def behind(*, number: int = 1, **more: Any) -> Any:
    """Return what makes the idea to put the donor behind the cat."""
    return lambda donor: idea("background", number, **{"subject": CAT, "donor": Donor(image_id=donor), **more})


@pytest.fixture(scope="module")
def photo() -> np.ndarray:
    """A cat, (150, 226, 3)."""
    from skimage.data import chelsea

    return np.ascontiguousarray(chelsea()[::2, ::2])


@pytest.fixture(scope="module")
def disc() -> np.ndarray:
    """A red disc on green, (150, 220, 3): what donors are taken from."""
    rows, columns = np.mgrid[:150, :220]
    pixels = np.full((150, 220, 3), (20, 160, 60), np.uint8)
    pixels[(rows - 55) ** 2 + (columns - 65) ** 2 < 22**2] = (220, 30, 40)
    return pixels


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, photo: np.ndarray, disc: np.ndarray) -> Made:
    plans = (part(), behind(), idea("direct", effect="oil_painting"))
    how: dict[str, Any] = {"max_enlargement": 4, "masks": LENIENT, "blend": {"light": 0, "focus": False}}
    return make(tmp_path_factory.mktemp("pairs"), photo, disc, *plans, **how)


def test_a_replaced_part_leaves_every_other_byte_of_the_picture_as_it_was(made: Made, photo: np.ndarray) -> None:
    pair = made.pairs[0]
    may = cells(pair.editable)  # type: ignore[arg-type]
    differs = (made.pixels(pair) != photo).any(axis=2)
    assert not differs[~may].any()
    assert differs[may].mean() > 0.5
    assert may.mean() < 0.1


def test_the_donor_is_what_stands_in_the_parts_place(made: Made) -> None:
    x, y = 105, 61
    red, green, blue = made.pixels(made.pairs[0])[y, x].astype(int)
    assert red > 180
    assert max(green, blue) < 80


def test_a_new_background_leaves_the_subject_and_nothing_else(made: Made, photo: np.ndarray, disc: np.ndarray) -> None:
    pair = made.pairs[1]
    may = cells(pair.editable)  # type: ignore[arg-type]
    pixels = made.pixels(pair)
    assert np.array_equal(pixels[~may], photo[~may])
    assert 0.1 < (~may).mean() < 0.8
    corner = np.s_[:20, :20]
    assert np.array_equal(pixels[corner], cover(disc, (226, 150))[corner])


def test_a_mask_that_somebody_drew_is_taken_as_it_is(tmp_path: Path, photo: np.ndarray, disc: np.ndarray) -> None:
    rows, columns = np.mgrid[:150, :226]
    drawn = ((columns - 110) / 70.0) ** 2 + ((rows - 80) / 50.0) ** 2 < 1
    cat = GroundedSubject(phrase="the cat", box=(40, 30, 180, 130), mask=mask_of(drawn))
    how: dict[str, Any] = {"max_enlargement": 4, "edges": {"rim_px": 0}}
    done = make(tmp_path, photo, disc, behind(subject=cat), masks=LENIENT, **how)
    [pair] = done.pairs
    assert pair.made_with["mask"] == {
        "by": "facts", "box_xyxy": [40, 30, 180, 130], "runs": mask_of(drawn).model_dump(mode="json"),
    }  # fmt: skip
    assert np.array_equal(done.pixels(pair)[drawn], photo[drawn])


def test_a_drawn_mask_is_left_aside_where_the_box_itself_is_asked_for(
    tmp_path: Path, photo: np.ndarray, disc: np.ndarray
) -> None:
    drawn = np.zeros((150, 226), bool)
    drawn[55:66, 95:116] = True
    eye = GroundedSubject(phrase="the eye", box=(90, 50, 120, 70), mask=mask_of(drawn))
    areas = []
    for name, masks in (("drawn", {}), ("box", {"partial": "rectangle"}), ("by", {"by": "rectangle"})):
        done = make(tmp_path / name, photo, disc, part(eye), max_enlargement=4, masks={"min_box_iou": 0, **masks})
        areas.append(done.pairs[0].made_with["mask"]["by"])
    assert areas == ["facts", "rectangle", "rectangle"]


def test_a_donor_of_which_no_part_is_named_is_shown_within_the_parts_outline(
    tmp_path: Path, photo: np.ndarray, disc: np.ndarray
) -> None:
    rows, columns = np.mgrid[:150, :226]
    drawn = np.hypot(columns - 110, rows - 80) < 40
    screen = GroundedSubject(phrase="the screen", box=(70, 40, 151, 121), mask=mask_of(drawn))
    done = make(tmp_path, photo, disc, part(screen, of=None), max_enlargement=4, blend={"light": 0})
    [pair] = done.pairs
    donor = pair.made_with["donor"]
    assert (donor["fills"], donor["pasted_at"], donor["pasted_wh"]) == (True, [71, 41], [79, 79])
    shown = cover(disc, (79, 79))
    inner = np.hypot(columns - 110, rows - 80) < 36
    assert np.array_equal(done.pixels(pair)[inner], shown[inner[41:120, 71:150]])
    may = cells(pair.editable)  # type: ignore[arg-type]
    assert np.array_equal(done.pixels(pair)[~may], photo[~may])
    assert not may[np.hypot(columns - 110, rows - 80) > 46].any()


def test_a_new_background_takes_on_the_light_of_the_old_one_and_the_subject_none(
    tmp_path: Path, photo: np.ndarray, disc: np.ndarray
) -> None:
    dark = (disc * 0.3).astype(np.uint8)
    lights = []
    for share in (0.0, 0.5):
        how: dict[str, Any] = {"max_enlargement": 4, "masks": LENIENT, "blend": {"light": share, "focus": False}}
        done = make(tmp_path / str(share), photo, dark, behind(), **how)
        may = cells(done.pairs[0].editable)  # type: ignore[arg-type]
        assert np.array_equal(done.pixels(done.pairs[0])[~may], photo[~may])
        lights.append(done.pixels(done.pairs[0])[may].mean())
    assert lights[0] + 5 < lights[1] < photo.mean()


def test_an_alteration_changes_all_of_the_picture_and_moves_nothing(made: Made, photo: np.ndarray) -> None:
    pair = made.pairs[2]
    assert (pair.editor, pair.editable) == ("oil_painting", None)
    assert (made.pixels(pair) != photo).any(axis=2).mean() > 0.5


def test_a_pair_says_by_what_it_was_made_and_its_images_are_of_one_size(made: Made) -> None:
    assert [pair.editor for pair in made.pairs] == ["composite", "composite", "oil_painting"]
    assert {pair.natural for pair in made.pairs} == {made.record.image_id}
    assert {(image.width, image.height) for image in made.outcome.images} == {(226, 150)}
    assert made.pairs[0].made_with["mask"]["by"] == "rectangle"
    assert made.pairs[0].made_with["donor"]["image_id"] == made.donor.image_id
    assert cells(MaskRuns.model_validate(made.pairs[0].made_with["mask"]["runs"])).sum() == 30 * 23


def test_a_picture_with_pixels_of_another_one_names_both_as_its_origin(made: Made) -> None:
    origins = {image.image_id: image.derived_from for image in made.outcome.images}
    assert origins[made.pairs[0].manipulated] == (made.record.image_id, made.donor.image_id)
    assert origins[made.pairs[2].manipulated] == (made.record.image_id,)


def test_a_source_that_is_scaled_down_takes_its_boxes_with_it(
    tmp_path: Path, photo: np.ndarray, disc: np.ndarray
) -> None:
    found = make(tmp_path, photo, disc, part(), max_side_px=100, max_enlargement=4, masks={"partial": "rectangle"})
    [pair] = found.pairs
    assert pair.natural != found.record.image_id
    assert {(image.width, image.height) for image in found.outcome.images} == {(100, 66)}
    assert pair.made_with["mask"]["box_xyxy"] == pytest.approx([side * 100 / 226 for side in EYE.box])  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("plan", "how", "reason"),
    [
        pytest.param(part(None), {}, "no_target", id="no-target"),
        pytest.param(part(GroundedSubject(phrase="the hat")), {}, "no_box", id="target-without-box"),
        pytest.param(part(GroundedSubject(phrase="it", box=(240, 10, 260, 40))), {}, "box_outside", id="box-outside"),
        pytest.param(part(GroundedSubject(phrase="it", box=(1, 1, 15, 30))), {"masks": {"subject_margin": 0}}, "target_off_subject", id="not-of-the-subject"),
        pytest.param(part(donor=None), {"masks": {"partial": "rectangle"}}, "no_donor", id="no-donor"),
        pytest.param(part(of=((300, 300, 400, 400),)), {"masks": {"partial": "rectangle"}}, "donor_box_outside", id="donors-box-outside"),
        pytest.param(part(GroundedSubject(phrase="all of it", box=(50, 10, 220, 145)), of=((55, 45, 75, 65),)), {"masks": {"by": "rectangle"}}, "donor_small", id="donor-small"),
        pytest.param(behind(subject=GroundedSubject(phrase="it")), {}, "no_box", id="subject-without-box"),
        pytest.param(behind(), {"masks": {"min_area": 0.7}}, "mask_empty", id="mask-empty"),
        pytest.param(behind(), {"masks": {"max_area": 0.1}}, "mask_everything", id="mask-everything"),
        pytest.param(behind(), {"masks": {"min_box_iou": 1.0}}, "mask_off_box", id="mask-off-box"),
        pytest.param(behind(), {"max_enlargement": 1.0, "masks": LENIENT}, "donor_small", id="background-small"),
        pytest.param(behind(), {"ways": ["direct"]}, "way_left_out", id="way-left-out"),
        pytest.param(idea("direct"), {}, "no_effect", id="no-effect"),
        pytest.param(idea("direct", effect="watercolor"), {}, "no_effect", id="unknown-effect"),
    ],
)  # fmt: skip
def test_an_idea_that_cannot_be_carried_out_is_left_out_with_its_reason_and_others_are_carried_out(
    tmp_path: Path, photo: np.ndarray, disc: np.ndarray, plan: Any, how: dict[str, Any], reason: str
) -> None:
    found = make(tmp_path, photo, disc, plan, idea("direct", 9, effect="night"), **how)
    assert set(found.left_out.values()) == {reason}
    assert found.outcome.verdict == "keep"
    assert [pair.idea_id for pair in found.pairs] == (["E2-9"] if len(found.left_out) == 1 else [])


def test_a_box_that_leaves_the_picture_is_cut_to_it(tmp_path: Path, photo: np.ndarray, disc: np.ndarray) -> None:
    beyond = GroundedSubject(phrase="its ear", box=(200, -25, 450, 40))
    found = make(tmp_path, photo, disc, part(beyond), max_enlargement=9, masks={"partial": "rectangle"})
    assert found.pairs[0].made_with["mask"]["box_xyxy"] == [200, 0, 226, 40]


def test_a_donor_that_cannot_be_decoded_is_a_reason_and_no_failure(
    tmp_path: Path, photo: np.ndarray, disc: np.ndarray
) -> None:
    context = StepContext(tmp_path)
    record, other = context.add(photo), context.add(disc, "donor.png")
    context._values = {(record.image_id, "ideas.planned"): packed([behind()(other.image_id)])}
    file = context.path(other)
    file.write_bytes(file.read_bytes()[:-60])
    outcome = context.run(Manipulate.model_validate({"masks": LENIENT}), record)
    assert outcome.evidence == {"left_out": {"B1-1": "donor_unreadable"}}


def test_an_image_without_ideas_passes_and_has_no_pairs(tmp_path: Path, photo: np.ndarray, disc: np.ndarray) -> None:
    found = make(tmp_path, photo, disc)
    assert (found.outcome.verdict, found.pairs, found.outcome.images) == ("keep", (), ())


def test_candidates_differ_and_a_repeated_picture_is_no_candidate(
    tmp_path: Path, photo: np.ndarray, disc: np.ndarray
) -> None:
    found = make(
        tmp_path, photo, disc, part(WIDE), idea("direct", effect="sepia"), candidates=3, max_enlargement=4,
        masks={"partial": "rectangle"},
    )  # fmt: skip
    assert [(pair.idea_id, pair.candidate) for pair in found.pairs] == [
        ("B2-1", 0), ("B2-1", 1), ("B2-1", 2), ("E2-1", 0),
    ]  # fmt: skip
    assert len({pair.manipulated for pair in found.pairs}) == 4
    assert found.left_out == {"E2-1:1": "same_as_before", "E2-1:2": "same_as_before"}


def test_a_subject_moved_without_scaling_keeps_every_pixel_at_its_stated_place(
    tmp_path: Path, photo: np.ndarray, disc: np.ndarray
) -> None:
    small = GroundedSubject(phrase="the nose", box=(75, 50, 125, 100))
    found = make(
        tmp_path, photo, disc, behind(subject=small), max_enlargement=4, subject={"max_shift": 0.3},
        masks={"by": "rectangle"}, edges={"rim_px": 0},
    )  # fmt: skip
    [pair] = found.pairs
    assert pair.moved
    place = pair.made_with["subject"]
    (x, y), (x0, y0, x1, y1) = place["to_xy"], place["from_xyxy"]
    assert (x, y) != (x0, y0)
    assert pair.editable is None
    assert place["scale"] == 1
    assert np.array_equal(found.pixels(pair)[y : y + y1 - y0, x : x + x1 - x0], photo[y0:y1, x0:x1])


@settings(max_examples=25)
@given(
    box=st.tuples(st.floats(-30, 90), st.floats(-30, 70), st.floats(3, 90), st.floats(3, 70)),
    seed=st.integers(0, 99), way=st.sampled_from(["partial", "background"]), candidates=st.integers(1, 2),
)  # fmt: skip
def test_wherever_the_box_is_nothing_changes_outside_what_may_and_the_size_stays(
    tmp_path_factory: pytest.TempPathFactory, box: tuple[float, ...], seed: int, way: str, candidates: int
) -> None:
    rng = np.random.default_rng(seed)
    pixels, other = (rng.integers(0, 256, shape, dtype=np.uint8) for shape in ((67, 93, 3), (80, 80, 3)))
    place = GroundedSubject(phrase="it", box=(box[0], box[1], box[0] + box[2], box[1] + box[3]))
    donor = GroundedSubject(phrase="the donor", box=(5, 5, 60, 70))
    found = make(
        tmp_path_factory.mktemp("box"), pixels, other,
        lambda donor_id: idea(way, subject=place, target=place, donor=Donor(image_id=donor_id, of=donor)),
        candidates=candidates, max_enlargement=99, masks={"by": "rectangle", "max_area": 0.99},
    )  # fmt: skip
    assert found.pairs or found.left_out
    for pair in found.pairs:
        changed = (found.pixels(pair) != pixels).any(axis=2)
        assert found.pixels(pair).shape == pixels.shape
        assert not changed[~cells(pair.editable)].any()  # type: ignore[arg-type]


def test_order_and_batch_change_no_byte(tmp_path: Path, photo: np.ndarray, disc: np.ndarray) -> None:
    def said(name: str, *, backwards: bool, at_a_time: int) -> dict[str, Any]:
        (tmp_path / name).mkdir()
        context = StepContext(tmp_path / name)
        donor = context.add(disc, "donor.png")
        records = [context.add(np.roll(photo, turn, axis=1), f"{turn}.png") for turn in (0, 20, 45)]
        plans = packed([part()(donor.image_id), behind()(donor.image_id), idea("direct", effect="poster")])
        context._values = {(record.image_id, "ideas.planned"): plans for record in records}
        step = Manipulate.model_validate({"max_enlargement": 4, "candidates": 2, "masks": LENIENT})
        context.opened = step.open(context)
        if backwards:
            records.reverse()
        parts = (records[at : at + at_a_time] for at in range(0, 3, at_a_time))
        outcomes = [outcome for some in parts for outcome in step.many(some, context)]
        return {record.image_id: outcome for record, outcome in zip(records, outcomes, strict=True)}

    assert said("a", backwards=False, at_a_time=3) == said("b", backwards=True, at_a_time=1)


@pytest.mark.workers
def test_the_number_of_workers_changes_no_byte_and_made_images_are_known_to_what_comes_after(tmp_path: Path) -> None:
    from PIL import Image

    rng = np.random.default_rng(5)
    (tmp_path / "images").mkdir()
    for number in range(5):
        noise = rng.integers(0, 256, (40 + number, 64, 3), dtype=np.uint8)
        Image.fromarray(noise).save(tmp_path / "images" / f"{number}.png")
    steps = [PlannedIdeas(), Manipulate.model_validate({"hardware": {"images_together": 2}})]
    one, two = (
        run_steps(steps, images=tmp_path / "images", workspace=tmp_path / f"w{workers}", workers=workers, seed=4)
        for workers in (1, 2)
    )
    rows = [sorted(done.outcomes("manipulate"), key=lambda row: row["record_id"]) for done in (one, two)]
    assert rows[0] == rows[1]
    assert {pair.editor for row in rows[0] for pair in unpacked(row["pairs"])} == {"sepia"}
    assert len({pair.manipulated for row in rows[0] for pair in unpacked(row["pairs"])}) == 5


@pytest.mark.parametrize(
    ("how", "named"),
    [
        pytest.param({"backend": "diffusion", "inpaint": {"weights": "nowhere"}}, "stable-diffusion-inpainting", id="inpainting"),
        pytest.param({"backend": "diffusion", "ways": ["direct"]}, "hf download timbrooks/instruct-pix2pix", id="none-named"),
        pytest.param({"masks": {"by": "segment_anything", "weights": "nowhere.pth"}}, "sam_vit_b_01ec64.pth", id="sam"),
        pytest.param({"masks": {"by": "sam_transformers", "weights": "nowhere"}}, "facebook/sam-vit-base", id="sam-of-transformers"),
    ],
)  # fmt: skip
def test_missing_weights_are_an_error_that_says_which_and_how_to_fetch_them(how: dict[str, Any], named: str) -> None:
    with pytest.raises(PrerequisiteError, match=named):
        Manipulate.model_validate(how).weights_hash()


def test_pickled_weights_do_not_count_as_weights(tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "model_index.json").write_text("{}")
    (tmp_path / "model" / "weights.bin").write_bytes(b"\x80\x04.")
    step = Manipulate.model_validate(
        {"backend": "diffusion", "ways": ["partial"], "inpaint": {"weights": "model"}}, context={"folder": tmp_path}
    )
    with pytest.raises(PrerequisiteError, match="pickled weights are not loaded"):
        step.weights_hash()


def test_auto_without_weights_composes_and_says_so_in_what_decides_the_result() -> None:
    step = Manipulate.model_validate({"backend": "auto", "inpaint": {"weights": "nowhere"}, "masks": {"by": "auto"}})
    assert step.weights_hash() is None
    assert step.parameters()["inpaint"]["weights"] is None


@pytest.mark.parametrize(
    "how",
    [
        pytest.param({"inpaint": {"preset": "instruct_pix2pix"}}, id="preset-of-the-other-task"),
        pytest.param({"masks": {"by": "segment_anything"}}, id="sam-without-weights"),
        pytest.param({"masks": {"prompt": "everything"}}, id="everything-by-grabcut"),
        pytest.param({"masks": {"min_area": 0.5, "max_area": 0.4}}, id="areas-out-of-order"),
        pytest.param({"subject": {"min_scale": 1.5}}, id="scales-out-of-order"),
    ],
)
def test_settings_that_contradict_each_other_are_refused(how: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"preset|weights|everything|max_area|max_scale"):
        Manipulate.model_validate(how)


def test_where_a_model_runs_decides_nothing_but_how_exactly_it_calculates_does() -> None:
    def digest_of(**hardware: Any) -> dict[str, Any]:
        return Manipulate.model_validate({"hardware": hardware}).parameters()

    assert digest_of() == digest_of(batch_size=16, device="cuda:1", images_together=1)
    assert digest_of() != digest_of(dtype="bfloat16")


def test_a_subject_without_points_or_mask_is_not_cut_out_by_its_box_unless_asked_for(
    tmp_path: Path, photo: np.ndarray, disc: np.ndarray
) -> None:
    boxed = CAT.model_copy(update={"inside": (), "outside": ()})
    left = make(tmp_path / "a", photo, disc, behind(subject=boxed))
    assert set(left.left_out.values()) == {"outline_unstated"}
    allowed = make(tmp_path / "b", photo, disc, behind(subject=boxed), masks={"box_alone": True, "min_box_iou": 0})
    assert "outline_unstated" not in allowed.left_out.values()


def test_a_background_of_which_the_subject_hides_what_it_is_known_by_is_left_out(
    tmp_path: Path, photo: np.ndarray, disc: np.ndarray
) -> None:
    def plan(box: tuple[float, float, float, float]) -> Any:
        known_by = GroundedSubject(phrase="the disc", box=box)
        return lambda donor: idea("background", subject=CAT, donor=Donor(image_id=donor, of=known_by))

    masks = {"min_box_iou": 0, "max_tear": 1}
    hidden = make(tmp_path / "a", photo, disc, plan((110, 60, 150, 110)), masks=masks)
    assert set(hidden.left_out.values()) == {"donor_hidden"}
    assert not make(tmp_path / "b", photo, disc, plan((0, 100, 40, 145)), masks=masks).left_out
    assert not make(tmp_path / "c", photo, disc, plan((110, 60, 150, 110)), masks=masks, min_visible=0).left_out


def test_a_donor_that_can_hide_the_part_does_and_the_record_says_what_was_filled(
    tmp_path: Path, photo: np.ndarray, disc: np.ndarray
) -> None:
    wide = GroundedSubject(phrase="its muzzle", box=(85, 40, 165, 70))
    masks = {"partial": "rectangle", "min_box_iou": 0}
    square, flat = (
        make(tmp_path / name, photo, disc, part(target), max_enlargement=9, masks=masks).pairs[0]
        for name, target in (("square", GroundedSubject(phrase="its nose", box=(100, 50, 130, 80))), ("flat", wide))
    )
    shares = []
    for pair in (square, flat):
        made_up = pair.made_with.get("filled")
        filled = cells(MaskRuns.model_validate(made_up)) if made_up else np.zeros(photo.shape[:2], np.bool_)
        shows = cells(MaskRuns.model_validate(pair.made_with["donor"]["shows"]))
        assert not (filled & shows).any()
        assert (cells(pair.editable) | ~filled).all()  # type: ignore[arg-type]
        shares.append(filled.sum() / shows.sum())
    assert shares[0] < 0.05
    assert shares[1] > 0.2


def test_a_torn_outline_is_left_out_with_its_reason_and_one_that_a_person_drew_is_not_judged(
    tmp_path: Path, photo: np.ndarray, disc: np.ndarray
) -> None:
    half = np.zeros(photo.shape[:2], bool)
    half[20:140, 60:120] = True
    drawn = GroundedSubject(phrase="the cat", box=(40, 4, 200, 146), mask=mask_of(half))
    cut = GroundedSubject(phrase="the cat", box=(100, 30, 190, 120), inside=((130, 60), (150, 100)))
    found = make(tmp_path / "a", photo, disc, behind(subject=cut), max_enlargement=4, masks={"min_box_iou": 0})
    assert found.left_out == {"B1-1": "outline_torn"}
    stated = make(tmp_path / "b", photo, disc, behind(subject=drawn), max_enlargement=4, masks={"min_box_iou": 0})
    assert not stated.left_out
