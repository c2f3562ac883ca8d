"""`release authors`: authors of a release's texts, and outcomes of drafts; by the recipe of the page on drafts."""

from __future__ import annotations

import json
import re
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from chat_server import ChatServer
from conftest import ROOT
from small_bench import reseal
from typed_answers import say
from walks import make_photographs, run_json

from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.store.review_store import open_store
from benchwright.cli.main import invoke
from benchwright.release import verify_release
from benchwright.release.card.texts import origin_of

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
NOUNS = ("jug", "cup", "spoon", "plate", "knife", "bowl", "glass", "lamp", "chair")
MODEL = "model:my-vlm"


def question(noun: str) -> dict[str, Any]:
    others = [f"A {other}" for other in NOUNS if other != noun][:5]
    return {
        "ask": f"What stands where the {noun} should be?", "right": f"A {noun}", "wrong": others,
        "explanation": f"The {noun} is seen.", "difficulty": "easy",
    }  # fmt: skip


def behave(words: str, attempt: int, handler: Any) -> str:
    """Draft three questions a prompt; break the one about the spoon."""
    if handler.body["model"] == "my-vlm":
        nouns = ("plate", "knife", "bowl") if "how two things" in words else ("jug", "cup", "spoon")
        return json.dumps({"questions": [question(noun) for noun in nouns]})
    letters = {line[4:]: line[1] for line in words.splitlines() if line.startswith("(")}
    noun = re.search(r"where the (\w+) should", words)
    assert noun is not None
    right = letters[f"A {noun[1]}"]
    wrong = next(letter for letter in letters.values() if letter != right)
    has_picture = any(part["type"] == "image_url" for part in handler.body["messages"][0]["content"])
    if has_picture:
        return json.dumps({"letter": right, "also_right": [], "difficulty": "middle"})
    return json.dumps({"letter": right if noun[1] == "spoon" else wrong})


@pytest.mark.slow
def test_the_recipe_of_the_page_on_drafts_ends_in_a_release_that_says_who_wrote_what(
    tmp_path: Path, chat_server: ChatServer, capsys: pytest.CaptureFixture[str]
) -> None:
    chat_server.behave = behave
    page = (ROOT / "docs" / "drafts.md").read_text(encoding="utf-8")
    text = re.search(r"```yaml\n(name:.*?)```", page, re.DOTALL)
    assert text is not None
    recipe = tmp_path / "my-benchmark.yaml"
    recipe.write_text(re.sub(r"http://127\.0\.0\.1:\d+/v1", chat_server.url, text[1]), encoding="utf-8")
    make_photographs(tmp_path / "photographs", count=1)
    arguments = ("run", recipe, "--images", tmp_path / "photographs", "--workspace", tmp_path / "w", "--workers", "1")

    planned = run_json(*arguments, "--dry-run")
    assert [(plan["model"], plan["purpose"]) for plan in planned["plans"]] == [
        ("my-vlm", "drafts"), ("another-vlm", "attacks"),
    ]  # fmt: skip
    assert chat_server.bodies == []

    assert run_json(*arguments)["state"] == "waiting"
    sent = len(chat_server.bodies)
    assert sent <= sum(plan["requests"] for plan in planned["plans"])
    address = f"sqlite:///{tmp_path / 'w' / 'review.sqlite'}"
    with open_store(address) as store:
        [task] = store.tasks("write")
        drafts = task.payload["proposals"]["fields"]["questions"]
        assert len(drafts) == 5
        edited = drafts[1] | {"wrong": [*drafts[1]["wrong"][:4], "A lantern"]}
        fields = {
            "writing": "written", "questions": [drafts[0], edited, question("chair")],
            "drafts": {"questions/1": "questions/1", "questions/2": "questions/2"},
        }  # fmt: skip
        say(store, "write", {task.item_id: {"ann": fields}}, NOW)
    assert run_json(*arguments)["state"] == "waiting"
    assert len(chat_server.bodies) == sent
    with open_store(address) as store:
        for name in ("ben", "cyd"):
            store.upsert_annotator(name)
            while (lease := store.claim("verify", name, now=NOW)) is not None:
                store.submit(lease.slot_id, name, Submission("accept"), now=NOW)
    done = run_json(*arguments)
    assert done["state"] == "done"

    release = tmp_path / "w" / done["artifacts"]["release"]
    document = run_json("release", "authors", release)
    by_text = {row.pop("text"): row for row in document["texts"]}
    assert by_text["question"] == _counts(written=1, drafted=2)
    assert by_text["choices"] == _counts(written=1, edited=1, drafted=1)
    assert by_text["explanation"] == _counts(written=1, drafted=2)
    assert document["authors"][f"person, from {MODEL}"] == 1
    taken = {row["prompt"]: (row["drafted"], row["broken"], row["shown"], row["taken"]) for row in document["drafts"]}
    assert taken == {"plain": (3, 1, 2, 1.0), "relations": (3, 0, 3, 0.0)}
    assert invoke(["release", "authors", str(release)]) == 0
    assert "1 accepted, 1 edited, 0 discarded; 100% taken" in capsys.readouterr().out

    card = (release / "README.md").read_text(encoding="utf-8")
    sums = Counter({how: sum(row[how] for row in by_text.values()) for how in by_text["question"]})
    assert (
        f"Of {sums.total()} texts (questions, sets of options, explanations, drafted labels) people wrote "
        f"{sums['written']}, changed {sums['edited']} from a draft, and took {sums['drafted']} as a model drafted them."
    ) in card
    assert "| `write` | model:my-vlm | plain | 3 | 1 | 2 | 1 | 1 | 0 | 100% |" in card
    assert verify_release(release).problems == []
    (release / "README.md").write_text(card.replace("| 1 | 1 | 0 | 100% |", "| 2 | 0 | 0 | 100% |"), encoding="utf-8")
    reseal(release)
    assert any("'| `write` | model:my-vlm | plain" in line for line in verify_release(release).problems)


def _counts(**counts: int) -> dict[str, int]:
    return dict.fromkeys(("written", "edited", "drafted", "templated", "simulated", "not_stated"), 0) | counts


@pytest.mark.parametrize(
    ("author", "origin"),
    [
        ("person", "written"),
        ("person, from template", "edited"),
        ("template", "templated"),
        ("simulated", "simulated"),
        ("model:x", "drafted"),
        (None, "not_stated"),
    ],
)
def test_an_author_says_how_a_text_came_about(author: str | None, origin: str) -> None:
    assert origin_of(author) == origin
