"""Keys of repeated writes in the store, and closed campaigns: on a file and on a server alike."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from browser.review_site import make_workspace
from starlette.applications import Starlette
from starlette.testclient import TestClient
from walks import in_process, run_json

from benchwright.annotation.app.api.api_routes import api_routes
from benchwright.annotation.app.base.state import clock, open_app_state
from benchwright.annotation.campaigns.verify import Verify
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.store.accounts.accounts import Accounts
from benchwright.annotation.store.assignment.quotas import even_part
from benchwright.annotation.store.backup import restore_backup, write_backup
from benchwright.annotation.store.campaigns.open_and_closed import close_campaign, reopen_campaign
from benchwright.annotation.store.integrations.api_tokens import ApiTokens
from benchwright.annotation.store.integrations.crowd import CrowdEntries
from benchwright.annotation.store.integrations.idempotency import KEPT, keep_answer, release, reserve
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.errors import BenchwrightError
from benchwright.records import Item
from benchwright.steps import CampaignContext
from benchwright.workspace.workspace import Workspace

pytestmark = [pytest.mark.slow, pytest.mark.both_databases]

OpenCampaign = Callable[..., ReviewStore]


@pytest.fixture
def token(open_campaign: OpenCampaign, now: datetime) -> int:
    store = open_campaign(tasks=3)
    Accounts(store).add("ann", "annotator", now=now)
    made, _ = ApiTokens(store).make("verify", "annotator", "ann", label="t", by="cur", now=now)
    return made.id


def test_a_key_is_taken_once_and_answered_alike_for_a_day(store: ReviewStore, token: int, now: datetime) -> None:
    with store.writing() as connection:
        assert reserve(connection, token, "k", "digest", now=now) is None
        keep_answer(connection, token, "k", status=200, reply="{}")
    with store.writing() as connection:
        kept = reserve(connection, token, "k", "digest", now=now + timedelta(hours=23))
        assert kept is not None
        assert (kept.digest, kept.status, kept.reply) == ("digest", 200, "{}")
        assert reserve(connection, token, "k", "other", now=now + KEPT) is None, "a day later it is free"


def test_a_key_of_a_request_that_was_lost_is_free_after_a_while(store: ReviewStore, token: int, now: datetime) -> None:
    with store.writing() as connection:
        assert reserve(connection, token, "k", "digest", now=now) is None
    with store.writing() as connection:
        soon = reserve(connection, token, "k", "digest", now=now + timedelta(minutes=1))
        assert soon is not None
        assert soon.status is None
        assert reserve(connection, token, "k", "digest", now=now + timedelta(minutes=6)) is None
        release(connection, token, "k")
        assert reserve(connection, token, "k", "another", now=now + timedelta(minutes=6)) is None


def test_a_write_that_fails_takes_its_key_with_it(store: ReviewStore, token: int, now: datetime) -> None:
    def fail() -> None:
        with store.batch() as held, held.writing() as connection:
            reserve(connection, token, "k", "digest", now=now)
            raise BenchwrightError("killed")

    with pytest.raises(BenchwrightError):
        fail()
    with store.writing() as connection:
        assert reserve(connection, token, "k", "digest", now=now) is None


def test_of_a_closed_campaign_nobody_gets_a_task_and_whoever_holds_one_finishes_it(
    open_campaign: OpenCampaign, now: datetime
) -> None:
    store = open_campaign(tasks=3)
    lease = store.claim("verify", "ann", now=now)
    assert lease is not None
    with store.writing(alone=True) as connection:
        close_campaign(connection, "verify", by="cur", now=now)
    assert store.claim("verify", "ben", now=now) is None
    assert store.claim_ahead("verify", "ann", most=3, now=now) == [lease.task_id]
    store.submit(lease.slot_id, "ann", Submission("accept"), now=now)
    assert store.claim_ahead("verify", "ann", most=3, now=now) == []
    assert len(store.decisions("verify")) == 1
    with store.writing(alone=True) as connection:
        with pytest.raises(BenchwrightError, match="already closed"):
            close_campaign(connection, "verify", by="cur", now=now)
        reopen_campaign(connection, "verify", by="cur", now=now)
    assert store.claim("verify", "ben", now=now) is not None
    assert store.audited().broken is None


def test_crowd_workers_come_once_and_take_what_their_visit_allows(open_campaign: OpenCampaign, now: datetime) -> None:
    store = open_campaign(tasks=3)
    entries = CrowdEntries(store)
    entry = entries.make("verify", "mturk", completed_code="C", tasks_per_visit=2, by="cur", now=now)
    visit = {"study": "h", "session": "a1", "submit_to": None, "now": now}
    Accounts(store).add("ann", "annotator", now=now)
    with store.reading() as connection:
        part = even_part(connection, store.campaign("verify"), "ann")
    name = entries.enter(entry, "W1", **visit)
    with store.reading() as connection:
        assert even_part(connection, store.campaign("verify"), "ann") == part, "who comes and goes takes nobody's part"
    assert entries.enter(entry, "W1", **visit) == name
    assert len(store.claim_ahead("verify", name, most=5, now=now)) == 2
    latest = entries.latest_visit(name)
    assert latest is not None
    assert (latest.decided, latest.result, latest.session) == (0, None, "a1")
    entries.end_visit(latest, "completed", now=now)
    assert entries.latest_visit(name) is not None
    assert store.audited().broken is None


@pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)
def test_a_backup_brings_tokens_and_webhooks_and_no_answers(
    store: ReviewStore, token: int, now: datetime, tmp_path: Path
) -> None:
    with store.writing() as connection:
        reserve(connection, token, "k", "digest", now=now)
    write_backup(store, tmp_path / "b.zip")
    restore_backup(tmp_path / "b.zip", f"sqlite:///{tmp_path / 'other.sqlite'}")
    with open_store(f"sqlite:///{tmp_path / 'other.sqlite'}") as other:
        assert [each.id for each in ApiTokens(other).of_campaign("verify")] == [token]
        with other.writing() as connection:
            assert reserve(connection, token, "k", "x", now=now) is None


@pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)
def test_the_commands_close_and_open(store_url: str, tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path / "site", photographs=4)
    assert run_json("review", "close", "--workspace", workspace) == {"campaign": "verify", "is_open": False}
    assert "already closed" in in_process("review", "close", "--workspace", workspace).stderr
    assert run_json("review", "reopen", "--workspace", workspace, "--by", "cur")["is_open"] is True


def test_the_api_decides_once_on_a_file_and_on_a_server(
    store: ReviewStore, context: CampaignContext, make_items: Callable[..., list[Item]], now: datetime, tmp_path: Path
) -> None:
    """The routes alone, over a store of either kind, with eight programs that send the same request at once."""
    Verify().advance([item.model_copy(update={"images": ()}) for item in make_items(jigsaw=3)], context)
    Accounts(store).add("ann", "annotator", now=now)
    _, token = ApiTokens(store).make("verify", "annotator", "ann", label="t", by="cur", now=clock())
    space = Workspace.create(tmp_path / "work")
    space.save_settings({})
    state = replace(open_app_state(space.root, secure=False), store=store)
    with TestClient(Starlette(routes=api_routes(state))) as client:
        client.headers["Authorization"] = f"Bearer {token}"
        [task] = client.post("/api/v1/campaigns/verify/claims", json={"most": 1}).json()["items"]
        path = f"/api/v1/campaigns/verify/tasks/{task['task']}/decision"

        def decide(_number: int) -> int:
            return client.post(path, json={"decision": "accept"}, headers={"Idempotency-Key": "k"}).status_code

        with ThreadPoolExecutor(8) as pool:
            assert set(pool.map(decide, range(8))) == {200}
        assert client.post(path, json={"decision": "no"}, headers={"Idempotency-Key": "l"}).status_code == 409
    assert [(each.annotator, each.version) for each in store.decisions("verify")] == [("ann", 1)]
    assert store.audited().broken is None
