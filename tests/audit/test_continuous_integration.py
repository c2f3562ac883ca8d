"""The action for GitHub and the hook for pre-commit run the audit, and stop at new findings."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from audited_benches import clean_rows, write_rows
from conftest import ROOT

pytestmark = pytest.mark.slow


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with questions of which one has equal options."""
    rows = [row | {"image": ""} for row in clean_rows(4)]
    rows[1]["C"] = rows[1]["A"]
    rows[1]["answer"] = "A"
    write_rows(tmp_path / "my quiz.csv", rows)
    return tmp_path


def environment(**more: str) -> dict[str, str]:
    """Return an environment in which `benchwright` is this checkout's."""
    return {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        **more,
    }


def run_action(checkout: Path, **inputs: str) -> tuple[int, dict[str, str], str]:
    """Run the step of the action that audits, and return its exit code, outputs and summary."""
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    defaults = {name: str(each.get("default", "")) for name, each in action["inputs"].items()}
    given = {**defaults, **{name.replace("_", "-"): value for name, value in inputs.items()}}
    step = next(step for step in action["runs"]["steps"] if step.get("id") == "audit")
    temp, output, summary = checkout / "runner", checkout / "output", checkout / "summary"
    temp.mkdir(exist_ok=True)
    output.write_text("", encoding="utf-8")
    summary.write_text("", encoding="utf-8")
    env = {}
    for name, text in step["env"].items():
        values = {f"${{{{ inputs.{key} }}}}": value for key, value in given.items()}
        env[name] = values.get(text, text).replace("${{ runner.temp }}", str(temp))
    env |= {"GITHUB_OUTPUT": str(output), "GITHUB_STEP_SUMMARY": str(summary)}
    done = subprocess.run(
        ["bash", "-e", "-c", step["run"]],
        check=False,
        cwd=checkout,
        env=environment(**env),
        capture_output=True,
        timeout=300,
    )
    outputs = dict(line.split("=", 1) for line in output.read_text(encoding="utf-8").splitlines())
    return done.returncode, outputs, summary.read_text(encoding="utf-8")


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_the_action_fails_on_what_is_new_and_says_where(checkout: Path) -> None:
    code, outputs, summary = run_action(
        checkout, source="my quiz.csv", arguments="--workers 1 --write-baseline 'known findings.json'"
    )
    assert code == 1
    assert "repeated option" in summary
    results: list[dict[str, Any]] = json.loads(Path(outputs["sarif"]).read_text(encoding="utf-8"))["runs"][0]["results"]
    place = next(each for each in results if each["ruleId"] == "repeated_option")["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == ("my%20quiz.csv", 3)
    assert (Path(outputs["page"]) / "audit.html").is_file()
    code, _, _ = run_action(checkout, source="my quiz.csv", baseline="known findings.json", arguments="--workers 1")
    assert code == 0


def test_inputs_of_the_action_reach_no_shell() -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    runs = [step["run"] for step in action["runs"]["steps"] if "run" in step]
    assert runs
    assert not any("${{" in run for run in runs)


def test_the_hook_stops_a_commit_until_the_baseline_accepts_it(checkout: Path) -> None:
    [hook] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert hook["pass_filenames"] is False

    def commit(*args: str) -> int:
        command = [*hook["entry"].split(), "my quiz.csv", "--out", ".audit", "--workers", "1", *args]
        done = subprocess.run(command, check=False, cwd=checkout, env=environment(), capture_output=True, timeout=300)
        return done.returncode

    assert commit("--write-baseline", "known.json") == 1
    assert commit("--baseline", "known.json") == 0
