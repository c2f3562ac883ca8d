"""`evaluate run --dry-run` states what would be sent, and sends and writes nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from endpoint_runs import fill

from benchwright.cli.main import invoke


def test_a_dry_run_counts_what_a_run_sends_and_sends_nothing(
    bench: Any, server: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(bench, 3)
    for _ in range(2):  # equal questions share a request
        bench.add("the same", pictures=[np.full((40, 60, 3), 7, dtype=np.uint8)])
    release = bench.release(tmp_path / "release")
    command = [
        "evaluate", "run", str(release.path), "--model", "openai:m", "--base-url", server.url, "--out",
        str(tmp_path / "out"), "--max-tokens", "50", "--price-in", "1", "--price-out", "2", "--json",
    ]  # fmt: skip

    def planned() -> Any:
        assert invoke([*command, "--dry-run"]) == 0
        return json.loads(capsys.readouterr().out)

    plan = planned()
    assert (server.bodies, (tmp_path / "out").exists()) == ([], False)
    assert (plan["items"], plan["answered_before"], plan["most_completion_tokens"]) == (5, 1, 4 * 50)
    assert plan["cost"] == pytest.approx((plan["prompt_tokens"] + 2 * plan["most_completion_tokens"]) / 1e6)
    assert plan["largest_picture_bytes"] <= plan["picture_bytes"]
    assert invoke(command) == 0
    capsys.readouterr()
    assert len(server.bodies) == plan["requests"] == 4
    sent = [part for body in server.bodies for part in body["messages"][0]["content"] if part["type"] == "image_url"]
    assert len(sent) == plan["pictures"]
    assert (planned()["requests"], len(server.bodies)) == (0, 4)


def test_a_model_on_this_machine_sends_nothing(bench: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fill(bench, 2)
    release = bench.release(tmp_path / "release")
    assert invoke(["evaluate", "run", str(release.path), "--model", "random", "--dry-run"]) == 0
    assert "a run sends nothing" in capsys.readouterr().out
