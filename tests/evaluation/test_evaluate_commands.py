"""The commands print one JSON document, use the documented exit codes, and report errors in one line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchwright.cli.main import invoke
from benchwright.errors import StepError
from benchwright.evaluation.results.score import read_scores
from benchwright.evaluation.step import Evaluate
from benchwright.recipe import parse_recipe
from benchwright.steps import FinalContext


@pytest.fixture
def release(bench: Any, tmp_path: Path) -> Path:
    for number in range(4):
        bench.add(f"q{number}", answer="AB"[number % 2])
    return Path(bench.release(tmp_path / "release").path)


def said(capsys: pytest.CaptureFixture[str]) -> Any:
    return json.loads(capsys.readouterr().out)


def test_run_prints_the_score_and_writes_it(release: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    assert invoke(["evaluate", "run", str(release), "--model", "constant:A", "--out", str(out), "--json"]) == 0
    document = said(capsys)
    assert {"model", "protocol", "release_id", "metrics", "miss", "error", "asked", "items"} <= document.keys()
    assert document["metrics"]["accuracy"]["value"] == 0.5
    assert document == json.loads((out / "constant-A" / "score.json").read_text())


def test_run_shows_people_a_table(
    release: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert invoke(["evaluate", "run", str(release), "--model", "constant:A"]) == 0
    printed = capsys.readouterr()
    assert "0.50 [0.15, 0.85] n=4" in printed.out
    assert "written to results/constant-A" in printed.err


def test_run_asks_a_server(release: Path, tmp_path: Path, server: Any, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--model", "openai:tiny", "--base-url", server.url, "--out", str(tmp_path / "out"), "--json"]
    assert invoke(["evaluate", "run", str(release), *arguments]) == 0
    assert said(capsys)["metrics"]["accuracy"]["value"] == 0.5


def test_score_reads_a_file(
    release: Path, bench: Any, predictions_file: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    path = predictions_file([{"item_id": item.item_id, "answer": item.answer} for item, _ in bench.items])
    assert invoke(["evaluate", "score", str(release), str(path), "--json"]) == 0
    assert said(capsys)["metrics"]["accuracy"]["value"] == 1


def test_summary_puts_models_side_by_side(release: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(tmp_path / "out")
    for model in ("random", "constant:B"):
        assert invoke(["evaluate", "run", str(release), "--model", model, "--out", out, "--json"]) == 0
    capsys.readouterr()
    assert invoke(["evaluate", "summary", out, "--json"]) == 0
    assert list(said(capsys)) == ["constant:B", "random"]
    assert invoke(["evaluate", "summary", out]) == 0
    assert "constant:B" in capsys.readouterr().out


def test_extract_reads_letters_line_by_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cases = tmp_path / "cases.jsonl"
    lines = [("The answer is (B).", ["cat", "dog"]), ("dog", ["cat", "dog"]), ("A or B", [None, None])]
    cases.write_text("".join(json.dumps({"reply": reply, "choices": choices}) + "\n" for reply, choices in lines))
    assert invoke(["evaluate", "extract", str(cases), "--json"]) == 0
    assert said(capsys) == {"letters": ["B", "B", None]}
    assert invoke(["evaluate", "extract", str(cases)]) == 0
    assert capsys.readouterr().out == "B\nB\n-\n"


UNREAD = [
    {"reply": "The answer is (A).", "choices": ["cat", "dog"], "letter": "A"},
    {"reply": "The one that barks.", "choices": ["cat", "dog"], "letter": "b", "question": "Which pet is it?"},
    {"reply": "It is neither here nor there.", "choices": ["cat", None], "letter": "none"},
    {"reply": "(B)", "choices": ["cat", "dog"]},
]


def test_extract_measures_the_rules_alone_and_with_a_judge_of_what_they_leave(
    tmp_path: Path, server: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    cases, log = tmp_path / "cases.jsonl", tmp_path / "log"
    cases.write_text("".join(json.dumps(row) + "\n" for row in UNREAD), encoding="utf-8")
    asked: list[str] = []

    def behave(words: str, attempt: int, handler: Any) -> str:
        asked.append(words)
        return '{"verdict": "B"}' if "barks" in words else '{"verdict": "none"}'

    server.behave = behave
    judge = ["--judge", "openai:wise", "--judge-base-url", server.url, "--log", str(log)]
    assert invoke(["evaluate", "extract", str(cases), *judge, "--json"]) == 0
    printed = capsys.readouterr()
    document = json.loads(printed.out)
    assert (document["letters"], document["read_by"][1:3]) == (["A", "B", None, "B"], ["judge", None])
    assert (document["judge"]["asked"], document["judge"]["letters"], document["judge"]["none"]) == (2, 1, 1)
    rules, both = document["measured"]["reader"], document["measured"]["with_judge"]
    assert [rules[name]["value"] for name in ("right", "missed_letter")] == pytest.approx([2 / 3, 1 / 3])
    assert (rules["labelled"], both["right"]["value"]) == (3, 1.0)
    assert "with judge: of 3 labeled, right 100.0 %" in printed.err
    assert len(asked) == 2
    assert "Which pet is it?" in next(words for words in asked if "barks" in words)
    assert "(B) (a picture)" in next(words for words in asked if "neither" in words)
    assert invoke(["evaluate", "extract", str(cases), *judge, "--json"]) == 0
    assert (len(asked), capsys.readouterr().out) == (2, printed.out)


def test_extract_refuses_what_does_not_go_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cases = tmp_path / "cases.jsonl"
    cases.write_text(json.dumps(UNREAD[0]) + "\n", encoding="utf-8")
    for more, words in (
        (["--reader", "blink", "--judge", "openai:wise"], "a judge needs the reader 'robust'"),
        (["--log", str(tmp_path)], "name a judge with --judge"),
    ):
        assert invoke(["evaluate", "extract", str(cases), *more]) == 2
        assert words in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("nonsense", "line 2: no JSON"),
        ("[]", "line 2: give"),
        ('{"reply": "B"}', "line 2: give"),
        ('{"reply": 1, "choices": ["a", "b"]}', "line 2: reply is 1"),
        ('{"reply": "B", "choices": ["a"]}', "line 2: choices is ['a'], not a list of 2 to 26"),
        ('{"reply": "B", "choices": "ab"}', "line 2: choices is 'ab'"),
        ('{"reply": "B", "choices": ["a", 2]}', "line 2: choice 2 is neither"),
        ('{"reply": "B", "choices": ["a", "b"], "letter": "C"}', "line 2: letter is 'C', not one of A, B, none"),
        ('{"reply": "B", "choices": ["a", "b"], "letter": 2}', "line 2: letter is 2, not one of A, B, none"),
        ('{"reply": "B", "choices": ["a", "b"], "question": 2}', "line 2: question is 2, not a text"),
    ],
)
def test_a_bad_case_is_an_error_that_names_its_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], line: str, words: str
) -> None:
    cases = tmp_path / "cases.jsonl"
    good = '{"reply": "B", "choices": ["a", "b"]}'
    cases.write_text(f"{good}\n{line}\n{good}\n")
    assert invoke(["evaluate", "extract", str(cases)]) == 2
    assert words in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "{release}"], "--model"),
        (["run", "{release}", "--model", "nobody"], "there is no backend named 'nobody'"),
        (["run", "{release}", "--model", "random", "--split", "dev"], "no split 'dev'; it has test"),
        (["run", "{tmp}", "--model", "random"], "manifest.json"),
        (["run", "{tmp}/nowhere", "--model", "random"], "does not exist"),
        (["run", "{release}", "--model", "random", "--concurrency", "0"], "--concurrency"),
        (["score", "{release}", "{tmp}/nowhere.jsonl"], "does not exist"),
        (["score", "{release}"], "Missing argument"),
        (["extract", "{tmp}/nowhere.jsonl"], "does not exist"),
        (["summary", "{tmp}"], "contains no results"),
    ],
)
def test_wrong_use_exits_with_2_and_says_what_was_wrong(
    release: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    filled = [argument.replace("{release}", str(release)).replace("{tmp}", str(tmp_path)) for argument in arguments]
    assert invoke(["evaluate", *filled]) == 2
    printed = capsys.readouterr()
    assert words in printed.err
    assert printed.out == ""


def context(workspace: Path, artifacts: dict[str, str]) -> FinalContext:
    return FinalContext(seed=1, stage="evaluate", workspace=workspace, recipe={}, artifacts=artifacts)


def test_the_step_scores_every_model_on_the_release_that_was_frozen(release: Path, tmp_path: Path) -> None:
    step = Evaluate(models=("random", "constant:A"))
    made = step.finish(None, context(tmp_path, {"release": "release"}))
    assert made == {"results": "results", "report": "results/report.html"}
    summary = json.loads((tmp_path / "results" / "summary.json").read_text())
    assert summary["constant:A"]["accuracy"] == {
        "value": 0.5,
        "ci": [pytest.approx(0.15, abs=0.01), pytest.approx(0.85, abs=0.01)],
        "n": 4,
        "method": "wilson",
    }
    assert sorted(path.name for path in (tmp_path / "results").iterdir()) == [
        "constant-A",
        "random",
        "report-data",
        "report.html",
        "summary.json",
    ]


def test_the_step_replaces_results_of_a_release_that_changed(release: Path, bench: Any, tmp_path: Path) -> None:
    Evaluate(models=("constant:A",)).finish(None, context(tmp_path, {"release": "release"}))
    bench.add("one more", answer="A")
    bench.release(tmp_path / "next", version="2.0")
    Evaluate(models=("constant:A",)).finish(None, context(tmp_path, {"release": "next"}))
    assert json.loads((tmp_path / "results" / "summary.json").read_text())["constant:A"]["accuracy"]["n"] == 5


def test_the_step_keeps_a_servers_replies_outside_the_results(release: Path, server: Any, tmp_path: Path) -> None:
    Evaluate(models=("openai:tiny",), base_url=server.url).finish(None, context(tmp_path, {"release": "release"}))
    assert (tmp_path / "replies" / "openai-tiny" / "replies.jsonl").is_file()
    assert not list((tmp_path / "results").rglob("*.jsonl"))


def test_the_step_without_a_release_says_what_to_put_before_it(tmp_path: Path) -> None:
    with pytest.raises(StepError, match="put 'freeze' before it"):
        Evaluate(models=("random",)).finish(None, context(tmp_path, {}))


def test_a_model_listed_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="'random' is listed twice"):
        Evaluate(models=("random", "random"))


def test_a_changed_file_of_predictions_changes_the_steps_weights(tmp_path: Path, predictions_file: Any) -> None:
    path = predictions_file([{"item_id": "0" * 32, "reply": "A"}])
    step = Evaluate(models=("random", f"predictions:{path}"))
    before = step.weights_hash()
    predictions_file([{"item_id": "0" * 32, "reply": "B"}])
    assert step.weights_hash() != before
    assert Evaluate(models=("random",)).weights_hash() is None


def test_a_recipe_asks_a_sample_several_times_in_pieces(bench: Any, server: Any, tmp_path: Path) -> None:
    for number in range(12):
        bench.add(f"question {number}", task=("first", "second")[number % 2], answer="B")
    bench.release(tmp_path / "release")
    text = (
        "name: toy\nsteps:\n  - step: evaluate\n    limit: 4\n    models:\n      - model: openai:m\n"
        f"        base_url: {server.url}\n        samples: 2\n        temperature: 1\n        fields: {{stream: true}}\n"
    )
    step = parse_recipe(text, "toy.yaml", Path()).steps[0][1]
    assert isinstance(step, Evaluate)
    step.finish(None, context(tmp_path, {"release": "release"}))
    assert len(server.bodies) == 8
    assert all(body["stream"] for body in server.bodies)
    [score] = read_scores(tmp_path / "results")
    assert (score.limit, score.limit_of, score.samples) == (4, 12, 2)
    whole = Evaluate(models=("random",))
    assert step.parameters()["limit"] == 4
    assert "limit" not in whole.parameters()
