"""An endpoint that fails one request in five, and a run that is killed: all items end, none twice, nothing is lost."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from servers import Server, serving
from walks import command

from benchwright.evaluation.backends.options import BackendOptions
from benchwright.evaluation.run import evaluate

pytestmark = pytest.mark.slow

STUB = Path(__file__).resolve().parent.parent / "stub_endpoint.py"


@pytest.fixture
def faulty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    words = [sys.executable, str(STUB), "--latency-ms", "30", "--fault-share", "0.2"]
    with serving(lambda port: [*words, "--port", str(port)], log=tmp_path / "stub.log", health="/health") as server:
        yield server


def fill(bench: Any, count: int) -> None:
    for number in range(count):
        bench.add(f"question {number}", answer="B")


def log_of(out: Path) -> bytes:
    logs = list(out.glob("*/replies.jsonl"))
    return logs[0].read_bytes() if logs else b""


def of_kind(log: bytes, kind: str) -> list[dict[str, Any]]:
    return [entry for entry in map(json.loads, log.splitlines()[1:]) if entry["kind"] == kind]


def test_every_item_is_answered_in_spite_of_faults(bench: Any, faulty: Server, tmp_path: Path) -> None:
    fill(bench, 120)
    options = BackendOptions(base_url=f"{faulty.url}/v1", concurrency=32, backoff_s=0.01)
    score = evaluate(bench.release(tmp_path / "r"), "openai:stub", out=tmp_path / "out", options=options)
    assert (score.asked, score.error, score.metrics["accuracy"].value) == (120, 0, 1.0)
    replies = of_kind(log_of(tmp_path / "out"), "reply")
    assert len({entry["request"] for entry in replies}) == len(replies) == 120
    assert max(entry["sent"] for entry in replies) > 1


def test_without_repetitions_every_item_ends_answered_or_as_an_error_with_its_cause(
    bench: Any, faulty: Server, tmp_path: Path
) -> None:
    import pyarrow.parquet as pq

    fill(bench, 120)
    options = BackendOptions(base_url=f"{faulty.url}/v1", concurrency=32, retries=0)
    score = evaluate(bench.release(tmp_path / "r"), "openai:stub", out=tmp_path / "out", options=options)
    (path,) = (tmp_path / "out").glob("*/predictions.parquet")
    rows = pq.read_table(path).to_pylist()
    states = Counter(row["state"] for row in rows)
    assert states["error"] == score.error == len(of_kind(log_of(tmp_path / "out"), "error")) > 5
    assert states["error"] + states["answered"] == 120
    causes = {row["cause"].partition(":")[0] for row in rows if row["state"] == "error"}
    assert causes <= {"HTTP 429", "HTTP 500", "HTTP 503", "connection failed", "unusable response"}
    assert len(causes) > 2


def test_a_run_that_is_killed_loses_nothing_and_records_nothing_twice(
    bench: Any, faulty: Server, tmp_path: Path
) -> None:
    fill(bench, 80)
    bench.release(tmp_path / "release")
    out = tmp_path / "out"
    words = command(
        "evaluate",
        "run",
        tmp_path / "release",
        "--model",
        "openai:stub",
        "--base-url",
        f"{faulty.url}/v1",
        "--out",
        out,
        "--concurrency",
        4,
        "--json",
    )
    rng, kept, kills = random.Random(2), b"", 0
    while kills < 3:
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        size = len(kept)
        # Not before it has begun to ask: the start alone takes a second.
        while process.poll() is None and len(log_of(out)) <= size:
            time.sleep(0.01)
        time.sleep(rng.uniform(0.1, 0.4))
        if process.poll() is not None:
            break
        process.send_signal(signal.SIGKILL)
        process.wait()
        kills += 1
        now = log_of(out)
        assert now.startswith(kept)
        kept = now[: now.rfind(b"\n") + 1]
    assert kills >= 2
    assert 0 < len(of_kind(kept, "reply")) < 80
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    score = json.loads(done.stdout)
    assert (score["asked"], score["error"]) == (80, 0)
    assert log_of(out).startswith(kept)
    replies = of_kind(log_of(out), "reply")
    assert len({entry["request"] for entry in replies}) == len(replies) == 80
