"""Unsaved texts of guidelines: which of them a curator's page shows."""

from __future__ import annotations

from pathlib import Path

from benchwright.annotation.app.campaign_pages.guidelines_draft import DraftPlace, GuidelinesDraft
from benchwright.annotation.store.campaigns.guidelines import GuidelinesVersion


def test_a_text_saved_as_a_version_is_no_draft_after_a_newer_version(tmp_path: Path) -> None:
    place = DraftPlace(tmp_path, "cur", "verify")
    texts = ("First.", "Mine.", "Theirs.")
    versions = [GuidelinesVersion(number, number, "curator", text) for number, text in enumerate(texts, 1)]
    place.keep(GuidelinesDraft("Mine.", 1, "a1b2"))  # stored once more when the page was left
    assert place.read(versions[:1]).text == "Mine."
    assert [place.read(versions[:count]).based_on for count in (2, 3)] == [2, 3]
    place.keep(GuidelinesDraft("First.", 3, "a1b2"))
    assert place.read(versions).text == "First.", "the text of an earlier version can be written again"
