"""The page Build: from photographs in a folder to a frozen release, by a curator with only a browser.

- A recipe runs, waits for annotators, continues after them and is frozen and downloaded, without a terminal.
- Progress survives a reload and a closed tab, one command works at a time, and any curator can cancel it.
- Errors are shown, and only curators reach page or downloads.
"""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa
from browser.axe import NOTHING, findings_by_theme
from browser.review_site import RECIPE, ReviewSite, add_accounts, sign_in, slot_on_screen
from browser.widths import unreached
from servers import serving
from walks import command, make_photographs

from benchwright.annotation.app.base.state import clock
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.jobs.commands import RunJob
from benchwright.annotation.jobs.job_runner import JobRunner
from benchwright.annotation.store.database.schema import audit_log
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.release import Release

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Locator, Page

RUN_MS = 120_000
_PICTURES_ARE_THERE = """place => {
  const roots = [document, ...[...document.querySelectorAll("*")].map((element) => element.shadowRoot).filter(Boolean)];
  const inside = roots.filter((root) => root.querySelector(place));
  const images = inside.flatMap((root) => [...root.querySelectorAll("img")]);
  return images.some((image) => image.complete && image.naturalWidth > 0);
}"""
WITHOUT_FREEZE = RECIPE.partition("  - step: freeze")[0]
Opened = Callable[..., "Page"]


@pytest.fixture
def site(tmp_path: Path) -> Iterator[ReviewSite]:
    """The app over a workspace without a run so far."""
    make_photographs(tmp_path / "photographs", count=9)
    (tmp_path / "ten.yaml").write_text(WITHOUT_FREEZE, encoding="utf-8")
    workspace = tmp_path / "workspace"
    words = ("review", "serve", "--recipe", tmp_path / "ten.yaml", "--images", tmp_path / "photographs")
    with serving(
        lambda port: command(*words, "--workspace", workspace, "--port", port),
        log=tmp_path / "server.log", health="/login",
    ) as server:  # fmt: skip
        add_accounts(workspace)
        yield ReviewSite(server, workspace)


def job(page: Page, words: str) -> Locator:
    """Return the page's text on the current job, or on the last one."""
    return page.locator(".job-words", has_text=words)


def opened_store(workspace: Path) -> ReviewStore:
    return open_store(f"sqlite:///{workspace / 'review.sqlite'}")


def test_a_curator_builds_runs_and_closes_a_campaign_in_the_browser_alone(
    site: ReviewSite, curator: Opened, new_context: Callable[..., BrowserContext]
) -> None:
    page = curator("/")
    page.get_by_text("The recipe has not run yet.").wait_for()
    page.wait_for_url("**/build")
    page.get_by_role("button", name="Run the recipe").click()
    job(page, "Run: running since").wait_for()
    page.reload()  # or the tab is closed: the command goes on
    job(page, "Run: done").or_(job(page, "Run: running since")).first.wait_for()
    page.close()
    page = curator("/build")
    page.get_by_text("tasks of Verify are waiting for annotators.").wait_for(timeout=RUN_MS)
    annotator = new_context().new_page()
    sign_in(annotator, site, "ann")  # the app that was there before anything ran shows what the run made
    assert slot_on_screen(annotator) > 0
    annotator.wait_for_function(_PICTURES_ARE_THERE, arg=".card")
    annotator.close()
    with opened_store(site.workspace) as store:
        tasks = store.tasks("verify")
        assert page.get_by_text(
            f"{len(tasks)} of {len(tasks)} tasks of Verify are waiting for annotators."
        ).is_visible()
        page.get_by_role("link", name="Progress: Verify").click()
        page.get_by_text("0 / ").first.wait_for()
        for name in ("ann", "ben"):
            for number, task in enumerate(tasks):
                say = Submission("reject", reasons=("unclear",)) if number == 0 else Submission("accept")
                store.decide("verify", task.id, name, say, now=datetime.now(UTC))
    page.goto(f"{site.url}/items?state=accepted")
    page.wait_for_function(_PICTURES_ARE_THERE, arg=".tile")
    page.goto(f"{site.url}/build")
    page.get_by_text("All decisions are in. Continue the run.").wait_for()
    page.get_by_role("button", name="Continue the run").click()
    job(page, "Run: done").wait_for(timeout=RUN_MS)
    page.get_by_text("The run is complete.").wait_for()
    page.get_by_role("button", name="Write the funnel page").click()
    job(page, "Funnel page: done").wait_for(timeout=RUN_MS)
    page.goto(f"{site.url}/publish")
    page.get_by_role("textbox", name="Version").fill("1.0")
    page.get_by_role("button", name="Freeze a release").click()
    job(page, "Release: done").wait_for(timeout=RUN_MS)
    page.get_by_role("button", name="Export decisions").click()
    job(page, "Export: done").wait_for(timeout=RUN_MS)
    release = Release.open(site.workspace / "releases" / "ten-1.0")
    assert (release.version, len(release)) == ("1.0", len(tasks) - 1)
    page.get_by_role("link", name="Download release ten-1.0").wait_for()
    for name, member in (("release ten-1.0", "ten-1.0/manifest.json"), ("export", "tasks.csv"), ("funnel", "")):
        link = page.get_by_role("link", name=f"Download {name}")
        answer = page.request.get(site.url + str(link.get_attribute("href")))
        assert answer.status == 200
        if member:
            names = zipfile.ZipFile(io.BytesIO(answer.body())).namelist()
            assert any(found.endswith(member) for found in names), names
        else:
            assert b"<html" in answer.body()[:2000]
    page.get_by_role("textbox", name="Version").fill("one")
    page.get_by_role("button", name="Freeze a release").click()
    page.get_by_text("a version begins with a digit").wait_for()
    with opened_store(site.workspace) as store, store.reading() as connection:
        acts = connection.execute(sa.select(audit_log.c.act, audit_log.c.actor).where(audit_log.c.act == "job_started"))
        assert [tuple(act) for act in acts] == [("job_started", "cur")] * 5


def test_one_command_works_at_a_time_and_whoever_finds_it_cancels_it(
    site: ReviewSite, curator: Opened, tmp_path: Path
) -> None:
    os.mkfifo(tmp_path / "never.yaml")  # a run that waits for its recipe until it is interrupted
    with opened_store(site.workspace) as store:
        runner = JobRunner(site.workspace, store, now=clock)
        record = runner.start(RunJob(tmp_path / "never.yaml", tmp_path / "photographs"), by="dot")
        page = curator("/build")
        job(page, "Run: running since").wait_for()
        assert "started by dot" in page.locator(".job").inner_text()
        assert page.get_by_role("button", name="Run the recipe").is_disabled()
        handle = os.open(tmp_path / "never.yaml", os.O_WRONLY)  # returns when it is read
        page.get_by_role("button", name="Cancel").click()
        page.get_by_role("button", name="Stop at once").or_(job(page, "canceled by cur")).first.wait_for()
        job(page, "Run: canceled by cur, started by dot").wait_for()
        os.close(handle)
        done = runner.wait(record.id, timeout_s=60)
        assert done is not None
        assert (done.state, done.cancelled_by) == ("cancelled", "cur")
    assert page.get_by_role("button", name="Run the recipe").is_enabled()


def test_an_error_is_said_in_the_words_of_the_command(site: ReviewSite, curator: Opened, tmp_path: Path) -> None:
    (tmp_path / "ten.yaml").write_text("name: ten\nsteps: [jigsaww]\n", encoding="utf-8")
    page = curator("/build")
    page.get_by_role("button", name="Run the recipe").click()
    job(page, "Run: failed").wait_for(timeout=RUN_MS)
    assert "jigsaw" in page.locator(".job pre").inner_text()
    page.goto(f"{site.url}/items")
    page.get_by_text("There is nothing here yet").wait_for()


@pytest.mark.parametrize("width", [1280, 390])
def test_the_page_is_accessible_light_and_dark(curator: Opened, width: int) -> None:
    page = curator("/build", viewport={"width": width, "height": 800})
    page.get_by_role("button", name="Run the recipe").click()
    job(page, "Run: done").wait_for(timeout=RUN_MS)
    page.get_by_text("are waiting for annotators.").wait_for()
    assert unreached(page) == []
    assert findings_by_theme(page) == NOTHING


def test_nobody_but_a_curator_reaches_page_or_downloads(
    site: ReviewSite, new_context: Callable[..., BrowserContext]
) -> None:
    release = site.workspace / "releases" / "ten-1.0"
    release.mkdir(parents=True)
    (release / "manifest.json").write_text("{}", encoding="utf-8")
    (site.workspace / "releases" / "link").symlink_to(site.workspace)
    for name, status in (("cur", 200), ("ann", 404)):
        page = new_context().new_page()
        sign_in(page, site, name, path="/build")
        button = page.get_by_role("button", name="Run the recipe")
        (button if name == "cur" else page.get_by_role("link", name="Go to the start")).first.wait_for()
        assert page.request.get(f"{site.url}/curator/downloads/release/ten-1.0").status == status
        for wrong in ("release/link", "release/..%2f..%2freview.sqlite", "export/ten-1.0", "release/none"):
            assert page.request.get(f"{site.url}/curator/downloads/{wrong}").status in {400, 404}
        assert button.count() == (1 if name == "cur" else 0)
    stranger = new_context().new_page()
    answer = stranger.request.get(f"{site.url}/curator/downloads/release/ten-1.0", max_redirects=0)
    assert answer.status == 401
