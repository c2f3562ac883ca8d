"""Regions are drawn on pictures with mouse, fingers or keys alone, corrected and submitted.

- Boxes, points, outlines and masks on a photograph of twelve megapixels, each at the pixels where they were drawn.
- Strokes are undone and redone, and no drawing key decides anything.
- A reload in the middle loses nothing, not even a half-drawn region.
- A correspondence waits for its partner in the other picture.
- Missing or wrong input is reported before submission.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from browser.marking_site import (
    LABELS,
    LARGE,
    Fingers,
    click,
    draw,
    field,
    on_screen,
    open_marking,
    open_task,
    picture_is_there,
    save_photograph,
    stored,
    submit,
)
from browser.review_site import ReviewSite, serve

from benchwright.annotation.app.marking import SCRIPTS
from benchwright.drawing import mask_of
from benchwright.records import MaskRuns
from benchwright.regions import grid_of

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

OTHER = (1200, 900)
EVERY_SHAPE = [
    field("box", options=LABELS),
    field("point", options=LABELS),
    field("polygon"),
    field("mask", options=LABELS),
]
CAMPAIGNS = {
    "boxes": [field("box", options=LABELS, max_count=3)],
    "free": [field("point", free_label=True)],
    "outlines": [field("polygon")],
    "rows": [field("points", min_count=2)],
    "masks": [field("mask", options=LABELS)],
    "every": EVERY_SHAPE,
    "by_keys": EVERY_SHAPE,
    "by_touch": EVERY_SHAPE,
    "pairs": [field("correspondence")],
    "reloaded": EVERY_SHAPE,
    "nothing": [field("box", options=LABELS)],
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    folder = tmp_path_factory.mktemp("marking")
    save_photograph(folder / "photographs" / "large.jpg")
    save_photograph(folder / "photographs" / "other.jpg", OTHER, "coffee")
    pictures = {name: ["large.jpg"] for name in CAMPAIGNS} | {"pairs": ["large.jpg", "other.jpg"]}
    with serve(open_marking(folder, CAMPAIGNS, pictures=pictures)) as running:
        yield running


def near(points: Any, *expected: tuple[float, float], within: float) -> bool:
    """Return whether points are where they were drawn, to so many pixels of the picture."""
    return len(points) == len(expected) and all(
        abs(x - ex) <= within and abs(y - ey) <= within for (x, y), (ex, ey) in zip(points, expected, strict=True)
    )


def half_a_pixel(page: Page) -> float:
    """Return half a pixel of the screen in pixels of the picture, whose whole width is seen."""
    x0, _ = on_screen(page, 0, 0)
    x1, _ = on_screen(page, LARGE[0], 0)
    return 0.5 * LARGE[0] / (x1 - x0)


def test_a_box_is_drawn_labelled_and_submitted_where_it_was_drawn(site: ReviewSite, page: Page) -> None:
    open_task(page, site, "boxes")
    draw(page, (1500, 300), (2100, 1100))
    page.keyboard.press("2")
    within = half_a_pixel(page)
    submit(page)
    fields = stored(site, "boxes")
    assert fields["marked"] == "marked"
    [box] = fields["box"]
    assert (box["shape"], box["label"]) == ("box", "helmet")
    assert near(box["points"], (1500, 300), (2100, 1100), within=within)


def test_every_shape_is_drawn_corrected_and_submitted_by_mouse(site: ReviewSite, page: Page) -> None:
    open_task(page, site, "every")
    within = half_a_pixel(page)
    draw(page, (1400, 400), (2200, 1200))
    draw(page, (2200, 1200), (2100, 1100))  # its corner
    draw(page, (1400, 800), (1400, 700))  # the handle in the middle of its left side goes sideways only
    page.keyboard.press("f")
    click(page, 3000, 700)
    page.keyboard.press("3")
    click(page, 3300, 600)
    draw(page, (3300, 600), (3200, 500))
    page.keyboard.press("f")
    for x, y in ((400, 400), (1200, 500), (900, 1600)):
        click(page, x, y)
    page.keyboard.press("Enter")
    draw(page, (800, 450), (800, 300))  # one more corner, on its upper side
    page.keyboard.press("f")
    draw(page, (1800, 2000), (2300, 2300))
    page.keyboard.press("e")
    draw(page, (2300, 2300), (2250, 2270))
    submit(page)
    fields = stored(site, "every")
    assert near(fields["box"][0]["points"], (1400, 400), (2100, 1100), within=2 * within)
    assert near([point for one in fields["point"] for point in one["points"]], (3000, 700), (3200, 500), within=within)
    assert [point["label"] for point in fields["point"]] == ["flag", "flag"]
    assert near(fields["polygon"][0]["points"], (400, 400), (800, 300), (1200, 500), (900, 1600), within=2 * within)
    cells = grid_of(MaskRuns.model_validate(fields["mask"][0]["mask"]))
    assert cells.shape == (3000, 4000)
    assert cells[2000, 1800]
    assert not cells[2290, 2290]


def test_every_shape_is_drawn_corrected_and_submitted_by_keys_alone(site: ReviewSite, page: Page) -> None:
    open_task(page, site, "by_keys")
    press = page.keyboard.press
    press("k")  # the crosshair, in the middle: 2000.5, 1500.5
    press("Space")
    _times(press, "Shift+ArrowRight", 30)
    _times(press, "Shift+ArrowDown", 20)
    press("Space")
    press("2")
    press("a")  # its first corner
    _times(press, "ArrowLeft", 3)
    press("Shift+ArrowUp")
    press("f")
    press("k")
    press("Space")
    press("Escape")
    _times(press, "ArrowRight", 2)  # the point that was placed is still selected
    press("f")
    press("k")
    press("Space")
    _times(press, "Shift+ArrowRight", 10)
    press("Space")
    _times(press, "Shift+ArrowDown", 10)
    press("Space")
    press("Enter")
    press("Escape")
    press("i")
    press("ArrowUp")
    press("f")
    press("k")
    press("[")
    press("Space")
    _times(press, "Shift+ArrowRight", 20)
    press("Space")
    press("1")
    submit(page)
    fields = stored(site, "by_keys")
    assert fields["box"] == [{"shape": "box", "points": [[1997.5, 1490.5], [2300.5, 1700.5]], "label": "helmet"}]
    assert fields["point"] == [{"shape": "point", "points": [[2002.5, 1500.5]], "label": "face"}]
    [outline] = fields["polygon"]
    assert outline["points"] == [[2000.5, 1500.5], [2050.5, 1499.5], [2100.5, 1500.5], [2100.5, 1600.5]]
    cells = grid_of(MaskRuns.model_validate(fields["mask"][0]["mask"]))
    assert cells[1500, 2000:2201].all()
    assert cells[1500].sum() == pytest.approx(200 + 2 * 64, abs=2)


def test_caps_lock_leaves_the_keys_of_marking_as_they_are(site: ReviewSite, page: Page) -> None:
    open_task(page, site, "free")
    press = page.keyboard.press
    press("K")  # as with Caps Lock: a capital letter without Shift
    press("Space")
    press("L")
    page.keyboard.type("a knot")
    press("Enter")
    press("ArrowRight")
    submit(page)
    assert stored(site, "free")["point"] == [{"shape": "point", "points": [[2000.5, 1500.5]], "label": "a knot"}]


def _times(press: Callable[[str], None], key: str, count: int) -> None:
    for _ in range(count):
        press(key)


def test_every_shape_is_drawn_and_submitted_by_touch(
    site: ReviewSite, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True).new_page()
    open_task(page, site, "by_touch")
    finger = Fingers(page)
    finger.drag((1500, 300), (2100, 1100))
    page.locator(".region[data-field=box] .labels .reason").nth(2).tap()
    for name, taps in {"point": [(3000, 700)], "polygon": [(400, 400), (1200, 500), (900, 1600)]}.items():
        page.get_by_role("button", name=f"Draw: {name.capitalize()}").tap()
        for place in taps:
            page.touchscreen.tap(*on_screen(page, *place))
    page.get_by_role("button", name="Finish").tap()
    page.locator(".region[data-field=mask] .labels .reason").first.tap()
    finger.drag((1800, 2000), (2300, 2300))
    page.locator(".region[data-field=mask] .mark-list li").wait_for()
    page.get_by_role("button", name="Done").tap()
    page.get_by_text("All done").wait_for()
    fields = stored(site, "by_touch")
    assert near(fields["box"][0]["points"], (1500, 300), (2100, 1100), within=12)
    assert fields["box"][0]["label"] == "flag"
    assert near(fields["point"][0]["points"], (3000, 700), within=12)
    assert near(fields["polygon"][0]["points"], (400, 400), (1200, 500), (900, 1600), within=12)
    assert grid_of(MaskRuns.model_validate(fields["mask"][0]["mask"]))[2000, 1800]


def test_two_fingers_zoom_and_draw_nothing(site: ReviewSite, new_context: Callable[..., BrowserContext]) -> None:
    page = new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True).new_page()
    open_task(page, site, "masks", name="ben")
    finger = Fingers(page)
    x, y = on_screen(page, 2000, 1500)
    finger.touch("touchStart", (x - 20, y))
    finger.touch("touchMove", (x - 24, y))
    finger.touch("touchStart", (x - 24, y), (x + 20, y))
    for step in range(1, 9):
        finger.touch("touchMove", (x - 24 - 6 * step, y), (x + 20 + 6 * step, y))
    finger.touch("touchEnd")
    page.locator(".viewer.zoomed").wait_for()
    assert page.locator(".mark-list li").count() == 0


def test_strokes_are_undone_and_made_again_and_u_is_left_to_decisions(site: ReviewSite, page: Page) -> None:
    open_task(page, site, "rows", name="ben")
    rows = page.locator(".mark-list li")
    for y in (500, 900):
        click(page, 1000, y)
        click(page, 1400, y)
        page.keyboard.press("Enter")
    assert rows.count() == 2
    page.keyboard.press("Control+z")
    assert rows.count() == 1
    page.keyboard.press("Control+z")  # one of its points
    page.keyboard.press("Control+Shift+z")
    page.keyboard.press("Control+Shift+z")
    assert rows.count() == 2
    page.keyboard.press("u")
    page.get_by_text("nothing to undo", exact=False).first.wait_for()
    assert rows.count() == 2
    assert page.locator(".reason[aria-pressed=true]").first.inner_text().startswith("Marked")


def test_a_reload_in_the_middle_loses_nothing(site: ReviewSite, page: Page) -> None:
    open_task(page, site, "reloaded")
    draw(page, (1500, 300), (2100, 1100))
    _times(page.keyboard.press, "f", 3)
    _noise(page)
    _times(page.keyboard.press, "f", 4)
    click(page, 400, 400)
    click(page, 1200, 500)
    before = page.locator(".mark-list").all_inner_texts()
    page.reload()
    picture_is_there(page)
    assert page.locator(".mark-list").all_inner_texts() == before
    assert page.locator(".mark-list li").count() == 2
    click(page, 900, 1600)
    page.keyboard.press("Enter")
    assert page.locator(".mark-list li").count() == 3
    assert page.locator(".region[data-field=polygon] li").inner_text().count("800 × 1200") == 1


def _noise(page: Page) -> None:
    """Paint a mask whose outline is so long that its draft does not outlive the page by itself."""
    for _ in range(12):
        page.keyboard.press("[")
    for x in range(300, 3700, 140):
        draw(page, (x, 200), (x + 70, 2800))


def test_a_correspondence_waits_for_its_partner(site: ReviewSite, page: Page) -> None:
    open_task(page, site, "pairs")
    click(page, 1500, 500)
    page.keyboard.press("Enter")
    page.get_by_text("still needs its partner").first.wait_for()
    page.reload()
    picture_is_there(page)
    click(page, 600, 300, size=OTHER, pane=1)
    submit(page)
    [pair] = stored(site, "pairs")["correspondence"]
    assert near(pair["points"], (1500, 500), (600, 300), within=6)


def test_what_is_missing_or_crossed_is_said_and_nothing_is_submitted(site: ReviewSite, page: Page) -> None:
    open_task(page, site, "outlines")
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    page.get_by_text("at least 1 needed").first.wait_for()
    for x, y in ((400, 400), (1200, 1200), (1200, 400), (400, 1200)):
        click(page, x, y)
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    page.locator(".status.urgent", has_text="crosses or touches itself").wait_for()


def test_drawn_marks_are_not_thrown_away_by_one_key(site: ReviewSite, page: Page) -> None:
    open_task(page, site, "nothing")
    draw(page, (1500, 300), (2100, 1100))
    page.keyboard.press("f")  # the number keys are the headline's again
    page.keyboard.press("2")
    assert page.locator(".card").get_attribute("aria-busy") == "false"
    assert page.locator(".region").is_hidden()
    page.keyboard.press("1")
    assert page.locator(".mark-list li").count() == 1


MASK_SCRIPT = next(path for path in SCRIPTS if path.name == "mask_columns.js").read_text(encoding="utf-8")


def test_run_lengths_written_in_the_browser_are_those_of_python(page: Page) -> None:
    rng = np.random.default_rng(7)
    grids = [rng.random((h, w)) < share for h, w, share in ((7, 5, 0.5), (61, 43, 0.1), (40, 90, 0.97), (3, 1, 1.0))]
    grids.append(np.zeros((9, 4), bool))
    grids[-1][:, 1:3] = True  # whole columns
    masks = [mask_of(grid) for grid in grids]
    documents = [{"size": list(mask.size), "counts": mask.counts} for mask in masks]
    again = page.evaluate(
        f"(documents) => {{ {MASK_SCRIPT}; return documents.map((each) => MaskColumns.of(each).toRuns()); }}", documents
    )
    assert again == documents


def test_a_stroke_sets_the_pixels_whose_middle_the_brush_covers(page: Page) -> None:
    strokes = [((20.3, 18.9), (71.2, 40.1), 9.5), ((50.0, 50.0), (50.0, 5.0), 4.0), ((60, 30), (60, 30), 12.25)]
    document = page.evaluate(
        f"""(strokes) => {{ {MASK_SCRIPT};
          let mask = MaskColumns.empty(90, 61);
          const at = ([x, y]) => ({{ x, y }});
          for (const [from, to, radius] of strokes) mask = mask.painted(at(from), at(to), radius, false);
          return mask.painted({{ x: 30, y: 20 }}, {{ x: 62, y: 33 }}, 3, true).toRuns(); }}""",
        [[list(a), list(b), r] for a, b, r in strokes],
    )
    y, x = np.mgrid[0:61, 0:90] + 0.5

    def covered(a: tuple[float, float], b: tuple[float, float], radius: float) -> Any:
        dx, dy = b[0] - a[0], b[1] - a[1]
        share = np.clip(((x - a[0]) * dx + (y - a[1]) * dy) / max(dx * dx + dy * dy, 1e-9), 0, 1)
        return np.hypot(x - a[0] - share * dx, y - a[1] - share * dy) <= radius

    expected = np.any([covered(*stroke) for stroke in strokes], axis=0) & ~covered((30, 20), (62, 33), 3)
    cells = grid_of(MaskRuns.model_validate(document))
    assert (cells != expected).sum() == 0
