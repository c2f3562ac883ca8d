"""Opening a planned benchmark: its recipe, its invitations, and the run that opens its campaign."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from benchwright.errors import BenchwrightError
from benchwright.workspace.private_files import make_private_folder
from benchwright.workspace.workspace import Workspace
from benchwright.workspace.written_once import written_once

from ...exchange.invitations import Invitee, invite_people
from ...jobs.commands import RunJob
from ...jobs.job_records import JobRecord
from ...jobs.recipe_source import RecipeSource, recipe_source, set_recipe_source
from ..base.state import AppState
from .plan import BenchmarkPlan
from .planned_recipe import RECIPES, PlannedRecipe

_SHOWN_FOR = timedelta(hours=12)
_MOST_NAMES = 1000


class OpenedBenchmark(NamedTuple):
    """An opened benchmark.

    Attributes:
        recipe: File of its recipe.
        job: The run that opens its campaign.
        invited: Name and invitation token of each person without an earlier account.
    """

    recipe: Path
    job: JobRecord
    invited: Sequence[tuple[str, str]]


class FreshInvitations:
    """New invitations, by curator, kept in memory for half a day so that reloading the page shows them again.

    The store contains only their digests.
    """

    def __init__(self) -> None:
        self._kept: dict[str, tuple[datetime, list[tuple[str, str]]]] = {}
        self._lock = threading.Lock()

    def keep(self, curator: str, invited: Sequence[tuple[str, str]], *, now: datetime) -> None:
        """Keep invitations for the curator who made them."""
        with self._lock:
            self._kept[curator] = (now, [*self._of(curator, now), *invited])

    def of(self, curator: str, *, now: datetime) -> list[tuple[str, str]]:
        """Return the names and tokens of a curator's recent invitations."""
        with self._lock:
            return self._of(curator, now)

    def _of(self, curator: str, now: datetime) -> list[tuple[str, str]]:
        since, invited = self._kept.get(curator, (now, []))
        return invited if now - since <= _SHOWN_FOR else []


def benchmark_here(state: AppState) -> str | None:
    """Return the name of the benchmark in a workspace, or None before the first run and the first decision."""
    settings = Workspace(state.workspace).settings() if (state.workspace / "workspace.json").exists() else {}
    if not settings.get("stages") and not state.store.campaign_names():
        return None
    source = recipe_source(state.workspace)
    named = settings.get("recipe", {}).get("name")
    return str(named or (source.recipe.stem if source is not None else state.workspace.name))


def open_benchmark(
    state: AppState, plan: BenchmarkPlan, planned: PlannedRecipe, *, by: str, now: datetime
) -> OpenedBenchmark:
    """Write the recipe, invite the annotators, and start the run.

    Args:
        state: State of the app.
        plan: The plan.
        planned: Its recipe.
        by: Name of the curator.
        now: Time of the call.

    Raises:
        BenchwrightError: The workspace already holds a benchmark, or a command is running.
    """
    if (name := benchmark_here(state)) is not None:
        raise BenchwrightError(f"this workspace already contains the benchmark {name!r}; change it on the page Recipe")
    if state.jobs.running() is not None:
        raise BenchwrightError("a command is already running; wait until it has ended")
    path = _write(state.workspace / RECIPES, planned)
    set_recipe_source(state.workspace, RecipeSource(path, planned.images))
    state.store.record("recipe_made", actor=by, now=now, recipe=path.name, name=plan.name)
    people = invite_people(state.store, [Invitee(person, "annotator", ()) for person in plan.people], by=by, now=now)
    invited = [(person.invitee.name, person.token) for person in people if person.token is not None]
    job = state.jobs.start(RunJob(path, planned.images), by=by)
    return OpenedBenchmark(path, job, invited)


def _write(folder: Path, planned: PlannedRecipe) -> Path:
    """Write a recipe under its name, with a number added if another recipe has that name; return the path."""
    make_private_folder(folder)
    name = planned.recipe.header.name
    for number in range(1, _MOST_NAMES):
        path = folder / (f"{name}.yaml" if number == 1 else f"{name}-{number}.yaml")
        try:
            with written_once(path, otherwise="choose another name") as draft:
                draft.write_text(planned.text, encoding="utf-8")
        except BenchwrightError:
            continue
        return path
    raise BenchwrightError(f"{folder} contains {_MOST_NAMES} recipes called {name!r}; choose another name")
