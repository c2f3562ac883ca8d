"""`run --dry-run`: the requests to models and their maximum cost, before any request is sent."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from walks import make_photographs, run_json

from benchwright.cli.main import invoke

RECIPE = """
name: planned
seed: 3
shards: 2
steps:
  - step: draft_questions
    chat: {model: a, base_url: "http://127.0.0.1:9/v1", max_tokens: 500, price_in: 1, price_out: 2}
  - step: state
    sections: [caption]
    draft: {chat: {model: a, base_url: "http://127.0.0.1:9/v1", max_tokens: 100}}
  - step: ideas
    grounder: {backend: endpoint, chat: {model: b, base_url: "http://127.0.0.1:9/v1"}}
    writer: {backend: endpoint, chat: {model: b, base_url: "http://127.0.0.1:9/v1"}}
  - step: jigsaw
    mode: paper
  - step: answer_flip
    chat: {model: b, base_url: "http://127.0.0.1:9/v1"}
"""


def test_every_step_that_asks_a_model_is_planned_or_named_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    make_photographs(tmp_path / "photographs", count=3)
    (tmp_path / "planned.yaml").write_text(RECIPE, encoding="utf-8")
    document = run_json("run", tmp_path / "planned.yaml", "--images", tmp_path / "photographs", "--dry-run")
    images = len(list((tmp_path / "photographs").iterdir()))
    assert document["images"] == images
    drafts, state, *of_ideas = document["plans"]
    assert (drafts["step"], drafts["requests"], drafts["pictures"]) == ("draft_questions", 2 * images, 2 * images)
    assert drafts["most_completion_tokens"] == 2 * images * 500
    assert drafts["cost"] == round((drafts["prompt_tokens"] + 2 * drafts["most_completion_tokens"]) / 1e6, 6)
    assert (state["step"], state["cost"]) == ("state", None)
    assert [(plan["step"], plan["purpose"], plan["cost"]) for plan in of_ideas] == [
        ("ideas", "grounding", None), ("ideas", "ideas", None),
    ]  # fmt: skip
    assert (document["unplanned"], document["cost"]) == (["answer_flip"], None)
    assert not (tmp_path / "workspaces").exists()


def test_a_recipe_without_models_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_photographs(tmp_path / "photographs", count=1)
    (tmp_path / "plain.yaml").write_text("name: plain\nshards: 2\nsteps: [exact_duplicates]\n", encoding="utf-8")
    arguments = ["run", str(tmp_path / "plain.yaml"), "--images", str(tmp_path / "photographs"), "--dry-run"]
    assert invoke(arguments) == 0
    assert "no step asks a model" in capsys.readouterr().out
    assert invoke([*arguments, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["cost"] == 0
