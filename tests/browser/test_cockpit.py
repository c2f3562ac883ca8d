"""Pages from which a curator steers a campaign: rules tried on its decisions.

They show the figures of the domain's modules, change nothing by themselves, are accessible in light and dark, on
phones too, and closed to other roles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa
from browser.axe import NOTHING, findings, findings_by_theme
from browser.rest import at_rest, hacked
from browser.review_site import PASSWORDS, ReviewSite, make_workspace, serve, sign_in
from browser.widths import unreached

from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.items.threshold_trial import filter_thresholds, read_measured, try_threshold
from benchwright.annotation.progress.forecast import forecast_of
from benchwright.annotation.progress.rule_trial import try_rules
from benchwright.annotation.store.campaigns.guidelines import Guidelines
from benchwright.annotation.store.database.schema import audit_log
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.annotation.workflow.guidelines import revise_guidelines
from benchwright.annotation.workflow.settlement.rules import parse_rule

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page, Route

RECIPE = """\
name: ten
seed: 5
steps:
  - exact_duplicates
  - step: quality
    min_side_px: 200
  - step: jigsaw
    mode: paper
    min_tile_px: 16
  - step: verify
    rule: unanimous(2)
    form: {reasons: [wrong_answer, unclear]}
    guidelines: "Accept what has **one** right answer."
"""
HACK = '<img src=x onerror="window.hacked=1">'
PAGES = ("rules", "thresholds", "guidelines-edit")
Opened = Callable[..., "Page"]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    """A workspace in which two annotators have decided seven of eight tasks, alike except for one."""
    workspace = make_workspace(tmp_path_factory.mktemp("cockpit"), photographs=16, recipe=RECIPE)
    with opened_store(workspace) as store:
        decide(store)
    with serve(workspace) as running:
        yield running


def decide(store: ReviewStore) -> None:
    """Let two decide seven of eight tasks over the last days: five alike for them, one against, and one divided."""
    start = datetime.now(UTC) - timedelta(days=3)
    for number, task in enumerate(store.tasks("verify")[:7]):
        for name in ("ann", "ben"):
            rejects = number == 1 or (number == 2 and name == "ben")
            say = Submission("reject", reasons=("unclear",)) if rejects else Submission("accept")
            at = start + timedelta(days=number // 4, minutes=number)
            store.decide("verify", task.id, name, say, now=at)


def routes_held() -> tuple[list[Route], Callable[[Route], None]]:
    """Return a list and a handler that puts requests there, which wait until the test lets them go."""
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    return held, hold


def opened_store(workspace: Path) -> ReviewStore:
    return open_store(f"sqlite:///{workspace / 'review.sqlite'}")


def test_a_curator_reads_what_each_rule_would_do_and_sees_what_it_changes(site: ReviewSite, curator: Opened) -> None:
    with opened_store(site.workspace) as store:
        campaign = store.campaign("verify")
        own, single = try_rules(store, campaign, [parse_rule("unanimous(2)"), parse_rule("single")])
    tasks = sum(own.fates.values())
    assert (own.fates["kept"], single.fates["kept"], single.changed) == (5, 6, 1)
    page = curator("/rules?campaign=verify")
    page.get_by_text(f"Both agree is in force and keeps 5 of {tasks} tasks.").wait_for()
    menu = page.get_by_role("combobox", name="Rule to try")
    menu.focus()
    menu.select_option(label="All 3 agree")
    page.get_by_text(f"All 3 agree would keep 0 of {tasks} tasks.").wait_for()
    menu.select_option(label="One annotator decides")
    page.get_by_text(f"One annotator decides would keep 6 of {tasks} tasks.").wait_for()
    assert page.evaluate("document.activeElement.id") == "rule", "nothing takes the focus away"
    assert "no agreement; would be kept" in page.locator(".tile").inner_text()
    page.get_by_text("rule: unanimous(1)").wait_for()
    page.wait_for_url("**/rules?campaign=verify&rule=unanimous%281%29")
    page.go_back()
    page.get_by_text("All 3 agree would keep").wait_for()
    page.go_forward()
    page.get_by_text("One annotator decides would keep").wait_for()
    assert page.evaluate("document.activeElement.id") == "rule"
    page.locator(".tile .open").click()
    page.get_by_text("Annotators' decisions").wait_for()
    page.go_back()
    page.get_by_text("One annotator decides would keep").wait_for()
    page.get_by_role("link", name="Change it in the recipe").click()
    assert page.get_by_role("textbox", name="Annotators per item").input_value() == "1"


def test_a_link_to_a_rule_names_the_rule_and_another_text_is_refused(curator: Opened) -> None:
    page = curator("/rules?campaign=verify&rule=at_least(2,of=3)")
    page.get_by_text("2 of 3 agree would keep").wait_for()
    page.goto(page.url.partition("?")[0] + f"?campaign=verify&rule={HACK}")
    page.get_by_text("is not one of the rules to try here").wait_for()
    assert hacked(page) is None


def test_a_curator_tries_a_threshold_and_sees_the_pictures_that_would_change(site: ReviewSite, curator: Opened) -> None:
    side = next(
        threshold for threshold in filter_thresholds(site.workspace) if threshold.threshold.setting == "min_side_px"
    )
    trial = try_threshold(read_measured(site.workspace, side), 250)
    assert trial.changes
    page = curator("/thresholds")
    page.get_by_role("combobox", name="Threshold").select_option(label="quality · min_side_px (now 200)")
    page.get_by_text("Nothing would change.").wait_for()
    field = page.get_by_role("spinbutton", name="Try")
    field.focus()
    field.press("Control+a")
    for digit in "250":
        field.press(digit)
        page.wait_for_timeout(500)  # longer than the page waits before it asks for the effect
    page.get_by_text(f"With 250: kept {trial.after['keep']}, dropped {trial.after['drop']}.").wait_for()
    assert (page.evaluate("document.activeElement.id"), field.input_value()) == ("at.quality.min_side_px", "250")
    assert page.locator(".tile").count() == len(trial.changes)
    assert "kept; would be dropped" in page.locator(".tile").first.inner_text()
    page.get_by_text("min_side_px: 250").wait_for()
    page.wait_for_url("**/thresholds?threshold=quality.min_side_px&at=250")
    field.press("Enter")
    field.fill("0")
    page.get_by_text("min_side_px does not accept 0").wait_for()
    assert (field.get_attribute("aria-invalid"), field.input_value()) == ("true", "0")
    page.go_back()
    page.get_by_text("With 250: kept").wait_for()
    page.reload()
    assert field.input_value() == "250", "the address holds the value"
    page.go_back()
    page.get_by_text("Nothing would change.").wait_for()
    assert field.input_value() == "200", "digits of one number are one step"
    page.go_forward()
    page.get_by_text("With 250: kept").wait_for()
    page.get_by_role("link", name="All items with values in this range").click()
    page.get_by_text("found", exact=False).first.wait_for()
    assert "measure=quality.short_px" in page.url
    page.go_back()
    page.get_by_role("link", name="Change it in the recipe").click()
    page.get_by_role("textbox", name="min side px").wait_for()
    assert page.get_by_role("textbox", name="min side px").input_value() == "250"


def test_each_threshold_has_its_own_value_and_two_windows_try_their_own(curator: Opened) -> None:
    first = curator("/thresholds?threshold=quality.min_side_px&at=210")
    other = next(
        value
        for value in first.locator("#threshold option").evaluate_all("(all) => all.map((one) => one.value)")
        if value != "quality.min_side_px"
    )
    second = first.context.new_page()
    second.goto(first.url.replace("210", "205"))
    first.get_by_role("spinbutton", name="Try").fill("215")
    first.get_by_text("With 215: kept").wait_for()
    first.select_option("#threshold", other)
    first.wait_for_url(f"**/thresholds?threshold={other}*")
    first.select_option("#threshold", "quality.min_side_px")
    first.get_by_text("With 215: kept").wait_for()
    second.reload()
    second.get_by_text("With 205: kept").wait_for()


def test_without_a_connection_the_page_says_so_and_keeps_what_is_typed(curator: Opened) -> None:
    page = curator("/thresholds?threshold=quality.min_side_px")
    field = page.get_by_role("spinbutton", name="Try")
    field.wait_for()
    page.route("**/thresholds/effect*", lambda route: route.abort())
    field.fill("210")
    page.get_by_text("No connection").wait_for()
    page.unroute("**/thresholds/effect*")
    page.get_by_text("With 210: kept").wait_for()
    assert (field.input_value(), page.get_by_text("No connection").count()) == ("210", 0)


def test_a_session_that_ended_leads_to_the_sign_in_and_back_to_what_is_typed(site: ReviewSite, curator: Opened) -> None:
    page = curator("/thresholds?threshold=quality.min_side_px")
    field = page.get_by_role("spinbutton", name="Try")
    field.wait_for()
    page.context.clear_cookies()
    field.fill("210")
    page.fill("#password", PASSWORDS["cur"])
    page.fill("#name", "cur")
    page.click("button[type=submit]")
    page.get_by_text("With 210: kept").wait_for()


def test_what_is_typed_before_a_slow_script_arrives_is_tried_and_kept(site: ReviewSite, curator: Opened) -> None:
    page = curator("/thresholds?threshold=quality.min_side_px")
    page.get_by_role("spinbutton", name="Try").wait_for()
    held, hold = routes_held()
    page.route("**/page.js*", hold)
    page.goto(page.url, wait_until="commit")
    page.get_by_role("spinbutton", name="Try").fill("210")
    held.pop().continue_()
    page.get_by_text("With 210: kept").wait_for()
    page.goto(f"{site.url}/guidelines-edit?campaign=verify", wait_until="commit")
    page.get_by_role("textbox", name="Text").fill("Typed early.")
    held.pop().continue_()
    page.get_by_text("Saved", exact=True).wait_for()
    page.unroute_all()
    page.reload()
    assert page.get_by_role("textbox", name="Text").input_value() == "Typed early."
    page.get_by_role("textbox", name="Text").fill("Accept what has **one** right answer.")
    page.get_by_text("Saved", exact=True).wait_for()


def test_drafts_do_not_overtake_one_another_or_outlive_what_is_dropped(curator: Opened) -> None:
    page = curator("/recipe/text")
    text = page.locator("textarea[name=text]")
    kept = text.input_value()
    held, hold = routes_held()
    page.route("**/recipe/draft", hold, times=1)
    with page.expect_request("**/recipe/draft"):
        text.press_sequentially("# one")
    text.press_sequentially(" and two\n")
    page.wait_for_timeout(600)  # longer than a draft waits before it is stored
    with page.expect_response(lambda answer: "two" in (answer.request.post_data or "")):
        held.pop().continue_()
    page.reload()
    assert text.input_value() == f"# one and two\n{kept}"
    page.route("**/recipe/draft", hold, times=1)
    with page.expect_request("**/recipe/draft"):
        text.press_sequentially("# three\n")
    page.get_by_role("button", name="Discard my changes").click()
    page.wait_for_timeout(600)  # longer than the server takes
    slow = held.pop()
    slow.fulfill(response=slow.fetch())
    page.get_by_role("button", name="Discard my changes").wait_for(state="detached")
    page.reload()
    assert text.input_value() == kept


def test_without_a_script_the_form_leads_to_the_effect(
    site: ReviewSite, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context(java_script_enabled=False).new_page()
    sign_in(page, site, "cur", path="/thresholds?threshold=quality.min_side_px")
    page.get_by_role("spinbutton", name="Try").fill("210")
    page.get_by_role("button", name="Show").click()
    page.get_by_text("With 210: kept").wait_for()
    page.goto(f"{site.url}/rules?campaign=verify")
    page.get_by_role("combobox", name="Rule to try").select_option(label="All 3 agree")
    page.get_by_role("button", name="Show").click()
    page.get_by_text("All 3 agree would keep").wait_for()


def test_progress_says_when_the_campaign_ends_with_these_people_and_with_two_more(
    site: ReviewSite, curator: Opened
) -> None:
    with opened_store(site.workspace) as store:
        forecast = forecast_of(store, store.campaign("verify"), now=datetime.now(UTC))
    assert (forecast.wanted, forecast.people) == (2, 2)
    assert forecast.end is not None
    page = curator("/progress?campaign=verify")
    page.get_by_role("heading", name="Expected end").wait_for()
    page.get_by_text(f"the campaign ends around {forecast.end.median:%Y-%m-%d}").wait_for()
    page.get_by_text("With two more like them").wait_for()
    page.get_by_role("link", name="See these items").click()
    page.get_by_text("1 found", exact=True).wait_for()
    assert "state=divided" in page.url


def test_guidelines_are_edited_with_preview_and_difference_and_nobody_is_overwritten(
    site: ReviewSite, curator: Opened
) -> None:
    first, second = curator("/guidelines-edit?campaign=verify"), curator("/guidelines-edit?campaign=verify")
    for page, text in (
        (first, f"Accept what has **one** right answer.\n\nLook *twice* at $x_1^2$. {HACK}"),
        (second, "Reject **blurred** ones."),
    ):
        page.get_by_role("textbox", name="Text").fill(text)
        page.get_by_text("Saved", exact=True).wait_for()
    assert first.locator("#guidelines-preview em").inner_text() == "twice"
    assert first.locator("#guidelines-preview msubsup").count() == 1
    assert HACK in first.locator("#guidelines-preview").inner_text()
    assert first.evaluate("window.hacked") is None
    assert first.locator(".bw-diff ins").last.inner_text().startswith("+Look *twice* at")
    second.reload()  # what was written is there again
    assert second.get_by_role("textbox", name="Text").input_value() == "Reject **blurred** ones."
    assert second.locator(".bw-diff ins").inner_text() == "+Reject **blurred** ones."
    first.get_by_role("button", name="Save as version 2").press("Enter")
    first.get_by_text("Saved as version 2.").wait_for()
    second.reload()  # the other window's save leaves this draft
    assert second.get_by_role("textbox", name="Text").input_value() == "Reject **blurred** ones."
    second.get_by_text("Version 2 has been saved in the meantime").wait_for()
    assert second.locator(".bw-diff del").last.inner_text().startswith("-Look *twice*")
    second.get_by_role("button", name="Continue from version 2 with my text").click()
    second.get_by_role("button", name="Save as version 3").press("Enter")
    second.get_by_text("Saved as version 3.").wait_for()
    second.locator("#save:focus").wait_for()
    with opened_store(site.workspace) as store, store.reading() as connection:
        versions = Guidelines(store).versions(store.campaign("verify"))
        acts = connection.execute(sa.select(audit_log.c.actor).where(audit_log.c.act == "guidelines_written"))
        assert list(acts.scalars())[-2:] == ["cur", "cur"]
    assert [version.text for version in versions][1:] == [
        f"Accept what has **one** right answer.\n\nLook *twice* at $x_1^2$. {HACK}", "Reject **blurred** ones.",
    ]  # fmt: skip


def test_two_windows_of_one_curator_see_and_keep_each_others_drafts(
    site: ReviewSite, new_context: Callable[..., BrowserContext]
) -> None:
    context = new_context()
    first, second = context.new_page(), context.new_page()
    sign_in(first, site, "cur", path="/guidelines-edit?campaign=verify")
    text = first.get_by_role("textbox", name="Text")
    text.fill("Of the first window.")
    first.get_by_text("Saved", exact=True).wait_for()
    second.goto(first.url)
    assert second.get_by_role("textbox", name="Text").input_value() == "Of the first window."
    assert second.locator("#guidelines-elsewhere section").count() == 0, "it shows the first window's own text"
    text.press_sequentially(" And on.")
    first.get_by_text("Saved", exact=True).wait_for()
    assert first.locator("#guidelines-elsewhere section").count() == 0
    with second.expect_response("**/guidelines-edit/draft"):
        second.evaluate("window.dispatchEvent(new Event('focus'))")
    second.locator("#guidelines-elsewhere pre").get_by_text("Of the first window. And on.").wait_for()
    second.get_by_role("textbox", name="Text").fill(f"Of the second window. {HACK}")
    second.get_by_text("Saved", exact=True).wait_for()
    text.press_sequentially(" More.")
    first.locator("#guidelines-elsewhere pre").get_by_text("Of the second window.").wait_for()
    assert (HACK in first.locator("#guidelines-elsewhere pre").inner_text(), first.evaluate("window.hacked")) == (
        True,
        None,
    )
    assert first.evaluate("document.activeElement.id") == "text"
    assert findings(first) == []
    second.reload()
    shown = {
        second.get_by_role("textbox", name="Text").input_value(),
        second.locator("#guidelines-elsewhere pre").inner_text(),
    }
    assert shown == {"Of the first window. And on. More.", f"Of the second window. {HACK}"}, "a reload loses neither"
    first.get_by_role("button", name="Continue with that text").click()
    first.wait_for_function("() => document.querySelector('#text').value.startsWith('Of the second')")
    assert first.locator("#guidelines-elsewhere pre").inner_text() == "Of the first window. And on. More."
    first.get_by_role("button", name="Discard that text").click()
    first.locator("#guidelines-elsewhere section").wait_for(state="detached")
    first.reload()
    assert text.input_value() == f"Of the second window. {HACK}"
    text.fill("Accept what is right.")
    first.locator("#save").click()
    first.get_by_text("Saved as version").wait_for()


def test_a_window_that_did_not_see_the_newest_guidelines_saves_nothing_over_them(
    site: ReviewSite, curator: Opened
) -> None:
    late = curator("/guidelines-edit?campaign=verify")
    late.get_by_role("textbox", name="Text").fill("Mine.")
    late.get_by_text("Saved", exact=True).wait_for()
    with opened_store(site.workspace) as store:
        known = Guidelines(store).newest(store.campaign("verify"))
        assert known is not None
        revise_guidelines(store, "verify", "Theirs.", based_on=known.version, by="another")
    late.locator("#save").click()
    late.get_by_text("has been saved in the meantime").wait_for()
    assert late.get_by_role("textbox", name="Text").input_value() == "Mine."
    held, hold = routes_held()
    late.route("**/guidelines-edit/draft", hold, times=1)
    with late.expect_request("**/guidelines-edit/draft"):
        late.get_by_role("textbox", name="Text").press_sequentially(" And more.")
    late.locator("#drop").click()
    late.wait_for_timeout(600)  # longer than the server takes
    slow = held.pop()
    slow.fulfill(response=slow.fetch())  # a draft on its way does not outlive its removal
    late.locator("#save").wait_for()
    assert late.get_by_role("textbox", name="Text").input_value() == "Theirs."
    late.wait_for_timeout(600)  # longer than a draft waits before it is stored
    late.reload()
    assert late.get_by_role("textbox", name="Text").input_value() == "Theirs."


def test_a_draft_of_guidelines_is_stored_for_a_curator_alone_and_only_from_the_page(
    site: ReviewSite, new_context: Callable[..., BrowserContext]
) -> None:
    for name, sent in (("ann", {"x-benchwright-draft": "1"}), ("cur", {})):
        page = new_context().new_page()
        sign_in(page, site, name, path="/home")
        answer = page.request.put(f"{site.url}/guidelines-edit/draft", headers=sent, form={"campaign": "verify"})
        assert answer.status == 403
    assert page.request.post(f"{site.url}/guidelines-edit/save", form={"campaign": "verify"}).status == 403


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("width", [1280, 390])
def test_these_pages_are_accessible_light_and_dark(curator: Opened, name: str, width: int) -> None:
    page = curator(f"/{name}?campaign=verify", viewport={"width": width, "height": 800})
    page.locator("main :is(textarea, select)").first.wait_for()
    at_rest(page)
    assert unreached(page) == []
    assert findings_by_theme(page) == NOTHING


@pytest.mark.parametrize("name", PAGES)
def test_nobody_but_a_curator_reaches_them(
    site: ReviewSite, new_context: Callable[..., BrowserContext], name: str
) -> None:
    page = new_context().new_page()
    sign_in(page, site, "ann", path=f"/{name}?campaign=verify")
    page.get_by_role("link", name="Go to the start").wait_for()
    assert page.locator(f"a[href*='{name}']").count() == 0
