"""Progress of a recipe in its workspace: the steps with their counts, and the next step."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, NamedTuple

from benchwright.errors import BenchwrightError
from benchwright.funnel.counting import FunnelStep, count_funnel
from benchwright.pipeline.run import stages_of_workspace
from benchwright.recipe import load_recipe
from benchwright.workspace.stages import Stage
from benchwright.workspace.workspace import Workspace

from ..store.review_store import ReviewStore
from ..workflow.waiting import open_tasks_of

RunState = Literal["never", "running", "waiting", "done"]
"""State of the last run, which is also `running` if the run was killed or failed."""
StepState = Literal["done", "waits", "to_come"]


class BuildStep(NamedTuple):
    """An entry of the recipe, with its state and, once it has run, its counts."""

    name: str
    state: StepState
    counts: FunnelStep | None


class BuildProgress(NamedTuple):
    """The progress of a recipe.

    Args:
        state: State of the last run.
        recipe: Name of the recipe; empty if unknown.
        steps: Entries of the recipe, after the intake of photographs if that has run.
        funnel: Counts of the steps that the last run reached.
        waits_for: Campaign whose decisions the run needs, or None if there is none.
        beside: Other campaigns with open tasks that were opened in parallel.
    """

    state: RunState
    recipe: str
    steps: list[BuildStep]
    funnel: list[FunnelStep]
    waits_for: str | None
    beside: tuple[str, ...] = ()


class LastRun(NamedTuple):
    """The tables of the last run: the recipe's stages, and the counts of the stages that it reached."""

    stages: list[Stage]
    funnel: list[FunnelStep]


def read_last_run(workspace: Path) -> LastRun | None:
    """Return the data in the last run's tables, or None if nothing has run; reads the markers of all shards.

    Raises:
        BenchwrightError: A marker is damaged, or a step of the recipe is no longer installed.
    """
    space = Workspace(workspace)
    if not space.settings().get("stages"):
        return None
    stages = stages_of_workspace(workspace)
    return LastRun(stages, count_funnel(space, stages))


def build_progress(workspace: Path, store: ReviewStore, recipe: Path | None, last_run: LastRun | None) -> BuildProgress:
    """Return the progress of the last recipe that ran, or the steps of a recipe that has not run yet.

    Args:
        workspace: Folder of the workspace.
        store: Review store of the workspace.
        recipe: File of the recipe, which is read only if nothing has run; None if unknown.
        last_run: Data of the last run's tables; None if nothing has run.
    """
    if last_run is None:
        return _to_come(recipe)
    settings, (stages, funnel) = Workspace(workspace).settings(), last_run
    counts = {step.name: step for step in funnel}
    state: RunState = settings["state"]
    campaigns = {campaign.name: campaign for campaign in store.campaigns() if not campaign.is_simulated}
    entries = list(dict.fromkeys(stage.entry for stage in stages))
    final = {stage.entry for stage in stages if stage.kind == "final"}
    waits_for: str | None = None
    beside: tuple[str, ...] = ()
    steps = [BuildStep(step.name, "done", step) for step in funnel[:1]]
    if state == "waiting":
        reached = [entry for entry in entries if entry in set(settings.get("reached") or ())]
        open_tasks = open_tasks_of(store, list(campaigns.values()))
        open_campaigns = [entry for entry in entries if open_tasks.get(entry)]
        waits_for = next(iter(open_campaigns), next((entry for entry in reversed(reached) if entry in campaigns), None))
        beside = tuple(open_campaigns[1:])
    for entry in entries:
        waits = entry == waits_for or entry in beside
        if state == "done" or (entry in counts and entry not in final and not waits):
            step_state: StepState = "done"
        else:
            step_state = "waits" if waits else "to_come"
        steps.append(BuildStep(entry, step_state, counts.get(entry) if step_state != "to_come" else None))
    return BuildProgress(state, str(settings["recipe"]["name"]), steps, funnel, waits_for, beside)


def _to_come(recipe: Path | None) -> BuildProgress:
    if recipe is None or not recipe.is_file():
        return BuildProgress("never", "", [], [], None)
    try:
        loaded = load_recipe(recipe)
    except BenchwrightError:
        return BuildProgress("never", "", [], [], None)  # a run reports the problem with it
    steps = [BuildStep(entry, "to_come", None) for entry, _ in loaded.steps]
    return BuildProgress("never", loaded.header.name, steps, [], None)
