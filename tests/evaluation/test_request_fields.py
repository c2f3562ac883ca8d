"""The content of requests besides messages: fields are added and omitted, and refused fields are learned from the
model.

Facts held here: a reasoning model is scored; a refusal costs no item and occurs once; the fields actually sent are
stored with the score; a continued run meets no refusal again; a value from the user is never dropped silently; fields
that requests depend on are refused; all of this also applies to judges.
"""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import pytest
from chat_server import reasoning_model

from benchwright.cli.main import invoke
from benchwright.errors import BenchwrightError, PrerequisiteError, RecipeError
from benchwright.evaluation.backends.base import parse_model
from benchwright.evaluation.backends.options import BackendOptions
from benchwright.evaluation.judging.judge import Judge
from benchwright.evaluation.results.score import Score
from benchwright.evaluation.run import evaluate
from benchwright.evaluation.step import Evaluate
from benchwright.models.endpoints.vendors.request_fields import RequestParameters, parse_field, refused_field
from benchwright.recipe import parse_recipe


def ask(bench: Any, server: Any, tmp_path: Path, **more: Any) -> Score:
    options = BackendOptions(base_url=server.url, backoff_s=0.001, retries=0, **more)
    folder = tmp_path / "release"
    release = bench.release(folder) if not folder.exists() else folder
    return evaluate(release, "openai:thinks", out=tmp_path / "out", options=options)


def fill(bench: Any, count: int = 30) -> None:
    for number in range(count):
        bench.add(f"question {number}", answer="B")


def fields_of(body: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in body.items() if name not in {"model", "messages"}}


def test_a_reasoning_model_is_scored_and_the_refusals_are_met_once(
    bench: Any, server: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    fill(bench)
    server.behave = reasoning_model
    with caplog.at_level(logging.WARNING):
        score = ask(bench, server, tmp_path, concurrency=4)
    assert (score.metrics["accuracy"].value, score.error) == (1.0, 0)
    refused = [body for body in server.bodies if "max_tokens" in body or "temperature" in body]
    assert len(refused) <= 4 + 1  # those under way together, and the next field once
    assert [fields_of(body) for body in server.bodies[-3:]] == [{"max_completion_tokens": 1024}] * 3
    assert score.settings["backend"]["refused"] == {"max_tokens": "max_completion_tokens", "temperature": None}
    assert score.settings["backend"]["max_completion_tokens"] == 1024
    assert not {"temperature", "max_tokens"} & score.settings["backend"].keys()
    messages = [record.getMessage() for record in caplog.records if "refuses" in record.getMessage()]
    assert len(messages) == 2
    assert "max_tokens (sent as max_completion_tokens from now on)" in messages[0]
    assert "temperature (left out from now on)" in messages[1]


def test_one_request_at_a_time_meets_one_refusal_a_field(bench: Any, server: Any, tmp_path: Path) -> None:
    fill(bench, 12)
    server.behave = reasoning_model
    assert ask(bench, server, tmp_path, concurrency=1).error == 0
    assert len(server.bodies) == 12 + 2


def test_a_run_that_goes_on_sends_nothing_that_was_answered_and_meets_no_refusal_again(
    bench: Any, server: Any, tmp_path: Path
) -> None:
    fill(bench, 10)
    server.behave = reasoning_model
    whole = ask(bench, server, tmp_path)
    (path,) = (tmp_path / "out").glob("*/replies.jsonl")
    lines = path.read_text().splitlines(keepends=True)
    last = max(number for number, line in enumerate(lines) if json.loads(line).get("kind") == "reply")
    path.write_text("".join(line for number, line in enumerate(lines) if number != last))
    server.bodies.clear()
    assert ask(bench, server, tmp_path) == whole
    assert [fields_of(body) for body in server.bodies] == [{"max_completion_tokens": 1024}]


def test_thoughts_are_counted_among_the_tokens(bench: Any, server: Any, tmp_path: Path) -> None:
    fill(bench, 3)
    server.behave = reasoning_model
    usage = ask(bench, server, tmp_path).usage
    assert usage is not None
    assert (usage.completion_tokens, usage.reasoning_tokens) == (225, 192)


@pytest.mark.parametrize(
    ("settings", "says"),
    [({"temperature": 0.7}, "temperature 0.7"), ({"temperature": 0.0}, "temperature 0.0")],
    ids=["unusual", "usual, and given"],
)
def test_a_refused_value_that_the_user_gave_ends_the_run(
    bench: Any, server: Any, tmp_path: Path, settings: dict[str, Any], says: str
) -> None:
    fill(bench, 5)
    server.behave = reasoning_model
    with pytest.raises(PrerequisiteError, match=rf"refuses {says}.*--omit temperature"):
        ask(bench, server, tmp_path, **settings)
    assert not list((tmp_path / "out").glob("*/score.json"))


def test_a_longest_reply_that_the_user_gave_keeps_its_value_under_the_other_name(
    bench: Any, server: Any, tmp_path: Path
) -> None:
    fill(bench, 3)
    server.behave = reasoning_model
    assert ask(bench, server, tmp_path, max_tokens=77).error == 0
    assert fields_of(server.bodies[-1]) == {"max_completion_tokens": 77}


def test_fields_are_added_and_left_out(bench: Any, server: Any, tmp_path: Path) -> None:
    fill(bench, 3)
    more = {"reasoning_effort": "low", "max_completion_tokens": 500}
    score = ask(bench, server, tmp_path, fields=more, omit=("temperature",))
    assert [fields_of(body) for body in server.bodies] == [more] * 3
    assert score.settings["backend"]["fields"] == more
    assert score.settings["backend"]["omit"] == ["temperature"]
    server.bodies.clear()
    ask(bench, server, tmp_path, fields={**more, "reasoning_effort": "high"}, omit=("temperature",))
    assert len(server.bodies) == 3, "another field is another request"


@pytest.mark.parametrize("name", ["messages", "model", "stream_options"])
def test_fields_that_requests_rest_on_are_refused(name: str) -> None:
    for settings in ({"fields": {name: 1}}, {"omit": (name,)}):
        with pytest.raises(BenchwrightError, match=f"{name}.*neither set nor left out"):
            parse_model("openai:m", BackendOptions(base_url="http://127.0.0.1:1/v1", **settings))


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"fields": {"n": 3}}, "--samples K"),
        ({"fields": {"stream": "yes"}}, "'stream' is true or false"),
        ({"omit": ("stream",)}, "'stream' is true or false"),
    ],
)
def test_fields_that_would_not_mean_what_they_say_are_refused(settings: Any, words: str) -> None:
    with pytest.raises(BenchwrightError, match=words):
        parse_model("openai:m", BackendOptions(base_url="http://127.0.0.1:1/v1", **settings))


def test_what_is_asked_for_twice_is_refused() -> None:
    with pytest.raises(BenchwrightError, match="temperature is set by its own option"):
        BackendOptions(omit=("temperature",), temperature=0.0).parameters("chat", "m", "here")
    with pytest.raises(BenchwrightError, match="added and left out"):
        BackendOptions(omit=("seed",), fields={"seed": 1}).parameters("chat", "m", "here")


def test_models_that_are_sent_no_requests_take_no_fields() -> None:
    with pytest.raises(BenchwrightError, match="model 'random' gets none"):
        parse_model("random", BackendOptions(omit=("temperature",)))


def test_the_command_line_takes_fields(bench: Any, server: Any, tmp_path: Path, capsys: Any) -> None:
    fill(bench, 2)
    bench.release(tmp_path / "release")
    arguments = ["evaluate", "run", str(tmp_path / "release"), "--model", "openai:m", "--base-url", server.url]
    arguments += ["--out", str(tmp_path / "out"), "--omit", "temperature", "--omit", "max_tokens", "--field"]
    assert invoke([*arguments, "reasoning_effort=low", "--field", 'logit_bias={"5": 1}']) == 0
    assert fields_of(server.bodies[0]) == {"reasoning_effort": "low", "logit_bias": {"5": 1}}
    capsys.readouterr()
    assert invoke([*arguments, "logit_bias={5"]) == 2
    assert "is not JSON" in capsys.readouterr().err
    assert invoke([*arguments, "seed=1", "--temperature", "0"]) == 2
    assert "temperature is set by its own option" in capsys.readouterr().err


def test_a_judge_learns_and_takes_fields_of_its_own(bench: Any, server: Any, tmp_path: Path) -> None:
    fill(bench, 3)
    release = bench.release(tmp_path / "release")

    def behave(words: str, attempt: int, handler: Any) -> str | None:
        if handler.body["model"] == "m":
            return "hard to say"
        if "max_tokens" in handler.body or "temperature" in handler.body:
            return reasoning_model(words, attempt, handler)
        return '{"verdict": "B"}'

    server.behave = behave
    judge = Judge(model="openai:wise", fields={"reasoning_effort": "low"})
    score = evaluate(
        release, "openai:m", judge=judge, options=BackendOptions(base_url=server.url), out=tmp_path / "out"
    )
    assert score.metrics["accuracy"].value == 1.0
    judged = [body for body in server.bodies if body["model"] == "wise"]
    assert fields_of(judged[-1]) == {"max_completion_tokens": 256, "reasoning_effort": "low"}
    assert score.judge is not None
    assert score.judge.settings["refused"] == {"max_tokens": "max_completion_tokens", "temperature": None}


RECIPE = """name: toy
shards: 2
steps:
  - step: evaluate
    models:
      - model: openai:m
        fields: {reasoning_effort: low}
        omit: [temperature]
        judge: {model: "openai:wise", omit: [max_tokens]}
"""


def test_recipes_take_fields() -> None:
    step = parse_recipe(RECIPE, "toy.yaml", Path()).steps[0][1]
    assert isinstance(step, Evaluate)
    options = step.models[0].options("http://127.0.0.1:1/v1", "KEY")
    assert (dict(options.fields), options.omit, options.stated) == (
        {"reasoning_effort": "low"},
        ("temperature",),
        frozenset(),
    )
    assert step.models[0].judge is not None
    assert step.models[0].judge.omit == ("max_tokens",)
    assert step.parameters()["models"][0]["fields"] == {"reasoning_effort": "low"}
    with pytest.raises(RecipeError, match="can be neither set nor left out"):
        parse_recipe(RECIPE.replace("reasoning_effort", "messages"), "toy.yaml", Path())
    with pytest.raises(RecipeError, match="temperature has a value but is also left out"):
        parse_recipe(RECIPE.replace("        omit", "        temperature: 0\n        omit", 1), "toy.yaml", Path())


SENT = {"temperature": 0.0, "max_tokens": 9, "seed": 4}


@pytest.mark.parametrize(
    ("words", "error", "field"),
    [
        ("", {"param": "seed", "code": "unsupported_parameter"}, "seed"),
        ("Unsupported value: 'temperature' does not support 0.0", {"param": "temperature"}, "temperature"),
        ("`temperature` is deprecated for this model.", None, "temperature"),
        ("Unrecognized request argument supplied: seed", {"param": None}, "seed"),
        ('{"detail":[{"loc":["body","seed"],"msg":"Extra inputs are not permitted"}]}', None, "seed"),
        # From issues of LiteLLM, MaxKB, eca, gptme and langmanus as far as found; the words of the others are as recalled.
        ("gpt-5-nano doesn't support temperature=0.0 while reasoning is active.", None, "temperature"),
        ("O-series models don't support temperature=0.0. Only temperature=1 is supported.", None, "temperature"),
        ("openai does not support parameters: ['seed'], for model=x", None, "seed"),
        (
            "[{'type': 'extra_forbidden', 'loc': ('body', 'seed'), 'msg': 'Extra inputs are not permitted'}]",
            None,
            "seed",
        ),
        ("The model returned the following errors: seed: Extra inputs are not permitted", None, "seed"),
        ('["At body -> seed: Extra inputs are not permitted"]', None, "seed"),
        ("`temperature` may only be set to 1 when thinking is enabled.", None, "temperature"),
        ("invalid temperature: only 1 is allowed for this model", None, "temperature"),
        ("property 'seed' is unsupported", None, "seed"),
        ("Argument not supported on this model: seed", None, "seed"),
        ("Extra parameters ['seed'] are not allowed when extra-parameters is not set", None, "seed"),
        ("Unknown name \"seed\" at 'generation_config': Cannot find field.", None, "seed"),
        ("unknown field `seed`, expected one of `temperature`, `max_tokens`", None, "seed"),
        ("<400> InternalError.Algo.InvalidParameter: Temperature should be in [0.0, 2.0)", None, None),
        ("This model does not support images", None, None),
        ("'max_tokens' is too large: this model supports at most 4", {"param": "max_tokens", "code": "invalid"}, None),
        ("", {"param": "messages", "code": "unsupported_value"}, None),
        ("Unsupported parameter: 'tools'", None, None),
        ("no", ["param"], None),
    ],
)
def test_a_refusal_names_its_field_or_is_about_something_else(words: str, error: Any, field: str | None) -> None:
    assert refused_field(SENT, words, error) == field


def test_a_name_is_recognized_in_the_spelling_of_the_server() -> None:
    assert refused_field({"maxOutputTokens": 5}, 'Unknown name "max_output_tokens"', None) == "maxOutputTokens"


@pytest.mark.parametrize(("stated", "left"), [("temperature", {"temperature": 0.5}), ("top_p", {"top_p": 0.9})])
def test_of_two_fields_that_exclude_each_other_the_one_that_was_asked_for_stays(
    stated: str, left: dict[str, float]
) -> None:
    words = "`temperature` and `top_p` cannot both be specified for this model. Please use only one."
    parameters = RequestParameters("m", "here", {"temperature": 0.5, "top_p": 0.9}, stated={stated})
    assert parameters.adapt(parameters.sent, words, None)
    assert parameters.sent == left


def test_a_length_that_is_refused_under_both_names_is_left_out_unless_it_was_asked_for() -> None:
    refusal = {"code": "unsupported_parameter"}
    ours = RequestParameters("m", "here", {"max_tokens": 5})
    assert ours.adapt(ours.sent, "", {"param": "max_tokens", **refusal})
    assert ours.sent == {"max_completion_tokens": 5}
    assert ours.adapt(ours.sent, "", {"param": "max_completion_tokens", **refusal})
    assert ours.sent == {}
    stated = RequestParameters("m", "here", {"max_tokens": 5}, stated={"max_tokens"})
    assert stated.adapt(stated.sent, "", {"param": "max_tokens", **refusal})
    with pytest.raises(PrerequisiteError, match="--omit max_tokens"):
        stated.adapt(stated.sent, "", {"param": "max_completion_tokens", **refusal})


@pytest.mark.parametrize(
    ("text", "value"),
    [("a=low", "low"), ("a=1.5", 1.5), ("a=true", True), ('a="two words"', "two words"), ("a=[]", [])],
)
def test_a_field_is_a_name_and_json_or_a_plain_word(text: str, value: Any) -> None:
    assert parse_field(text) == ("a", value)


@pytest.mark.parametrize("text", ["a", "=1", "a=tru e", "a=", "a=NaN", "a=[1"])
def test_what_is_no_field_is_refused(text: str) -> None:
    with pytest.raises(BenchwrightError, match=r"NAME=JSON|not JSON"):
        parse_field(text)
