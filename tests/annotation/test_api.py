"""The HTTP API of the running app: what programs with a token can do, and what they cannot.

- A token opens one campaign with one scope; wrong, revoked, ended and foreign ones open nothing, and guessing waits.
- Annotators' responses hold no key that the page would not show, and no data of other annotators.
- A write with an idempotency key is done once, even if several copies arrive at once.
- Every answer matches the OpenAPI document; every error is a problem that names field and value.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from api_client import ApiClient, ApiReply
from browser.review_site import ReviewSite, make_workspace, serve
from conftest import ROOT
from fastapi.openapi.models import OpenAPI

from benchwright.annotation.app.api.api_routes import OPERATIONS
from benchwright.annotation.app.api.limits import BURST, ApiLimits
from benchwright.annotation.app.api.openapi import openapi_document
from benchwright.annotation.app.base.state import clock
from benchwright.annotation.campaigns.answer import Answer
from benchwright.annotation.forms.payloads import item_in
from benchwright.annotation.store.accounts.accounts import Accounts
from benchwright.annotation.store.campaigns.open_and_closed import close_campaign, reopen_campaign
from benchwright.annotation.store.integrations.api_tokens import ApiTokens, Scope
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.records import Item
from benchwright.steps import CampaignContext

from .visitor import Visitor

pytestmark = pytest.mark.slow

RECIPE = """\
name: ten
seed: 5
steps:
  - step: jigsaw
    min_tile_px: 16
    mode: paper
  - step: verify
    rule: unanimous(2)
    form: {reasons: [wrong_answer, unclear]}
    guidelines: "Accept what has **one** right answer."
"""
DOCUMENT = openapi_document(OPERATIONS)
NOBODYS = "bw_1_" + "x" * 43


@dataclass
class CheckedClient(ApiClient):
    """A program that compares each answer with the document."""

    def send(self, method: str, path: str, body: Any = None, **more: Any) -> ApiReply:
        reply = super().send(method, path, body, **more)
        if path.startswith("/campaigns"):
            _compare(method, path, reply)
        return reply


def _compare(method: str, path: str, reply: ApiReply) -> None:
    parts = f"/api/v1{path}".partition("?")[0].split("/")
    for template, operations in DOCUMENT["paths"].items():
        names = template.split("/")
        if len(names) == len(parts) and all(a.startswith("{") or a == b for a, b in zip(names, parts, strict=True)):
            if method.lower() not in operations:
                break
            answers = operations[method.lower()]["responses"]
            answer = answers.get(str(reply.status), answers["default"])
            for media, content in answer.get("content", {}).items():
                if media.endswith("json"):
                    schema = {**content["schema"], "components": DOCUMENT["components"]}
                    jsonschema.Draft202012Validator(schema).validate(reply.document)
            return
    assert reply.status in {404, 405}, path


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    workspace = make_workspace(tmp_path_factory.mktemp("api"), recipe=RECIPE)
    url = f"sqlite:///{workspace / 'review.sqlite'}"
    with open_store(url) as opened:
        items = [Item.model_validate(item_in(task.payload)) for task in opened.tasks("verify")]
    context = CampaignContext(seed=5, stage="answer", workspace=workspace, store_url=url)
    Answer(annotators_per_item=2).advance(items, context)
    with serve(workspace) as running:
        yield running


@pytest.fixture
def store(site: ReviewSite) -> Iterator[ReviewStore]:
    with open_store(f"sqlite:///{site.workspace / 'review.sqlite'}") as opened:
        yield opened


@pytest.fixture
def client(site: ReviewSite, store: ReviewStore) -> Callable[..., CheckedClient]:
    def made(person: str = "ann", scope: Scope = "annotator", campaign: str = "verify") -> CheckedClient:
        _, text = ApiTokens(store).make(campaign, scope, person, label="test", by="cur", now=clock())
        return CheckedClient(site.url, text)

    return made


def is_problem(reply: ApiReply, kind: str) -> bool:
    return reply.headers["content-type"] == "application/problem+json" and reply.document["type"].endswith(f"-{kind}")


def held(annotator: ApiClient) -> dict[str, Any]:
    [task] = annotator.post("/campaigns/verify/claims", {"most": 1}).document["items"]
    return dict(task)


def at(task: dict[str, Any], act: str) -> str:
    return f"/campaigns/verify/tasks/{task['task']}/{act}"


def test_a_program_claims_decides_changes_skips_and_flags(client: Callable[..., CheckedClient]) -> None:
    ann, cur = client("ann"), client("cur", "curator")
    before = ann.get("/campaigns/verify").document
    assert (before["left"], before["is_open"], before["progress"]) == (10, True, None)
    assert "**one**" in before["guidelines"]
    task = held(ann)
    assert (task["takes"]["decisions"], task["version"]) == (["accept", "reject", "revise"], 0)
    picture = ann.get(task["pictures"][0]["url"])
    assert picture.headers["content-type"] in {"image/png", "image/jpeg"}
    decided = ann.post(at(task, "decision"), {"decision": "accept", "active_s": 4.5, "version": 0}).document
    assert (decided["decided"], decided["left"]) == (1, 9)
    assert is_problem(
        ann.post(at(task, "decision"), {"decision": "reject", "reasons": ["unclear"], "version": 0}), "stale"
    )
    changed = {"decision": "reject", "reasons": ["unclear"], "note": "which corner?", "version": 1}
    assert ann.post(at(task, "decision"), changed).status == 200
    [own] = ann.get("/campaigns/verify/tasks?state=decided").document["items"]
    assert (own["said"]["decision"], own["version"]) == ("reject", 2)
    second = held(ann)
    assert ann.post(at(second, "skip")).document["decided"] == 1
    third = held(ann)
    assert third["task"] != second["task"]
    ann.post(at(third, "flag"), {"words": "look at this"})
    [message] = cur.get("/campaigns/verify/messages").document["items"]
    assert (message["annotator"], message["words"], message["flag"]) == ("ann", "look at this", True)
    assert cur.post(f"/campaigns/verify/messages/{message['id']}/settle").status == 204
    assert is_problem(cur.post(f"/campaigns/verify/messages/{message['id']}/settle"), "not_found")
    versions = [json.loads(line) for line in cur.get("/campaigns/verify/decisions").body.splitlines()]
    assert [(row["version"], row["decision"], row["reasons"]) for row in versions] == [
        (1, "accept", []), (2, "reject", ["unclear"]),
    ]  # fmt: skip


def test_lists_come_in_pages_that_leave_out_and_repeat_nothing(client: Callable[..., CheckedClient]) -> None:
    cur, found, path = client("cur", "curator"), list[int](), "/campaigns/verify/items?limit=3"
    while path:
        page = cur.get(path).document
        found += [item["task"] for item in page["items"]]
        path = f"/campaigns/verify/items?limit=3&cursor={page['next']}" if page["next"] else ""
    assert (len(found), found) == (10, sorted(set(found)))


def test_items_are_found_by_likeness_and_by_words_of_ones_own(client: Callable[..., CheckedClient]) -> None:
    cur = client("cur", "curator")
    item_id = cur.get("/campaigns/verify/items?limit=1").document["items"][0]["item_id"]
    alike = cur.get(f"/campaigns/verify/alike?item={item_id}").document
    assert (alike["by"], alike["items"][0]["likeness"]) == ("words", 1)
    assert item_id in {item["item_id"] for item in alike["items"]}
    found = cur.get("/campaigns/verify/alike?meaning=pieces&limit=1").document
    assert [item["question"] for item in found["items"]] == [alike["items"][0]["question"]]
    assert cur.get("/campaigns/verify/alike").status == 422


def test_people_are_paused_and_resumed_and_a_campaign_is_closed_and_opened(
    client: Callable[..., CheckedClient],
) -> None:
    ben, cur = client("ben"), client("cur", "curator")
    ben.post(at(held(ben), "decision"), {"decision": "accept"})
    people = {person["name"]: person for person in cur.get("/campaigns/verify/people").document["items"]}
    assert people["ben"]["decided"] == 1
    assert not people["ben"]["is_paused"]
    assert cur.post("/campaigns/verify/people/ben/pause", {"why": "presses one key"}).document["votes"] == 1
    assert ben.get("/campaigns/verify").document["is_paused"]
    assert ben.post("/campaigns/verify/claims").document["items"] == []
    assert cur.post("/campaigns/verify/people/ben/resume").document == {"votes": 1, "replaced": 0, "held": 0}
    assert cur.post("/campaigns/verify/close").document == {"is_open": False}
    assert ben.post("/campaigns/verify/claims").document["items"] == []
    assert is_problem(cur.post("/campaigns/verify/close"), "refused")
    assert cur.post("/campaigns/verify/reopen").document == {"is_open": True}
    assert len(ben.post("/campaigns/verify/claims").document["items"]) == 1


def test_a_curator_invites_people_and_makes_and_revokes_their_tokens(
    client: Callable[..., CheckedClient], site: ReviewSite
) -> None:
    cur = client("cur", "curator")
    [invited] = cur.post("/campaigns/verify/invitations", {"people": [{"name": "zoe"}]}).document["items"]
    assert Visitor(site.url).get(invited["link"].removeprefix(site.url)).status == 200
    reply = cur.post("/campaigns/verify/invitations", {"people": [{"name": "eve", "role": "curator"}]})
    assert is_problem(reply, "invalid")
    assert reply.document["errors"][0]["field"] == "body.people.0.role"
    made = cur.send("POST", "/campaigns/verify/tokens", {"person": "zoe", "label": "front end"}, key="t1")
    zoe = CheckedClient(site.url, made.document["token"])
    assert zoe.get("/campaigns/verify").status == 200
    again = cur.send("POST", "/campaigns/verify/tokens", {"person": "zoe", "label": "front end"}, key="t1")
    assert is_problem(again, "refused")
    assert made.document["token"].encode() not in (site.workspace / "review.sqlite").read_bytes()
    assert cur.send("DELETE", f"/campaigns/verify/tokens/{made.document['id']}").status == 204
    assert is_problem(zoe.get("/campaigns/verify"), "unauthorized")


def test_decisions_come_in_from_a_table_row_by_row(client: Callable[..., CheckedClient]) -> None:
    cur = client("cur", "curator")
    items = cur.get("/campaigns/verify/items").document["items"]
    rows = [f"ann,{items[-1]['item_id']},accept", f"ann,{items[-2]['item_id']},maybe"]
    table = "\n".join(["annotator,item_id,decision", *rows]).encode()
    reply = cur.send("POST", "/campaigns/verify/decisions", data=table, headers={"Content-Type": "text/csv"}, key="i")
    assert (reply.document["rows"], len(reply.document["refused"])) == (2, 1)
    assert "maybe" in reply.document["refused"][0]["reason"]
    assert is_problem(cur.send("POST", "/campaigns/verify/decisions", {"rows": []}), "wrong_type")


def test_an_export_of_the_campaign_is_made_and_downloaded(
    client: Callable[..., CheckedClient], site: ReviewSite
) -> None:
    cur = client("cur", "curator")
    job = cur.post("/campaigns/verify/export", {"pseudonyms": True}, key="e1").document
    assert cur.post("/campaigns/verify/export", {"pseudonyms": True}, key="e1").document["id"] == job["id"]
    until = datetime.now(UTC) + timedelta(minutes=1)
    while (state := cur.get(f"/campaigns/verify/jobs/{job['id']}").document)["state"] == "running":
        assert datetime.now(UTC) < until
        time.sleep(0.1)
    assert cur.get(state["download"]).body[:2] == b"PK"
    other = client("cur", "curator", "answer")
    assert is_problem(other.get(f"/campaigns/answer/jobs/{job['id']}/download"), "not_found")


# tokens


def test_what_is_no_token_opens_nothing_and_guessing_has_to_wait(
    site: ReviewSite, client: Callable[..., CheckedClient]
) -> None:
    good = client()
    assert good.get("/campaigns").status == 200
    statuses = [CheckedClient(site.url, NOBODYS).get("/campaigns").status for _ in range(8)]
    assert statuses[0] == 401
    assert 429 in statuses
    refused = ApiClient(site.url, None).get("/campaigns")
    assert is_problem(refused, "unauthorized") or is_problem(refused, "too_many")
    assert good.get("/campaigns").status == 200, "a token that worked from here does not wait for others' guesses"


def test_no_operation_and_no_other_path_answers_without_a_token(site: ReviewSite) -> None:
    stranger = ApiClient(site.url, None)
    for operation in OPERATIONS:
        path = re.sub(r"\{\w+(:number)?\}", "1", operation.path)
        assert is_problem(stranger.send(operation.method, path), "unauthorized"), operation.name
    assert is_problem(stranger.get("/nothing"), "unauthorized")
    assert is_problem(stranger.get(""), "unauthorized")


def test_the_cookie_of_a_session_opens_nothing(site: ReviewSite) -> None:
    visitor = Visitor(site.url)
    visitor.sign_in("cur", "the curator's password")
    assert visitor.get("/api/v1/campaigns").status in {401, 429}
    assert visitor.send("POST", "/api/v1/campaigns/verify/close").status in {401, 429}


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "/campaigns/answer"), ("GET", "/campaigns/answer/items"), ("POST", "/campaigns/answer/close")],
)
def test_a_token_opens_its_own_campaign_alone(client: Callable[..., CheckedClient], method: str, path: str) -> None:
    assert is_problem(client("cur", "curator").send(method, path), "other_campaign")


def test_a_picture_of_another_campaign_is_not_shown(client: Callable[..., CheckedClient], store: ReviewStore) -> None:
    task = store.tasks("answer")[0].id
    assert client("cur", "curator", "answer").get(f"/campaigns/answer/tasks/{task}/pictures/0").status == 200
    assert is_problem(client("cur", "curator").get(f"/campaigns/verify/tasks/{task}/pictures/0"), "not_found")


def test_scopes_are_kept_apart(client: Callable[..., CheckedClient]) -> None:
    ann, cur = client(), client("cur", "curator")
    for operation in OPERATIONS:
        path = operation.path.replace("{campaign}", "verify").replace(":number", "").replace("{job}", "x")
        path = path.replace("{person}", "ben").replace("{task}", "1").replace("{place}", "0")
        path = (
            path.replace("{message}", "1").replace("{token}", "1").replace("{webhook}", "1").replace("{delivery}", "1")
        )
        for scope, program in (("annotator", ann), ("curator", cur)):
            if scope not in operation.scopes:
                assert is_problem(program.send(operation.method, path), "wrong_scope"), operation.name


def test_tokens_end_with_their_time_their_account_and_their_role(site: ReviewSite, store: ReviewStore) -> None:
    tokens, accounts, now = ApiTokens(store), Accounts(store), clock()
    accounts.add("kim", "curator", now=now)
    _, old = tokens.make("verify", "annotator", "kim", label="old", by="cur", now=now - timedelta(days=2), days=1)
    _, curators = tokens.make("verify", "curator", "kim", label="c", by="cur", now=now)
    _, own = tokens.make("verify", "annotator", "kim", label="a", by="cur", now=now)
    assert tokens.opened_by(old, now=now) is None
    accounts.set_role("kim", "annotator")
    assert tokens.opened_by(curators, now=now) is None
    assert tokens.opened_by(own, now=now) is not None
    assert tokens.opened_by(own[:-1] + ("a" if own[-1] != "a" else "b"), now=now) is None
    accounts.disable("kim")
    assert tokens.opened_by(own, now=now) is None


# what is sent


@pytest.mark.parametrize(
    ("body", "field"),
    [
        pytest.param(b'{"decision": 3}', "body.decision", id="wrong type"),
        pytest.param(b'{"decision": "accept", "reason": []}', "body.reason", id="misspelled"),
        pytest.param(b'{"decision"', "body", id="no JSON"),
        pytest.param(b"[" * 100_000, "body", id="deep"),
        pytest.param(b'{"decision": "\\ud800"}', "body", id="half a character"),
        pytest.param(b'{"decision": "accept", "decision": "reject"}', "body", id="twice"),
        pytest.param(b'{"decision": "accept", "active_s": -1}', "body.active_s", id="negative"),
        pytest.param(b'{"decision": "accept", "version": 99999999999999999999}', "body.version", id="huge"),
    ],
)
def test_a_mistake_in_a_body_is_told_with_its_field(
    client: Callable[..., CheckedClient], body: bytes, field: str
) -> None:
    ann = client()
    reply = ann.send("POST", at(held(ann), "decision"), data=body, headers={"Content-Type": "application/json"})
    assert is_problem(reply, "invalid")
    assert [mistake["field"] for mistake in reply.document["errors"]] == [field]


def test_a_body_that_is_too_large_is_not_read(client: Callable[..., CheckedClient]) -> None:
    ann = client()
    stated = ann.send(
        "POST", "/campaigns/verify/claims", data=b" " * (1 << 20) + b"{}", headers={"Content-Type": "application/json"}
    )
    assert is_problem(stated, "too_large")


@pytest.mark.parametrize(
    "query", ["limit=0", "limit=many", "cursor=xyz", "cursor=YWZ0ZXI6LTE", "state=gone", "x=1", "limit=1&limit=2"]
)
def test_a_mistake_in_a_query_is_told(client: Callable[..., CheckedClient], query: str) -> None:
    reply = client("cur", "curator").get(f"/campaigns/verify/items?{query}")
    assert is_problem(reply, "invalid")
    assert reply.document["errors"][0]["field"] == f"query.{query.partition('=')[0]}"


@pytest.mark.parametrize(
    "path",
    ["/campaigns/verify/tasks/99999999999999999999999", "/campaigns/verify/tasks/0", "/nothing", "/campaigns/verify/"],
)
def test_nothing_is_where_nothing_is(client: Callable[..., CheckedClient], path: str) -> None:
    assert is_problem(client().get(path), "not_found")


def test_another_method_is_told_which_ones_there_are(client: Callable[..., CheckedClient]) -> None:
    reply = client().send("PATCH", "/campaigns/verify/claims")
    assert is_problem(reply, "wrong_method")
    assert reply.headers["allow"] == "POST"


# idempotency


def test_a_repeated_write_is_done_once_also_at_once(client: Callable[..., CheckedClient], store: ReviewStore) -> None:
    ann = client()
    task = held(ann)
    body = {"words": "once"}
    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(lambda _: ann.send("POST", at(task, "comment"), body, key="same"), range(8)))
    done = [reply for reply in replies if reply.status == 200]
    assert len(done) == 8
    assert len({reply.body for reply in done}) == 1
    assert sum(reply.headers.get("idempotent-replay") == "true" for reply in done) == 7
    assert [remark.words for remark in store.remarks("verify")].count("once") == 1
    assert is_problem(ann.send("POST", at(task, "comment"), {"words": "other"}, key="same"), "key_reused")
    assert client("ben").send("POST", "/campaigns/verify/claims", key="same").status == 200, "keys are a token's own"


def test_a_refused_write_leaves_its_key_free(client: Callable[..., CheckedClient]) -> None:
    ann = client()
    task = held(ann)
    assert is_problem(ann.send("POST", at(task, "decision"), {"decision": "no"}, key="again"), "refused")
    assert ann.send("POST", at(task, "decision"), {"decision": "accept"}, key="again").status == 200


# blindness, document


def test_nothing_that_an_annotator_gets_holds_keys_or_others_votes(client: Callable[..., CheckedClient]) -> None:
    ann, ben, cur = client("ann", campaign="answer"), client("ben"), client("cur", "curator", "answer")
    task = held(ben)
    ben.post(at(task, "decision"), {"decision": "reject", "reasons": ["unclear"], "note": "a note of ben's"})
    keys = {item["task"]: item["item"]["answer"] for item in cur.get("/campaigns/answer/items").document["items"]}
    for _ in range(3):
        for task in ann.post("/campaigns/answer/claims", {"most": 1}).document["items"]:
            assert task["right"] is None
            path = f"/campaigns/answer/tasks/{task['task']}"
            assert ann.get(path).document["right"] is None
            ann.post(f"{path}/decision", {"decision": "A"})
    assert ann.get("/campaigns/answer/tasks?state=decided").status == 200
    traffic = b"\n".join(ann.heard)
    assert keys
    for word in (b'"answer":', b"evidence", b"shown_boxes", b"a note of ben", b'"ben"', b"gold", b"content_hash"):
        assert word not in traffic, word


def test_the_document_is_openapi_and_every_schema_holds(site: ReviewSite) -> None:
    reply = ApiClient(site.url, None).get("/api/openapi.json")
    assert reply.document == json.loads(json.dumps(DOCUMENT))
    OpenAPI.model_validate(reply.document)
    for schema in reply.document["components"]["schemas"].values():
        jsonschema.Draft202012Validator.check_schema(schema)
    names = [operation["operationId"] for methods in reply.document["paths"].values() for operation in methods.values()]
    assert (len(names), sorted(names)) == (len(OPERATIONS), sorted(set(names)))


def test_the_page_names_every_operation_and_loads_nothing(site: ReviewSite) -> None:
    reply = ApiClient(site.url, None).get("/api/")
    page = reply.body.decode()
    assert all(f'id="{operation.name}"' in page for operation in OPERATIONS)
    assert "<script" not in page
    assert "http" not in page.replace("https://", "", 0).split("<body>")[0]
    assert "default-src 'none'" in reply.headers["content-security-policy"]


def test_a_token_that_asks_too_often_waits_a_moment() -> None:
    limits, now = ApiLimits(), datetime(2026, 3, 1, tzinfo=UTC)
    assert [limits.take(1, now=now) for _ in range(BURST + 1)] == [*[0] * BURST, 1]
    assert limits.take(2, now=now) == 0
    assert limits.take(1, now=now + timedelta(seconds=1)) == 0


def test_the_command_makes_lists_and_revokes(site: ReviewSite) -> None:
    from walks import in_process, run_json

    words = ("review", "tokens", "--workspace", site.workspace)
    made = run_json(*words, "--campaign", "verify", "--add", "nightly", "--person", "ann")
    [token] = [token for token in made["tokens"] if token["label"] == "nightly"]
    assert (token["state"], token["scope"], made["token"].startswith(f"bw_{token['id']}_")) == (
        "works",
        "annotator",
        True,
    )
    ended = run_json(*words, "--revoke", token["id"])
    assert [one["state"] for one in ended["tokens"] if one["id"] == token["id"]] == ["revoked"]
    assert "--person" in in_process(*words, "--add", "x").stderr
    assert (
        "'ann' is annotator"
        in in_process(*words, "--campaign", "verify", "--add", "x", "--person", "ann", "--scope", "curator").stderr
    )


def test_messages_reach_annotators_who_confirm_them(client: Callable[..., CheckedClient]) -> None:
    cur, ann, ben = client("cur", "curator"), client("ann"), client("ben")
    path = "/campaigns/verify/announcements"
    assert cur.post(path, {"words": "Please zoom in."}).status == 201
    assert cur.post(path, {"words": "Well done.", "recipient": "ben"}).status == 201
    assert is_problem(cur.post(path, {"words": "Hello", "recipient": "zed"}), "refused")
    [to_all] = ann.get(path).document["items"]
    assert (to_all["words"], to_all["sent_by"], "readers" in to_all) == ("Please zoom in.", "cur", False)
    assert [message["words"] for message in ben.get(path).document["items"]] == ["Please zoom in.", "Well done."]
    assert ann.post(f"{path}/{to_all['id']}/read").status == 204
    assert ann.get(path).document["items"] == []
    assert ann.post(path, {"words": "I may not"}).status == 403
    listed = {message["words"]: message for message in cur.get(path).document["items"]}
    assert listed["Please zoom in."]["readers"] == ["ann"]
    assert cur.send("DELETE", f"{path}/{listed['Well done.']['id']}").status == 204
    assert [message["words"] for message in ben.get(path).document["items"]] == ["Please zoom in."]


def test_an_item_is_discussed_once_nobody_can_judge_it(
    client: Callable[..., CheckedClient], store: ReviewStore
) -> None:
    ann, cur, other = client("ann"), client("cur", "curator"), client("cur")
    decided = held(ann)
    assert ann.post(at(decided, "decision"), {"decision": "accept"}).status == 200
    path = at(decided, "discussion")
    assert is_problem(ann.post(f"{path}/open"), "not_found"), "two campaigns ask about it"
    names = [name for name in store.campaign_names() if not store.campaign(name).is_closed]
    with store.writing() as connection:
        for name in names:
            close_campaign(connection, name, by="cur", now=clock())
    try:
        opened = ann.post(f"{path}/open").document
        assert (opened["posts"], sum(opened["decisions"].values()) >= 1) == ([], True)
        assert ann.post(f"{path}/posts", {"words": "The sky gives it away."}).status == 201
        [post] = cur.post(f"{path}/open").document["posts"]
        assert (post["author"], post["words"]) == ("ann", "The sky gives it away.")
        assert is_problem(other.post(f"{path}/open"), "not_found"), "as an annotator they decided nothing on it"
    finally:
        with store.writing() as connection:
            for name in names:
                reopen_campaign(connection, name, by="cur", now=clock())


def test_the_store_holds_after_all_this(store: ReviewStore, tmp_path: Path) -> None:
    del tmp_path
    assert store.audited().broken is None


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_the_guides_examples_run_as_they_stand(tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path / "guide", recipe=RECIPE)
    with open_store(f"sqlite:///{workspace / 'review.sqlite'}") as opened:
        tokens = ApiTokens(opened)
        token = tokens.make("verify", "annotator", "ann", label="a", by="cur", now=clock())[1]
        curator = tokens.make("verify", "curator", "cur", label="c", by="cur", now=clock())[1]
    blocks = re.findall(
        r"^```sh\n(.*?)^```$", (ROOT / "docs" / "api.md").read_text(encoding="utf-8"), flags=re.M | re.S
    )
    script = "\n".join(block for block in blocks if "curl" in block)
    assert script.count("curl") > 12
    with serve(workspace) as running:
        variables = {"APP": running.url, "TOKEN": token, "CURATOR": curator, "PATH": os.environ["PATH"]}
        done = subprocess.run(
            ["bash", "-eu", "-c", script.replace("curl -s", "curl -sS --fail-with-body")],
            check=False, env=variables, capture_output=True, text=True, timeout=120,
        )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    assert '"decided":1' in done.stdout
    assert "problem" not in done.stdout
