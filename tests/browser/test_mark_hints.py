"""Annotators give helpers hints: real GrabCut and SAM in Chromium, by mouse, by touch and by keys alone.

- Strokes on the thing and on its surroundings, and a box around it, run the helper again, each time with all.
- Undo removes a stroke, and the proposal with it; an accepted mark is stored with its proposal.
- Every kind of hint differs by sign or dash, not only by color.
- Drawing by hand continues whatever a helper does.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from itertools import groupby
from typing import TYPE_CHECKING, Any

import pytest
from browser.axe import NOTHING, findings_by_theme
from browser.marking_site import (
    Fingers,
    click,
    draw,
    field,
    on_screen,
    open_marking,
    open_task,
    save_photograph,
    stored,
    submit,
)
from browser.review_site import ReviewSite, serve
from tiny_sam import make_checkpoint

from benchwright.records import MaskRuns
from benchwright.regions import grid_of

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page, Request, Route

pytestmark = pytest.mark.thorough

SIZE = (900, 600)
CUP, SAUCER, TABLE = (430, 230), (640, 470), (60, 560)
CAMPAIGNS = {name: [field("mask")] for name in ("mouse", "touch", "keys", "undone", "beside", "turned", "legend")} | {
    "outline": [field("polygon"), field("point")]
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    folder = tmp_path_factory.mktemp("hinted")
    save_photograph(folder / "photographs" / "coffee.jpg", SIZE, "coffee")
    with serve(open_marking(folder, CAMPAIGNS)) as running:
        yield running


class Asked:
    """A page's requests to helpers, in order."""

    def __init__(self, page: Page) -> None:
        self.hints: list[dict[str, Any]] = []
        page.on("request", self._keep)

    def _keep(self, request: Request) -> None:
        if request.method == "POST" and "/helpers/" in request.url:
            self.hints.append(json.loads(request.post_data or "null"))

    def counts(self) -> list[tuple[int, int]]:
        """Return how many strokes inside and outside each quick request had; one that was sent again counts once."""
        quick = [hints for hints, _ in groupby(hints for hints in self.hints if not hints["refine"])]
        return [(len(hints["inside"]), len(hints.get("outside", ()))) for hints in quick]


def helpers_are_there(page: Page) -> None:
    page.locator(".mark-helpers button").first.wait_for()


def is_answered(page: Page, *, strokes: int) -> None:
    """Wait until so many strokes lie on the picture and the helper has answered them."""
    page.wait_for_function(
        "(count) => { const root = [...document.querySelectorAll('*')].map((each) => each.shadowRoot)"
        ".find((each) => each?.querySelector('.card')); return root.querySelectorAll('.lines .hint-disc').length === count"
        " && /proposes|finds nothing/.test(root.querySelector('.mark-helpers [role=status]').textContent); }",
        arg=strokes,
    )


def show_cup_without_saucer(page: Page) -> None:
    """Click on what belongs to the thing, and on what does not, and wait for the answer to each."""
    page.keyboard.press("p")
    click(page, *CUP, size=SIZE)
    is_answered(page, strokes=1)
    page.keyboard.press("r")
    click(page, *SAUCER, size=SIZE)
    is_answered(page, strokes=2)


def cells_of(fields: dict[str, Any]) -> Any:
    [mask] = fields["mask"]
    return grid_of(MaskRuns.model_validate(mask["mask"]))


def test_strokes_by_mouse_ask_again_with_all_of_them_and_what_is_accepted_follows_them(
    site: ReviewSite, page: Page
) -> None:
    asked = Asked(page)
    open_task(page, site, "mouse")
    helpers_are_there(page)
    page.get_by_role("button", name="Belongs to it").click()
    draw(page, (CUP[0] - 60, CUP[1]), (CUP[0] + 60, CUP[1] + 20), size=SIZE)
    is_answered(page, strokes=1)
    page.get_by_role("button", name="Does not belong").click()
    draw(page, TABLE, (TABLE[0] + 200, TABLE[1] + 10), size=SIZE)
    is_answered(page, strokes=2)
    page.get_by_role("button", name="Around it").click()
    draw(page, (150, 60), (800, 540), size=SIZE)
    page.locator(".lines .hint-box").wait_for()
    page.locator(".suggestions .mark-row").wait_for()
    is_answered(page, strokes=2)
    assert asked.counts() == [(1, 0), (1, 1), (1, 1)]
    box = asked.hints[-1]["box"]
    assert all(abs(side - wanted) < 3 for side, wanted in zip(box, (150, 60, 800, 540), strict=True))
    page.locator(".suggestions").get_by_role("button", name="Accept").click()
    page.locator("[data-field=mask] .mark-row").wait_for()
    assert page.locator(".lines :is(.hint, .hint-box)").count() == 0
    submit(page)
    cells = cells_of(stored(site, "mouse"))
    assert cells[CUP[1] + 5, CUP[0]]
    assert not cells[TABLE[1] + 2, TABLE[0] + 40]
    assert not cells[:58].any()
    assert not cells[:, :148].any()


def test_undo_takes_a_stroke_back_and_asks_without_it(site: ReviewSite, page: Page) -> None:
    asked = Asked(page)
    open_task(page, site, "undone")
    helpers_are_there(page)
    show_cup_without_saucer(page)
    page.keyboard.press("Control+z")
    is_answered(page, strokes=1)
    assert asked.counts() == [(1, 0), (1, 1), (1, 0)]
    page.keyboard.press("Control+z")
    page.locator(".suggestions .mark-row").wait_for(state="detached")
    assert page.locator(".lines .hint-disc").count() == 0
    page.keyboard.press("Control+y")
    is_answered(page, strokes=1)
    page.locator(".suggestions .mark-row").wait_for()
    page.keyboard.press("j")
    page.locator("[data-field=mask] .mark-row").wait_for()
    page.keyboard.press("Control+z")  # the acceptance is undone: its strokes are there again, and so is a proposal
    is_answered(page, strokes=1)
    page.locator(".suggestions .mark-row").wait_for()
    assert page.locator("[data-field=mask] .mark-row").count() == 0
    page.get_by_role("button", name="Clear", exact=True).click()
    page.locator(".suggestions .mark-row").wait_for(state="detached")
    assert page.locator(".lines .hint-disc").count() == 0


def test_a_thing_is_shown_and_accepted_by_keys_alone(site: ReviewSite, page: Page) -> None:
    asked = Asked(page)
    open_task(page, site, "keys")
    helpers_are_there(page)
    press = page.keyboard.press
    press("k")  # the crosshair, in the middle
    press("p")
    press("Space")
    for _ in range(4):
        press("Shift+ArrowLeft")
    press("Space")
    is_answered(page, strokes=1)
    press("r")
    for _ in range(25):
        press("Shift+ArrowDown")
    press("Space")
    press("Space")
    is_answered(page, strokes=2)
    assert asked.counts() == [(1, 0), (1, 1)]
    [[[first, *_, last]], [[outside]]] = asked.hints[-1]["inside"], asked.hints[-1]["outside"]
    assert (first, last) == ([450.5, 300.5], [410.5, 300.5])
    assert outside == [410.5, 550.5]
    press("j")
    page.locator("[data-field=mask] .mark-row").wait_for()
    assert page.locator(".hint-tools [aria-pressed=true]").count() == 0
    submit(page)
    cells = cells_of(stored(site, "keys"))
    assert cells[300, 430]
    assert not cells[550, 410]


def test_strokes_and_clicks_by_touch_on_a_telephone(
    site: ReviewSite, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True).new_page()
    asked = Asked(page)
    open_task(page, site, "touch")
    helpers_are_there(page)
    finger = Fingers(page)
    page.get_by_role("button", name="Belongs to it").tap()
    finger.drag((CUP[0] - 80, CUP[1]), (CUP[0] + 80, CUP[1] + 10), size=SIZE)
    is_answered(page, strokes=1)
    page.get_by_role("button", name="Does not belong").tap()
    finger.drag((60, 540), (300, 560), size=SIZE)
    is_answered(page, strokes=2)
    assert asked.counts() == [(1, 0), (1, 1)]
    page.locator(".hint-tools").get_by_role("button", name="Accept").tap()
    page.locator("[data-field=mask] .mark-row").wait_for()
    page.get_by_role("button", name="Done").tap()
    page.get_by_text("All done").wait_for()
    cells = cells_of(stored(site, "touch"))
    assert cells[CUP[1] + 5, CUP[0]]
    assert not cells[550, 180]


def test_drawing_goes_on_while_a_helper_does_not_answer(site: ReviewSite, page: Page) -> None:
    held: list[Route] = []

    def hold_back(route: Route) -> None:
        held.append(route)

    page.route("**/helpers/grabcut", hold_back)
    open_task(page, site, "beside")
    helpers_are_there(page)
    page.keyboard.press("p")
    for x in (300, 400, 500):
        click(page, x, 200, size=SIZE)
    assert page.locator(".lines .hint-disc").count() == 3
    page.keyboard.press("Escape")
    draw(page, (300, 150), (500, 160), size=SIZE)
    page.locator("[data-field=mask] .mark-row").wait_for()
    assert len(held) == 3
    for route in held:
        route.abort()
    page.get_by_role("button", name="Clear", exact=True).click()
    submit(page)
    assert cells_of(stored(site, "beside"))[155, 400]


def test_the_newest_question_is_answered_though_an_older_one_reaches_the_server_after_it(
    site: ReviewSite, page: Page
) -> None:
    asked = Asked(page)
    held: list[Route] = []

    def turn_round(route: Route) -> None:
        hints = json.loads(route.request.post_data or "null")
        if hints["refine"] and not hints["outside"] and not held:
            held.append(route)
            return
        route.continue_()
        if hints["outside"] and not hints["refine"] and len(held) == 1:
            held[0].continue_()
            held.append(route)

    page.route("**/helpers/grabcut", turn_round)
    open_task(page, site, "turned")
    helpers_are_there(page)
    show_cup_without_saucer(page)
    assert {len(hints["outside"]) for hints in asked.hints} == {0, 1}
    page.locator(".suggestions .mark-row").wait_for()


def test_the_legend_tells_hints_apart_without_colours_and_keys_are_on_the_sheet(site: ReviewSite, page: Page) -> None:
    open_task(page, site, "legend")
    helpers_are_there(page)
    shapes = page.locator(".hint-tools .button .mark-swatch").evaluate_all(
        "(all) => all.map((image) => [...image.querySelectorAll('path, rect')].map((part) => "
        "[part.getAttribute('d'), part.getAttribute('stroke-dasharray')].join()).join())"
    )
    assert len(set(shapes)) == 3
    page.keyboard.press("p")
    assert page.get_by_role("button", name="Belongs to it").get_attribute("aria-pressed") == "true"
    page.keyboard.press("p")
    assert page.locator(".hint-tools [aria-pressed=true]").count() == 0
    page.keyboard.press("?")
    for words in (
        "Show helpers a point that belongs to it",
        "Show helpers a point that does not belong to it",
        "Draw a box around it",
    ):
        page.locator("dialog[open]").get_by_text(words).wait_for()
    page.keyboard.press("Escape")
    assert findings_by_theme(page) == NOTHING


def test_hints_are_offered_only_for_marks_that_a_helper_can_give(site: ReviewSite, page: Page) -> None:
    open_task(page, site, "outline")
    helpers_are_there(page)
    page.locator(".hint-tools").wait_for()
    page.keyboard.press("p")
    draw(page, (CUP[0] - 60, CUP[1]), (CUP[0] + 60, CUP[1] + 20), size=SIZE)
    page.locator(".suggestions .mark-row").wait_for()
    before = on_screen(page, 0, 0, size=SIZE)
    page.get_by_role("button", name="Draw: Point").click()
    hints = page.locator(".hint-tools .button:visible")
    assert hints.count() > 0
    assert all(hints.nth(place).is_disabled() for place in range(hints.count()))
    page.keyboard.press("p")
    assert on_screen(page, 0, 0, size=SIZE) == before  # neither tools nor the picture have moved
    click(page, *CUP, size=SIZE)
    page.locator("[data-field=point] .mark-row").wait_for()


@pytest.fixture(scope="module")
def clicked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    for package in ("torch", "segment_anything"):
        if find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
    folder = tmp_path_factory.mktemp("clicked")
    save_photograph(folder / "photographs" / "coffee.jpg", SIZE, "coffee")
    weights = make_checkpoint(folder / "tiny.pth")
    helpers = ["grabcut", {"name": "sam", "weights": str(weights), "device": "cpu"}]
    with serve(open_marking(folder, {"clicks": [field("mask")]}, helpers=helpers)) as running:
        yield running


def test_segment_anything_is_asked_again_by_clicks_inside_and_outside(clicked: ReviewSite, page: Page) -> None:
    asked = Asked(page)
    open_task(page, clicked, "clicks")
    helpers_are_there(page)
    page.get_by_role("button", name="Segment Anything").click()
    page.locator(".mark-helpers [role=status]", has_text="Segment Anything").wait_for()
    page.locator(".mark-helpers [role=status]", has_text="proposes").or_(
        page.locator(".mark-helpers [role=status]", has_text="finds nothing")
    ).wait_for()
    show_cup_without_saucer(page)
    first, *clicks = [hints for hints, _ in groupby(asked.hints)]
    assert [(len(hints["inside"]), len(hints["outside"])) for hints in clicks] == [(1, 0), (1, 1)]
    assert clicks[0]["box"] == first["box"]  # what the first proposal was made from
    assert all(len(stroke) == 1 for stroke in (*clicks[1]["inside"], *clicks[1]["outside"]))
