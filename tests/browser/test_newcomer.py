"""From a folder and a spreadsheet to a published release, by a curator with only a browser.

- The newcomer's path: dialogue, two invited annotators, a lazy one who is paused, the rule changed in place with its
  effect shown, the run completed, the release frozen and published.
- Typed text survives reload, back and forward; a keyboard is enough; axe finds nothing, in both languages.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browser.axe import NOTHING, findings, findings_by_theme
from browser.review_site import ReviewSite, add_accounts, next_slot, slot_on_screen
from browser.widths import unreached
from openpyxl import Workbook
from servers import serving
from walks import command, make_photographs

from benchwright.recipe import load_recipe
from benchwright.release import Release

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

RUN_MS = 120_000
PHOTOGRAPHS = 16
LOOK_MS = 1500
"""What a careful person takes at least; see `forms.shortest_time`."""
CHECK = "only checks that you read the questions"
PAUSED = "is paused until a curator has looked"
CARD = """() => {
  const roots = [...document.querySelectorAll("*")].map((one) => one.shadowRoot).filter(Boolean);
  return roots.map((root) => root.querySelector(".card")).find(Boolean).innerText;
}"""
NEXT_OR_PAUSED = """before => {
  if (document.body.innerText.includes("is paused until a curator has looked")) return true;
  const roots = [...document.querySelectorAll("*")].map((element) => element.shadowRoot).filter(Boolean);
  const card = roots.map((root) => root.querySelector(".card")).find(Boolean);
  return card && card.dataset.slot !== String(before) && card.getAttribute("aria-busy") === "false";
}"""
FOCUSED = "() => document.activeElement.id || document.activeElement.innerText || document.activeElement.name"
Opened = Callable[..., "Page"]


@pytest.fixture
def site(tmp_path: Path) -> Iterator[ReviewSite]:
    """The app over a missing workspace, with folders for sources and for publishing."""
    photographs = tmp_path / "given" / "photographs"
    make_photographs(photographs, count=PHOTOGRAPHS)
    (photographs / "again.png").unlink()
    (tmp_path / "published").mkdir()
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["image", "question", "A", "B", "C", "answer"])
    for number, path in enumerate(sorted(photographs.iterdir())):
        sheet.append([path.name, f"What is in picture {number}?", "a cup", "a street", "a bridge", "ABC"[number % 3]])
    book.save(tmp_path / "questions.xlsx")
    workspace = tmp_path / "workspace"
    places = ("--sources", tmp_path / "given", "--publish-to", tmp_path / "published")
    words = ("review", "serve", "--workspace", workspace, *places)
    with serving(
        lambda port: command(*words, "--port", port), log=tmp_path / "server.log", health="/login"
    ) as server:  # fmt: skip
        add_accounts(workspace)
        yield ReviewSite(server, workspace)


def press(page: Page, words: str) -> None:
    """Press a button of a page with our own route, and wait for the next page."""
    with page.expect_navigation():
        page.get_by_role("button", name=words, exact=True).click()


def fill_in(page: Page, site: ReviewSite) -> None:
    """Go through the dialogue up to its last step."""
    page.fill("#name", "pictures")
    page.set_input_files("#file", site.workspace.parent / "questions.xlsx")
    page.get_by_text("questions.xlsx has arrived.").wait_for()
    page.select_option("#pictures", "given/photographs")
    press(page, "Go on")
    press(page, "Go on")
    page.fill("#people", "dee\nlaz")
    press(page, "Go on")
    press(page, "Go on")


def is_sound(page: Page) -> None:
    """Check that a page fits a telephone, and that axe finds nothing on it."""
    size = page.viewport_size
    page.set_viewport_size({"width": 390, "height": 844})
    assert unreached(page) == [], page.url
    assert findings(page) == [], page.url
    if size is not None:
        page.set_viewport_size(size)


def run_ends(page: Page) -> None:
    """Wait until the command that works has ended well."""
    page.get_by_text(re.compile("(Run|Release|Publishing): done")).wait_for(timeout=RUN_MS)


def begins(page: Page, link: str, campaign: str) -> None:
    """Accept an invitation, and go to the work."""
    page.goto(link)
    for field in ("password", "again"):
        page.fill(f"#{field}", "somebody's long password")
    page.click("button")
    page.goto(f"{link.partition('/welcome')[0]}/?campaign={campaign}")


def decides(page: Page, *, is_lazy: bool) -> None:
    """Decide task after task until nothing is left: with a look at each, or always alike until that is stopped."""
    slot: int | None = slot_on_screen(page)
    while slot is not None:
        if is_lazy:
            page.keyboard.press("y")
            page.wait_for_function(NEXT_OR_PAUSED, arg=slot)
            if page.get_by_text(PAUSED).count():
                return
            slot = slot_on_screen(page)
            continue
        page.wait_for_timeout(LOOK_MS)
        if CHECK in page.evaluate(CARD):
            page.keyboard.press("1")  # a rejection names a reason
            page.keyboard.press("x")
        else:
            page.keyboard.press("y")
        slot = next_slot(page, slot)


def test_a_newcomer_goes_from_a_folder_and_a_spreadsheet_to_a_published_release(
    site: ReviewSite, curator: Opened, new_context: Callable[..., BrowserContext]
) -> None:
    page = curator("/")
    page.get_by_role("link", name="New benchmark").click()
    page.wait_for_url("**/new-benchmark/source")
    fill_in(page, site)
    is_sound(page)
    facts = page.locator("dl").inner_text()
    assert "16" in facts
    assert "USD" in facts
    assert "rule: unanimous(2)" in page.locator("pre").inner_text()
    press(page, "Open the benchmark")
    run_ends(page)
    links = dict(
        zip(page.locator("tbody th").all_inner_texts(), page.locator("tbody code").all_inner_texts(), strict=True)
    )
    assert list(links) == ["dee", "laz"]
    is_sound(page)
    page.goto(f"{site.url}/recipe")
    is_sound(page)
    page.get_by_role("link", name="Change: Verify").click()
    is_sound(page)
    page.fill("#attention_rate", "0.2")
    press(page, "See the effect")
    is_sound(page)
    press(page, "Apply")
    press(page, "Run the recipe")
    run_ends(page)
    careful, lazy = new_context().new_page(), new_context().new_page()
    begins(careful, links["dee"], "verify")
    decides(careful, is_lazy=False)
    begins(lazy, links["laz"], "verify")
    decides(lazy, is_lazy=True)
    lazy.goto(f"{site.url}/?campaign=verify")
    lazy.get_by_text(PAUSED).wait_for()
    page.goto(f"{site.url}/recipe/step?entry=verify&votes=1&agree=1")
    press(page, "See the effect")
    assert "Votes still needed: 0" in page.inner_text("main")
    press(page, "Apply")
    press(page, "Run the recipe")
    run_ends(page)
    page.goto(f"{site.url}/publish")
    page.fill("#version", "1.0")
    press(page, "Freeze a release")
    run_ends(page)
    is_sound(page)
    press(page, "Publish a release")
    run_ends(page)
    published = Release.open(site.workspace.parent / "published" / "pictures-1.0")
    assert (published.version, len(published)) == ("1.0", PHOTOGRAPHS)
    answer = page.request.get(site.url + str(page.get_by_role("link", name="Download release").get_attribute("href")))
    assert (answer.status, answer.body()[:2]) == (200, b"PK")
    assert "verify" in dict(load_recipe(site.workspace / "recipes" / "pictures.yaml").steps)


def test_what_was_typed_survives_reload_back_and_forward_and_mistakes_are_named_at_their_field(
    site: ReviewSite, curator: Opened
) -> None:
    page = curator("/new-benchmark")
    with page.expect_response(lambda response: response.url.endswith("/draft")):
        page.locator("#name").press_sequentially("My Bench", delay=5)
    page.reload()
    assert page.input_value("#name") == "My Bench"
    press(page, "Go on")
    assert page.get_attribute("#name", "aria-invalid") == "true"
    assert page.evaluate("document.activeElement.id") == "name"
    assert "lowercase letters" in page.inner_text("#name-problem")
    page.fill("#name", "my-bench")
    page.check("input[value=folders]")
    assert page.is_hidden("#table")
    page.select_option("#folder", "given/photographs")
    page.fill("#question", "Which piece is shown?")
    press(page, "Go on")
    page.fill("#guidelines", "Look at **all** of it.")
    press(page, "Go on")
    page.go_back()
    assert page.input_value("#guidelines") == "Look at **all** of it."
    page.go_forward()
    page.wait_for_url("**/people")
    page.goto(f"{site.url}/new-benchmark/check")
    page.get_by_role("alert").get_by_text("folders with photographs in").wait_for()


def test_a_keyboard_is_enough(site: ReviewSite, curator: Opened) -> None:
    page = curator("/new-benchmark")

    def go_to(name: str) -> None:
        for _ in range(40):
            if page.evaluate(FOCUSED) == name:
                return
            page.keyboard.press("Tab")
        raise AssertionError(f"{name} is not reached: {page.evaluate(FOCUSED)}")

    go_to("name")
    page.keyboard.type("pieces")
    go_to("source")
    for _ in range(5):  # from a table to items that are made of photographs
        page.keyboard.press("ArrowDown")
    go_to("folder")
    page.keyboard.type("given/photographs")
    page.keyboard.press("Tab")
    for step in ("question", "people", "care", "check"):
        go_to("Go on")
        page.keyboard.press("Enter")
        page.wait_for_url(f"**/{step}")
    assert "jigsaw" in page.locator("pre").inner_text()


WIDTHS = (390, 768, 1366, 1920)


@pytest.mark.parametrize("language", ["en", "ar"])
def test_every_page_is_usable_at_every_width_and_axe_finds_nothing(
    site: ReviewSite, curator: Opened, language: str
) -> None:
    page = curator("/new-benchmark")
    if language == "ar":
        page.goto(f"{site.url}/language?to=ar")
        page.goto(f"{site.url}/new-benchmark")
        assert page.get_attribute("html", "dir") == "rtl"
    paths = [f"/new-benchmark/{step}" for step in ("source", "question", "people", "care")] + ["/recipe", "/publish"]
    for path in paths:
        page.goto(site.url + path)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 800})
            assert unreached(page) == [], (path, width)
        assert findings_by_theme(page) == NOTHING, path
