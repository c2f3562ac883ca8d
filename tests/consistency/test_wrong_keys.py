"""Likely wrong keys: each command that reports them for one release names the same items in one order."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from handmade_bench import Bench

from benchwright.audit import AuditSettings, audit
from benchwright.audit.checks.keys import SuspectedKeys
from benchwright.cli.main import invoke
from benchwright.evaluation.run import evaluate

ITEMS, WRONG = 72, 5
MODELS = {"zeta": 0.95, "able": 0.85, "fair": 0.8, "modest": 0.7, "guessing": 0.25}
OPTIONS = ("an oak", "a pine", "an elm", "a fir")


def _answers(truth: Any, ability: float, rng: np.random.Generator) -> Any:
    """Return a model's answers: where it is wrong, two of three times the option that tempts all."""
    tempting, other = (truth + 1 + np.arange(ITEMS) % 3) % 4, (truth + rng.integers(1, 4, ITEMS)) % 4
    wrong = np.where(rng.random(ITEMS) < 2 / 3, tempting, other)
    return np.where(rng.random(ITEMS) < ability, truth, wrong)


def _lines(path: Path, rows: list[dict[str, str]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.mark.slow
def test_evaluate_and_audit_suspect_the_same_keys_in_the_same_order(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 4, ITEMS)
    bench = Bench()
    for number, right in enumerate(truth):
        key = "ABCD"[(right + (number < WRONG)) % 4]
        task = "naming" if number % 8 else "finding"  # the one is large enough for parameters of its own
        bench.add(f"What grows at place {number}?", task=task, options=OPTIONS, answer=key)
    release = bench.release(tmp_path / "trees")
    files = {}
    for model, ability in MODELS.items():
        rows = [
            {"item_id": item.item_id, "reply": f"I am sure: it is {OPTIONS[given]}."}
            for (item, _), given in zip(bench.items, _answers(truth, ability, rng), strict=True)
        ]
        files[model] = _lines(tmp_path / f"{model}.jsonl", rows)
        evaluate(release, f"predictions:{files[model]}", out=tmp_path / "results")
    capsys.readouterr()

    assert invoke(["evaluate", "suspects", str(tmp_path / "results"), "--release", str(release.path), "--json"]) == 0
    suspects = json.loads(capsys.readouterr().out)["suspects"]
    settings = AuditSettings(replies=tuple(files.items()), workers=1)
    report = audit(release.path, tmp_path / "audit", settings, checks=[SuspectedKeys()])
    findings = [finding.to_json() for finding in report.findings if finding.kind == "suspected_key"]
    by_evaluate = {s["item_id"]: (s["letters"][0], round(s["score"], 3), s["probability"]) for s in suspects}
    by_audit = {
        f["items"][0]: (f["evidence"]["favoured"], f["evidence"]["log_odds"], f["evidence"]["probability"])
        for f in sorted(findings, key=lambda finding: finding["evidence"]["rank"])
    }
    assert list(by_evaluate) == list(by_audit)
    assert by_evaluate == by_audit
    planted = {item.item_id for item, _ in bench.items[:WRONG]}
    assert len(planted & set(list(by_evaluate)[: WRONG + 1])) >= WRONG - 1
