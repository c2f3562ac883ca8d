"""The example picture of a field's instructions: a file in the recipe's folder, stored, guarded, shown and enlarged.

- Annotators of the campaign see it, small on the card and large in a window, by mouse, by touch and by keys.
- Other accounts do not, and its path serves examples only; the file is sent without camera metadata.
- A recipe that names a missing picture is refused with a message.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browser.axe import findings
from browser.marking_site import click, open_task, save_photograph
from browser.review_site import ReviewSite, add_accounts, serve, sign_in
from picture_copies import photograph
from PIL import Image

from benchwright.annotation.store.accounts.campaign_access import AccessControl
from benchwright.annotation.store.review_store import open_store
from benchwright.errors import BenchwrightError
from benchwright.pipeline import run_recipe
from benchwright.recipe import parse_recipe
from benchwright.workspace.store_place import settle_store

if TYPE_CHECKING:
    from playwright.sync_api import APIResponse, BrowserContext, Page

pytestmark = pytest.mark.thorough

SIZE = (900, 600)
WORDS = "A cup with an outline along its rim"
RECIPE = """
name: marks
seed: 3
steps:
  - step: mark
    rule: majority(3)
    fields:
      - {name: cups, label: Cups, shape: point, instructions: Mark the middle of each cup., example: shown/cup.jpg,
         example_words: "A cup with an outline along its rim"}
      - {name: plates, label: Plates, shape: box, example: shown/cup.jpg}
      - {name: spoons, label: Spoons, shape: box, min_count: 0}
"""


def save_example(path: Path) -> None:
    """Save a photograph with a note of the camera in it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    exif = Image.Exif()
    exif[0x010F] = "a secret camera"
    photograph("coffee").convert("RGB").resize((700, 460)).save(path, exif=exif)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    folder = tmp_path_factory.mktemp("examples")
    save_photograph(folder / "photographs" / "coffee.jpg", SIZE, "coffee")
    save_example(folder / "shown" / "cup.jpg")
    done = run_recipe(
        parse_recipe(RECIPE, "recipe.yaml", folder=folder), workspace=folder / "workspace",
        images=folder / "photographs", workers=1,
    )  # fmt: skip
    (folder / "shown" / "cup.jpg").unlink()  # the workspace has its own
    add_accounts(done.workspace)
    with serve(done.workspace) as running:
        yield running


def example_of(page: Page, site: ReviewSite, name: str, campaign: int = 1) -> APIResponse:
    return page.context.request.get(f"{site.url}/campaigns/{campaign}/examples/{name}", max_redirects=0)


def test_the_example_is_shown_with_its_words_and_enlarged_by_mouse_and_keys(site: ReviewSite, page: Page) -> None:
    open_task(page, site, "mark")
    small = page.locator("[data-field=cups] .example img")
    small.wait_for()
    page.wait_for_function("(image) => image.naturalWidth > 0", arg=small.element_handle())
    assert small.get_attribute("alt") == WORDS
    assert page.locator("[data-field=plates] .example img").get_attribute("alt") == "An example of Plates"
    assert page.locator("[data-field=spoons] .example").count() == 0
    page.get_by_role("button", name=WORDS).click()
    large = page.get_by_role("dialog").get_by_role("img", name=WORDS)
    large.wait_for()
    width = (large.bounding_box() or {})["width"]
    assert width > 2 * (small.bounding_box() or {})["width"]
    page.keyboard.press("2")  # no key of the card does anything behind it
    assert findings(page) == []
    page.keyboard.press("Escape")
    page.locator("dialog.example-large").wait_for(state="detached")
    page.get_by_role("button", name=WORDS).focus()
    page.keyboard.press("Enter")
    large.wait_for()
    page.get_by_role("dialog").get_by_role("button", name="Close").click()
    page.locator("dialog.example-large").wait_for(state="detached")
    assert page.locator(".reason[aria-pressed=true]", has_text="Nothing to mark").count() == 0
    click(page, 400, 300, size=SIZE)
    page.locator("[data-field=cups] .mark-row").wait_for()


def test_the_example_is_enlarged_by_touch_on_a_telephone(
    site: ReviewSite, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True).new_page()
    open_task(page, site, "mark", name="ben")
    page.get_by_role("button", name=WORDS).tap()
    large = page.get_by_role("dialog").get_by_role("img", name=WORDS)
    large.wait_for()
    box = large.bounding_box() or {}
    assert 300 < box["width"] <= 390
    assert box["x"] >= 0
    large.tap()
    page.locator("dialog.example-large").wait_for(state="detached")


def test_nobody_gets_an_example_who_may_not_decide_there_and_nothing_else_comes_by_its_path(
    site: ReviewSite, page: Page, new_context: Callable[..., BrowserContext]
) -> None:
    stranger = new_context().new_page()
    assert example_of(stranger, site, "cups").status in {303, 401}
    sign_in(page, site, "ann", path="/home")
    sent = example_of(page, site, "cups")
    assert sent.status == 200
    assert sent.headers["content-type"].startswith("image/")
    assert b"secret camera" not in sent.body()
    with Image.open(io.BytesIO(sent.body())) as shown:
        assert shown.size == (700, 460)
    for name in ("spoons", "nothing", "..%2Fcups", "%00", "0" * 64):
        assert example_of(page, site, name).status in {400, 404}
    for campaign in (2, 10**30):
        assert example_of(page, site, "cups", campaign).status == 404
    with open_store(settle_store(site.workspace)) as store:
        AccessControl(store).assign("mark", ["ben"])
        try:
            assert example_of(page, site, "cups").status == 404
            curator = new_context().new_page()
            sign_in(curator, site, "cur", path="/home")
            assert example_of(curator, site, "cups").status == 200
        finally:
            AccessControl(store).open_to_everybody("mark")


@pytest.mark.parametrize("example", ["shown/nothing.jpg", "shown/text.jpg", "../outside.jpg", "/etc/hostname"])
def test_a_recipe_that_names_no_picture_beside_it_is_refused(tmp_path: Path, example: str) -> None:
    folder = tmp_path / "recipe"
    save_example(tmp_path / "outside.jpg")
    (folder / "shown").mkdir(parents=True)
    (folder / "shown" / "text.jpg").write_text("no picture", encoding="utf-8")
    with pytest.raises(BenchwrightError, match="the example of field 'cups' is not a picture in the recipe's folder"):
        parse_recipe(RECIPE.replace("shown/cup.jpg", example), "recipe.yaml", folder=folder)
