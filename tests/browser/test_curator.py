"""The curator's pages in the running app: outcomes of tasks, agreement, annotators, reasons, and assignments.

Ann and Ben decide jigsaws, mostly alike; a third campaign is assigned to one of them. Pages show the data of the
store, are readable in light and dark, never rely on color alone, and are closed to annotators.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from browser.rest import at_rest
from browser.review_site import ReviewSite, make_workspace, serve, sign_in

from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.store.accounts.campaign_access import AccessControl
from benchwright.annotation.store.review_store import ReviewStore, open_store

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

HACK = '<img src=x onerror="window.hacked=1">'
NEW_PAGES = ("agreement", "annotators", "reasons")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    workspace = make_workspace(tmp_path_factory.mktemp("curator"), photographs=15)
    with open_store(f"sqlite:///{workspace / 'review.sqlite'}") as store:
        decide(store)
    with serve(workspace) as running:
        yield running


def decide(store: ReviewStore) -> None:
    """Let both decide ten of twelve tasks: eight alike (one rejected), two not."""
    start = datetime(2026, 3, 2, 9, tzinfo=UTC)
    for n, task in enumerate(store.tasks("verify")[:10]):
        for m, name in enumerate(("ann", "ben")):
            at = start + timedelta(days=n // 3, minutes=5 * n + m)
            lease = store.claim("verify", name, now=at, task=task.id)
            assert lease is not None
            rejects = n == 0 or (n in {1, 2} and name == "ben")
            note = HACK if rejects else None
            store.submit(
                lease.slot_id,
                name,
                Submission("reject" if rejects else "accept", reasons=("unclear",) if rejects else (), note=note),
                now=at + timedelta(seconds=9),
            )


def rows(page: Page, *, until: str) -> dict[str, str]:
    """Return the numbers next to the charts, by row, once one of them has the words `until`."""
    page.locator(".chart tbody tr", has_text=until).first.wait_for(state="attached")
    return dict(
        page.eval_on_selector_all(
            ".chart tbody tr",
            "rows => rows.map(r => [r.querySelector('th').textContent, r.lastElementChild.textContent])",
        )
    )


def test_progress_shows_what_became_of_the_tasks_and_follows_new_decisions(
    site: ReviewSite, curator: Callable[..., Page]
) -> None:
    page = curator("/progress")
    page.get_by_role("heading", name="Outcomes of the tasks").wait_for()
    page.locator("#plot-tasks svg").wait_for()
    assert rows(page, until="All together")["All together"] == "12: 7 accepted, 1 rejected, 2 no agreement, 2 untouched"
    assert page.locator("#plot-tasks svg text").all_text_contents()[:6] == [
        "accepted", "rejected", "to be revised", "no agreement", "begun", "untouched",
    ]  # fmt: skip
    assert page.locator("#plot-tasks svg").get_attribute("aria-label") == "Tasks"
    page.locator("#plot-days svg").wait_for()
    assert page.locator("#plot-days svg title").all_text_contents() == [
        "2026-03-02: 6", "2026-03-03: 6", "2026-03-04: 6", "2026-03-05: 2",
    ]  # fmt: skip
    page.get_by_role("heading", name="Where annotators disagree").wait_for()
    with open_store(f"sqlite:///{site.workspace / 'review.sqlite'}") as store:
        now = datetime.now(UTC)
        lease = store.claim("verify", "ann", now=now)
        assert lease is not None
        store.submit(lease.slot_id, "ann", Submission("accept"), now=now)
    page.get_by_text("21 / 24").wait_for(timeout=20_000)  # the page looks again by itself
    assert "1 begun, 1 untouched" in rows(page, until="1 begun, 1 untouched")["All together"]
    assert page.evaluate("window.hacked") is None


def test_agreement_is_shown_with_intervals_by_time_and_undefined_by_that_word(curator: Callable[..., Page]) -> None:
    page = curator("/agreement")
    page.locator("#plot-all svg text", has_text="Krippendorff's alpha").wait_for()
    page.get_by_role("heading", name="Over time").wait_for()
    page.locator("#plot-all tbody tr").first.wait_for(state="attached")
    told = rows(page, until="2026-03-03")
    assert told["Percent agreement"].startswith("0.80 [")
    assert told["Cohen's kappa"].startswith("0.")
    assert told["2026-03-03"] == "undefined · 3 of 3 tasks compared"  # everybody accepted everything on that day
    assert "10 of " in page.locator("#plot-all figcaption").inner_text()
    assert page.locator("#plot-all svg circle").count() >= 4
    page.get_by_label("What is compared").select_option("reasons")
    page.get_by_label("Shown in the plots").select_option("percent")
    page.locator("#show-compared").press("Enter")
    page.wait_for_url("**/agreement?campaign=verify&what=reasons&statistic=percent*")
    page.locator("#show-compared:focus").wait_for()
    page.locator("#plot-all figcaption", has_text="tasks").wait_for()
    page.go_back()
    page.locator("#plot-by-time figcaption", has_text="alpha").wait_for()
    page.go_forward()
    page.locator("#plot-by-time figcaption", has_text="Percent").wait_for()
    assert page.get_by_label("What is compared").input_value() == "reasons"
    assert "Without each annotator" not in page.locator("body").inner_text()  # with two there are no others to agree


def test_annotators_are_compared_and_their_likely_errors_shown(curator: Callable[..., Page]) -> None:
    page = curator("/annotators")
    page.get_by_role("heading", name="Agreement with the others").wait_for()
    page.locator("#plot-confusion svg").wait_for()
    told = rows(page, until="0.80 · 10 tasks")
    assert {"ann", "ben"} <= told.keys()
    assert told["ann"] == "0.80 · 10 tasks"
    assert page.locator("#plot-confusion thead th").all_text_contents() == ["Truth", "accepted", "rejected"]


def test_the_address_carries_the_annotator_whose_errors_show(curator: Callable[..., Page]) -> None:
    page = curator("/annotators?campaign=verify&annotator=ben")
    assert page.get_by_label("Name").input_value() == "ben"
    page.get_by_label("Name").select_option("ann")
    page.locator("#show-errors").press("Enter")
    page.wait_for_url("**annotator=ann*")
    page.go_back()
    page.wait_for_url("**annotator=ben*")
    assert page.get_by_label("Name").input_value() == "ben"
    assert page.locator("a[href='/items?campaign=verify&annotator=ben']").count() == 1


def test_votes_are_set_aside_and_taken_back_on_the_page_of_annotators(
    site: ReviewSite, curator: Callable[..., Page]
) -> None:
    page = curator("/annotators")
    page.get_by_label("Whose votes").select_option("ann")
    page.get_by_role("textbox", name="Reason").fill(HACK)
    page.reload()
    assert page.get_by_role("textbox", name="Reason").input_value() == HACK, "what is typed outlives a reload"
    page.get_by_role("button", name="Set aside").press("Enter")
    page.get_by_text("votes of ann are set aside").wait_for()
    page.locator("#set-aside:focus").wait_for()
    assert page.locator("td", has_text=HACK).count() == 1
    assert page.evaluate("window.hacked") is None
    assert page.get_by_role("textbox", name="Reason").input_value() == ""
    with open_store(f"sqlite:///{site.workspace / 'review.sqlite'}") as store:
        assert "ann" not in {annotation.annotator for annotation in store.decisions("verify")}
        page.get_by_role("button", name="Take back").click()
        page.get_by_text("votes of ann count again").wait_for()
        page.reload()
        assert page.get_by_text("votes of ann count again").count() == 0
        assert "ann" in {annotation.annotator for annotation in store.decisions("verify")}


def test_reasons_have_counts_and_tasks_to_look_at(curator: Callable[..., Page]) -> None:
    page = curator("/reasons")
    page.locator(".bw-thumb img").first.wait_for()
    assert rows(page, until="unclear") == {"unclear · rejected": "4"}
    pictures = page.locator(".bw-thumb img")
    assert pictures.count() == 3
    page.wait_for_function("() => [...document.querySelectorAll('.bw-thumb img')].every(one => one.naturalWidth > 0)")
    assert HACK in page.locator(".bw-thumb li").first.inner_text()  # the note, as text
    page.locator("#of").focus()
    page.locator("#show-examples").press("Enter")
    page.wait_for_url("**/reasons?campaign=verify&of=reject+unclear")
    page.locator("#show-examples:focus").wait_for()
    page.locator(".bw-thumb a").first.click()
    page.get_by_text("Act on this record").wait_for()
    page.go_back()
    page.locator(".bw-thumb img").first.wait_for()
    assert page.evaluate("window.hacked") is None


def test_a_campaign_is_left_to_one_annotator_on_the_page_of_people(
    site: ReviewSite, curator: Callable[..., Page], new_context: Callable[..., BrowserContext]
) -> None:
    page = curator("/people")
    page.get_by_role("heading", name="Assignments").wait_for()
    page.get_by_role("radio", name="Only assigned annotators").check()
    page.get_by_role("checkbox", name="ann").check()
    page.reload()  # what is chosen and not saved outlives it
    assert page.get_by_role("checkbox", name="ann").is_checked()
    page.locator("#access-verify").click()
    page.locator("#access-verify:focus").wait_for()
    with open_store(f"sqlite:///{site.workspace / 'review.sqlite'}") as store:
        assert AccessControl(store).of("verify").is_for_assigned
        assert AccessControl(store).of("verify").names == ("ann",)
        ben, ann = new_context().new_page(), new_context().new_page()
        sign_in(ben, site, "ben")
        ben.get_by_text("You are not assigned to this campaign").wait_for()
        sign_in(ann, site, "ann")
        ann.locator(".card[aria-busy=false]").wait_for()
        AccessControl(store).open_to_everybody("verify")


@pytest.mark.parametrize("page_name", NEW_PAGES)
def test_annotators_do_not_reach_the_pages_of_curators(
    site: ReviewSite, new_context: Callable[..., BrowserContext], page_name: str
) -> None:
    page = new_context().new_page()
    frames: list[str] = []
    page.on("websocket", lambda ws: ws.on("framereceived", lambda data: frames.append(str(data))))
    sign_in(page, site, "ann", path=f"/{page_name}")
    page.get_by_role("link", name="Go to the start").wait_for()
    assert page.locator(".chart, .card").count() == 0
    assert not any("onerror" in frame for frame in frames)  # Ben's note


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", ["/progress", "/agreement", "/annotators"])
def test_plots_are_readable_in_light_and_dark(curator: Callable[..., Page], path: str, scheme: str) -> None:
    page = curator(path, color_scheme=scheme)
    page.locator(".chart svg").first.wait_for()
    at_rest(page)
    ground = page.evaluate("getComputedStyle(document.querySelector('.stApp') ?? document.body).backgroundColor")
    texts = page.eval_on_selector_all(".chart svg text", "all => all.map(e => getComputedStyle(e).fill)")
    assert texts
    assert min(contrast(color, ground) for color in set(texts)) >= 4.5
    shapes = ".chart svg > g circle, .chart rect[fill^='var(--series']:not([fill-opacity])"
    bars = page.eval_on_selector_all(shapes, "all => all.map(e => getComputedStyle(e).fill)")
    assert all(contrast(color, ground) >= 3 for color in set(bars))


def contrast(one: str, other: str) -> float:
    """Return WCAG's contrast of two CSS colors."""

    def luminance(color: str) -> float:
        parts = [float(part) / 255 for part in color[color.index("(") + 1 : -1].split(",")[:3]]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)
