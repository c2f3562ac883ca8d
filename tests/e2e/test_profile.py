"""A run's profile: each stage's start and end, counts, costs and worker."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from walks import RECIPE, in_process, make_photographs


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """What a profiled run said, then one with one image more, then one with nothing new and no profile."""
    folder = tmp_path_factory.mktemp("profiled")
    make_photographs(folder / "photographs", count=9)
    (folder / "walk.yaml").write_text(RECIPE, encoding="utf-8")
    documents = [_run(folder, "--profile")]
    with Image.open(folder / "photographs" / "piece-01.jpg") as image:
        image.transpose(Image.Transpose.FLIP_TOP_BOTTOM).rotate(7).save(folder / "photographs" / "new.png")
    return [*documents, _run(folder, "--profile"), _run(folder)]


def _run(folder: Path, *more: str) -> dict[str, Any]:
    done = in_process(
        "run", folder / "walk.yaml", "--images", folder / "photographs", "--workspace", folder / "w", "--json", *more
    )
    assert done.returncode == 0, done.stderr[-3000:]
    document: dict[str, Any] = json.loads(done.stdout)
    log = max((folder / "w" / "runs").glob("*/events.jsonl"), key=lambda path: path.stat().st_mtime_ns)
    events = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    return document | {"log": log, "events": events}


def _profile(document: dict[str, Any]) -> dict[str, Any]:
    profile: dict[str, Any] = json.loads(Path(document["profile"]).with_name("profile.json").read_text("utf-8"))
    return profile


def _mapped(document: dict[str, Any]) -> dict[str, tuple[int, int]]:
    """Return how many records a run mapped, and of how many of these it had kept the value, by what was done."""
    return {event["what"]: (event["records"], event["kept"]) for event in document["events"] if event["event"] == "map"}


def test_every_stage_starts_and_ends_with_counts_also_where_nothing_is_profiled(runs: list[dict[str, Any]]) -> None:
    for document in runs:
        events = document["events"]
        started = [event["stage"] for event in events if event["event"] == "start"]
        ended = {event["stage"]: event for event in events if event["event"] == "end"}
        assert started[0] == "ingest"
        assert started[-3:] == ["splits", "freeze", "evaluate"]
        assert set(started) == set(ended)
        assert {event["state"] for event in ended.values()} == {"done"}
        assert ended["ingest"]["counts"]["in"] == document["steps"][0]["in"]
        assert ended["verify"]["counts"]["in"] == document["steps"][5]["in"]
        assert [event["at"] for event in events] == sorted(event["at"] for event in events)
    settled = {event["stage"]: event["ran"] for event in runs[2]["events"] if event["event"] == "end"}
    assert {stage for stage, ran in settled.items() if ran} == {"ingest", "verify"}  # files and decisions may be new


def test_the_costs_of_all_stages_add_up_to_those_of_all_processes(runs: list[dict[str, Any]]) -> None:
    profile = _profile(runs[0])
    by_stage, by_worker = profile["stages"], profile["workers"]
    assert [worker["worker"] for worker in by_worker] == ["main process", "worker-1"]
    for cost in ("cpu_s", "written_bytes"):
        of_workers = sum(stage["workers"][cost] for stage in by_stage)
        assert of_workers == pytest.approx(by_worker[1][cost], abs=0.05)
        assert of_workers > 0
        assert 0 < sum(stage["main"][cost] for stage in by_stage) <= by_worker[0][cost] + 1e-6  # sums are rounded
    jobs = [event for event in runs[0]["events"] if event["event"] == "job"]
    assert by_worker[1]["jobs"] == len(jobs)
    assert all(stage["workers"]["peak_bytes"] > 1 << 20 for stage in by_stage if stage["jobs"])


def test_final_steps_do_their_work_as_jobs_and_only_that_of_new_records(runs: list[dict[str, Any]]) -> None:
    first, again = _mapped(runs[0]), _mapped(runs[1])
    assert first.keys() == again.keys() == {"drawings", "edge_continuity", "local_features", "pictures"}
    for what, (records, kept) in first.items():
        assert (records > 0, kept) == (True, 0)
        assert again[what][1] == records or what in {"drawings", "pictures"}, "what was asked before is not asked again"
    new = again["pictures"][0] - again["pictures"][1]
    assert 0 < new <= 8  # of one photograph's two items
    assert _mapped(runs[2]) == {}
    shards = {event["name"] for event in runs[1]["events"] if event["event"] == "job" and event["of"] == ["evaluate"]}
    assert 0 < len(shards) <= 2 + 2 + 2


def test_asking_each_model_and_the_report_are_parts_of_their_step(runs: list[dict[str, Any]]) -> None:
    [step] = [stage for stage in _profile(runs[0])["stages"] if stage["parts"]]
    names = [part["part"] for part in step["parts"]]
    assert (step["stage"], names[-1]) == ("evaluate", "report")
    assert len(names) == len(set(names)) > 2
    assert 0 < sum(part["cpu_s"] for part in step["parts"]) <= step["main"]["cpu_s"] + 0.05
    page = Path(runs[0]["profile"]).read_text(encoding="utf-8")
    assert all(f'<td class="text">{name}</td>' in page for name in names)


def test_the_page_shows_every_stage_and_a_run_without_a_profile_has_none(runs: list[dict[str, Any]]) -> None:
    page = Path(runs[0]["profile"]).read_text(encoding="utf-8")
    for stage in _profile(runs[0])["stages"]:
        assert f">{stage['stage']}</th>" in page
    assert runs[2]["profile"] is None
    assert not (runs[2]["log"].with_name("profile.html")).exists()
