"""Drafted questions in the campaign `write`: shown as drafts until an annotator accepts or edits them.

- The draft is present when the task opens, with the attacks; drafts that a second model broke are not.
- Items state the author of each text: a person, a model whose text was accepted, or a person who edited a model's.
- The outcomes of drafts are counted by author and prompt.
- Drafts of another shape than the form are refused, and a step that drafts nothing is named.
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
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.errors import BenchwrightError, RecipeError
from benchwright.pipeline import run_recipe
from benchwright.recipe import parse_recipe
from benchwright.release import Release

pytestmark = pytest.mark.slow

CUPS = {
    "ask": "How many cups stand on the table?", "right": "Three", "wrong": ["One", "Two", "Four"],
    "explanation": "Three stand beside the jug.",
}  # fmt: skip
JUG = {
    "ask": "What stands behind the cups?", "right": "A jug", "wrong": ["A vase", "A lamp", "A clock"],
    "explanation": "It rises behind them.",
}  # fmt: skip
LAMP = {
    "ask": "What colour is the lamp?", "right": "Green", "wrong": ["Red", "Blue", "White"], "explanation": "It is painted so.",
}  # fmt: skip
OWN = {
    "ask": "Which fruit lies in the bowl?", "right": "A pear", "wrong": ["An apple", "A plum", "A fig"],
    "explanation": "Its stalk is seen.", "level": "hard",
}  # fmt: skip
RECIPE = """
name: drafted
seed: 3
shards: 2
steps:
  - step: draft_questions
    explanation: required
    labels: {{level: [easy, hard]}}
    chat: {{model: tiny-vlm, base_url: "{url}", retries: 0}}
    attack: {{chat: {{model: breaker, base_url: "{url}", retries: 0}}, tries: [without_picture]}}
  - step: write
    task: table_manners
    {options}
    explanation: required
    labels: {{level: [easy, hard]}}
    drafted_by: [{by}]
  - step: written_questions
  - step: verify
    rule: single
  - step: freeze
    name: manners
    version: "1.0"
    licence: cc0-1.0
"""


def behave(words: str, attempt: int, handler: Any) -> str:
    """Draft three questions; break the one about the lamp."""
    if handler.body["model"] == "tiny-vlm":
        return json.dumps({"questions": [each | {"level": "easy"} for each in (CUPS, JUG, LAMP)]})
    options = {line[4:]: line[1] for line in words.splitlines() if line.startswith("(")}
    return json.dumps({"letter": options.get("Green") or options.get("Two") or options["A vase"]})


def run(folder: Path, url: str, *, options: str = "options: 4", by: str = "draft_questions") -> Any:
    if not (folder / "photographs").exists():
        make_photographs(folder / "photographs", count=1)
        (folder / "photographs" / "again.png").unlink()
    recipe = parse_recipe(RECIPE.format(url=url, options=options, by=by), "recipe.yaml", folder=folder)
    return run_recipe(recipe, workspace=folder / "w", images=folder / "photographs", workers=1)


def store_of(folder: Path) -> ReviewStore:
    return open_store(f"sqlite:///{folder / 'w' / 'review.sqlite'}")


def test_writers_see_the_drafts_that_hold_with_the_attacks_beside_them(tmp_path: Path, chat_server: ChatServer) -> None:
    chat_server.behave = behave
    assert "campaign 'write' waits" in run(tmp_path, chat_server.url).waits[0]
    with store_of(tmp_path) as store:
        [task] = store.tasks("write")
    proposals = proposals_in(task.payload)
    assert proposals is not None
    assert (proposals.model, proposals.failed) == ("tiny-vlm", None)
    assert proposals.fields["questions"] == [CUPS | {"level": "easy"}, JUG | {"level": "easy"}]
    note = proposals.notes["questions/2"]
    assert (note.by, note.prompt) == ("model:tiny-vlm", "plain")
    assert [(attack.attack, attack.result) for attack in note.attacks] == [("without_picture", "held")]


def test_items_and_the_release_say_who_wrote_what(tmp_path: Path, chat_server: ChatServer, now: datetime) -> None:
    chat_server.behave = behave
    run(tmp_path, chat_server.url)
    handed_in = {
        "writing": "written",
        "questions": [OWN, JUG | {"wrong": ["A vase", "A lamp", "A tall clock"], "level": "easy"}, CUPS | {"level": "easy"}],
        "drafts": {"questions/2": "questions/2", "questions/3": "questions/1"},
    }  # fmt: skip
    with store_of(tmp_path) as store:
        [task] = store.tasks("write")
        say(store, "write", {task.item_id: {"ann": handed_in}}, now)
    assert "campaign 'verify' waits" in run(tmp_path, chat_server.url).waits[0]
    model, edited = "model:tiny-vlm", "person, from model:tiny-vlm"
    with store_of(tmp_path) as store:
        by = {task.payload["question"]: task.payload["written_by"] for task in store.tasks("verify")}
        assert by == {
            OWN["ask"]: dict.fromkeys(("question", "choices", "explanation"), "person"),
            JUG["ask"]: {"question": model, "choices": edited, "explanation": model, "labels": model},
            CUPS["ask"]: dict.fromkeys(("question", "choices", "explanation", "labels"), model),
        }
        assert store.claim("verify", "ann", now=now) is None  # whoever accepted a draft is not asked about it
        store.upsert_annotator("ben")
        while (lease := store.claim("verify", "ben", now=now)) is not None:
            store.submit(lease.slot_id, "ben", Submission("accept"), now=now)
    done = run(tmp_path, chat_server.url)
    assert done.state == "done"
    summary = json.loads((tmp_path / "w" / "tables" / "write" / "summary.json").read_text())
    assert summary["drafts"] == {
        "prompts": [
            {
                "by": model, "prompt": "plain", "drafted": 3, "broken": 1, "shown": 2, "accepted": 1, "edited": 1,
                "discarded": 0,
            }
        ],
        "failed": {},
    }  # fmt: skip
    release = Release.open(tmp_path / "w" / done.artifacts["release"])
    assert {item.item.question: item.item.written_by for item in release.items()} == by


def test_parts_that_a_draft_lacks_are_a_persons(tmp_path: Path, chat_server: ChatServer, now: datetime) -> None:
    chat_server.behave = behave
    run(tmp_path, chat_server.url)
    with store_of(tmp_path) as store:
        [task] = store.tasks("write")
        entry = {**JUG, "ask": "And what stands behind the cups?", "level": "hard"}
        fields = {"writing": "written", "questions": [entry], "drafts": {"questions/1": "questions/2"}}
        say(store, "write", {task.item_id: {"ann": fields}}, now)
        origin = (store.decisions("write")[0].fields or {})["drafts"]["questions/1"]
        assert (origin["changed"], origin["added"]) == (["ask", "level"], [])
    run(tmp_path, chat_server.url)
    with store_of(tmp_path) as store:
        [item] = [task.payload for task in store.tasks("verify")]
    assert item["written_by"]["labels"] == "person, from model:tiny-vlm"
    assert item["written_by"]["choices"] == "model:tiny-vlm"


def test_a_draft_that_failed_leaves_the_form_empty_and_the_task_says_why(
    tmp_path: Path, chat_server: ChatServer, now: datetime
) -> None:
    chat_server.behave = lambda words, attempt, handler: "A jug and some cups."
    run(tmp_path, chat_server.url)
    with store_of(tmp_path) as store:
        [task] = store.tasks("write")
        proposals = proposals_in(task.payload)
        assert proposals is not None
        assert proposals.fields == {}
        assert (proposals.failed or "").startswith("no_json")
        say(store, "write", {task.item_id: {"ann": {"writing": "nothing"}}}, now)
    with pytest.raises(BenchwrightError, match="no item remains"):
        run(tmp_path, chat_server.url)
    summary = json.loads((tmp_path / "w" / "tables" / "write" / "summary.json").read_text())
    assert summary["drafts"] == {"prompts": [], "failed": {"no_json": 1}}


def test_drafts_of_another_shape_than_the_form_are_refused(tmp_path: Path, chat_server: ChatServer) -> None:
    chat_server.behave = behave
    with pytest.raises(BenchwrightError, match="none of 2 drafts fits the form of this step"):
        run(tmp_path, chat_server.url, options="options: 6")


def test_a_step_that_drafts_nothing_is_named(tmp_path: Path, chat_server: ChatServer) -> None:
    with pytest.raises(RecipeError, match="no earlier step `draft_questions` has that name"):
        run(tmp_path, chat_server.url, by="drafts")
