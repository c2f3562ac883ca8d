"""The curator's pages of campaigns with rounds, adjudicators and votes show the outcome of items, and who decided."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from browser.review_site import ReviewSite, make_workspace, serve, sign_in
from browser.voted import vote

from benchwright.annotation.campaigns.verify import Verify
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.annotation.workflow.adjudication import AdjudicationQueue
from benchwright.records import Item
from benchwright.steps import CampaignContext

if TYPE_CHECKING:
    from playwright.sync_api import Page


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    workspace = make_workspace(tmp_path_factory.mktemp("rounds"))
    url = f"sqlite:///{workspace / 'review.sqlite'}"
    with open_store(url) as store:
        pattern = Item.model_validate(store.tasks("verify")[0].payload)
        context = CampaignContext(seed=1, stage="voted", workspace=workspace, store_url=url)
        vote(store, pattern, context)
        go_on(store, pattern, context._replace(stage="again"))
    with serve(workspace) as running:
        yield running


def go_on(store: ReviewStore, pattern: Item, context: CampaignContext) -> None:
    """Let an adjudicator send one of two divided items to a second round, and accept the other."""
    items = [pattern.model_copy(update={"item_id": letter * 32}) for letter in "ef"]
    Verify(rule="adjudicated(unanimous(2))", rounds=2).advance(items, context)
    now = datetime(2026, 3, 2, 9, tzinfo=UTC)
    for task in store.tasks(context.stage):
        store.decide(context.stage, task.id, "ann", Submission("accept"), now=now)
        store.decide(context.stage, task.id, "ben", Submission("reject", reasons=("unclear",)), now=now)
    store.upsert_annotator("judge")
    queue = AdjudicationQueue(store, store.campaign(context.stage), "judge")
    for head, decision in zip(queue.queue(), ("revise", "accept"), strict=True):
        queue.open(head.task_id, now=now)
        edits = {"question": "Which piece belongs there?"} if decision == "revise" else None
        queue.decide(head.task_id, Submission(decision, edits=edits), now=now)


@pytest.fixture
def curator(site: ReviewSite, page: Page) -> Callable[[str], Page]:
    """Return an opener of a page for the curator."""

    def opened(path: str) -> Page:
        sign_in(page, site, "cur", path=path)
        return page

    return opened


def rows(page: Page, charts: str) -> list[list[str]]:
    """Return the numbers next to charts, once these appear."""
    page.locator(f"{charts} tbody tr").first.wait_for(state="attached")
    found: list[list[str]] = page.eval_on_selector_all(
        f"{charts} tbody tr",
        "rows => rows.map(r => [r.querySelector('th').textContent, r.lastElementChild.textContent])",
    )
    return found


def test_progress_tells_round_by_round_and_what_adjudicators_decided(curator: Callable[[str], Page]) -> None:
    page = curator("/progress?campaign=again")
    page.get_by_role("heading", name="Adjudicators' decisions").wait_for()
    page.locator("#plot-days svg").wait_for()
    told = dict(map(tuple, rows(page, ".chart:not(#plot-days)")))
    assert told["All together"] == "2: 1 accepted, 1 untouched"
    assert (told["Round 1"], told["Round 2"]) == ("2: 1 passed, 1 revised", "1 open")
    assert told["judge"] == "2: 1 accepted, 1 to be revised"
    assert told["accepted · annotators: divided"] == "1"
    assert page.get_by_text("2 cases; decisions against the majority of annotators: 0.").is_visible()


def test_agreement_of_a_review_shows_the_votes_on_each_criterion(curator: Callable[[str], Page]) -> None:
    page = curator("/agreement?campaign=voted")
    page.get_by_role("heading", name="Votes by criterion").wait_for()
    page.get_by_text("Undefined means").wait_for()
    assert rows(page, "#plot-votes") == [
        ["Answer is right?", "2 yes"], ["Accurate?", "2 yes"], ["Reasonable?", "2 yes"], ["Difficult?", "2: 1 yes, 1 no"],
    ]  # fmt: skip
