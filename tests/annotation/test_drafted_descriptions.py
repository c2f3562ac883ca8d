"""Drafted descriptions in the campaign `describe`: shown as drafts until an annotator accepts or edits them.

- Labels, explanation and questions are present when the task opens, in sections, each part with its author.
- Items state the author of each text, and the counts state which drafts were accepted, edited and discarded.
- A failed draft leaves the form empty, and the task says why.
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
from benchwright.errors import RecipeError
from benchwright.pipeline import run_recipe
from benchwright.recipe import parse_recipe
from benchwright.release import Release

MODEL, EDITED = "model:tiny-vlm", "person, from model:tiny-vlm"
LABELS = {
    "image_type": "poster", "difficulty": "middle", "domain": "society", "emotion": "negative",
    "rhetoric": ["metaphor"], "explanation": "A phone as a cage.",
}  # fmt: skip
CAGE = {
    "ask": "What does the cage stand for?", "right": "Phones that hold people captive",
    "wrong": ["A pet shop", "A prison", "A fear of birds", "A broken phone", "A safe home"],
}  # fmt: skip
KEY = {
    "ask": "What does the missing key say?", "right": "That nobody looks for a way out",
    "wrong": ["That it was sold", "That it rusted", "That a bird has it", "That locks are cheap", "That it is night"],
}  # fmt: skip
OWN = {
    "ask": "What does the open door ask?", "right": "Why nobody leaves",
    "wrong": ["Who built it", "What it costs", "Who comes in", "When it shuts", "Where the bird is"],
}  # fmt: skip
RECIPE = """
name: described
seed: 3
shards: 2
steps:
  - step: draft_descriptions
    questions: 2
    chat: {{model: tiny-vlm, base_url: "{url}", retries: 0}}
  - step: describe
    drafted_by: [{by}]
  - step: image_implication
    stated_by: describe
    kinds: [image_emotion, image_implication]
  - step: verify
    rule: single
  - step: freeze
    name: described
    version: "1.0"
    licence: cc0-1.0
"""


def run(folder: Path, url: str, *, by: str = "draft_descriptions") -> Any:
    if not (folder / "photographs").exists():
        make_photographs(folder / "photographs", count=1)
        (folder / "photographs" / "again.png").unlink()
    recipe = parse_recipe(RECIPE.format(url=url, by=by), "recipe.yaml", folder=folder)
    return run_recipe(recipe, workspace=folder / "w", images=folder / "photographs", workers=1)


def store_of(folder: Path) -> ReviewStore:
    return open_store(f"sqlite:///{folder / 'w' / 'review.sqlite'}")


def fields_of(number: int, question: dict[str, Any]) -> dict[str, Any]:
    return {f"{part}_{number}": value for part, value in question.items()}


def drafting(server: ChatServer) -> None:
    server.behave = lambda words, attempt, handler: json.dumps({"conveys": True, **LABELS, "questions": [CAGE, KEY]})


@pytest.mark.slow
def test_annotators_see_the_draft_part_by_part(tmp_path: Path, chat_server: ChatServer) -> None:
    drafting(chat_server)
    assert "campaign 'describe' waits" in run(tmp_path, chat_server.url).waits[0]
    with store_of(tmp_path) as store:
        [task] = store.tasks("describe")
        typed = store.campaign("describe").form.typed
    proposals = proposals_in(task.payload)
    assert proposals is not None
    assert (proposals.model, proposals.failed) == ("tiny-vlm", None)
    assert proposals.fields == {
        "implication": "conveys", **LABELS, "questions": "two", **fields_of(1, CAGE), **fields_of(2, KEY),
    }  # fmt: skip
    assert set(proposals.notes) == set(proposals.fields) - {"implication"}
    assert {(note.by, note.prompt) for note in proposals.notes.values()} == {(MODEL, "plain")}
    assert typed is not None
    sections = list(dict.fromkeys(getattr(field, "section", "") for field in typed.fields[1:-1]))
    assert sections == ["Description", "Questions"]


@pytest.mark.slow
def test_items_and_the_release_say_who_wrote_what(tmp_path: Path, chat_server: ChatServer, now: datetime) -> None:
    drafting(chat_server)
    run(tmp_path, chat_server.url)
    accepted = [*LABELS, *fields_of(1, CAGE), "ask_2", "wrong_2"]
    handed_in = {
        "implication": "conveys", **LABELS, "emotion": "neutral", "questions": "three", **fields_of(1, CAGE),
        **fields_of(2, KEY), "right_2": "That nobody wants out", **fields_of(3, OWN),
        "drafts": {place: place for place in accepted if place != "explanation"},
    }  # fmt: skip
    with store_of(tmp_path) as store:
        [task] = store.tasks("describe")
        with pytest.raises(RefusedError, match="comes from no draft"):
            say(store, "describe", {task.item_id: {"ann": {**handed_in, "drafts": {"ask_3": "ask_3"}}}}, now)
        say(store, "describe", {task.item_id: {"ann": handed_in}}, now)
    assert "campaign 'verify' waits" in run(tmp_path, chat_server.url).waits[0]
    with store_of(tmp_path) as store:
        by = {task.payload["question"]: task.payload["written_by"] for task in store.tasks("verify")}
        assert by == {
            "Which emotional tone does this image convey?": {
                "question": "template", "choices": "template", "labels": EDITED,
            },
            CAGE["ask"]: {"question": MODEL, "choices": MODEL, "explanation": "person", "labels": EDITED},
            KEY["ask"]: {"question": MODEL, "choices": EDITED, "explanation": "person", "labels": EDITED},
            OWN["ask"]: {"question": "person", "choices": "person", "explanation": "person", "labels": EDITED},
        }  # fmt: skip
        assert store.claim("verify", "ann", now=now) is None  # whoever accepted a draft is not asked about its item
        store.upsert_annotator("ben")
        while (lease := store.claim("verify", "ben", now=now)) is not None:
            store.submit(lease.slot_id, "ben", Submission("accept"), now=now)
    done = run(tmp_path, chat_server.url)
    summary = json.loads((tmp_path / "w" / "tables" / "describe" / "summary.json").read_text())
    [row] = summary["drafts"]["prompts"]
    assert (row["by"], row["prompt"], row["drafted"], row["shown"]) == (MODEL, "plain", 3, 3)
    assert (row["accepted"], row["edited"], row["discarded"]) == (1, 2, 0)
    release = Release.open(tmp_path / "w" / done.artifacts["release"])
    assert {item.item.question: item.item.written_by for item in release.items()} == by
    assert "## Texts" in (release.path / "README.md").read_text(encoding="utf-8")


def test_a_draft_that_failed_leaves_the_form_empty_and_the_task_says_why(
    tmp_path: Path, chat_server: ChatServer
) -> None:
    chat_server.behave = lambda words, attempt, handler: "A cage."
    run(tmp_path, chat_server.url)
    with store_of(tmp_path) as store:
        [task] = store.tasks("describe")
    proposals = proposals_in(task.payload)
    assert proposals is not None
    assert (proposals.fields, proposals.notes) == ({}, {})
    assert (proposals.failed or "").startswith("no_json")


def test_a_step_that_drafts_nothing_is_named(tmp_path: Path, chat_server: ChatServer) -> None:
    with pytest.raises(RecipeError, match="no earlier step `draft_descriptions` has that name"):
        run(tmp_path, chat_server.url, by="drafts")
