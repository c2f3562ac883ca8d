"""The step `draft_descriptions`: a picture's labels and meaning, drafted by a model or from facts.

- A draft uses II-Bench's closed sets, is made with one prompt per image, and is paid for once.
- Every bad reply has a recorded reason, and the usable parts of a reply are used.
- A model that finds no meaning drafts nothing, and the image is not dropped.
- Stated facts yield drafts without any endpoint, and the cost is known in advance.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from chat_server import ChatServer, words_of
from pydantic import ValidationError
from walks import make_photographs

from benchwright.construction.drafting.draft_descriptions import DraftDescriptions
from benchwright.pipeline import run_recipe
from benchwright.questions.drafts import QuestionDrafts
from benchwright.recipe import parse_recipe

LABELS = {
    "conveys": True, "image_type": "poster", "difficulty": "middle", "domain": "society", "emotion": "negative",
    "rhetoric": ["metaphor", "contrast"], "explanation": "A phone as a cage says that people lock themselves in. 📱",
}  # fmt: skip
CAGE = {
    "ask": "What does the cage stand for?", "right": "Phones that hold people captive",
    "wrong": ["A pet shop", "A prison", "A fear of birds", "A broken phone", "A safe home"],
}  # fmt: skip
SEVEN = {**CAGE, "wrong": [*CAGE["wrong"], "A zoo"]}
RECIPE = """
name: drafts
seed: 3
shards: 2
steps:
  - step: draft_descriptions
    questions: 1
    chat: {{model: tiny-vlm, base_url: "{url}", retries: 0, seed: 5{chat}}}
    {more}
"""


def run(folder: Path, text: str, *, count: int = 1) -> list[dict[str, Any]]:
    """Run the step and return its outcomes, with `drafts` read."""
    if not (folder / "photographs").exists():
        make_photographs(folder / "photographs", count=count)
        (folder / "photographs" / "again.png").unlink()
    recipe = parse_recipe(text, "recipe.yaml", folder=folder)
    done = run_recipe(recipe, workspace=folder / "w", images=folder / "photographs", workers=1)
    rows = [dict(row) for row in done.outcomes("draft_descriptions")]
    for row in rows:
        row["drafts"] = QuestionDrafts.model_validate_json(row["drafts"])
    return rows


def drafted(
    folder: Path, server: ChatServer, *, chat: str = "", more: str = "", count: int = 1
) -> list[dict[str, Any]]:
    return run(folder, RECIPE.format(url=server.url, chat=chat, more=more), count=count)


def replying(document: Any) -> Any:
    return lambda words, attempt, handler: json.dumps(document)


def test_a_model_drafts_labels_explanation_and_questions_and_is_paid_once(
    tmp_path: Path, chat_server: ChatServer
) -> None:
    chat_server.behave = replying({**LABELS, "questions": [CAGE]})
    prompts = "prompts: {plain: '', dry: Be dry.}"
    rows = drafted(tmp_path, chat_server, more=prompts, count=6)
    assert len(chat_server.bodies) == len(rows) == 6  # one prompt an image
    words = words_of(chat_server.bodies[0])
    assert "one of photograph, illustration, painting, poster" in words
    assert [part["type"] for part in chat_server.bodies[0]["messages"][0]["content"]] == ["text", "image_url"]
    for row in rows:
        drafts = row["drafts"]
        assert drafts.by == "model:tiny-vlm"
        implication = drafts.description.implication
        assert (implication.image_type, implication.domain, implication.rhetoric) == (
            "poster", "society", ("metaphor", "contrast"),
        )  # fmt: skip
        assert implication.explanation == LABELS["explanation"]
        assert implication.author == "model:tiny-vlm"
        assert [question.ask for question in drafts.questions] == [CAGE["ask"]]
        assert drafts.questions[0].prompt == drafts.description.prompt
    assert {row["drafts"].description.prompt for row in rows} == {"plain", "dry"}
    drafted(tmp_path, chat_server, more=f"{prompts}\n    concurrency: 2", count=6)
    assert len(chat_server.bodies) == 6


def late(words: str, attempt: int, handler: Any) -> None:
    handler.connection.settimeout(5)
    handler.rfile.read(1)  # nothing more comes, until the client gives up


@pytest.mark.slow
@pytest.mark.parametrize(
    ("behave", "chat", "reason", "words"),
    [
        pytest.param(lambda w, a, h: "A poster about phones.", "", "no_json", "no JSON", id="prose"),
        pytest.param(lambda w, a, h: " ", "", "endpoint_unusable_reply", "no text", id="nothing"),
        pytest.param(replying({"conveys": True}), "", "other_json", "image_type, difficulty", id="empty"),
        pytest.param(replying({**LABELS, "domain": "nature", "questions": [SEVEN]}), "", "other_json", "domain", id="no such label"),
        pytest.param(replying({**LABELS, "rhetoric": "metaphor", "questions": [SEVEN]}), "", "other_json", "rhetoric", id="no list"),
        pytest.param(
            replying({**LABELS, "explanation": "x" * 100_000, "questions": [SEVEN]}), "", "other_json", "at most 2000",
            id="100,000 characters",
        ),
        pytest.param(late, ", timeout_s: 0.5", "endpoint_timeout", "", id="silence"),
    ],
)  # fmt: skip
def test_a_bad_reply_is_a_recorded_reason_and_the_image_goes_on(
    tmp_path: Path, chat_server: ChatServer, behave: Any, chat: str, reason: str, words: str
) -> None:
    chat_server.behave = behave
    [row] = drafted(tmp_path, chat_server, chat=chat)
    assert (row["verdict"], row["reason"]) == ("ask", reason)
    assert words in row["drafts"].failed["plain"]
    assert (row["drafts"].description, row["drafts"].questions) == (None, ())
    if reason in {"other_json", "no_json"}:
        assert len(chat_server.bodies) == 2
        assert "cannot be used" in words_of(chat_server.bodies[1])


@pytest.mark.parametrize(
    ("reply", "has_description", "questions"),
    [
        pytest.param({**LABELS, "questions": [SEVEN]}, True, 0, id="seven options"),
        pytest.param({**LABELS, "questions": [{**CAGE, "wrong": []}]}, True, 0, id="no options"),
        pytest.param({**LABELS, "questions": []}, True, 0, id="no questions"),
        pytest.param({**LABELS, "emotion": "furious", "questions": [CAGE]}, False, 1, id="no such emotion"),
    ],
)
def test_what_can_be_used_of_a_reply_is_used_and_the_rest_recorded(
    tmp_path: Path, chat_server: ChatServer, reply: Any, has_description: bool, questions: int
) -> None:
    chat_server.behave = replying(reply)
    [row] = drafted(tmp_path, chat_server)
    assert row["verdict"] == "keep"
    assert row["drafts"].failed["plain"].startswith("other_json")
    assert (row["drafts"].description is not None, len(row["drafts"].questions)) == (has_description, questions)


def test_a_model_that_finds_nothing_conveyed_drops_nothing(tmp_path: Path, chat_server: ChatServer) -> None:
    chat_server.behave = replying({"conveys": False})
    [row] = drafted(tmp_path, chat_server)
    assert (row["verdict"], row["reason"]) == ("ask", "nothing_conveyed")
    assert len(chat_server.bodies) == 1


def test_several_types_and_no_questions_are_settings(tmp_path: Path, chat_server: ChatServer) -> None:
    chat_server.behave = replying({**LABELS, "image_type": ["poster", "photograph", "poster"]})
    recipe = RECIPE.replace("questions: 1", "questions: 0").format(
        url=chat_server.url, chat="", more="several_types: true"
    )
    [row] = run(tmp_path, recipe)
    assert row["drafts"].description.implication.image_types == ("poster", "photograph")
    assert '"questions"' not in words_of(chat_server.bodies[0])


def test_a_second_model_breaks_drafted_questions_and_leaves_the_description(
    tmp_path: Path, chat_server: ChatServer
) -> None:
    def behave(words: str, attempt: int, handler: Any) -> str:
        if handler.body["model"] == "tiny-vlm":
            return json.dumps({**LABELS, "questions": [CAGE]})
        right = next(line[1] for line in words.splitlines() if line[4:] == CAGE["right"])
        return json.dumps({"letter": right})

    chat_server.behave = behave
    attack = f'attack: {{chat: {{model: breaker, base_url: "{chat_server.url}"}}, tries: [without_picture]}}'
    [row] = drafted(tmp_path, chat_server, more=attack)
    assert [question.ask for question in row["drafts"].broken] == [CAGE["ask"]]
    assert row["drafts"].description is not None


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
"""


def test_stated_facts_are_drafts_without_any_endpoint(tmp_path: Path) -> None:
    make_photographs(tmp_path / "photographs", count=1)
    (tmp_path / "photographs" / "again.png").unlink()
    [picture] = (tmp_path / "photographs").iterdir()
    (tmp_path / "facts.yaml").write_text(FACTS.replace("PICTURE", picture.name), encoding="utf-8")
    [row] = run(tmp_path, """
name: drafts
seed: 3
shards: 1
steps:
  - {step: facts, file: facts.yaml}
  - {step: draft_descriptions, stated_by: facts}
""")  # fmt: skip
    drafts = row["drafts"]
    assert (drafts.by, drafts.description.prompt) == ("template", "implication")
    assert (drafts.description.implication.image_type, drafts.description.implication.author) == (
        "painting",
        "template",
    )
    assert [(question.right, len(question.wrong)) for question in drafts.questions] == [("Hope", 5)]


def test_what_it_costs_at_most_is_known_before_and_settings_are_checked() -> None:
    step = DraftDescriptions.model_validate(
        {"chat": {"model": "a", "max_tokens": 100}, "prompts": {"one": "", "two": ""}}
    )
    [plan] = step.planned_requests(10)
    assert (plan.requests, plan.pictures) == (20, 20)  # one prompt an image, repaired once
    with pytest.raises(ValidationError, match="say who drafts"):
        DraftDescriptions.model_validate({})
    with pytest.raises(ValidationError, match="less than or equal to 3"):
        DraftDescriptions.model_validate({"chat": {"model": "a"}, "questions": 4})
