"""Workers of Prolific and Mechanical Turk at the running app, whose requests follow the services' documentation.

- A worker enters under a pseudonym, decides their share, and leaves with the code for their outcome.
- Their id at the service is in two tables only, and is deleted once they are forgotten.
- They see only the campaign of their link; an incomplete link, or another worker's, admits no one.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from browser.review_site import ReviewSite, make_workspace, serve
from walks import in_process, run_json

from benchwright.annotation.app.base.state import clock
from benchwright.annotation.app.entry.services import arrival_of
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.store.accounts.accounts import Accounts
from benchwright.annotation.store.accounts.forgetting import forget_person
from benchwright.annotation.store.integrations.crowd import CrowdEntries, CrowdEntry, EntryRefused
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.annotation.workflow.set_asides import set_votes_aside
from benchwright.annotation.workflow.task_queue import TaskQueue

from .visitor import FORM, Reply, Visitor

pytestmark = pytest.mark.slow

SANDBOX = "https://workersandbox.mturk.com"
WORKER = "5f0c9d2ab1e4c7"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    with serve(make_workspace(tmp_path_factory.mktemp("crowd"))) as running:
        yield running


@pytest.fixture
def store(site: ReviewSite) -> Iterator[ReviewStore]:
    with open_store(f"sqlite:///{site.workspace / 'review.sqlite'}") as opened:
        yield opened


@pytest.fixture
def entry(store: ReviewStore) -> CrowdEntry:
    return CrowdEntries(store).make(
        "verify", "prolific", completed_code="DONE1", paused_code="PAUSED1", screened_out_code="OUT1",
        tasks_per_visit=2, by="cur", now=clock(),
    )  # fmt: skip


def come(
    site: ReviewSite, entry: CrowdEntry, worker: str = WORKER, session: str = "s1", visitor: Visitor | None = None
) -> tuple[Visitor, Reply]:
    """Open the study's address as Prolific does, and press the button."""
    visitor = visitor or Visitor(site.url)
    query = urlencode({"PROLIFIC_PID": worker, "STUDY_ID": "study1", "SESSION_ID": session})
    return visitor, press(visitor, f"/enter/{entry.key}?{query}")


def press(visitor: Visitor, path: str) -> Reply:
    page = visitor.get(path).text
    fields = {
        name: unescape(value) for name, value in re.findall(r'type="hidden" name="([^"]+)" value="([^"]*)"', page)
    }
    if not fields:
        return visitor.get(path)
    return visitor.send("POST", path.partition("?")[0], body=urlencode(fields), headers={"Content-Type": FORM})


def pseudonym_of(store: ReviewStore, worker: str) -> str:
    with store.reading() as connection:
        query = "SELECT name FROM annotators JOIN crowd_workers ON annotator_id = annotators.id WHERE worker = ?"
        return str(connection.exec_driver_sql(query, (worker,)).scalar_one())


def work(store: ReviewStore, name: str, most: int = 99) -> int:
    queue = TaskQueue(store, store.campaign("verify"), name)
    for number in range(most):
        task = queue.next(now=clock())
        if task is None:
            return number
        queue.submit(task.slot_id, Submission("accept"), now=clock())
    return most


def test_a_worker_of_prolific_decides_their_share_and_gets_the_code(
    site: ReviewSite, store: ReviewStore, entry: CrowdEntry
) -> None:
    visitor, reply = come(site, entry)
    assert (reply.status, reply.headers["location"]) == (303, "/review?campaign=verify")
    name = pseudonym_of(store, WORKER)
    assert re.fullmatch(r"worker-[0-9a-f]{8}", name)
    before = visitor.get("/leave")
    assert "Tasks left: 2" in before.text
    assert "DONE1" not in before.text
    assert work(store, name) == 2, "as many as the entry states, of ten"
    done = visitor.get("/leave")
    assert "DONE1" in done.text
    assert 'href="https://app.prolific.com/submissions/complete?cc=DONE1"' in done.text
    assert work(store, name) == 0, "the visit has ended"
    assert "DONE1" in visitor.get("/leave").text, "and the code can be read again"
    again, reply = come(site, entry, session="s2")
    assert reply.status == 303
    assert work(store, name) == 2, "another submission takes further tasks"
    assert "DONE1" in again.get("/leave").text


def test_a_worker_who_comes_again_goes_on_and_nobody_comes_in_under_their_id(
    site: ReviewSite, store: ReviewStore, entry: CrowdEntry
) -> None:
    come(site, entry, "again1", "mine")
    name = pseudonym_of(store, "again1")
    assert work(store, name, 1) == 1
    visitor, reply = come(site, entry, "again1", "mine")
    assert (reply.status, pseudonym_of(store, "again1")) == (303, name)
    assert "Tasks left: 1" in visitor.get("/leave").text
    _, other = come(site, entry, "again1", "guessed")
    assert other.status == 403
    assert "another submission" in other.text


def test_paused_and_screened_out_workers_get_their_own_codes(
    site: ReviewSite, store: ReviewStore, entry: CrowdEntry
) -> None:
    visitor, _ = come(site, entry, "paused1")
    name = pseudonym_of(store, "paused1")
    work(store, name, 1)
    set_votes_aside(store, "verify", name, by="cur", why="presses one key", now=clock())
    assert "PAUSED1" in visitor.get("/leave").text
    with store.writing() as connection:
        connection.exec_driver_sql("UPDATE campaigns SET closed_at = '2026-01-01 00:00:00.000000', closed_by = 'cur'")
    visitor, _ = come(site, entry, "late1")
    assert "OUT1" in visitor.get("/leave").text, "whoever could not begin"
    with store.writing() as connection:
        connection.exec_driver_sql("UPDATE campaigns SET closed_at = NULL, closed_by = NULL")


def test_a_worker_of_mechanical_turk_opens_the_tasks_out_of_the_frame_and_hands_in(
    site: ReviewSite, store: ReviewStore
) -> None:
    entry = CrowdEntries(store).make("verify", "mturk", completed_code="MT-1", tasks_per_visit=1, by="cur", now=clock())
    visitor, path = Visitor(site.url), f"/enter/{entry.key}"
    preview = visitor.get(
        f"{path}?{urlencode({'assignmentId': 'ASSIGNMENT_ID_NOT_AVAILABLE', 'hitId': 'H1', 'turkSubmitTo': SANDBOX})}"
    )
    assert "Accept the HIT first" in preview.text
    assert "<form" not in preview.text
    query = urlencode({"workerId": "A1B2", "hitId": "H1", "assignmentId": "3ABC", "turkSubmitTo": SANDBOX})
    framed = visitor.get(f"{path}?{query}")
    assert "frame-ancestors https://*.mturk.com" in framed.headers["content-security-policy"]
    [link] = re.findall(r'href="(/enter/[^"]+)" target="_blank"', framed.text)
    assert press(visitor, unescape(link)).status == 303
    work(store, pseudonym_of(store, "A1B2"))
    done = visitor.get("/leave")
    assert f'action="{SANDBOX}/mturk/externalSubmit"' in done.text
    assert 'name="assignmentId" value="3ABC"' in done.text
    assert 'name="code" value="MT-1"' in done.text
    assert f"form-action 'self' {SANDBOX}" in done.headers["content-security-policy"]


@pytest.mark.parametrize(
    "host",
    ["https://evil.example", "https://www.mturk.com.evil.example", "http://www.mturk.com", "javascript:alert(1)", ""],
)
def test_an_assignment_is_handed_in_to_mechanical_turk_alone(host: str) -> None:
    values = {"workerId": "A1", "hitId": "H", "assignmentId": "3", "turkSubmitTo": host}
    with pytest.raises(EntryRefused, match="crowd_bad_link"):
        arrival_of("mturk", values)


@pytest.mark.parametrize(
    "query",
    ["", "PROLIFIC_PID=a", "PROLIFIC_PID=&STUDY_ID=b&SESSION_ID=c", "workerId=a&hitId=b&assignmentId=c"],
)
def test_a_link_that_is_not_whole_lets_nobody_in(site: ReviewSite, entry: CrowdEntry, query: str) -> None:
    reply = Visitor(site.url).get(f"/enter/{entry.key}?{query}")
    assert reply.status == 403
    assert "This link is incomplete" in reply.text


@pytest.mark.parametrize("worker", ["../../x", "<script>", "a b", "x" * 101, "{{%PROLIFIC_PID%}}"])
def test_what_is_no_id_makes_nobody(site: ReviewSite, store: ReviewStore, entry: CrowdEntry, worker: str) -> None:
    before = len(Accounts(store).all())
    _, reply = come(site, entry, worker)
    assert reply.status == 403
    assert len(Accounts(store).all()) == before
    assert "<script>" not in reply.text


def test_an_unknown_address_and_a_form_of_another_site_let_nobody_in(site: ReviewSite, entry: CrowdEntry) -> None:
    assert Visitor(site.url).get("/enter/nothing?PROLIFIC_PID=a&STUDY_ID=b&SESSION_ID=c").status == 403
    form = urlencode({"PROLIFIC_PID": "x1", "STUDY_ID": "b", "SESSION_ID": "c", "nonce": "guessed"})
    reply = Visitor(site.url).send("POST", f"/enter/{entry.key}", body=form, headers={"Content-Type": FORM})
    assert reply.status == 400


def test_somebody_who_is_signed_in_stays_who_they_are(site: ReviewSite, entry: CrowdEntry) -> None:
    visitor = Visitor(site.url)
    visitor.sign_in("cur", "the curator's password")
    _, reply = come(site, entry, "x2", visitor=visitor)
    assert reply.status == 409
    assert visitor.get("/leave").status == 404


def test_a_closed_entry_takes_no_newcomers_and_a_locked_worker_does_not_come_back(
    site: ReviewSite, store: ReviewStore, entry: CrowdEntry
) -> None:
    come(site, entry, "here1")
    CrowdEntries(store).close(entry.id, by="cur", now=clock())
    assert come(site, entry, "here1")[1].status == 303
    assert come(site, entry, "new1")[1].status == 403
    Accounts(store).disable(pseudonym_of(store, "here1"))
    assert come(site, entry, "here1")[1].status == 403


def test_a_worker_gets_tasks_of_their_campaign_alone(store: ReviewStore, entry: CrowdEntry) -> None:
    from benchwright.annotation.forms.campaign_form import CampaignForm
    from benchwright.annotation.forms.payloads import TaskInput
    from benchwright.annotation.store.accounts.campaign_access import AccessControl

    store.upsert_campaign(
        "inner",
        kind="verify",
        rule="unanimous(1)",
        slots_per_task=1,
        form=CampaignForm(decisions=["accept"]),
        settings={},
        seed=1,
    )
    store.upsert_tasks("inner", [TaskInput("i", "c", {"n": 1})])
    name = CrowdEntries(store).enter(entry, "alone1", study="s", session="t", submit_to=None, now=clock())
    inner = store.campaign("inner")
    assert TaskQueue(store, inner, name).next(now=clock()) is None
    assert not AccessControl(store).admits(inner, name)
    assert AccessControl(store).admits(store.campaign("verify"), name)
    assert AccessControl(store).admits(inner, "ann")


def test_ids_of_the_service_stand_nowhere_else_and_are_forgotten(
    store: ReviewStore, entry: CrowdEntry, site: ReviewSite, tmp_path: Path
) -> None:
    worker, session = "secretworker77", "secretsession77"
    come(site, entry, worker, session)
    name = pseudonym_of(store, worker)
    work(store, name, 1)
    assert tables_with(site, worker) == {"crowd_workers"}
    assert tables_with(site, session) == {"crowd_visits"}
    out = tmp_path / "export"
    run_json("review", "export", "--workspace", site.workspace, "--all", "--out", out)
    assert not [path for path in out.iterdir() if worker.encode() in path.read_bytes()]
    forget_person(store, name, now=clock())
    assert tables_with(site, worker) == tables_with(site, session) == set()
    assert store.audited().broken is None


def tables_with(site: ReviewSite, text: str) -> set[str]:
    with sqlite3.connect(site.workspace / "review.sqlite") as database:
        names = [row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {name for name in names if text in str(database.execute(f'SELECT * FROM "{name}"').fetchall())}


def test_the_command_prints_the_address_with_the_services_placeholders(site: ReviewSite) -> None:
    words = ("review", "entries", "--workspace", site.workspace, "--campaign", "verify")
    made = run_json(*words, "--add", "prolific", "--completed-code", "C1", "--url", "https://app.example.org/")
    link = urlsplit(made["entries"][-1]["link"])
    assert (link.scheme, link.netloc) == ("https", "app.example.org")
    assert parse_qs(link.query) == {name: [f"{{{{%{name}%}}}}"] for name in ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")}
    closed = run_json(*words, "--close", made["entries"][-1]["id"])
    assert closed["entries"][-1]["closed_at"] is not None
    assert "--completed-code" in in_process(*words, "--add", "mturk").stderr
    assert "letters, digits" in in_process(*words, "--add", "mturk", "--completed-code", "a b").stderr
