"""A curator invites annotators by a file in the browser, and downloads the file with their links."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from browser.axe import NOTHING, findings_by_theme
from browser.review_site import make_workspace, serve, sign_in

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext


def test_people_are_invited_by_a_file_and_its_mistakes_are_told_all_at_once(
    tmp_path: Path, new_context: Callable[..., BrowserContext]
) -> None:
    good, bad = tmp_path / "people.csv", tmp_path / "wrong.csv"
    good.write_text("name,role\neve,annotator\nann,curator\n", encoding="utf-8")
    bad.write_text("name,role\neve,boss\n,annotator\n", encoding="utf-8")
    with serve(make_workspace(tmp_path / "site")) as site:
        page = new_context(viewport={"width": 390, "height": 844}).new_page()
        sign_in(page, site, "cur", path="/people")
        page.get_by_text("Invite people from a file").click()
        page.locator("input[type=file]").set_input_files(bad)
        page.get_by_role("button", name="Invite all of them").click()
        page.get_by_text("line 2: role 'boss' is not one of annotator, adjudicator, curator").wait_for()
        assert page.get_by_text("line 3: name ''").count() == 1
        assert page.get_by_text("wrong.csv: no invitation was made").count() == 1
        page.locator("input[type=file]").set_input_files(good)
        assert page.get_by_text("no invitation was made").count() == 0
        page.get_by_role("button", name="Invite all of them").click()
        page.get_by_text("Invited: 1. Already with an account: 1.").wait_for()
        assert findings_by_theme(page) == NOTHING
        with page.expect_download() as download:
            page.get_by_role("link", name="Download the links").click()
        links = Path(download.value.path()).read_text(encoding="utf-8")
        link = links.splitlines()[1].split(",")[4]
        assert link.startswith(f"{site.url}/welcome?invitation=")
        eve = new_context().new_page()
        eve.goto(link)
        eve.get_by_text("Welcome, eve").wait_for()
