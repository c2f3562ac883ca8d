"""A real server with a tiny random model: what it says is nonsense, is refused or unread, is recorded, and ends nothing."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pair_samples import PairContext, idea
from rival_items import rivalry
from servers import serving
from tiny_vlm import make_vlm

from benchwright.filters.answer_flip import AnswerFlip

for needed in ("torch", "transformers", "fastapi", "uvicorn"):
    pytest.importorskip(needed)


@pytest.fixture(scope="module")
def chat(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """Settings of a chat with the tiny model."""
    folder = tmp_path_factory.mktemp("served")
    vlm = make_vlm(folder / "tiny-vlm")
    (folder / "hub").mkdir()
    program = [str(Path(sys.executable).parent / "transformers"), "serve", str(vlm), "--host", "127.0.0.1"]
    with serving(
        lambda port: [*program, "--port", str(port), "--device", "cpu"], log=folder / "serve.log", health="/health",
        env={"HF_HUB_OFFLINE": "1", "HF_HUB_CACHE": str(folder / "hub")}, timeout_s=120,
    ) as server:  # fmt: skip
        yield {"model": str(vlm), "base_url": f"{server.url}/v1", "max_tokens": 8}


@pytest.fixture(autouse=True)
def _no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def test_nonsense_is_no_answer_to_a_question_that_should_flip(chat: dict[str, Any], tmp_path: Path) -> None:
    rivals = rivalry(tmp_path, warm=(200, 90, 40))
    said = rivals.judged(AnswerFlip.model_validate({"chat": chat}))
    rivals.context.opened.close()
    flips = [one for item, one in zip(rivals.items, said, strict=True) if item.kind == "yes_no"]
    assert {(one.verdict, one.reason) for one in flips} == {("ask", "no_answer")}
    for one in flips:
        assert all(one.evidence["replies"].values())
        assert {one.values["natural"], one.values["manipulated"]} <= {"unclear", "failed"}


def test_nonsense_is_refused_by_the_schema_of_questions_and_kept(chat: dict[str, Any], tmp_path: Path) -> None:
    context = PairContext(tmp_path, [idea()])
    outcome = context.outcome(writer="endpoint", chat=chat)
    context.opened.close()
    assert (outcome.verdict, outcome.reason) == ("drop", "writer_no_json")
    assert len(outcome.evidence["B2"]["replies"]) == 2
