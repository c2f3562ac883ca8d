"""inspect_ai reads an export: samples by its own reader, and its tasks run against an endpoint."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import numpy as np
from chat_server import ChatServer
from consumer_runs import documents_of, fingerprint, run_consumer
from exported_releases import Expected, pixels_of

from benchwright.release import Release

FORMAT = "inspect"


def test_samples_and_what_an_endpoint_gets_equal_the_release(
    consumer_python: Path, export: Path, release: Release, expected: list[Expected], chat_server: Any, tmp_path: Path
) -> None:
    chat_server.behave = _always_b
    read = run_consumer(
        consumer_python, "read_inspect.py", export, chat_server.url, *release.splits, folder=tmp_path,
        OPENAI_API_KEY="none",
    )  # fmt: skip
    assert read["items"] == documents_of(expected)
    right = {item.item_id: item.target for item in expected}
    assert read["scores"] == {
        item_id: None if target is None else "C" if target == "B" else "I" for item_id, target in right.items()
    }
    sent = sorted((_words(body), [fingerprint(pixels) for pixels in _pictures(body)]) for body in chat_server.bodies)
    assert len(sent) == len(expected)
    for item in expected:
        options = "\n".join(f"{chr(65 + place)}) {text}" for place, text in enumerate(item.options))
        pixels = [fingerprint(picture) for picture in item.pixels]
        assert any(item.question in words and options in words and pixels == seen for words, seen in sent), item


def _always_b(words: str, attempt: int, handler: Any) -> None:
    """Answer with all fields that OpenAI's client asks for."""
    choice = {"index": 0, "message": {"role": "assistant", "content": "The answer is **B**"}, "finish_reason": "stop"}
    document = {"id": "c", "object": "chat.completion", "created": 1, "model": "test", "choices": [choice]}
    ChatServer.say(handler, 200, document)


def _words(body: dict[str, Any]) -> str:
    [text] = [part["text"] for part in body["messages"][-1]["content"] if part["type"] == "text"]
    return str(text)


def _pictures(body: dict[str, Any]) -> list[np.ndarray]:
    parts = [part for part in body["messages"][-1]["content"] if part["type"] == "image_url"]
    return [pixels_of(base64.b64decode(part["image_url"]["url"].partition(",")[2])) for part in parts]
