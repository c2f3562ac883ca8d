"""Helpers that propose regions: real GrabCut, both SAMs and detectors with tiny weights, and a scripted endpoint."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from chat_server import ChatServer, running_chat_server
from tiny_detectors import make_grounding_dino, make_owlv2
from tiny_sam import make_checkpoint, make_folder

from benchwright.construction.helpers.detectors import GroundingDinoSettings, Owlv2Settings
from benchwright.construction.helpers.endpoint import EndpointHelperSettings
from benchwright.construction.helpers.grabcut import GrabCutHelper
from benchwright.construction.helpers.sam import SamSettings, SamTransformersSettings
from benchwright.construction.manipulation.grounding.detectors import load_detector
from benchwright.errors import BenchwrightError, PrerequisiteError
from benchwright.regions import HelperPicture, HelperSettings, RegionError, RegionHints, grid_of
from benchwright.regions.masks import mask_iou

pytestmark = pytest.mark.slow

HEIGHT, WIDTH = 600, 900


def needs(package: str) -> None:
    if find_spec(package) is None:  # an import would want torchvision, which SAM here does without
        pytest.skip(f"{package} is not installed")


chat_server = running_chat_server


def disc_picture() -> tuple[HelperPicture, np.ndarray[Any, np.dtype[np.bool_]]]:
    """Return a red disc on a green ground, both noisy, and where the disc is."""
    rows, columns = np.mgrid[0:HEIGHT, 0:WIDTH]
    disc = (columns - 500.0) ** 2 + (rows - 280.0) ** 2 < 170**2
    noise = np.random.default_rng(3).normal(0, 12, (HEIGHT, WIDTH, 3))
    pixels = np.where(disc[..., None], (190, 60, 50), (60, 130, 70)) + noise
    clipped = np.clip(pixels, 0, 255).astype(np.uint8)
    return HelperPicture("d" * 64, (WIDTH, HEIGHT), lambda: clipped), disc


BOX = (310.0, 90.0, 700.0, 470.0)


def iou(region: Any, truth: np.ndarray[Any, np.dtype[np.bool_]]) -> float:
    mask = grid_of(region.mask)
    return float((mask & truth).sum() / (mask | truth).sum())


def test_grabcut_answers_first_on_a_reduced_picture_and_then_with_the_border_at_full_size() -> None:
    picture, disc = disc_picture()
    first = GrabCutHelper().propose(picture, RegionHints(shape="mask", box=BOX))
    refined = GrabCutHelper().propose(picture, RegionHints(shape="mask", box=BOX, refine=True))
    assert (first.is_refined, refined.is_refined) == (False, True)
    assert iou(first.regions[0], disc) > 0.96
    assert iou(refined.regions[0], disc) > max(0.985, iou(first.regions[0], disc))


def test_grabcut_works_from_strokes_alone() -> None:
    picture, disc = disc_picture()
    inside = (((420.0, 280.0), (580.0, 300.0)),)
    outside = (((40.0, 40.0), (860.0, 50.0)), ((60.0, 560.0), (840.0, 540.0)))
    hints = RegionHints(shape="mask", inside=inside, outside=outside, refine=True)
    [region] = GrabCutHelper().propose(picture, hints).regions
    assert iou(region, disc) > 0.98


def test_what_a_stroke_says_holds_whatever_the_colors_say() -> None:
    picture, _ = disc_picture()
    cut = ((430.0, 200.0), (430.0, 360.0)), ((600.0, 280.0),)
    for refine in (False, True):
        hints = RegionHints(shape="mask", box=BOX, outside=cut, stroke_px=20, refine=refine)
        [region] = GrabCutHelper().propose(picture, hints).regions
        assert region.mask is not None
        assert not grid_of(region.mask)[260:300, 426:434].any()


def test_equal_hints_give_equal_masks() -> None:
    hints = RegionHints(shape="mask", box=BOX, refine=True)
    first, again = (GrabCutHelper().propose(disc_picture()[0], hints).regions[0].mask for _ in range(2))
    assert first == again


@pytest.mark.parametrize("shape", ["mask", "polygon", "box"])
def test_each_shape_keeps_what_was_proposed_beside_it(shape: Any) -> None:
    picture, _ = disc_picture()
    [region] = GrabCutHelper().propose(picture, RegionHints(shape=shape, box=BOX, label="disc", refine=True)).regions
    region.check_within([picture.size_wh])
    assert (region.shape, region.label) == (shape, "disc")
    assert region.proposal is not None
    assert (region.proposal.helper, region.proposal.points, region.proposal.mask) == (
        "grabcut",
        region.points,
        region.mask,
    )
    x0, y0, x1, y1 = region.bounds
    assert (x0, y0, x1, y1) == pytest.approx((330, 110, 670, 450), abs=6)


@pytest.mark.parametrize("size_wh", [(1, 1), (3, 700), (700, 2)])
def test_grabcut_bears_pictures_of_any_shape(size_wh: tuple[int, int]) -> None:
    pixels = np.random.default_rng(0).integers(0, 256, (size_wh[1], size_wh[0], 3), np.uint8)
    picture = HelperPicture("e" * 64, size_wh, lambda: pixels)
    for refine in (False, True):
        hints = RegionHints(shape="mask", box=(0, 0, *size_wh), inside=(((0.5, 0.5),),), refine=refine)
        for region in GrabCutHelper().propose(picture, hints).regions:
            region.check_within([size_wh])


def tiny_sam(kind: str, folder: Path) -> HelperSettings:
    for package in ("torch", "segment_anything" if kind == "sam" else "transformers"):
        needs(package)
    if kind == "sam":
        return SamSettings(weights=str(make_checkpoint(folder / "tiny.pth")), device="cpu")
    return SamTransformersSettings(weights=str(make_folder(folder / "tiny")), device="cpu")


@pytest.mark.parametrize("kind", ["sam", "sam_transformers"])
def test_sam_answers_clicks_and_boxes_from_an_embedding_as_from_the_picture(kind: str, tmp_path: Path) -> None:
    helper: Any = tiny_sam(kind, tmp_path).open()
    picture, _ = disc_picture()
    prepared = helper.prepare(picture)
    no_pixels = HelperPicture(picture.image_id, picture.size_wh, lambda: pytest.fail("the picture was read again"))
    for hints in (
        RegionHints(shape="mask", inside=(((500.0, 280.0),),)),
        RegionHints(shape="mask", box=BOX),
        RegionHints(shape="mask", box=BOX, inside=(((500.0, 280.0),),), outside=(((10.0, 10.0),),)),
        RegionHints(shape="polygon", inside=(tuple((float(x), 200.0) for x in range(300, 700)),)),
    ):
        from_kept = helper.propose_from(prepared, no_pixels, hints).regions
        assert from_kept == helper.propose(picture, hints).regions
        for region in from_kept:
            region.check_within([picture.size_wh])
            assert region.proposal is not None
            assert (region.proposal.helper, region.proposal.weights) == (kind, helper.made_with["weights"])


def test_both_sams_embed_by_their_weights(tmp_path: Path) -> None:
    needs("segment_anything")
    first = SamSettings(weights=str(make_checkpoint(tmp_path / "a.pth", seed=1)), device="cpu").open()
    second = SamSettings(weights=str(make_checkpoint(tmp_path / "b.pth", seed=2)), device="cpu").open()
    assert first.prepared_as != second.prepared_as


def test_sam_without_a_click_or_a_box_says_what_it_wants(tmp_path: Path) -> None:
    with pytest.raises(RegionError, match="click"):
        tiny_sam("sam", tmp_path).open().propose(disc_picture()[0], RegionHints(shape="mask"))


@pytest.mark.parametrize(("kind", "make"), [(GroundingDinoSettings, make_grounding_dino), (Owlv2Settings, make_owlv2)])
def test_detectors_propose_all_boxes_of_a_phrase(kind: Any, make: Any, tmp_path: Path) -> None:
    needs("transformers")
    settings = kind(weights=str(make(tmp_path / "tiny")), device="cpu", threshold=0.0, phrases=("a cup", "a dog"))
    picture = HelperPicture("f" * 64, (75, 50), lambda: disc_picture()[0].pixels[::12, ::12][:50, :75])
    helper = settings.open()
    typed = helper.propose(picture, RegionHints(shape="box", phrase="the red disc", label="disc")).regions
    ahead = helper.propose(picture, RegionHints(shape="box")).regions
    detector = load_detector(settings.path, device="cpu", threshold=0.0)
    [places] = detector.find_all(picture.pixels, ["the red disc"])
    scores = [place.score or 0.0 for place in places]
    assert len(places) > 1
    assert scores == sorted(scores, reverse=True)
    assert detector.find(picture.pixels, ["the red disc"]) == [places[0]]
    assert len(typed) <= len(places)
    assert {region.label for region in typed} <= {"disc"}
    assert {region.label for region in ahead} <= {"a cup", "a dog"}
    for region in typed:
        region.check_within([(75, 50)])
        assert region.proposal is not None
        assert region.proposal.weights == helper.made_with["weights"]


def test_helpers_without_weights_say_how_to_get_them(tmp_path: Path) -> None:
    for kind in (SamSettings, SamTransformersSettings, GroundingDinoSettings, Owlv2Settings):
        settings = kind(weights=str(tmp_path / "none"))
        assert settings.missing() is not None
        with pytest.raises(PrerequisiteError):
            settings.open()


def endpoint(server: ChatServer, **settings: Any) -> Any:
    chat = {"model": "m", "base_url": server.url, "retries": 0, "timeout_s": 20}
    return EndpointHelperSettings.model_validate({"chat": chat, **settings}).open()


def replying(server: ChatServer, document: Any) -> None:
    text = document if isinstance(document, str) else json.dumps(document)
    server.behave = lambda words, attempt, handler: text


def test_an_endpoint_proposes_boxes_and_points(chat_server: ChatServer) -> None:
    picture, _ = disc_picture()
    replying(
        chat_server, {"items": [{"name": "disc", "box": [0.4, 0.2, 0.7, 0.8]}, {"name": "x", "box": [7, 8, 9, 9]}]}
    )
    [region] = endpoint(chat_server).propose(picture, RegionHints(shape="box", phrase="the disc")).regions
    assert region.points == ((360.0, 120.0), (630.0, 480.0))
    assert region.proposal is not None
    assert (region.proposal.helper, region.proposal.model) == ("endpoint", "m")
    replying(chat_server, {"items": [{"name": "disc", "point": [500, 250]}]})
    hints = RegionHints(shape="point", phrase="the disc")
    [point] = endpoint(chat_server, coordinates="thousand").propose(picture, hints).regions
    assert point.points == ((450.0, 150.0),)


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        pytest.param("I see a lovely disc.", "cannot be used", id="prose"),
        pytest.param({"items": [{"box": "all"}]}, "cannot be used", id="no numbers"),
        pytest.param({"items": [{"box": [float("nan")] * 4}]}, "none of the locations", id="NaN"),
        pytest.param({"items": [{"box": [4, 4, 9, 9]}]}, "none of the locations", id="outside"),
        pytest.param({"items": [{"box": [0, 0, 1, 1]}] * 5000}, "cannot be used", id="5,000 boxes"),
    ],
)
def test_nonsense_of_an_endpoint_is_told_in_words(chat_server: ChatServer, reply: Any, why: str) -> None:
    replying(chat_server, reply)
    with pytest.raises(BenchwrightError, match=why):
        endpoint(chat_server).propose(disc_picture()[0], RegionHints(shape="box", phrase="the disc"))


def test_an_endpoint_that_fails_is_told_in_words(chat_server: ChatServer) -> None:
    def fail(words: str, attempt: int, handler: Any) -> None:
        chat_server.say(handler, 500, {"error": {"message": "out of order"}})

    chat_server.behave = fail
    with pytest.raises(BenchwrightError, match="did not answer"):
        endpoint(chat_server).propose(disc_picture()[0], RegionHints(shape="box", phrase="the disc"))


def test_a_refined_mask_lies_close_to_that_of_grabcut_at_full_size() -> None:
    picture, _ = disc_picture()
    hints = RegionHints(shape="mask", box=BOX, refine=True)
    [refined] = GrabCutHelper().propose(picture, hints).regions
    classes = np.full((HEIGHT, WIDTH), cv2.GC_BGD, np.uint8)
    classes[90:470, 310:700] = cv2.GC_PR_FGD
    cv2.setRNGSeed(1)
    models = np.zeros((1, 65)), np.zeros((1, 65))
    cv2.grabCut(picture.pixels[..., ::-1].copy(), classes, (0, 0, 1, 1), *models, 5, cv2.GC_INIT_WITH_MASK)
    from benchwright.drawing.masks import mask_of

    assert refined.mask is not None
    assert mask_iou(refined.mask, mask_of(np.isin(classes, (1, 3)))) > 0.98
