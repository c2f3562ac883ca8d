"""A day of difficult pictures: strips, a hundred megapixels, animation, transparency, long, odd and hostile texts.

A curator sends fifty photographs over a line that is cut in the middle, and each arrives. At phone, tablet, notebook
and wide screens, in both languages and at twice the size: every picture loads, each task begins at its top, no page
exceeds its width, no text becomes markup, and the store has every typed note.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pytest
from browser.review_site import ReviewSite, add_account, serve, slot_on_screen
from PIL import Image

from benchwright.annotation.campaigns.verify import Verify
from benchwright.annotation.store.review_store import open_store
from benchwright.pipeline import run_recipe
from benchwright.recipe import parse_recipe
from benchwright.records import Choice, Item
from benchwright.steps import CampaignContext

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

pytestmark = pytest.mark.slow

HOSTILE = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>'
QUESTIONS = {
    "strip": "Which panel of the strip shows the storm? " + "Look at every panel. " * 900,
    "megapixels": "How many squares are in the top row?",
    "animation": "What does the first frame show? 👩🏽‍🚀🏳️‍🌈",
    "transparent": "ما لون الشكل الذي في الوسط؟",
    "small": f"Is this a picture? {HOSTILE}",
}
"""Questions by the picture that they are about; the first has some 19,000 characters."""
NOTE = "👍🏽 نعم <b>no</b> Straße 「二」"
PASSWORD = "a password for a long day"
PHOTOGRAPHS = 50


class Day(NamedTuple):
    """One annotator's window: width and height in CSS pixels, language, and the scale of the page."""

    name: str
    width: int
    height: int
    language: str = "en"
    scale: float = 1.0


DAYS = (
    Day("phone", 390, 844), Day("tablet", 768, 1024, "ar"), Day("notebook", 1366, 768), Day("wide", 1920, 1080, "ar"),
    Day("doubled", 640, 400, scale=2.0),
)  # fmt: skip


def make_pictures(folder: Path) -> None:
    """Write a picture of each kind."""
    folder.mkdir()
    rng = np.random.default_rng(7)
    noise = Image.fromarray(rng.integers(0, 255, (60, 8, 3), np.uint8))
    noise.resize((800, 6000), Image.Resampling.NEAREST).save(folder / "strip.jpg", quality=70)
    squares = Image.fromarray(rng.integers(0, 255, (9, 12, 3), np.uint8))
    squares.resize((12_000, 8_300), Image.Resampling.NEAREST).save(folder / "megapixels.jpg", quality=30)
    frames = [Image.new("RGB", (320, 240), color) for color in ("teal", "maroon", "gold")]
    frames[0].save(folder / "animation.gif", save_all=True, append_images=frames[1:], duration=200, loop=0)
    shape = np.zeros((240, 320, 4), np.uint8)
    shape[80:160, 100:220] = (200, 30, 30, 255)
    Image.fromarray(shape).save(folder / "transparent.png")
    Image.new("RGB", (65, 64), "navy").save(folder / "small.png")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    folder = tmp_path_factory.mktemp("hard")
    make_pictures(folder / "pictures")
    recipe = parse_recipe("name: hard\nseed: 1\nsteps:\n  - step: exact_duplicates\n", "recipe.yaml", folder=folder)
    done = run_recipe(recipe, workspace=folder / "workspace", images=folder / "pictures", workers=1)
    images = {Path(image.source.uri).stem: image.image_id for image in done.images() if image.source is not None}
    url = f"sqlite:///{done.workspace}/review.sqlite"
    items = [
        Item.model_validate({
            "item_id": name.encode().hex().ljust(32, "0"), "task": "reading", "kind": "multiple_choice",
            "question": question, "images": [{"image_id": images[name], "role": "view"}],
            "root_image_id": images[name], "operation_id": "0" * 32, "made_from": images[name], "answer": "B",
            "choices": [Choice(key=key, text=f"{HOSTILE} option {key} " * 3) for key in "ABCDEF"],
        })
        for name, question in QUESTIONS.items()
    ]  # fmt: skip
    context = CampaignContext(seed=1, stage="verify", workspace=done.workspace, store_url=url)
    Verify(rule=f"unanimous({len(DAYS)})").advance(items, context)
    for day in DAYS:
        add_account(done.workspace, day.name, PASSWORD)
    add_account(done.workspace, "cur", PASSWORD, role="curator")
    with serve(done.workspace) as running:
        yield running


@pytest.mark.parametrize("day", DAYS, ids=lambda day: day.name)
def test_a_hard_day_loses_nothing(site: ReviewSite, new_context: Callable[..., BrowserContext], day: Day) -> None:
    page = new_context(
        viewport={"width": day.width, "height": day.height},
        device_scale_factor=day.scale,
        locale=day.language,
    ).new_page()
    page.goto(site.url)
    page.fill("#name", day.name)
    page.fill("#password", PASSWORD)
    page.click("button[type=submit]")
    for _ in QUESTIONS:
        decide(page, slot_on_screen(page))
    with open_store(f"sqlite:///{site.workspace / 'review.sqlite'}") as store:
        notes = [each.note for each in store.decisions("verify") if each.annotator == day.name]
    assert notes == [NOTE] * len(QUESTIONS)


def test_fifty_photographs_are_sent_over_a_line_that_is_cut(
    site: ReviewSite, new_context: Callable[..., BrowserContext], tmp_path: Path
) -> None:
    rng = np.random.default_rng(5)
    for number in range(PHOTOGRAPHS):
        noise = rng.integers(0, 255, (150, 200, 3), np.uint8)
        Image.fromarray(noise).save(tmp_path / f"photo {number:02}.jpg", quality=95)
    (tmp_path / "notes.jpg").write_text("no picture", encoding="utf-8")
    context = new_context(viewport={"width": 390, "height": 844})
    page = context.new_page()
    page.goto(f"{site.url}/send-photographs")
    page.fill("#name", "cur")
    page.fill("#password", PASSWORD)
    page.click("button[type=submit]")
    page.fill("#folder", "my holiday")

    page.set_input_files("#send_files", sorted(tmp_path.iterdir()))
    words = page.locator("#send-words")
    page.wait_for_function("() => document.querySelector('progress').value >= 20", timeout=60_000)
    context.set_offline(True)
    words.get_by_text("No connection").wait_for()
    page.wait_for_timeout(2500)  # longer than the first waits
    kept = site.workspace / "sent-photographs" / "my holiday"
    assert 20 <= len(list(kept.iterdir())) < PHOTOGRAPHS
    context.set_offline(False)
    words.get_by_text(f"{PHOTOGRAPHS} of {PHOTOGRAPHS + 1} photographs have arrived").wait_for(timeout=60_000)
    assert "Left out: 1." in words.inner_text()
    assert "notes.jpg" in page.locator(".left-out li").inner_text()
    sent = {path.name: path.read_bytes() for path in tmp_path.glob("photo *.jpg")}
    assert {path.name: path.read_bytes() for path in kept.iterdir()} == sent


def decide(page: Page, slot: int) -> None:
    """Look at a task, type a note and reject it, once its pictures are there."""
    page.wait_for_function(
        """() => {
          const roots = [...document.querySelectorAll("*")].map((element) => element.shadowRoot).filter(Boolean);
          const images = roots.flatMap((root) => [...root.querySelectorAll(".pictures img")]);
          return images.length > 0 && images.every((image) => image.complete && image.naturalWidth > 8);
        }""",
        timeout=30_000,
    )
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth + 1"), "the page runs over its side"
    assert page.evaluate("window.hacked") is None
    assert page.locator(".card .question").evaluate("(question) => question.getBoundingClientRect().top >= 0"), (
        "the question begins above what is seen"
    )
    page.keyboard.press("1")
    page.keyboard.press("n")
    page.keyboard.insert_text(NOTE)
    page.keyboard.press("Escape")
    page.keyboard.press("x")
    page.wait_for_function(
        """before => {
          const roots = [...document.querySelectorAll("*")].map((element) => element.shadowRoot).filter(Boolean);
          const card = roots.map((root) => root.querySelector(".card")).find(Boolean);
          const isWaiting = ([place, events]) => place.startsWith("benchwright-outbox") && events !== "[]";
          return !Object.entries(sessionStorage).some(isWaiting) && (!card || card.dataset.slot !== String(before));
        }""",
        arg=slot,
        timeout=30_000,
    )
