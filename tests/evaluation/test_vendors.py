"""Models of every vendor and server that the guide names, each behind a stub that follows its documentation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest
from endpoint_runs import log_lines, rows
from vendor_stub import SERVERS, Server, fields_of, pictures_of, reply, system_of

from benchwright.cli.main import invoke
from benchwright.errors import BenchwrightError, PrerequisiteError
from benchwright.evaluation.backends.base import parse_model
from benchwright.evaluation.backends.options import BackendOptions
from benchwright.evaluation.results.score import Score
from benchwright.evaluation.run import evaluate
from benchwright.evaluation.step import Evaluate
from benchwright.images import decode_rgb
from benchwright.models.endpoints.chat import Chat, ChatSettings
from benchwright.models.endpoints.chat_request import ChatMessage
from benchwright.recipe import parse_recipe

pytestmark = pytest.mark.slow
pytest.importorskip("anthropic")
pytest.importorskip("google.genai")

KEY = "sk-very-secret-0123456789"
NATIVE = ["Responses", "Anthropic", "Gemini"]


def address(server: Any, stub: Server) -> str:
    return server.url.removesuffix("/v1") + stub.root


def ask(bench: Any, server: Any, tmp_path: Path, stub: Server, **more: Any) -> Score:
    options = {"base_url": address(server, stub), "backoff_s": 0.001, "retries": 2, "api_key_env": "MY_KEY", **more}
    return evaluate(
        bench.release(tmp_path / "release"), stub.model, out=tmp_path / "out", options=BackendOptions(**options)
    )


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")  # no client asks it for a server on this machine


@pytest.mark.parametrize("stub", SERVERS.values(), ids=SERVERS.keys())
def test_a_model_gets_words_pictures_and_settings_where_its_api_has_them_and_no_field_that_it_refuses(
    stub: Server, bench: Any, server: Any, tmp_path: Path
) -> None:
    pixels = np.random.default_rng(4).integers(0, 256, (20, 30, 3), dtype=np.uint8)
    bench.add("Where?", pictures=[pixels], answer="B")
    heard: list[tuple[str, str | None]] = []

    def behave(words: str, attempt: int, handler: Any) -> None:
        heard.append((handler.path, handler.headers.get(stub.key_header[0])))
        assert "Where?" in words
        refused = "temperature" in fields_of(handler.body)
        server.say(handler, *(stub.refusal if refused else (200, reply(stub, "(B)"))))

    server.behave = behave
    score = ask(bench, server, tmp_path, stub, system="Be brief.", max_tokens=77)
    settings = score.settings["backend"]
    assert (score.error, score.metrics["accuracy"].value, settings["refused"]) == (0, 1.0, {"temperature": None})
    assert heard == [(stub.path, stub.key_header[1] + KEY)] * 2
    refused, body = server.bodies
    lengths = {fields_of(body).get(name) for name in ("max_tokens", "max_output_tokens", "maxOutputTokens")}
    assert (lengths, fields_of(refused)["temperature"]) == ({None, 77}, 0.0)
    assert system_of(body) == settings["system"] == score.asked_with["system"] == "Be brief."
    assert [decode_rgb(picture).tolist() for picture in pictures_of(body)] == [pixels.tolist()]
    assert score.usage is not None
    assert (score.usage.prompt_tokens, score.usage.completion_tokens) == (20, 7)
    assert score.usage.reasoning_tokens == (0 if stub.model == "anthropic:m" else 4)  # which states none
    kept = b"".join(path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file())
    assert KEY.encode() not in kept


GUIDE = Path(__file__).parents[2] / "docs" / "asking-models.md"


@pytest.mark.parametrize(
    "name", ["OpenRouter", "Azure", "DashScope", "Mistral", "vLLM", "Ollama", "llama.cpp", "LM Studio"]
)
def test_the_line_of_the_guide_asks_the_stub_where_that_server_listens(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], bench: Any
) -> None:
    [line] = [line for line in GUIDE.read_text(encoding="utf-8").splitlines() if line.startswith(f"| {name}")]
    typed = line.split("|")[2].strip().strip("`").split()
    address = typed[typed.index("--base-url") + 1]
    assert urlsplit(address).path == SERVERS[name].root
    if "--api-key-env" in typed:
        monkeypatch.setenv(typed[typed.index("--api-key-env") + 1], KEY)
    bench.add("Where?", answer="B")
    bench.release(tmp_path / "release")
    assert invoke(["evaluate", "run", str(tmp_path / "release"), *typed, "--dry-run", "--json"]) == 0
    plan = json.loads(capsys.readouterr().out)
    assert (plan["requests"], plan["model"].partition(":")[0]) == (1, SERVERS[name].model.partition(":")[0])


@pytest.mark.parametrize("name", ["OpenAI", "OpenRouter", "Azure", "DashScope", "Anthropic", "Gemini"])
def test_what_a_filter_stops_is_a_refusal_and_no_error(name: str, bench: Any, server: Any, tmp_path: Path) -> None:
    stub = SERVERS[name]
    bench.add("Where?", answer="B")
    bench.add("Who?", answer="B")

    def behave(words: str, attempt: int, handler: Any) -> None:
        server.say(handler, *(stub.filtered if "Who?" in words else (200, reply(stub, "(B)"))))

    server.behave = behave
    score = ask(bench, server, tmp_path, stub)
    assert (score.error, rows(bench, tmp_path)["Who?"]["reply_kind"]) == (0, "filtered")


@pytest.mark.parametrize("name", NATIVE)
def test_a_wrong_key_ends_the_run_and_names_its_variable(name: str, bench: Any, server: Any, tmp_path: Path) -> None:
    stub = SERVERS[name]
    bench.add("Where?")
    server.behave = lambda words, attempt, handler: server.say(handler, *stub.wrong_key)
    with pytest.raises(PrerequisiteError, match="refuses the key in MY_KEY") as caught:
        ask(bench, server, tmp_path, stub)
    assert KEY not in str(caught.value)


@pytest.mark.parametrize("name", NATIVE)
@pytest.mark.parametrize("trouble", ["429", "529", "cut"])
def test_what_may_pass_is_sent_again(name: str, trouble: str, bench: Any, server: Any, tmp_path: Path) -> None:
    stub = SERVERS[name]
    bench.add("Where?", answer="B")

    def behave(words: str, attempt: int, handler: Any) -> None:
        if attempt > 2:
            return server.say(handler, 200, reply(stub, "(B)"))
        if trouble == "cut":
            return server.say(handler, 200, json.dumps(reply(stub, "(B)")).encode()[:50])
        details = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "0.01s"}]
        return server.say(handler, int(trouble), {"error": {"message": "slow down", "details": details}})

    server.behave = behave
    assert ask(bench, server, tmp_path, stub).error == 0
    assert len(server.bodies) == 3
    (entry,) = log_lines(tmp_path, "reply")
    assert entry["sent"] == 3


REASONING = [
    ("OpenAI", {"reasoning_effort": "low"}, {"reasoning_effort": "low"}),
    ("Responses", {"reasoning_effort": "low"}, {"reasoning": {"effort": "low"}, "store": False}),
    ("Anthropic", {"reasoning_effort": "low"}, {"output_config": {"effort": "low"}}),
    ("Anthropic", {"reasoning_tokens": 1024}, {"thinking": {"type": "enabled", "budget_tokens": 1024}}),
    ("Gemini", {"reasoning_effort": "low"}, {"thinkingConfig": {"thinkingLevel": "LOW"}}),
    ("Gemini", {"reasoning_tokens": 512}, {"thinkingConfig": {"thinkingBudget": 512}}),
    ("Gemini", {"image_detail": "high"}, {"mediaResolution": "MEDIA_RESOLUTION_HIGH"}),
]


@pytest.mark.parametrize(("name", "given", "fields"), REASONING)
def test_effort_budget_and_detail_go_where_the_api_has_them(
    name: str, given: dict[str, Any], fields: dict[str, Any], bench: Any, server: Any, tmp_path: Path
) -> None:
    stub = SERVERS[name]
    bench.add("Where?", answer="B")
    server.behave = lambda words, attempt, handler: server.say(handler, 200, reply(stub, "(B)"))
    score = ask(bench, server, tmp_path, stub, max_tokens=2000, **given)
    assert fields_of(server.bodies[0]).items() >= fields.items()
    assert score.asked_with.items() >= fields.items()


@pytest.mark.parametrize("name", ["OpenAI", "Responses"])
def test_detail_stands_at_each_picture(name: str, bench: Any, server: Any, tmp_path: Path) -> None:
    stub = SERVERS[name]
    bench.add("Where?", pictures=[np.zeros((8, 8, 3), np.uint8)], answer="B")
    server.behave = lambda words, attempt, handler: server.say(handler, 200, reply(stub, "(B)"))
    score = ask(bench, server, tmp_path, stub, image_detail="low")
    assert '"detail": "low"' in json.dumps(server.bodies[0])
    assert score.asked_with["image_detail"] == "low"


@pytest.mark.parametrize(
    ("model", "given", "words"),
    [
        ("anthropic:m", {"seed": 3}, "the Messages API of Anthropic does not accept seed"),
        ("responses:m", {"seed": 3}, "the Responses API does not accept seed"),
        ("anthropic:m", {"image_detail": "low"}, "--max-picture-side instead"),
        ("gemini:m", {"image_detail": "original"}, "low, medium or high detail"),
        ("openai:m", {"reasoning_tokens": 5}, "no reasoning budget.*thinking_budget=2000"),
        ("gemini:m", {"reasoning_tokens": 1024}, "leave none for the reply.*raise --max-tokens"),
        ("random", {"system": "Be brief."}, "system changes requests"),
        ("anthropic:m", {"fields": {"stream": True}}, "read in one piece"),
        ("gemini:", {}, "such as 'gemini:"),
    ],
)
def test_what_an_api_does_not_take_is_refused_before_anything_is_sent(
    model: str, given: dict[str, Any], words: str
) -> None:
    with pytest.raises(BenchwrightError, match=words):
        parse_model(model, BackendOptions(base_url="http://127.0.0.1:1", **given))


def test_a_vendor_without_its_key_or_its_client_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(PrerequisiteError, match="needs a key in the environment variable ANTHROPIC_API_KEY"):
        parse_model("anthropic:m", BackendOptions())
    from benchwright.models.endpoints.vendors import vendor_clients

    monkeypatch.setattr(vendor_clients, "find_spec", lambda module: None)
    backend: Any = parse_model("anthropic:m", BackendOptions(base_url="http://127.0.0.1:1"))
    with pytest.raises(PrerequisiteError, match=r"pip install 'benchwright\[anthropic\]'"):
        backend._client()


def test_limits_of_a_vendor_on_pictures_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    backend: Any = parse_model("anthropic:m", BackendOptions(max_picture_side=9000))
    assert backend.identity.items() >= {"max_picture_side": 8000, "max_picture_bytes": 3_932_160}.items()
    own: Any = parse_model("anthropic:m", BackendOptions(base_url="http://127.0.0.1:1"))
    assert "max_picture_side" not in own.identity


@pytest.mark.parametrize("name", ["OpenAI", "Anthropic", "Gemini"])
def test_headers_are_sent_and_their_values_are_kept_nowhere(
    name: str, bench: Any, server: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stub, secret = SERVERS[name], "team-secret-4711"
    monkeypatch.setenv("TEAM_TOKEN", secret)
    bench.add("Where?", answer="B")
    heard: list[tuple[str, str]] = []

    def behave(words: str, attempt: int, handler: Any) -> None:
        heard.append((handler.headers["X-Token"], handler.headers["X-Team"]))
        if attempt == 1:
            return server.say(handler, 500, {"error": {"message": f"token {secret} broke something"}})
        return server.say(handler, 200, reply(stub, f"(B), says {secret}"))

    server.behave = behave
    score = ask(bench, server, tmp_path, stub, headers={"X-Token": "ENV:TEAM_TOKEN", "X-Team": "vision-team"})
    assert (score.error, heard[0]) == (0, (secret, "vision-team"))
    kept = b"".join(path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file())
    assert secret.encode() not in kept
    assert b"vision-team" not in kept
    with pytest.raises(PrerequisiteError, match="environment variable NO_TOKEN, which is not set"):
        ask(bench, server, tmp_path, stub, headers={"X-Token": "ENV:NO_TOKEN"})


@pytest.mark.parametrize("headers", [{"Host": "x"}, {"two words": "x"}, {"X-A": "a\nb"}, {"X-A": "1", "x-a": "2"}])
def test_a_header_that_cannot_be_sent_is_refused(headers: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="header"):
        BackendOptions(headers=headers)


@pytest.mark.parametrize(
    ("judge", "scored", "own", "address_and_key"),
    [
        ("anthropic:j", "openai:m", {}, (None, "OPENAI_API_KEY")),
        ("openai:j", "anthropic:m", {}, (None, "OPENAI_API_KEY")),
        ("responses:j", "openai:m", {}, ("http://here/v1", "SCORED_KEY")),
        ("anthropic:j", "anthropic:m", {}, ("http://here/v1", "SCORED_KEY")),
        ("gemini:j", "openai:m", {"base_url": "http://there", "api_key_env": "K"}, ("http://there", "K")),
    ],
)
def test_no_vendor_gets_the_address_or_the_key_of_another(
    judge: str, scored: str, own: dict[str, str], address_and_key: tuple[str | None, str]
) -> None:
    from benchwright.evaluation.judging.judge import Judge

    of_model = BackendOptions(
        base_url="http://here/v1", api_key_env="SCORED_KEY", headers={"X-A": "1"}, system="Be brief.", scored=scored
    )
    options = Judge(model=judge, **own).options(of_model)
    assert (options.base_url, options.api_key_env, options.system) == (*address_and_key, None)
    assert options.headers == ({"X-A": "1"} if address_and_key[0] == "http://here/v1" else {})


def test_the_command_line_takes_system_headers_and_effort(
    bench: Any, server: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEAM_TOKEN", "team-secret-4711")
    bench.add("Where?", answer="B")
    bench.release(tmp_path / "release")
    (tmp_path / "system.txt").write_text("Be brief.\n")
    heard: list[str] = []

    def behave(words: str, attempt: int, handler: Any) -> str:
        heard.append(handler.headers["X-Token"])
        return "(B)"

    server.behave = behave
    arguments = ["evaluate", "run", str(tmp_path / "release"), "--model", "openai:m", "--base-url", server.url]
    arguments += ["--out", str(tmp_path / "out"), "--reasoning-effort", "low", "--image-detail", "high"]
    arguments += ["--header", "X-Token=ENV:TEAM_TOKEN", "--system"]
    assert invoke([*arguments, f"@{tmp_path / 'system.txt'}"]) == 0
    (body,) = server.bodies
    assert (system_of(body), body["reasoning_effort"], heard) == ("Be brief.", "low", ["team-secret-4711"])
    capsys.readouterr()
    for wrong, words in [
        ([f"@{tmp_path / 'none.txt'}"], "none.txt"),
        (["x", "--header", "X-Token"], "write a header as NAME=ENV:VARIABLE"),
        (["x", "--header", "Host=x"], "the header 'Host' cannot be set"),
        (["x", "--reasoning-effort", "huge"], "'huge' is not one of"),
    ]:
        assert invoke([*arguments, *wrong]) == 2
        assert words in capsys.readouterr().err


def test_a_recipe_keeps_no_header_and_a_vendor_does_not_get_the_steps_address(tmp_path: Path) -> None:
    text = (
        "name: toy\nsteps:\n  - step: evaluate\n    base_url: http://127.0.0.1:1/v1\n    api_key_env: MY_KEY\n    models:\n"
        "      - model: anthropic:m\n        headers: {X-Token: team-secret-4711}\n        system: Be brief.\n"
        "      - responses:m\n"
    )
    step = parse_recipe(text, "toy.yaml", Path()).steps[0][1]
    assert isinstance(step, Evaluate)
    assert "secret" not in json.dumps(step.parameters())
    assert step.parameters()["models"][0]["system"] == "Be brief."
    claude, gpt = (model.options(step.base_url, step.api_key_env) for model in step.models)
    assert (claude.base_url, claude.api_key_env, claude.headers) == (
        None, "OPENAI_API_KEY", {"X-Token": "team-secret-4711"},
    )  # fmt: skip
    assert (gpt.base_url, gpt.api_key_env) == ("http://127.0.0.1:1/v1", "MY_KEY")


@pytest.mark.parametrize(
    ("name", "api"), [("Responses", "responses"), ("Anthropic", "anthropic"), ("Gemini", "gemini")]
)
def test_steps_ask_in_every_api_and_may_ask_for_json(name: str, api: Any, server: Any) -> None:
    stub = SERVERS[name]
    server.behave = lambda words, attempt, handler: server.say(handler, 200, reply(stub, '{"is_sharp": true}'))
    chat = Chat(ChatSettings(model="m", api=api, base_url=address(server, stub), structured="json_schema", retries=0))
    turns = [
        ChatMessage("system", ["Be brief."]), ChatMessage("user", ["Sharp?"]), ChatMessage("assistant", ["Well"]),
        ChatMessage("user", ["Sharp?", np.zeros((4, 6, 3), np.uint8)]),
    ]  # fmt: skip
    try:
        assert chat.converse(turns, schema={"type": "object"}) == '{"is_sharp": true}'
    finally:
        chat.close()
    (body,) = server.bodies
    assert system_of(body) == "Be brief."
    assert len(pictures_of(body)) == 1
    turns_sent = body.get("messages") or body.get("input") or body["contents"]
    assert [turn["role"] for turn in turns_sent] == ["user", "model" if api == "gemini" else "assistant", "user"]
    form = {
        "responses": {"text": {"format": {"type": "json_schema", "name": "reply", "schema": {"type": "object"}}}},
        "anthropic": {"output_config": {"format": {"type": "json_schema", "schema": {"type": "object"}}}},
        "gemini": {"responseMimeType": "application/json", "responseJsonSchema": {"type": "object"}},
    }
    assert fields_of(body).items() >= form[api].items()
