"""Runs that ask a test's endpoint: options, scores, and the files that the runs leave on disk."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from benchwright.evaluation.backends.options import BackendOptions
from benchwright.evaluation.results.score import Score
from benchwright.evaluation.run import evaluate


def options(server: Any, **more: Any) -> BackendOptions:
    return BackendOptions(base_url=server.url, **{"backoff_s": 0.001, "retries": 3, **more})


def ask(bench: Any, server: Any, tmp_path: Path, **more: Any) -> Score:
    release = bench.release(tmp_path / "release")
    return evaluate(release, "openai:tiny/model", out=tmp_path / "out", options=options(server, **more))


def rows(bench: Any, tmp_path: Path) -> dict[str, dict[str, Any]]:
    """Return the predictions by question."""
    (path,) = (tmp_path / "out").glob("*/predictions.parquet")
    question = {item.item_id: item.question for item, _ in bench.items}
    return {question[row["item_id"]]: row for row in pq.read_table(path).to_pylist()}


def log_lines(tmp_path: Path, kind: str) -> list[dict[str, Any]]:
    """Return the lines of one kind, without the first line."""
    (path,) = (tmp_path / "out").glob("*/replies.jsonl")
    head, *entries = (json.loads(line) for line in path.read_text().splitlines())
    assert {name: head[name] for name in ("format", "version")} == {"format": "benchwright/replies", "version": 2}
    return [entry for entry in entries if entry["kind"] == kind]


def fill(bench: Any, count: int = 3) -> None:
    for number in range(count):
        bench.add(f"question {number}", answer="B")


def reset(handler: Any) -> None:
    """Close the connection with an RST."""
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    handler.connection.close()
    handler.close_connection = True


def trouble(server: Any, kind: str, handler: Any) -> None:
    """Answer a request with a temporary error."""
    if kind == "429":
        server.say(handler, 429, {"error": {"message": "slow down"}}, retry_after_ms="1")
    elif kind == "503":
        server.say(handler, 503, b"<html>busy</html>", content_type="text/html")
    elif kind == "garbage":
        server.say(handler, 200, b'{"choices": [{"mess')
    elif kind == "page":
        server.say(handler, 200, b"<html>hello</html>", content_type="text/html")
    elif kind == "other":
        server.say(handler, 200, {"choices": []})
    elif kind == "huge":
        server.say(handler, 200, b" " * 9_000_000)
    elif kind == "cut":
        handler.send_response(200)
        handler.send_header("content-length", "1000")
        handler.end_headers()
        handler.wfile.write(b"{")
        reset(handler)
    elif kind == "reset":
        reset(handler)
    elif kind == "slow":
        server.over.wait(20)
