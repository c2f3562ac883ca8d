"""A real server of the OpenAI protocol, `transformers serve` with a tiny vision-language model, asked end to end."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from served_vlm import NEEDED, ServedVlm

from benchwright.cli.main import invoke
from benchwright.evaluation.backends.base import BackendContext, parse_model
from benchwright.evaluation.backends.options import BackendOptions
from benchwright.evaluation.prompting.question import Question, question_of

pytestmark = pytest.mark.server

for needed in NEEDED:
    pytest.importorskip(needed)


@pytest.fixture(autouse=True)
def _no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def fill(bench: Any) -> None:
    rng = np.random.default_rng(8)
    for number in range(6):
        pictures = [rng.integers(0, 256, (24 + k, 30 + number, 3), dtype=np.uint8) for k in range(1 + number % 2)]
        marks = {0: [("A", (10.5, 9.5))]} if number == 2 else {}
        bench.add(f"question {number}", pictures=pictures, marks=marks)


def test_a_release_is_scored_through_the_command_line(
    bench: Any, served_vlm: ServedVlm, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server, vlm = served_vlm.server, served_vlm.folder
    fill(bench)
    bench.release(tmp_path / "release")
    words = ["evaluate", "run", str(tmp_path / "release"), "--model", f"openai:{vlm}", "--base-url", f"{server.url}/v1"]
    words += ["--out", str(tmp_path / "out"), "--max-tokens", "8", "--price-in", "1", "--price-out", "2", "--json"]
    assert invoke(words) == 0
    score = json.loads(capsys.readouterr().out)
    assert (score["asked"], score["error"]) == (6, 0)
    usage = score["usage"]
    assert usage["replies"] == 6
    assert usage["prompt_tokens"] > 6 * 16  # a picture alone is 16
    assert 6 <= usage["completion_tokens"] <= 48
    assert usage["cost"] == pytest.approx((usage["prompt_tokens"] + 2 * usage["completion_tokens"]) / 1e6)
    (path,) = (tmp_path / "out").glob("*/predictions.parquet")
    assert all(row["reply"] for row in pq.read_table(path).to_pylist())
    before = server.log.read_text().count("POST /v1/chat/completions")
    assert invoke(words) == 0
    assert json.loads(capsys.readouterr().out) == score
    assert server.log.read_text().count("POST /v1/chat/completions") == before >= 6


def test_a_served_model_says_what_the_same_model_says_in_this_process(
    bench: Any, served_vlm: ServedVlm, tmp_path: Path
) -> None:
    """What is sent over the wire, marks and several pictures included, is what the local backend sees."""
    server, vlm = served_vlm.server, served_vlm.folder
    fill(bench)
    bench.add("no picture is shown to a model that asks for none")
    questions = [question_of(released) for released in bench.release(tmp_path / "release").items()]
    questions += [Question("0" * 32, "words", "Words alone?", (), questions[0].choices)]
    context = BackendContext(release_id="r", content_id="c", item_ids=frozenset)
    options = BackendOptions(base_url=f"{server.url}/v1", max_tokens=8, batch_size=1)
    far, near = (
        [reply.text for reply in parse_model(f"{kind}:{vlm}", options).answer(questions, context)]
        for kind in ("openai", "transformers")
    )
    assert far == near
    assert len(set(far)) > 1


def test_a_model_that_the_server_does_not_have_ends_with_a_message(
    bench: Any, served_vlm: ServedVlm, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server = served_vlm.server
    fill(bench)
    bench.release(tmp_path / "release")
    words = [
        "evaluate",
        "run",
        str(tmp_path / "release"),
        "--model",
        "openai:another",
        "--base-url",
        f"{server.url}/v1",
    ]
    code = invoke([*words, "--out", str(tmp_path / "out"), "--retries", "0", "--json"])
    told = json.loads(capsys.readouterr().out)
    # Servers differ in how they refuse: as the end of the run (404), or as an error of every item.
    assert "another" in told["error"]["message"]
    assert code == 2 or (code == 1 and "all 6 questions" in told["error"]["message"])
