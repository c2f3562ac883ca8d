"""The profile of a run: costs of stages and workers, from the events of its log, as JSON and as a page."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.engines.usage import NOTHING, WorkCost
from benchwright.pages import Chart, ChartRow, LegendEntry, Look, Part, count_scale, page_pieces, rows_chart
from benchwright.pipeline.stages.runlog import EVENTS_FILE, vouch_for
from benchwright.workspace.atomic import replacing, write_json

PAGE_FILE, JSON_FILE = "profile.html", "profile.json"
MAIN = "main process"
_TEMPLATES = Path(__file__).parent / "templates"


@dataclass
class StageCost:
    """The cost of a stage, or of stages that share a pass over the images.

    Args:
        name: Id of the stage; of a pass, the ids of its stages joined by " + ".
        kind: Kind of the stage; `tables` for the cost of a pass of several stages beyond their own work: reading and
            writing tables, and concurrent work of the main process.
        state: Final state: `done`, `waiting` or `failed`.
        ran: Number of shards or steps that ran; 0 if everything was already up to date.
        records: Number of judged records; None if it judges none.
        jobs: Number of jobs that workers ran.
        mapped: Number of records over which it mapped a function.
        kept: Number of these records whose value was kept from an earlier run.
        lost: Number of these records on which the function failed.
        parts: Cost of the main process for named parts of a final step, such as asking one model; if parts overlap in
            time, each includes everything that the process does during that time.
        main: Cost of the main process, which waits while workers work.
        workers: Cost of all workers.
    """

    name: str
    kind: str
    state: str = ""
    ran: int = 0
    records: int | None = None
    jobs: int = 0
    mapped: int = 0
    kept: int = 0
    lost: int = 0
    parts: dict[str, WorkCost] = field(default_factory=dict)
    main: WorkCost = NOTHING
    workers: WorkCost = NOTHING


class WorkerCost(NamedTuple):
    """The cost of one process over the whole run.

    Args:
        name: Name of the worker and of its log.
        jobs: Number of its jobs.
        usage: Cost of these jobs; for the main process, of the whole run.
    """

    name: str
    jobs: int
    usage: WorkCost


@dataclass
class Profile:
    """The cost of a run.

    Args:
        stages: Costs of the stages, in the order of the run.
        workers: Costs of the processes, the main process first.
    """

    stages: dict[str, StageCost] = field(default_factory=dict)
    workers: dict[str, WorkerCost] = field(default_factory=dict)

    @property
    def wall_s(self) -> float:
        """Return the wall-clock time of the run in seconds."""
        return self.workers[MAIN].usage.wall_s if MAIN in self.workers else 0.0

    @property
    def cpu_s(self) -> float:
        """Return the processor time of all processes in seconds."""
        return sum(worker.usage.cpu_s for worker in self.workers.values())

    def to_json(self) -> dict[str, Any]:
        """Return the profile as JSON values."""
        return {
            "wall_s": round(self.wall_s, 4),
            "cpu_s": round(self.cpu_s, 4),
            "stages": [
                {
                    "stage": stage.name,
                    "kind": stage.kind,
                    "state": stage.state,
                    "ran": stage.ran,
                    "records": stage.records,
                    "jobs": stage.jobs,
                    "mapped": stage.mapped,
                    "kept": stage.kept,
                    "lost": stage.lost,
                    "parts": [{"part": name, **usage.to_json()} for name, usage in stage.parts.items()],
                    "main": stage.main.to_json(),
                    "workers": stage.workers.to_json(),
                }
                for stage in self.stages.values()
            ],
            "workers": [
                {"worker": worker.name, "jobs": worker.jobs, **worker.usage.to_json()}
                for worker in self.workers.values()
            ],
        }


def profile_of(run_folder: Path) -> Profile:
    """Return the cost of a run, from the events in its log; logs from older versions contain few of them."""
    profile = Profile(workers={MAIN: WorkerCost(MAIN, 0, NOTHING)})
    for event in _events(run_folder / EVENTS_FILE):
        match event["event"]:
            case "start":
                profile.stages[event["stage"]] = StageCost(event["stage"], event["kind"])
            case "end":
                stage = profile.stages[event["stage"]]
                stage.state, stage.ran = event["state"], event["ran"]
                stage.records = event["counts"].get("in")
            case "map":
                stage = profile.stages[event["stage"]]
                stage.mapped += event["records"]
                stage.kept += event["kept"]
                stage.lost += event["lost"]
            case "part":
                parts = profile.stages[event["stage"]].parts
                parts[event["what"]] = parts.get(event["what"], NOTHING) + WorkCost.from_json(event["usage"])
            case "pass":
                _of_pass(profile, event["stages"]).main += WorkCost.from_json(event["usage"])
            case "job" if "of" in event:
                _add_job(profile, event)
            case "run":
                profile.workers[MAIN] = WorkerCost(MAIN, 0, WorkCost.from_json(event["usage"]))
    return profile


def _events(path: Path) -> Iterator[Mapping[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def _of_pass(profile: Profile, stages: Sequence[str]) -> StageCost:
    """Return the entry for the cost of a pass that belongs to no single stage."""
    if len(stages) == 1:
        return profile.stages[stages[0]]
    name = " + ".join(stages)
    return profile.stages.setdefault(name, StageCost(name, "tables"))


def _add_job(profile: Profile, event: Mapping[str, Any]) -> None:
    usage, own = WorkCost.from_json(event["usage"]), NOTHING
    for stage_id, cost in event.get("stages", {}).items():
        stage = profile.stages[stage_id]
        stage.jobs += 1
        stage.workers += WorkCost.from_json(cost)
        own += WorkCost.from_json(cost)
    rest = _of_pass(profile, event["of"])
    rest.jobs += "stages" not in event or rest.kind == "tables"
    rest.workers += usage - own
    name = event["worker"]
    worker = profile.workers.get(name, WorkerCost(name, 0, NOTHING))
    profile.workers[name] = WorkerCost(name, worker.jobs + 1, worker.usage + usage)


def write_profile(run_folder: Path) -> Path:
    """Write the profile of a run, as JSON and as a page, into the run's folder and return the page's path."""
    profile = profile_of(run_folder)
    write_json(run_folder / JSON_FILE, profile.to_json())
    page = run_folder / PAGE_FILE
    values = {
        "run": run_folder.name,
        "facts": [
            ("wall clock", f"{profile.wall_s:,.1f} s"),
            ("processor time", f"{profile.cpu_s:,.1f} s"),
            ("processors busy", f"{profile.cpu_s / max(profile.wall_s, 1e-9):.2f}"),
        ],
        "chart": _chart(profile),
        "stages": list(profile.stages.values()),
        "workers": list(profile.workers.values()),
    }
    with replacing(page) as draft, draft.open("w", encoding="utf-8", newline="\n") as handle:
        handle.writelines(
            page_pieces(
                _TEMPLATES,
                "profile.html",
                values,
                generator="benchwright run --profile",
                style="profile.css",
                filters={"megabytes": _megabytes, "seconds": _seconds},
            )
        )
    for path in (run_folder / JSON_FILE, page):
        vouch_for(path)
    return page


def _megabytes(size_bytes: int) -> str:
    return f"{size_bytes / 1e6:,.1f}"


def _seconds(seconds: float) -> str:
    return f"{seconds:,.2f}"


def _chart(profile: Profile) -> Chart:
    """Return processor time by stage, for the main process and the workers."""
    looks = ((MAIN, Look("series-1", "falling")), ("workers", Look("series-0")))
    rows = [
        ChartRow(
            stage.name,
            parts=[
                Part(words, usage.cpu_s, look, f"{usage.cpu_s:,.2f} s")
                for (words, look), usage in zip(looks, (stage.main, stage.workers), strict=True)
                if usage.cpu_s > 0
            ],
            note=f"{stage.main.cpu_s + stage.workers.cpu_s:,.2f} s",
        )
        for stage in profile.stages.values()
    ]
    most = max((stage.main.cpu_s + stage.workers.cpu_s for stage in profile.stages.values()), default=1.0)
    return rows_chart(
        "cpu",
        "Processor time by stage",
        rows,
        count_scale(most, words="seconds of processor time"),
        legend=[LegendEntry(words, look) for words, look in looks],
    )
