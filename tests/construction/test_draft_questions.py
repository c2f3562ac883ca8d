"""The step `draft_questions`: drafts by a model or by templates, attacks on them, and every bad reply with its reason.

- A draft has the requested shape, is paid for once, and states its prompt.
- A second model's attacks remove drafts, or are shown with them.
- Seven options, no options, prose, silence: each has a recorded reason, and the usable parts of a reply are used.
- Without an endpoint, templates draft questions from facts and boxes.
- The cost is known in advance.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from chat_server import ChatServer, words_of
from pydantic import ValidationError
from walks import make_photographs

from benchwright.construction.drafting.draft_questions import DraftQuestions
from benchwright.errors import RecipeError
from benchwright.pipeline import run_recipe
from benchwright.questions.drafts import QuestionDrafts
from benchwright.recipe import parse_recipe

pytestmark = pytest.mark.slow

CUPS = {
    "ask": "How many cups stand on the table?", "right": "Three", "wrong": ["One", "Two", "Four", "Five", "Six"],
    "explanation": "Three cups stand beside the jug.", "level": "easy",
}  # fmt: skip
JUG = {
    "ask": "What stands behind the cups?", "right": "A jug", "wrong": ["A vase", "A lamp", "A clock", "A book", "A plant"],
    "explanation": "It rises behind them.", "level": "hard",
}  # fmt: skip
RECIPE = """
name: drafts
seed: 3
shards: 2
steps:
  - step: draft_questions
    questions: {{at_least: 1, at_most: 3}}
    options: 6
    explanation: required
    labels: {{level: [easy, hard]}}
    chat: {{model: tiny-vlm, base_url: "{url}", retries: 0, seed: 5{chat}}}
    {more}
"""
ATTACK = 'attack: {{chat: {{model: breaker, base_url: "{url}", retries: 0}}{more}}}'


def run(folder: Path, text: str, *, count: int = 1) -> Any:
    if not (folder / "photographs").exists():
        make_photographs(folder / "photographs", count=count)
        (folder / "photographs" / "again.png").unlink()
    recipe = parse_recipe(text, "recipe.yaml", folder=folder)
    return run_recipe(recipe, workspace=folder / "w", images=folder / "photographs", workers=1)


def drafted(
    folder: Path, server: ChatServer, *, chat: str = "", more: str = "", count: int = 1
) -> list[dict[str, Any]]:
    """Run the step and return its outcomes, with `drafts` read."""
    done = run(folder, RECIPE.format(url=server.url, chat=chat, more=more), count=count)
    rows = [dict(row) for row in done.outcomes("draft_questions")]
    for row in rows:
        row["drafts"] = QuestionDrafts.model_validate_json(row["drafts"])
    return rows


def replying(*questions: dict[str, Any]) -> Callable[..., str]:
    return lambda words, attempt, handler: json.dumps({"questions": list(questions)})


def test_a_model_drafts_questions_of_the_wanted_shape_and_is_paid_once(tmp_path: Path, chat_server: ChatServer) -> None:
    chat_server.behave = replying(CUPS, JUG)
    rows = drafted(tmp_path, chat_server, count=2)
    assert len(chat_server.bodies) == 2
    body = chat_server.bodies[0]
    assert body["seed"] == 5
    assert [part["type"] for part in body["messages"][0]["content"]] == ["text", "image_url"]
    assert "5 wrong options" in words_of(body)
    assert '"level": one of easy, hard' in words_of(body)
    drafts = rows[0]["drafts"]
    assert drafts.by == "model:tiny-vlm"
    assert [question.ask for question in drafts.questions] == [CUPS["ask"], JUG["ask"]]
    assert drafts.questions[1].labels == {"level": ("hard",)}
    assert {question.prompt for question in drafts.questions} == {"plain"}
    drafted(tmp_path, chat_server, more="concurrency: 2")
    drafted(tmp_path, chat_server, more="prompts: {plain: '', dry: Be dry.}")
    assert len(chat_server.bodies) == 4  # the replies to `plain` were kept, those to `dry` are new
    assert words_of(chat_server.bodies[-1]).endswith("Be dry.")


def test_what_is_stated_goes_along_without_who_stated_it(tmp_path: Path, chat_server: ChatServer) -> None:
    chat_server.behave = replying(CUPS)
    folder_of_facts(tmp_path)
    run(tmp_path, FACTS + f"""
  - step: draft_questions
    options: 6
    chat: {{model: tiny-vlm, base_url: "{chat_server.url}", retries: 0}}
    sees: annotations
    stated_by: facts
""")  # fmt: skip
    parts = chat_server.bodies[0]["messages"][0]["content"]
    assert [part["type"] for part in parts] == ["text", "text"]
    document = json.loads(parts[1]["text"])
    assert document["answerable"][0]["right"] == "A table"
    assert "written_by" not in parts[1]["text"]


def breaking(blind: Callable[[str], str], seeing: Callable[[str], dict[str, Any]], *questions: dict[str, Any]) -> Any:
    """Draft these questions, and attack with what these functions make of the words of a request."""

    def behave(words: str, attempt: int, handler: Any) -> str:
        if handler.body["model"] == "tiny-vlm":
            return json.dumps({"questions": list(questions)})
        has_picture = any(part["type"] == "image_url" for part in handler.body["messages"][0]["content"])
        return json.dumps(seeing(words) if has_picture else {"letter": blind(words)})

    return behave


def letter_of(words: str, option: str) -> str:
    return next(line[1] for line in words.splitlines() if line.startswith("(") and line[4:] == option)


def test_drafts_that_a_second_model_breaks_are_taken_out_and_others_have_the_attacks_beside_them(
    tmp_path: Path, chat_server: ChatServer
) -> None:
    def blind(words: str) -> str:
        return letter_of(words, "Three") if "cups stand on" in words else letter_of(words, "A lamp")

    def seeing(words: str) -> dict[str, Any]:
        if "cups stand on" in words:
            return {"letter": letter_of(words, "Three"), "also_right": [], "difficulty": "middle"}
        return {"letter": letter_of(words, "A jug"), "also_right": [], "difficulty": "easy", "why": "It is large."}

    chat_server.behave = breaking(blind, seeing, CUPS, JUG)
    [row] = drafted(tmp_path, chat_server, more=ATTACK.format(url=chat_server.url, more=""))
    assert [question.ask for question in row["drafts"].broken] == [CUPS["ask"]]
    [kept] = row["drafts"].questions
    found = {attack.attack: (attack.result, attack.says) for attack in kept.attacks}
    assert found["without_picture"] == ("held", "right in 0 of 2 orders of the options: A lamp")
    assert found["other_option"] == ("held", "takes for right: A jug (It is large.)")
    assert found["too_easy"] == ("broken", "finds it easy")
    assert {attack.by for attack in kept.attacks} == {"model:breaker"}


def test_a_claim_that_another_option_is_right_breaks_a_draft_and_all_broken_is_said(
    tmp_path: Path, chat_server: ChatServer
) -> None:
    def seeing(words: str) -> dict[str, Any]:
        return {"letter": letter_of(words, "A jug"), "also_right": [letter_of(words, "A vase")], "difficulty": "hard"}

    chat_server.behave = breaking(lambda words: letter_of(words, "A lamp"), seeing, JUG)
    [row] = drafted(tmp_path, chat_server, more=ATTACK.format(url=chat_server.url, more=""))
    assert (row["verdict"], row["reason"]) == ("ask", "all_broken")
    assert "A vase" in row["drafts"].broken[0].attacks[1].says


def test_an_attack_without_a_usable_reply_takes_nothing_out_and_says_so(
    tmp_path: Path, chat_server: ChatServer
) -> None:
    def behave(words: str, attempt: int, handler: Any) -> str:
        return json.dumps({"questions": [JUG]}) if handler.body["model"] == "tiny-vlm" else "I would rather not."

    chat_server.behave = behave
    [row] = drafted(tmp_path, chat_server, more=ATTACK.format(url=chat_server.url, more=""))
    [kept] = row["drafts"].questions
    assert {attack.result for attack in kept.attacks} == {"not_made"}
    assert all(attack.says.startswith("no_json") for attack in kept.attacks)


SEVEN = {**JUG, "wrong": [*JUG["wrong"], "A stone"]}


def late(words: str, attempt: int, handler: Any) -> None:
    handler.connection.settimeout(5)
    handler.rfile.read(1)  # nothing more comes, until the client gives up


@pytest.mark.parametrize(
    ("behave", "chat", "reason", "words"),
    [
        pytest.param(replying(SEVEN), "", "other_json", "not 6", id="seven options"),
        pytest.param(replying({**JUG, "wrong": []}), "", "other_json", "not 0", id="no options"),
        pytest.param(replying(), "", "other_json", "at least 1 item", id="no questions"),
        pytest.param(lambda w, a, h: "Here is a question about a jug.", "", "no_json", "no JSON", id="prose"),
        pytest.param(lambda w, a, h: " ", "", "endpoint_unusable_reply", "no text", id="nothing"),
        pytest.param(replying({**JUG, "wrong": ["A jug", *JUG["wrong"][1:]]}), "", "other_json", "reads the same", id="answer twice"),
        pytest.param(replying({**JUG, "level": "extreme"}), "", "other_json", "level", id="no such label"),
        pytest.param(replying({**JUG, "ask": "x" * 100_000}), "", "other_json", "at most 300", id="100,000 characters"),
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
    assert row["drafts"].questions == ()
    if reason in {"other_json", "no_json"}:
        assert len(chat_server.bodies) == 2
        assert "cannot be used" in words_of(chat_server.bodies[1])


def test_a_good_question_beside_a_bad_one_is_used_and_the_bad_one_recorded(
    tmp_path: Path, chat_server: ChatServer
) -> None:
    chat_server.behave = replying(CUPS, SEVEN)
    [row] = drafted(tmp_path, chat_server)
    assert row["verdict"] == "keep"
    assert [question.ask for question in row["drafts"].questions] == [CUPS["ask"]]
    assert "not 6" in row["drafts"].failed["plain"]


FACTS = """
name: drafts
seed: 3
shards: 1
steps:
  - step: facts
    file: facts.yaml
"""
STATED = """
format: benchwright-facts
version: 1
images:
  photo0.png:
    answerable:
      - {name: table, ask: 'What does the cup stand on?', right: A table, wrong: [A chair, A tray, A bed, A box, A stool]}
    unanswerable:
      - {name: taste, why: other_modality, ask: 'How does the tea taste?', wrong: [Sweet, Bitter, Sour, Salty, Smoky, Sharp]}
"""


def folder_of_facts(folder: Path) -> None:
    make_photographs(folder / "photographs", count=1)
    (folder / "photographs" / "again.png").unlink()
    [picture] = (folder / "photographs").iterdir()
    (folder / "facts.yaml").write_text(STATED.replace("photo0.png", picture.name), encoding="utf-8")


def test_templates_draft_of_facts_without_any_endpoint(tmp_path: Path) -> None:
    folder_of_facts(tmp_path)
    done = run(tmp_path, FACTS + """
  - step: draft_questions
    options: 6
    refusal: required
    stated_by: facts
""")  # fmt: skip
    [row] = done.outcomes("draft_questions")
    drafts = QuestionDrafts.model_validate_json(row["drafts"])
    assert drafts.by == "template"
    assert {question.ask: question.right for question in drafts.questions} == {
        "What does the cup stand on?": "A table", "How does the tea taste?": None,
    }  # fmt: skip
    assert [len(question.wrong) for question in drafts.questions] == [5, 6]


def test_templates_draft_of_the_boxes_of_a_dataset(tmp_path: Path) -> None:
    make_photographs(tmp_path / "photographs", count=1)
    (tmp_path / "photographs" / "again.png").unlink()
    [picture] = (tmp_path / "photographs").iterdir()
    boxes = [{"label": "cup", "box": [10, 10, 40, 40]}, {"label": "cup", "box": [50, 50, 90, 90]}]
    line = {"id": "cups", "image": picture.name, "truths": [{"kind": "boxes", "boxes": boxes}]}
    (tmp_path / "photographs" / "truths.jsonl").write_text(json.dumps(line), encoding="utf-8")
    done = run(tmp_path, """
name: drafts
seed: 3
shards: 1
steps:
  - step: dataset
    reader: folder
    folder: photographs
    options: {table: truths.jsonl}
  - step: draft_questions
    options: 5
    annotations_of: dataset
""")  # fmt: skip
    drafts = [QuestionDrafts.model_validate_json(row["drafts"]) for row in done.outcomes("draft_questions")]
    [question] = [question for each in drafts for question in each.questions]
    assert (question.ask, question.right, question.prompt) == ("How many cups are in the picture?", "2", "box_count")
    assert question.explanation == "The annotations mark 2 cups."
    assert len({question.right, *question.wrong}) == 5


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        pytest.param({}, "say who drafts", id="nobody"),
        pytest.param({"chat": {"model": "m"}, "sees": "both"}, "needs `stated_by`", id="nothing stated"),
        pytest.param({"chat": {"model": "m"}, "drawn_options": ["A", "B"]}, "drawn_options", id="drawn"),
        pytest.param({"chat": {"model": "m"}, "prompts": {}}, "at least 1", id="no prompt"),
        pytest.param({"chat": {"model": "m"}, "attack": {"chat": {"model": "m"}, "tries": ["x"]}}, "without_picture", id="attack"),
    ],
)  # fmt: skip
def test_settings_that_do_not_go_together_are_refused(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        DraftQuestions.model_validate(settings)


def test_an_entry_that_states_nothing_is_named_before_anything_runs(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match="stated_by: nobody"):
        run(tmp_path, "name: d\nseed: 1\nshards: 2\nsteps:\n  - {step: draft_questions, stated_by: nobody}\n")


def test_what_it_costs_at_most_is_known_before(tmp_path: Path) -> None:
    step = DraftQuestions.model_validate(
        {
            "chat": {"model": "a", "max_tokens": 100, "price_in": 1, "price_out": 10}, "prompts": {"one": "", "two": ""},
            "attack": {"chat": {"model": "b", "max_tokens": 50}},
        }
    )  # fmt: skip
    drafts, attacks = step.planned_requests(10)
    assert (drafts.requests, drafts.pictures) == (40, 40)  # two prompts, each repaired once
    assert drafts.tokens.completion == 40 * 100
    assert drafts.cost == round((drafts.tokens.prompt + 10 * drafts.tokens.completion) / 1e6, 6)
    assert attacks.requests == 10 * 2 * 6 * 3  # six drafts, two orders without the picture and one look at it, repaired
    assert attacks.cost is None
