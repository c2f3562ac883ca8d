"""Shared parts of the evaluation tests: small hand-made releases, and a server that speaks the OpenAI chat protocol."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent))

from batch_server import running_batch_server
from chat_server import ChatServer
from handmade_bench import Bench

__all__ = ["running_batch_server"]


@pytest.fixture
def bench() -> Bench:
    return Bench()


@pytest.fixture
def predictions_file(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that writes rows as JSON Lines."""

    def write(rows: Sequence[dict[str, Any]], name: str = "predictions.jsonl") -> Path:
        path = tmp_path / name
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return path

    return write


@pytest.fixture
def server(chat_server: ChatServer) -> ChatServer:
    """A model behind an endpoint on the loopback; what it says is the test's."""
    return chat_server
