"""Items that a model translates: annotators who verify see the source text next to them.

- Key, pictures and number of options stay; items and the release state the language, and the author of each text.
- The campaign `verify` shows the source text, in the app's task, in tables and in Label Studio.
- An invalid translation has a recorded reason, and no item in another language continues.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from chat_server import ChatServer, words_of
from pydantic import ValidationError
from walks import make_photographs, run_json

from benchwright.annotation.exchange.decision_file import import_decisions
from benchwright.annotation.exchange.task_file import export_tasks
from benchwright.annotation.forms.payloads import beside_in, item_in
from benchwright.annotation.label_studio.task_data import task_data
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.construction.drafting.draft_translations import DraftTranslations
from benchwright.pipeline import run_recipe
from benchwright.recipe import parse_recipe
from benchwright.release import Release, verify_release

pytestmark = pytest.mark.slow

MODEL = "model:translator"
ARABIC = {
    "What does the open window stand for?": "إلامَ ترمز النافذة المفتوحة؟",
    "Hope": "الأمل", "Cold weather": "الطقس البارد", "A burglary": "عملية سطو", "Poverty": "الفقر",
    "A view of the sea": "إطلالة على البحر", "Boredom": "الملل",
    "Light comes in where the room was shut.": "يدخل الضوء إلى حيث كانت الغرفة مغلقة.",
}  # fmt: skip
FACTS = """
format: benchwright-facts
version: 1
images:
  PICTURE:
    implication:
      image_type: painting
      domain: art
      emotion: positive
      question:
        ask: What does the open window stand for?
        right: Hope
        wrong: [Cold weather, A burglary, Poverty, A view of the sea, Boredom]
        explanation: Light comes in where the room was shut.
"""
RECIPE = """
name: translated
seed: 3
shards: 1
steps:
  - {{step: facts, file: facts.yaml}}
  - {{step: image_implication, kinds: [image_implication]}}
  - step: draft_translations
    language: ar
    chat: {{model: translator, base_url: "{url}", retries: 0{chat}}}
  - {{step: verify, rule: single}}
  - {{step: freeze, name: translated, version: "1.0", licence: cc0-1.0}}
"""


def run(folder: Path, url: str, *, chat: str = "", is_whole: bool = True) -> Any:
    if not (folder / "photographs").exists():
        make_photographs(folder / "photographs", count=1)
        (folder / "photographs" / "again.png").unlink()
        [picture] = (folder / "photographs").iterdir()
        (folder / "facts.yaml").write_text(FACTS.replace("PICTURE", picture.name), encoding="utf-8")
    text = RECIPE.format(url=url, chat=chat)
    recipe = parse_recipe(text if is_whole else text[: text.index("  - {step: verify")], "recipe.yaml", folder=folder)
    return run_recipe(recipe, workspace=folder / "w", images=folder / "photographs", workers=1)


def store_of(folder: Path) -> ReviewStore:
    return open_store(f"sqlite:///{folder / 'w' / 'review.sqlite'}")


def source_in(handler: Any) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(handler.body["messages"][0]["content"][1]["text"])
    return document


def arabic(change: Callable[[dict[str, Any]], dict[str, Any]] = lambda reply: reply) -> Any:
    """Return an endpoint's behavior that translates by the list, with a test's change to its reply."""

    def behave(words: str, attempt: int, handler: Any) -> str:
        source = source_in(handler)
        reply = {
            "question": ARABIC[source["question"]],
            "choices": {key: ARABIC[text] for key, text in source["choices"].items()},
            "explanation": ARABIC[source["explanation"]],
        }
        return json.dumps(change(reply), ensure_ascii=False)

    return behave


def test_a_translation_goes_through_verification_into_a_release_that_says_its_language(
    tmp_path: Path, chat_server: ChatServer, now: datetime
) -> None:
    chat_server.behave = arabic()
    assert "campaign 'verify' waits" in run(tmp_path, chat_server.url).waits[0]
    assert "into 'ar'" in words_of(chat_server.bodies[0])
    with store_of(tmp_path) as store:
        [task] = store.tasks("verify")
        campaign = store.campaign("verify")
        export_tasks(store, "verify", tmp_path / "tasks.csv", image_name=lambda image: "picture.png")
    item = item_in(task.payload)
    source = {text: english for english, text in ARABIC.items()}
    assert item["question"] == ARABIC["What does the open window stand for?"]
    right = next(choice["text"] for choice in item["choices"] if choice["key"] == item["answer"])
    assert source[right] == "Hope"
    [beside] = beside_in(task.payload)
    assert beside["label"] == "Source text (en)"
    lines = beside["text"].splitlines()
    assert lines[0] == "What does the open window stand for?"
    assert f"{item['answer']}. Hope" in lines
    assert lines[-1] == "Light comes in where the room was shut."
    data = task_data(campaign, task, lambda image: "picture.png")
    assert beside["text"] in data["choices"]
    with (tmp_path / "tasks.csv").open(encoding="utf-8", newline="") as handle:
        [row] = list(csv.DictReader(handle))
    assert row["beside"] == f"Source text (en): {beside['text']}"
    edited = row | {"annotator": "ann", "decision": "revise", "new_question": "ما الذي ترمز إليه النافذة المفتوحة؟"}
    with store_of(tmp_path) as store:
        assert import_table(store, tmp_path, edited, now) == ()
    run(tmp_path, chat_server.url)
    with store_of(tmp_path) as store:
        [task] = store.tasks("verify")
        assert [text["text"] for text in beside_in(task.payload)] == [beside["text"]]  # also in the next round
        assert (
            import_table(store, tmp_path, {"annotator": "ben", "item_id": task.item_id, "decision": "accept"}, now)
            == ()
        )
    done = run(tmp_path, chat_server.url)
    assert done.state == "done"
    assert len(chat_server.bodies) == 1
    folder = tmp_path / "w" / done.artifacts["release"]
    [released] = Release.open(folder).items()
    assert released.item.attributes["language"] == "ar"
    assert released.item.evidence["translated_from"]["question"] == lines[0]
    assert released.item.written_by == {"question": "person", "choices": MODEL, "explanation": MODEL}
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert "Items by the language that they state: `ar` 1." in card
    assert yaml.safe_load(card.split("---")[1])["language"] == ["ar"]
    assert verify_release(folder).problems == []
    assert run_json("release", "authors", folder)["languages"] == {"ar": 1}


def import_table(store: ReviewStore, folder: Path, row: dict[str, str], now: datetime) -> Any:
    path = folder / "filled.csv"
    with path.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, list(row))
        writer.writeheader()
        writer.writerow(row)
    return import_decisions(store, "verify", path, now=now, new_annotators=True).refused


def late(words: str, attempt: int, handler: Any) -> None:
    handler.connection.settimeout(5)
    handler.rfile.read(1)  # nothing more comes, until the client gives up


def with_question(text: str) -> Any:
    return arabic(lambda reply: reply | {"question": text})


@pytest.mark.parametrize(
    ("behave", "chat", "verdict", "reason", "words"),
    [
        pytest.param(lambda w, a, h: "نافذة", "", "drop", "no_json", "no JSON", id="prose"),
        pytest.param(lambda w, a, h: " ", "", "drop", "endpoint_unusable_reply", "no text", id="nothing"),
        pytest.param(arabic(lambda r: r | {"choices": {**r["choices"], "G": "x"}}), "", "drop", "other_json", "exactly A, B, C, D, E, F", id="seven"),
        pytest.param(arabic(lambda r: r | {"choices": {}}), "", "drop", "other_json", "exactly A, B, C, D, E, F", id="none"),
        pytest.param(
            arabic(lambda r: r | {"choices": dict.fromkeys(r["choices"], "الأمل")}), "", "drop", "other_json", "A and B read the same",
            id="equal options",
        ),
        pytest.param(arabic(lambda r: r | {"explanation": None}), "", "drop", "other_json", "explanation", id="no explanation"),
        pytest.param(with_question("What does the open window stand for?"), "", "drop", "other_json", "not translated", id="untouched"),
        pytest.param(with_question("ن <image 1>"), "", "drop", "other_json", "place the same images", id="places a picture"),
        pytest.param(with_question("\U0001fa9f" * 100_000), "", "drop", "other_json", "not 100000", id="100,000 emoji"),
        pytest.param(late, ", timeout_s: 0.5", "failed", "endpoint_timeout", "", id="silence"),
    ],
)  # fmt: skip
def test_what_is_no_translation_is_a_recorded_reason_and_does_not_go_on(
    tmp_path: Path, chat_server: ChatServer, behave: Any, chat: str, verdict: str, reason: str, words: str
) -> None:
    chat_server.behave = behave
    done = run(tmp_path, chat_server.url, chat=chat, is_whole=False)
    [row] = done.outcomes("draft_translations")
    assert (row["verdict"], row["reason"]) == (verdict, reason)
    assert words in row["evidence"]["failed"]
    if verdict == "drop" and reason in {"no_json", "other_json"}:
        assert len(chat_server.bodies) == 2
        assert "cannot be used" in words_of(chat_server.bodies[1])


def test_what_it_costs_is_known_where_the_number_of_items_is_and_settings_are_checked() -> None:
    settings: dict[str, Any] = {"language": "zh-Hans", "chat": {"model": "m", "max_tokens": 100}}
    step = DraftTranslations.model_validate(settings)
    assert step.planned_requests(10) is None
    [plan] = DraftTranslations.model_validate(settings | {"planned_items": 7}).planned_requests(10) or []
    assert (plan.requests, plan.tokens.completion) == (14, 1400)
    with pytest.raises(ValidationError, match="there is nothing to translate"):
        DraftTranslations.model_validate(settings | {"language": "en"})
    with pytest.raises(ValidationError, match="pattern"):
        DraftTranslations.model_validate(settings | {"language": "Arabic"})
