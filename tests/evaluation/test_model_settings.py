"""A recipe states for each model how it is asked, what it may cost and which model judges it; errors name the line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchwright.errors import RecipeError
from benchwright.evaluation.results.score import read_scores
from benchwright.evaluation.step import Evaluate
from benchwright.models.endpoints.usage import Budget, BudgetSpent, Prices
from benchwright.recipe import parse_recipe
from benchwright.steps import FinalContext

HEAD = "name: toy\nsteps:\n  - step: evaluate\n    models:\n"


def step_of(models: str) -> Evaluate:
    step = parse_recipe(HEAD + models, "toy.yaml", Path()).steps[0][1]
    assert isinstance(step, Evaluate)
    return step


def test_each_model_has_settings_of_its_own(tmp_path: Path) -> None:
    step = step_of(
        "      - random\n      - model: openai:m\n        protocol: [circular, 'shuffle:k=2']\n        temperature: 0.7\n"
        "        price_in: 2\n        price_out: 8\n        budget: 3\n        concurrency: 4\n"
        "        judge: {model: 'openai:wise', asks: all}\n"
    )
    plain, with_settings = step.models
    assert (plain.model, plain.protocol, plain.judge) == ("random", None, None)
    assert with_settings.protocol == ("circular", "shuffle:k=2")
    options = with_settings.options("http://x/v1", "KEY")
    assert (options.temperature, options.concurrency, options.base_url, options.api_key_env) == (
        0.7,
        4,
        "http://x/v1",
        "KEY",
    )
    assert (options.prices, options.bounds) == (Prices(2, 8), Budget(3.0, None, None))
    assert with_settings.judge is not None
    assert (with_settings.judge.model, with_settings.judge.asks) == ("openai:wise", "all")


@pytest.mark.parametrize(
    ("models", "says"),
    [
        ("      - random\n      - model: openai:m\n        temprature: 1\n", "line 7: unknown key 'models.1.temprature' (value 1); did you mean 'temperature'"),
        ("      - model: openai:m\n        temperature: hot\n", "line 6: key 'models.0.temperature': 'hot' is not valid"),
        ("      - model: openai:m\n        price_in: 1\n", "line 5: key 'models.0'"),
        ("      - model: openai:m\n        budget: 1\n", "needs price_in and price_out"),
        ("      - model: openai:m\n        protocol: circle\n", "line 6: key 'models.0.protocol'"),
        ("      - model: openai:m\n        reader: bling\n", "unknown reader 'bling'"),
        ("      - model: openai:m\n        judge: {modle: x}\n", "line 6: unknown key 'models.0.judge.modle'"),
        ("      - model: openai:m\n        reader: blink\n        judge: {model: x}\n", "a judge needs the reader 'robust'"),
        ("      - random\n      - model: random\n", "'random' is listed twice"),
        ("      - temperature: 1\n", "key 'models.0.model' is missing"),
        ("      - model: openai:m\n        samples: 3\n", "3 samples at temperature 0 would be equal"),
    ],
    ids=["key", "value", "one price", "budget", "protocol", "reader", "judge", "judge of a paper", "twice", "no model", "samples"],
)  # fmt: skip
def test_a_mistake_is_named_with_its_line(models: str, says: str) -> None:
    with pytest.raises(RecipeError) as error:
        step_of(models)
    assert says in str(error.value)


def test_what_decides_results_is_fingerprinted_and_pace_and_bounds_are_not() -> None:
    def models(settings: str) -> Any:
        return step_of(f"      - model: openai:m\n{settings}").parameters()["models"]

    assert (
        step_of("      - random\n").parameters()["models"]
        == ["random"]
        == step_of("      - model: random\n").parameters()["models"]
    )
    base = models("")
    for line in ("concurrency: 2", "timeout: 9", "budget_tokens: 5", "budget_requests: 5", "api_key_env: K"):
        assert models(f"        {line}\n") == base
    different = [
        models(f"        {line}\n")
        for line in (
            "temperature: 1",
            "max_tokens: 5",
            "seed: 1",
            "retries: 1",
            "base_url: 'http://a'",
            "judge: {model: j}",
            "protocol: blind",
        )
    ]
    assert len({json.dumps(models_of_step) for models_of_step in [base, *different]}) == 8
    keyed = models("        judge: {model: j, api_key_env: K}\n")
    assert keyed == models("        judge: {model: j}\n")


def test_a_changed_file_of_examples_changes_the_steps_weights(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    step = step_of(f"      - model: openai:m\n        protocol: 'vanilla:shots=1,examples={path}'\n")
    path.write_text("1")
    before = step.weights_hash()
    path.write_text("2")
    assert step.weights_hash() not in {before, None}


@pytest.mark.slow
def test_the_step_asks_each_model_as_its_settings_say_and_goes_on_after_a_budget(
    bench: Any, server: Any, tmp_path: Path
) -> None:
    for number in range(4):
        bench.add(f"q{number}")
    bench.release(tmp_path / "release")
    context = FinalContext(seed=1, stage="evaluate", workspace=tmp_path, recipe={}, artifacts={"release": "release"})
    server.behave = lambda words, attempt, handler: '{"verdict": "B"}' if "BEGIN" in words else "The one that barks."

    def run(bound: str) -> None:
        step = step_of(
            f"      - constant:A\n      - model: openai:m\n        base_url: {server.url}\n        temperature: 0.5\n"
            f"        judge: {{model: 'openai:wise'}}\n        {bound}\n"
        )
        step.finish(None, context)  # type: ignore[arg-type]

    with pytest.raises(BudgetSpent):
        run("budget_requests: 2")
    run("budget_requests: 6")
    scores = {score.model: score for score in read_scores(tmp_path / "results")}
    score = scores["openai:m"]
    assert score.metrics["accuracy"].value == 1.0
    assert score.settings["backend"]["temperature"] == 0.5
    assert score.reader == "robust+judge:openai:wise"
    assert scores["constant:A"].judge is None
    temperatures = {(body["model"], body["temperature"]) for body in server.bodies}
    assert temperatures == {("m", 0.5), ("wise", 0.0)}
    assert len(server.bodies) == 8
