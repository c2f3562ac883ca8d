"""Boxes of text as a helper: rapidocr's own models on a picture with words."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from benchwright.diagnostics.picture_text.boxes_helper import TextBoxesSettings
from benchwright.regions import HelperPicture, RegionHints

pytest.importorskip("rapidocr")
pytestmark = pytest.mark.slow


def words() -> HelperPicture:
    image = Image.new("RGB", (640, 420), "white")
    draw = ImageDraw.Draw(image)
    draw.text((60, 80), "MARKET HALL", fill="black", font=ImageFont.load_default(48))
    draw.text((90, 280), "open on Sundays", fill="black", font=ImageFont.load_default(36))
    pixels = np.asarray(image)
    return HelperPicture("a" * 64, (640, 420), lambda: pixels)


@pytest.mark.parametrize("shape", ["box", "polygon"])
def test_each_line_of_text_is_proposed_with_engine_and_weights(shape: str) -> None:
    helper = TextBoxesSettings().open()
    first, second = helper.propose(words(), RegionHints.model_validate({"shape": shape})).regions
    assert first.bounds == pytest.approx((60, 92, 372, 128), abs=16)
    assert second.bounds[1] > first.bounds[3]
    for region in (first, second):
        region.check_within([(640, 420)])
        assert region.proposal is not None
        assert (region.proposal.helper, region.proposal.weights) == ("text_boxes", helper.made_with["weights"])


def test_lines_of_which_the_detector_is_less_sure_than_asked_are_not_proposed() -> None:
    hints = RegionHints(shape="box")
    assert TextBoxesSettings(confidence=1.0).open().propose(words(), hints).regions == []


def test_a_blank_picture_has_no_text() -> None:
    pixels = np.full((200, 310, 3), 200, np.uint8)
    picture = HelperPicture("b" * 64, (310, 200), lambda: pixels)
    assert TextBoxesSettings().open().propose(picture, RegionHints(shape="box")).regions == []
