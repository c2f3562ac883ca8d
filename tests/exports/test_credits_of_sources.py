"""A source's statements about an image reach the exports, including its URL and attribution."""

from __future__ import annotations

from benchwright.exports.exporting.exported import PictureCredit
from benchwright.records import ImageRecord, Source


def test_a_credit_carries_all_that_a_source_states() -> None:
    stated = {name: f"{name} of the cup" for name in Source.model_fields}
    record = ImageRecord(
        image_id="a" * 64, root_image_id="a" * 64, width=3, height=2, media_type="image/png", size_bytes=9,
        source=Source(**stated),
    )  # fmt: skip
    assert PictureCredit.of(record).document() == {"image_id": "a" * 64, **stated}
