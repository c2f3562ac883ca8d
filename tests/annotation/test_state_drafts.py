"""A model's drafts of statements: requested once, kept with the task, and not counted until an annotator accepts them.

- A draft is present when the task opens, without parts that do not fit the form.
- The store states for each statement whether a person wrote it, or accepted or edited which model's.
- A model that fails leaves the form empty, and the task says why.
"""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from chat_server import ChatServer
from typed_answers import say
from walks import make_photographs

from benchwright.annotation.forms.payloads import proposals_in
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.store.database.records import RefusedError
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.annotation.workflow.task_queue import TaskQueue
from benchwright.errors import PrerequisiteError
from benchwright.facts import StatementsOnPicture
from benchwright.pipeline import run_recipe
from benchwright.recipe import parse_recipe

pytestmark = pytest.mark.slow

TASTE = {"name": "taste", "why": "other_modality", "ask": "How does it taste?", "wrong": ["Bitter", "Sour", "Sweet"]}
TABLE = {"name": "table", "ask": "What does it stand on?", "right": "A table", "wrong": ["A chair", "A tray", "A bed"]}
DRAFT: dict[str, Any] = {
    "caption": "A cup on a table.", "background": "a table", "subjects": [{"name": "cup", "phrase": "the cup"}],
    "answerable": [TABLE], "unanswerable": [TASTE],
}  # fmt: skip
RECIPE = """
name: drafted
seed: 3
shards: 2
steps:
  - step: state
    draft:
      chat: {{model: tiny-vlm, base_url: "{url}", retries: 0{more}}}
      on_failure: {on_failure}
"""


def drafted(tmp_path: Path, server: ChatServer, *, more: str = "", on_failure: str = "record", count: int = 2) -> Any:
    """Run the recipe over photographs, and return its result."""
    if not (tmp_path / "photographs").exists():
        make_photographs(tmp_path / "photographs", count=count)
        (tmp_path / "photographs" / "again.png").unlink()
    text = RECIPE.format(url=server.url, more=more, on_failure=on_failure)
    recipe = parse_recipe(text, "recipe.yaml", folder=tmp_path)
    return run_recipe(recipe, workspace=tmp_path / "w", images=tmp_path / "photographs", workers=1)


def store_of(tmp_path: Path) -> ReviewStore:
    return open_store(f"sqlite:///{tmp_path / 'w' / 'review.sqlite'}")


def replying(server: ChatServer, reply: Any) -> None:
    server.behave = lambda words, attempt, handler: json.dumps(reply) if isinstance(reply, dict) else reply


def test_a_model_drafts_each_task_once_and_is_shown_the_picture(tmp_path: Path, chat_server: ChatServer) -> None:
    replying(chat_server, DRAFT)
    assert "waits for people" in drafted(tmp_path, chat_server).waits[0]
    assert len(chat_server.bodies) == 2
    parts = chat_server.bodies[0]["messages"][0]["content"]
    assert [part["type"] for part in parts] == ["text", "image_url"]
    assert "unanswerable" in parts[0]["text"]
    assert "implication" not in parts[0]["text"]
    drafted(tmp_path, chat_server)
    assert len(chat_server.bodies) == 2  # tasks that are open keep their draft
    with store_of(tmp_path) as store:
        for task in store.tasks("state"):
            proposals = proposals_in(task.payload)
            assert proposals is not None
            assert (proposals.model, proposals.failed) == ("tiny-vlm", None)
            assert proposals.fields == DRAFT


def test_a_kept_reply_is_not_paid_for_again_by_another_store(tmp_path: Path, chat_server: ChatServer) -> None:
    replying(chat_server, DRAFT)
    drafted(tmp_path, chat_server)
    (tmp_path / "w" / "review.sqlite").unlink()
    drafted(tmp_path, chat_server)
    assert len(chat_server.bodies) == 2
    with store_of(tmp_path) as store:
        assert len(store.tasks("state")) == 2


def test_the_store_says_of_each_statement_whose_it_is(tmp_path: Path, chat_server: ChatServer, now: datetime) -> None:
    replying(chat_server, DRAFT)
    drafted(tmp_path, chat_server)
    own = {"name": "smell", "why": "other_modality", "ask": "How does it smell?", "wrong": ["Burnt", "Of milk"]}
    said = {
        "statement": "stated", "caption": DRAFT["caption"], "background": "a wooden table", "subjects": DRAFT["subjects"],
        "answerable": [TABLE], "unanswerable": [own, TASTE | {"ask": "What does it taste of?"}],
        "drafts": {
            "caption": "caption", "background": "background", "unanswerable/2": "unanswerable/1",
            "answerable/1": {"from": "answerable/1", "model": "another", "edited": True},
        },
    }  # fmt: skip
    with store_of(tmp_path) as store:
        images = [task.item_id for task in store.tasks("state")]
        say(store, "state", {image_id: {"ann": said} for image_id in images}, now)
        fields = store.decisions("state")[0].fields or {}
        assert fields["drafts"] == {
            "caption": {"edited": False, "from": "caption", "model": "tiny-vlm"},
            "background": {"edited": True, "from": "background", "model": "tiny-vlm"},
            "answerable/1": {"edited": False, "from": "answerable/1", "model": "tiny-vlm"},
            "unanswerable/2": {"edited": True, "from": "unanswerable/1", "model": "tiny-vlm"},
        }
        task_id = store.tasks("state", states=("done",))[0].id
        queue = TaskQueue(store, store.campaign("state"), "ann")
        own_task = queue.open(task_id, now=now)
        queue.submit(own_task.slot_id, Submission(fields=fields), now=now)  # what is stored may come back as it is
        assert {decision.version for decision in store.decisions("state")} == {1}
    done = drafted(tmp_path, chat_server)
    assert done.state == "done"
    row = next(iter(done.outcomes("state")))
    found = StatementsOnPicture.model_validate_json(row["statements"])
    assert {place: author.by for place, author in found.authors.items()} == {
        "caption": "model:tiny-vlm",
        "background": "person, from model:tiny-vlm",
        "subjects/cup": "person",
        "answerable/table": "model:tiny-vlm",
        "unanswerable/smell": "person",
        "unanswerable/taste": "person, from model:tiny-vlm",
    }


@pytest.mark.parametrize(
    ("drafts", "words"),
    [
        pytest.param({"caption": "background"}, "'caption' comes from no draft 'background'", id="another field"),
        pytest.param({"answerable/2": "answerable/1"}, "'answerable/2' comes from no draft", id="no such statement"),
        pytest.param({"answerable/1": "answerable/9"}, "from no draft 'answerable/9'", id="no such draft"),
        pytest.param({"caption": "caption/1"}, "from no draft 'caption/1'", id="entry of a text"),
        pytest.param({"answerable": "answerable"}, "from no draft", id="whole group"),
        pytest.param({"caption": 7}, "do not name statements", id="number"),
        pytest.param({"caption": {"form": "caption"}}, "do not name statements", id="nothing said"),
        pytest.param({"../x": "caption"}, "do not name statements", id="no place"),
        pytest.param(["caption"], "does not state the origin of a statement", id="list"),
        pytest.param("caption", "does not state the origin of a statement", id="text"),
    ],
)
def test_origins_that_do_not_hold_are_refused(
    tmp_path: Path, chat_server: ChatServer, now: datetime, drafts: Any, words: str
) -> None:
    replying(chat_server, DRAFT)
    drafted(tmp_path, chat_server, count=1)
    with store_of(tmp_path) as store:
        [task] = store.tasks("state")
        fields = {"statement": "stated", **DRAFT, "drafts": drafts}
        with pytest.raises(RefusedError, match=words):
            say(store, "state", {task.item_id: {"ann": fields}}, now)


def test_what_a_draft_has_twice_is_left_out_of_it(tmp_path: Path, chat_server: ChatServer) -> None:
    replying(chat_server, DRAFT | {"answerable": [TABLE, TABLE | {"ask": "And now?"}]})
    drafted(tmp_path, chat_server, count=1)
    with store_of(tmp_path) as store:
        proposals = proposals_in(store.tasks("state")[0].payload)
    assert proposals is not None
    assert proposals.fields["answerable"] == [TABLE]


def test_a_reply_that_cannot_be_used_is_sent_back_once_with_its_faults(tmp_path: Path, chat_server: ChatServer) -> None:
    wrong = DRAFT | {"unanswerable": [TASTE | {"why": "because"}]}
    chat_server.behave = lambda words, attempt, handler: json.dumps(DRAFT if "cannot be used" in words else wrong)
    drafted(tmp_path, chat_server, count=1)
    assert len(chat_server.bodies) == 2
    assert "unanswerable.0.why" in chat_server.bodies[1]["messages"][-1]["content"][0]["text"]
    with store_of(tmp_path) as store:
        proposals = proposals_in(store.tasks("state")[0].payload)
    assert proposals is not None
    assert proposals.fields == DRAFT


def failing(status: int) -> Any:
    def behave(words: str, attempt: int, handler: Any) -> None:
        ChatServer.say(handler, status, {"error": {"message": "no"}})

    return behave


@pytest.mark.parametrize(
    ("behave", "reason"),
    [
        pytest.param(lambda words, attempt, handler: "I see a cup.", "no_json", id="no JSON"),
        pytest.param(lambda words, attempt, handler: '{"caption": 7}', "other_json", id="another shape"),
        pytest.param(failing(400), "refused", id="refused"),
        pytest.param(failing(401), "unreachable", id="wrong key"),
    ],
)
def test_a_model_that_fails_leaves_the_form_empty_and_the_task_says_why(
    tmp_path: Path, chat_server: ChatServer, now: datetime, behave: Any, reason: str
) -> None:
    chat_server.behave = behave
    assert "waits for people" in drafted(tmp_path, chat_server, count=1).waits[0]
    with store_of(tmp_path) as store:
        [task] = store.tasks("state")
        proposals = proposals_in(task.payload)
        assert proposals is not None
        assert proposals.fields == {}
        assert (proposals.failed or "").partition(":")[0] == reason
        say(store, "state", {task.item_id: {"ann": {"statement": "stated", **DRAFT}}}, now)
    done = drafted(tmp_path, chat_server)
    assert done.state == "done"
    summary = json.loads((tmp_path / "w" / "tables" / "state" / "summary.json").read_text())
    assert summary["drafts"] == {"drafted": 0, "failed": {reason: 1}, "model": "tiny-vlm"}


def test_a_spent_budget_is_said_with_the_tasks_that_it_did_not_reach(tmp_path: Path, chat_server: ChatServer) -> None:
    replying(chat_server, DRAFT)
    drafted(tmp_path, chat_server, more=", budget_requests: 1", count=4)
    assert len(chat_server.bodies) == 1
    with store_of(tmp_path) as store:
        proposals = [proposals_in(task.payload) for task in store.tasks("state")]
    failed = [one.failed or "" for one in proposals if one is not None]
    assert sorted(text.partition(":")[0] for text in failed) == ["", "budget_spent", "budget_spent", "budget_spent"]


def test_a_recipe_can_stop_where_its_model_cannot_be_asked(tmp_path: Path, chat_server: ChatServer) -> None:
    chat_server.behave = failing(401)
    with pytest.raises(PrerequisiteError, match="key"):
        drafted(tmp_path, chat_server, on_failure="stop")


MADE = """
name: made
seed: 3
shards: 2
steps:
  - step: state
    draft:
      chat: {{model: tiny-vlm, base_url: "{url}", retries: 0}}
  - step: facts
    stated_by: [state]
  - beyond_the_image
  - step: verify
    rule: single
"""


def test_items_say_which_model_wrote_them_and_whoever_accepted_a_draft_is_not_asked_about_it(
    tmp_path: Path, chat_server: ChatServer, now: datetime
) -> None:
    replying(chat_server, DRAFT)
    make_photographs(tmp_path / "photographs", count=1)
    (tmp_path / "photographs" / "again.png").unlink()
    recipe = parse_recipe(MADE.format(url=chat_server.url), "recipe.yaml", folder=tmp_path)

    def run() -> Any:
        return run_recipe(recipe, workspace=tmp_path / "w", images=tmp_path / "photographs", workers=1)

    assert "campaign 'state' waits" in run().waits[0]
    said = {"statement": "stated", **DRAFT, "unanswerable": [TASTE | {"ask": "And how does it taste?"}]}
    origins = {"answerable/1": "answerable/1", "unanswerable/1": "unanswerable/1"}
    with store_of(tmp_path) as store:
        [task] = store.tasks("state")
        say(store, "state", {task.item_id: {"ann": said | {"drafts": origins}}}, now)
    assert "campaign 'verify' waits" in run().waits[0]
    with store_of(tmp_path) as store:
        by = {task.payload["question"]: task.payload["written_by"] for task in store.tasks("verify")}
        assert by == {
            "What does it stand on?": {"question": "model:tiny-vlm", "choices": "model:tiny-vlm"},
            "And how does it taste?": dict.fromkeys(("question", "choices"), "person, from model:tiny-vlm"),
        }
        assert store.claim("verify", "ann", now=now) is None
        store.upsert_annotator("ben")
        assert store.claim("verify", "ben", now=now) is not None
