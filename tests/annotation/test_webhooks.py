"""Webhooks: events of a campaign reach the address that a curator named, signed, once each.

- Events come from the log: none is missed when the server stops, even by kill -9, and none is recorded twice.
- Failed deliveries are repeated, later each time, and then given up; 410 ends the webhook; redirects are not followed.
- No delivery goes to a private address unless allowed, whatever a name resolves to.
- A delivery holds no text: a forgotten person is not named.
"""

from __future__ import annotations

import os
import signal
import socket
import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from api_client import ApiClient
from browser.review_site import make_workspace
from servers import serving
from walks import command, run_json

from benchwright.annotation.app.base.state import clock
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.store.accounts.forgetting import forget_person
from benchwright.annotation.store.integrations.api_tokens import ApiTokens
from benchwright.annotation.store.integrations.webhooks import DELAYS_S, EVENTS, Webhooks
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.annotation.webhooks import addresses
from benchwright.annotation.webhooks.addresses import is_public, resolved, target_of
from benchwright.annotation.webhooks.events import note_events
from benchwright.annotation.webhooks.sending import WebhookSender
from benchwright.annotation.webhooks.signing import check_signature, signed_headers
from benchwright.annotation.workflow.set_asides import set_votes_aside, take_votes_back
from benchwright.errors import BenchwrightError

from .webhook_receiver import Receiver, receiving

pytestmark = pytest.mark.slow

OpenCampaign = Callable[..., ReviewStore]


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as running:
        yield running


@pytest.fixture
def sender(store: ReviewStore, now: datetime) -> Callable[..., int]:
    def send(at: datetime = now) -> int:
        return WebhookSender(store, allow_private=True, clock=lambda: at).send_due()

    return send


def decide(store: ReviewStore, name: str, decision: str, *, now: datetime) -> int:
    lease = store.claim("verify", name, now=now)
    assert lease is not None
    store.submit(lease.slot_id, name, Submission(decision), now=now)
    return lease.task_id


def kinds(receiver: Receiver) -> list[str]:
    return [document["type"] for document in receiver.documents]


@pytest.mark.both_databases
def test_decisions_settlement_pauses_and_the_end_are_sent_once_and_signed(
    open_campaign: OpenCampaign, receiver: Receiver, sender: Callable[..., int], now: datetime
) -> None:
    store = open_campaign(tasks=1)
    decide(store, "ann", "accept", now=now)
    _, secret = Webhooks(store).make("verify", receiver.url, by="cur", now=now)
    assert sender() == 0, "what was before is not told"
    task = decide(store, "ben", "accept", now=now)
    assert sender() == 3
    assert sorted(kinds(receiver)) == ["campaign.finished", "decision.saved", "item.settled"]
    data = {document["type"]: document["data"] for document in receiver.documents}
    assert data["decision.saved"] == {
        "campaign": "verify", "task": task, "item_id": "item-000", "person": "ben", "version": 1, "decision": "accept", "reasons": [],
    }  # fmt: skip
    assert data["item.settled"]["outcome"] == "accept"
    for headers, text in receiver.came:
        check_signature(secret, headers, text, now=int(time.time()))
        with pytest.raises(BenchwrightError, match="was changed"):
            check_signature(secret, headers, text.replace("verify", "verity"), now=int(time.time()))
        with pytest.raises(BenchwrightError, match="not a time within"):
            check_signature(secret, headers, text, now=int(time.time()) + 400)
    assert sender() == 0
    set_votes_aside(store, "verify", "ben", by="cur", why="presses one key", now=now)
    sender()
    assert kinds(receiver)[3:] == ["person.paused"]
    take_votes_back(store, "verify", "ben", by="cur", now=now)
    sender()
    assert sorted(kinds(receiver)[4:]) == ["campaign.finished", "person.resumed"], (
        "the item came to what it had come to"
    )


def test_an_item_that_annotators_leave_to_an_adjudicator_has_not_settled(
    store: ReviewStore, receiver: Receiver, sender: Callable[..., int], now: datetime
) -> None:
    from benchwright.annotation.forms.campaign_form import CampaignForm
    from benchwright.annotation.forms.payloads import TaskInput

    form = CampaignForm(decisions=["accept", "reject"], reasons=["unclear"], rounds=1)
    store.upsert_campaign(
        "verify", kind="verify", rule="adjudicated(unanimous(2))", slots_per_task=2, form=form, settings={}, seed=1
    )
    store.upsert_tasks("verify", [TaskInput("item-000", "content", {"n": 0})])
    Webhooks(store).make("verify", receiver.url, ["item.settled", "campaign.finished"], by="cur", now=now)
    for name, decision in (("ann", "accept"), ("ben", "reject")):
        store.upsert_annotator(name)
        decide(store, name, decision, now=now)
    assert sender() == 0


def test_other_events_and_other_campaigns_are_not_sent(
    open_campaign: OpenCampaign, receiver: Receiver, sender: Callable[..., int], now: datetime
) -> None:
    store = open_campaign(tasks=2)
    Webhooks(store).make("verify", receiver.url, ["campaign.finished"], by="cur", now=now)
    decide(store, "ann", "accept", now=now)
    assert sender() == 0
    with pytest.raises(BenchwrightError, match="is not one of decision"):
        Webhooks(store).make("verify", receiver.url, ["all"], by="cur", now=now)


def test_a_failure_is_tried_again_later_each_time_and_then_given_up(
    open_campaign: OpenCampaign, receiver: Receiver, sender: Callable[..., int], now: datetime
) -> None:
    store = open_campaign(tasks=2)
    webhook, _ = Webhooks(store).make("verify", receiver.url, ["decision.saved"], by="cur", now=now)
    decide(store, "ann", "accept", now=now)
    receiver.statuses = [500, 302] + [503] * 8
    at = now
    for number, delay_s in enumerate(DELAYS_S):
        if delay_s:
            assert sender(at + timedelta(seconds=delay_s - 1)) == 0, number
        at += timedelta(seconds=delay_s)
        assert sender(at) == 1, number
    [delivery] = Webhooks(store).deliveries(webhook.id)
    assert (delivery.state, delivery.attempts, delivery.status) == ("given_up", len(DELAYS_S), 503)
    assert len({headers["webhook-id"] for headers, _ in receiver.came}) == 1
    assert sender(at + timedelta(days=9)) == 0
    Webhooks(store).send_again(webhook.id, delivery.id, by="cur", now=at)
    assert sender(at) == 1
    assert Webhooks(store).deliveries(webhook.id)[0].state == "delivered"


def test_a_receiver_that_is_gone_gets_nothing_more(
    open_campaign: OpenCampaign, receiver: Receiver, sender: Callable[..., int], now: datetime
) -> None:
    store = open_campaign(tasks=2)
    Webhooks(store).make("verify", receiver.url, ["decision.saved"], by="cur", now=now)
    decide(store, "ann", "accept", now=now)
    receiver.statuses = [410]
    assert sender() == 1
    [ended] = Webhooks(store).of_campaign(also_ended=True)
    assert ended.ended_by == "(receiver)"
    decide(store, "ben", "accept", now=now)
    assert sender() == 0


def test_whoever_was_forgotten_is_not_named_by_what_is_sent_later(
    open_campaign: OpenCampaign, receiver: Receiver, sender: Callable[..., int], now: datetime
) -> None:
    store = open_campaign(tasks=2)
    Webhooks(store).make("verify", receiver.url, ["decision.saved"], by="cur", now=now)
    decide(store, "ann", "accept", now=now)
    note_events(store)
    pseudonym = forget_person(store, "ann", now=now).pseudonym
    sender()
    assert receiver.documents[0]["data"]["person"] == pseudonym


def test_what_is_slow_is_given_up_after_the_time_limit(
    open_campaign: OpenCampaign, sender: Callable[..., int], now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchwright.annotation.webhooks.sending.TIMEOUT_S", 0.3)
    store = open_campaign(tasks=1)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/"
        webhook, _ = Webhooks(store).make("verify", url, ["decision.saved"], by="cur", now=now)
        decide(store, "ann", "accept", now=now)
        assert sender() == 1
    [delivery] = Webhooks(store).deliveries(webhook.id)
    assert delivery.state == "waits"
    assert "Timeout" in (delivery.error or "")


# addresses


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/hook", "ftp://example.org/", "https://127.0.0.1/", "https://[::1]/", "https://10.1.2.3:8443/x",
        "https://169.254.169.254/latest/meta-data", "https://192.168.0.1/", "https://100.64.0.1/", "https://0.0.0.0/",
        "https://[::ffff:127.0.0.1]/", "https://[64:ff9b::7f00:1]/", "https://[2002:7f00:1::]/", "https://224.0.0.1/",
        "https://user:word@example.org/", "https://example.org/#part", "https:///x", "https://ex ample.org/", "https://example.org:99999/",
        "file:///etc/passwd", "https://" + "a" * 3000,
    ],
)  # fmt: skip
def test_an_address_that_may_not_be_is_refused(url: str) -> None:
    with pytest.raises(BenchwrightError, match="webhook address"):
        target_of(url, allow_private=False)


@pytest.mark.parametrize("host", ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "fd00::1"])
def test_a_name_that_leads_to_a_private_address_is_refused(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of several addresses every one counts, and a number in another notation is an address too."""
    public = (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("93.184.215.14", 443))
    private = (socket.AF_INET, socket.SOCK_STREAM, 6, "", (host, 443))
    monkeypatch.setattr(addresses.socket, "getaddrinfo", lambda *_a, **_k: [public, private])
    with pytest.raises(BenchwrightError, match="not on a public network"):
        resolved(target_of("https://inner.example.org/", allow_private=False), allow_private=False)


@pytest.mark.parametrize("spelled", ["2130706433", "0x7f000001", "127.1", "localhost"])
def test_other_spellings_of_this_machine_are_found_out(spelled: str) -> None:
    with pytest.raises(BenchwrightError, match=r"not on a public network|not found"):
        resolved(target_of(f"https://{spelled}/", allow_private=False), allow_private=False)


def test_a_public_address_is_one() -> None:
    import ipaddress

    assert is_public(ipaddress.ip_address("93.184.215.14"))
    assert is_public(ipaddress.ip_address("2606:2800:21f:cb07:6820:80da:af6b:8b2c"))


def test_a_private_address_gets_nothing_at_a_server_that_does_not_allow_it(
    open_campaign: OpenCampaign, receiver: Receiver, store: ReviewStore, now: datetime
) -> None:
    open_campaign(tasks=1)
    webhook, _ = Webhooks(store).make("verify", receiver.url, ["decision.saved"], by="cur", now=now)
    decide(store, "ann", "accept", now=now)
    assert WebhookSender(store, clock=lambda: now).send_due() == 1
    assert receiver.came == []
    assert "need https" in (Webhooks(store).deliveries(webhook.id)[0].error or "")


def test_the_signature_is_that_of_standard_webhooks() -> None:
    """The example of the specification's libraries."""
    headers = signed_headers(
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, '{"test": 2432232314}'
    )
    assert headers["webhook-signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


# the running app


def test_from_a_token_to_an_export_with_the_server_killed_in_between(tmp_path: Path, receiver: Receiver) -> None:
    """Token, list, claim, answer, settle, webhook, export; the second annotator decides while no receiver listens."""
    workspace = make_workspace(tmp_path / "site", photographs=4)
    url = f"sqlite:///{workspace / 'review.sqlite'}"
    with open_store(url) as store:
        tokens = {
            name: ApiTokens(store).make("verify", scope, name, label="walk", by="cur", now=clock())[1]
            for name, scope in (("ann", "annotator"), ("ben", "annotator"), ("cur", "curator"))
        }

    def app(port: int) -> list[str]:
        return [*command("review", "serve", "--workspace", workspace, "--port", port, "--private-webhooks")]

    def decide_all(client: ApiClient) -> int:
        decided = 0
        while items := client.post("/campaigns/verify/claims").document["items"]:
            path = f"/campaigns/verify/tasks/{items[0]['task']}/decision"
            decided += client.post(path, {"decision": "accept"}, key=path).status == 200
        return decided

    with serving(app, log=tmp_path / "one.log", health="/login") as server:
        cur = ApiClient(server.url, tokens["cur"])
        made = cur.post("/campaigns/verify/webhooks", {"url": receiver.url})
        assert made.status == 201
        assert made.document["events"] == list(EVENTS)
        count = decide_all(ApiClient(server.url, tokens["ann"]))
        await_true(lambda: len(receiver.came) == count)
        receiver.statuses = [500] * 100
        assert decide_all(ApiClient(server.url, tokens["ben"])) == count
        await_true(lambda: len(receiver.came) > count)
        os.kill(server.pid, signal.SIGKILL)
    receiver.statuses, before = [], len(receiver.came)
    with serving(app, log=tmp_path / "two.log", health="/login") as server:
        cur = ApiClient(server.url, tokens["cur"])
        await_true(lambda: "campaign.finished" in kinds(receiver)[before:], timeout_s=60)
        path = f"/campaigns/verify/webhooks/{made.document['id']}/deliveries?limit=200"
        await_true(lambda: all(each["state"] == "delivered" for each in cur.get(path).document["items"]), timeout_s=60)
        arrived = {headers["webhook-id"]: text for headers, text in receiver.came}
        settled = [text for text in arrived.values() if "item.settled" in text]
        saved = [text for text in arrived.values() if "decision.saved" in text]
        assert (len(settled), len(saved)) == (count, 2 * count)
        for headers, text in receiver.came:
            check_signature(made.document["secret"], headers, text, now=int(time.time()))
        assert cur.get("/campaigns/verify").document["progress"]["outcomes"]["accept"] == count
        assert len(cur.get("/campaigns/verify/decisions").body.splitlines()) == 2 * count
        job = cur.post("/campaigns/verify/export", {}).document
        jobs = f"/campaigns/verify/jobs/{job['id']}"
        await_true(lambda: cur.get(jobs).document["state"] == "done", timeout_s=60)
        assert cur.get(f"{jobs}/download").body[:2] == b"PK"
    with open_store(url) as store:
        assert store.audited().broken is None


def await_true(happened: Callable[[], bool], *, timeout_s: float = 20) -> None:
    until = time.monotonic() + timeout_s
    while not happened():
        assert time.monotonic() < until
        time.sleep(0.1)


def test_the_command_adds_lists_and_removes(tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path / "site", photographs=4)
    words = ("review", "webhooks", "--workspace", workspace)
    made = run_json(*words, "--add", "https://example.org/hook", "--event", "item.settled")
    assert made["secret"].startswith("whsec_")
    [webhook] = run_json(*words)["webhooks"]
    assert (webhook["url"], webhook["events"]) == ("https://example.org/hook", ["item.settled"])
    assert run_json(*words, "--log", webhook["id"])["deliveries"] == []
    assert run_json(*words, "--remove", webhook["id"])["webhooks"] == []
