"""Guidelines in versions, with pictures, in a file and on a server; each decision records the version it followed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest
import sqlalchemy as sa
from PIL import Image

from benchwright.annotation.app.base.guidelines_html import guidelines_html
from benchwright.annotation.forms.campaign_form import CampaignForm
from benchwright.annotation.forms.kinds import KINDS
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.progress.label_fields import label_fields_of
from benchwright.annotation.progress.overview import Overview
from benchwright.annotation.store.campaigns.guidelines import GuidelinePicture, Guidelines, GuidelinesVersion
from benchwright.annotation.store.database.records import RefusedError, StaleError
from benchwright.annotation.store.database.schema import audit_log
from benchwright.annotation.store.review_store import ReviewStore
from benchwright.annotation.workflow.guidelines import read_guidelines, revise_guidelines
from benchwright.errors import BenchwrightError, DataError
from benchwright.images import decode_rgb

pytestmark = pytest.mark.both_databases

OpenCampaign = Callable[..., ReviewStore]


def reopened(store: ReviewStore, text: str | None) -> None:
    """Open the campaign as a recipe with these guidelines does."""
    form = CampaignForm(decisions=["accept", "reject"], reasons=["unclear"], guidelines=text)
    store.upsert_campaign(
        "verify", kind="verify", rule="unanimous(2)", slots_per_task=2, form=form, settings={}, seed=1
    )  # fmt: skip


def decided(store: ReviewStore, name: str, now: datetime) -> int:
    lease = store.claim("verify", name, now=now)
    assert lease is not None
    store.submit(lease.slot_id, name, Submission("accept"), now=now)
    return lease.slot_id


def test_a_recipe_makes_a_version_when_it_says_something_new(open_campaign: OpenCampaign) -> None:
    store = open_campaign(tasks=1)
    known = Guidelines(store)
    assert known.newest(store.campaign("verify")) is None
    for text in ("", "Look twice.", "Look twice.", None, "Look three times.", "Look twice."):
        reopened(store, text)
    found = known.versions(store.campaign("verify"))
    assert [(one.version, one.origin, one.text) for one in found] == [
        (1, "recipe", "Look twice."), (2, "recipe", "Look three times."), (3, "recipe", "Look twice."),
    ]  # fmt: skip


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_kind_of_campaign_tells_people_something_where_the_recipe_says_nothing(
    open_campaign: OpenCampaign, kind: str
) -> None:
    store = open_campaign(tasks=1)
    form = CampaignForm(decisions=["accept", "reject"], guidelines=None)
    for _ in range(2):  # a second run of the recipe says nothing new
        store.upsert_campaign(kind, kind=kind, rule="unanimous(2)", slots_per_task=2, form=form, settings={}, seed=1)
    [told] = Guidelines(store).versions(store.campaign(kind))
    assert (told.version, told.text) == (1, KINDS[kind].guidelines)
    assert len(told.text) > 100
    assert store.campaign(kind).form == form, "what a campaign asks is what it was, so that nothing is asked anew"


def test_the_words_of_a_kind_come_over_nothing_that_somebody_said(open_campaign: OpenCampaign) -> None:
    store = open_campaign(tasks=1)  # opened by a version of the program that had no such words
    Guidelines(store).set("verify", "Look twice.", [])
    reopened(store, None)
    assert [one.text for one in Guidelines(store).versions(store.campaign("verify"))] == ["Look twice."]


def test_simulated_annotators_are_told_nothing(open_campaign: OpenCampaign) -> None:
    store = open_campaign(tasks=1)
    form = CampaignForm(decisions=["accept", "reject"], guidelines=None)
    store.upsert_campaign(
        "tried", kind="verify", rule="single", slots_per_task=1, form=form, settings={}, seed=1, is_simulated=True
    )  # fmt: skip
    assert Guidelines(store).newest(store.campaign("tried")) is None


def test_a_curators_version_stays_while_the_recipe_says_the_same(open_campaign: OpenCampaign) -> None:
    store = open_campaign(tasks=1)
    reopened(store, "Look twice.")
    assert Guidelines(store).set("verify", "See ![one](picture:0).", [GuidelinePicture(b"\x89PNG", "image/png")]) == 2
    reopened(store, "Look twice.")
    newest = Guidelines(store).newest(store.campaign("verify"))
    assert newest is not None
    assert (newest.version, newest.origin) == (2, "curator")
    assert Guidelines(store).picture(newest.id, 0) == GuidelinePicture(b"\x89PNG", "image/png")
    assert Guidelines(store).picture(newest.id, 1) is None


def test_each_decision_is_known_by_the_version_that_it_followed(open_campaign: OpenCampaign, now: datetime) -> None:
    store = open_campaign(tasks=4)
    decided(store, "ann", now)
    reopened(store, "Look twice.")
    slot = decided(store, "ann", now)
    decided(store, "ben", now)
    Guidelines(store).set("verify", "Look.", [])
    decided(store, "ben", now)
    store.submit(slot, "ann", Submission("reject", reasons=("unclear",)), now=now, amend=True)
    counts = [(one.version, one.decisions) for one in Guidelines(store).versions(store.campaign("verify"))]
    assert counts == [(1, 2), (2, 2)]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return a file of guidelines whose folder holds two pictures."""
    (tmp_path / "pictures").mkdir()
    Image.fromarray(np.full((30, 40, 3), 200, np.uint8)).save(tmp_path / "pictures" / "good.png")
    Image.fromarray(np.full((60, 50, 3), 90, np.uint8)).save(tmp_path / "bad.jpg")
    path = tmp_path / "guidelines.md"
    path.write_text("# Look\n\n![good](pictures/good.png) or ![bad]( bad.jpg ), ![good again](pictures/good.png)\n")
    return path


def test_a_file_gives_its_text_and_its_pictures_encoded_anew(file: Path) -> None:
    text, pictures = read_guidelines(file)
    assert text == "# Look\n\n![good](picture:0) or ![bad](picture:1), ![good again](picture:0)\n"
    assert [decode_rgb(one.data).shape for one in pictures] == [(30, 40, 3), (60, 50, 3)]
    assert {one.media_type for one in pictures} == {"image/png"}
    shown = guidelines_html(GuidelinesVersion(7, 1, "curator", text), str)
    assert '<img src="/guidelines/7/1" alt="bad" />' in shown


BAD = {
    "another site's": ("![x](https://elsewhere.example/x.png)", "in the file's folder"),
    "a path from the root": ("![x](/etc/passwd)", "in the file's folder"),
    "a path that climbs": ("![x](../../etc/passwd)", "cannot be shown"),
    "no picture": ("![x](guidelines.md)", "cannot be shown"),
    "nothing there": ("![x](gone.png)", "cannot be shown"),
    "no words": ("![ ](bad.jpg)", "has no alternative text"),
}


@pytest.mark.parametrize(("text", "said"), BAD.values(), ids=BAD)
def test_a_picture_that_cannot_be_shown_is_refused_in_words(file: Path, text: str, said: str) -> None:
    file.write_text(text)
    with pytest.raises(BenchwrightError, match=said):
        read_guidelines(file)


@pytest.mark.parametrize("data", [b"", b" \n", b"\xff\xfe\x00", b"a\0b", b"x" * 70_000])
def test_a_file_that_is_no_text_is_refused_in_words(file: Path, data: bytes) -> None:
    file.write_bytes(data)
    with pytest.raises(DataError, match=r"guidelines\.md"):
        read_guidelines(file)


def test_scripts_in_guidelines_stay_text(open_campaign: OpenCampaign) -> None:
    store = open_campaign(tasks=1)
    text = '<script>window.hacked=1</script> ![x](javascript:alert(1)) [a](picture:0) "](picture:1)'
    Guidelines(store).set("verify", text, [])
    newest = Guidelines(store).newest(store.campaign("verify"))
    assert newest is not None
    assert newest.text == text
    shown = guidelines_html(newest, str)
    assert shown.count("/guidelines/") == 2
    assert "<script" not in shown
    assert '="javascript' not in shown


def test_a_curator_revises_what_is_in_force_and_never_what_came_meanwhile(
    open_campaign: OpenCampaign, tmp_path: Path
) -> None:
    store = open_campaign(tasks=1)
    known = Guidelines(store)
    for name in ("good", "bad"):
        Image.fromarray(np.full((20, 30, 3), 90 if name == "good" else 200, np.uint8)).save(tmp_path / f"{name}.png")
    (tmp_path / "told.md").write_text("First ![good](good.png), then ![bad](bad.png).", encoding="utf-8")
    known.set("verify", *read_guidelines(tmp_path / "told.md"))
    bad = picture_of(store, "verify", 1)
    version = revise_guidelines(
        store, "verify", "Only ![bad](picture:1), twice: ![bad](picture:1).", based_on=1, by="cur"
    )
    assert version == 2
    newest = known.newest(store.campaign("verify"))
    assert newest is not None
    assert (newest.text, newest.origin) == ("Only ![bad](picture:0), twice: ![bad](picture:0).", "curator")
    assert (picture_of(store, "verify", 0), picture_of(store, "verify", 1)) == (bad, None)
    with store.reading() as connection:
        acts = connection.execute(sa.select(audit_log.c.actor).where(audit_log.c.act == "guidelines_written")).scalars()
        assert list(acts)[-1] == "cur"
    with pytest.raises(StaleError, match="have changed since version 1"):
        revise_guidelines(store, "verify", "Mine.", based_on=1, by="dot")
    for wrong in ("![bad](picture:1)", "![](picture:0)", "![a](https://example.org/a.png)", " ", "x" * 70_000, "a\0b"):
        with pytest.raises(RefusedError):
            revise_guidelines(store, "verify", wrong, based_on=2, by="cur")
    assert len(known.versions(store.campaign("verify"))) == 2


def picture_of(store: ReviewStore, campaign: str, place: int) -> bytes | None:
    """Return the bytes of a picture of the newest version."""
    newest = Guidelines(store).newest(store.campaign(campaign))
    assert newest is not None
    picture = Guidelines(store).picture(newest.id, place)
    return None if picture is None else picture.data


def test_agreement_is_told_by_the_version_that_decisions_followed(open_campaign: OpenCampaign, now: datetime) -> None:
    store = open_campaign(tasks=3)
    first, second, third = store.tasks("verify")
    known = Guidelines(store)
    known.set("verify", "Look once.", [])
    for name in ("ann", "ben"):
        store.decide("verify", first.id, name, Submission("accept"), now=now)
    store.decide("verify", second.id, "ann", Submission("accept"), now=now)
    known.set("verify", "Look twice.", [])
    store.decide("verify", second.id, "ben", Submission("accept"), now=now)
    store.decide("verify", third.id, "ann", Submission("accept"), now=now)
    store.decide("verify", third.id, "ben", Submission("reject", reasons=("unclear",)), now=now)
    campaign = store.campaign("verify")
    overview = Overview(store, campaign)
    labels = overview.label_columns(label_fields_of(campaign)[0])
    groups = overview.agreement_by("guidelines", labels, resamples=0)
    assert [(group.name, group.agreement.percent) for group in groups] == [("1", 1.0), ("1, 2", 1.0), ("2", 0.0)]
