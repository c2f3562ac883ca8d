"""Run a recipe: ingest, then the phases in order, until one must wait for annotators."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from benchwright.engines.base import Done, Engine, Job
from benchwright.engines.local import processors
from benchwright.engines.record_jobs import EngineMap
from benchwright.errors import BenchwrightError, DamagedError, StepError
from benchwright.images.formats.walking import Limits
from benchwright.images.made_pictures import MadeRule, PictureRule
from benchwright.pipeline.engine_choice import open_engine
from benchwright.pipeline.ingest import ingest
from benchwright.pipeline.planning.fitting import fitted_to
from benchwright.pipeline.planning.plan import Phase, check_final_steps, opened_beside, phases, plan
from benchwright.pipeline.stages.damage import make_again, mend_tables
from benchwright.pipeline.stages.final_stage import run_final
from benchwright.pipeline.stages.gather_stage import run_campaign, run_gather
from benchwright.pipeline.stages.map_stage import TRANSIENT, MapJob
from benchwright.pipeline.stages.overrides import override_status, take_in
from benchwright.pipeline.stages.runlog import RunLog, logged
from benchwright.pipeline.stages.stage_events import StageEvents, Watched
from benchwright.pipeline.stages.view import View
from benchwright.pipeline.stages.worker_context import WorkerContext
from benchwright.progress import Progress, Silent
from benchwright.recipe import Header, Recipe, read_resolved
from benchwright.steps import BringContext, FinalContext, FinalStep, Resources, Step
from benchwright.texts.normalization import counted
from benchwright.workspace.photographs import photographs_of
from benchwright.workspace.run_results import FinishedRun, StepReport, report_of
from benchwright.workspace.shards import StageTable, VerdictCounts, shard_names
from benchwright.workspace.stage_input import INGEST
from benchwright.workspace.stages import Stage
from benchwright.workspace.takedowns import withdrawn_images
from benchwright.workspace.workspace import COPIED, NO_IMAGES, Workspace

_RECORDS_TO_SUSPECT = 3
_IMAGES_TO_REST = 4096
"""Smallest number of images for which workers drop decoded pictures before a gather stage.

With fewer images, columns are small, and keeping decoded pictures in memory is worthwhile.
"""


def run_recipe(
    recipe: Recipe,
    *,
    workspace: Path,
    images: Path | None = None,
    workers: int | None = None,
    copy: bool = False,
    progress: Progress | None = None,
    engine: str = "local",
    address: str | None = None,
    is_profiled: bool = False,
) -> FinishedRun:
    """Run a recipe, or resume where an earlier run stopped or was killed.

    If a campaign added images during the run and no other campaign waits, another run follows at once. The result is
    that of the last run.

    Args:
        recipe: Recipe, from `load_recipe` or made in Python.
        workspace: Folder of the workspace; created if it does not exist.
        images: Image folder; the recipe's own if None. Neither must name a folder if steps bring the pictures.
        workers: Number of processes; as many as fit if None.
        copy: Whether to store the source images in the workspace instead of referring to their folder.
        progress: Receiver of progress; None if progress is not reported.
        engine: Name of the engine (`benchwright.pipeline.engine_choice.ENGINES`).
        address: Address of the cluster, for an engine that has one.
        is_profiled: Whether to reset the main process's peak memory at each stage, so that the run's events record the
            memory of each stage. An outside observer of the process then sees only the last peak.

    Raises:
        BenchwrightError: The recipe's steps do not fit together, the workspace is in use, or an input is missing.
    """
    brings_pictures = any(step.brings_pictures for _, step in recipe.steps)
    needs_folder = images is not None or recipe.header.images or recipe.header.fitted or not brings_pictures
    folder = image_folder(recipe, images) if needs_folder else None
    recipe, left_out = fitted_to(recipe, folder)
    stages = plan(recipe.steps)
    check_final_steps(stages, seed=recipe.header.seed)
    space = Workspace.create(workspace)
    if folder is None:
        folder = space.cache / NO_IMAGES  # replaces the image folder if steps bring all pictures
        folder.mkdir(exist_ok=True)
    about: dict[str, Any] = {"recipe": recipe.resolved(), "images": str(folder), "engine": engine}
    if recipe.source is not None:
        about["recipe_file"] = str(recipe.source.resolve())
    for _ in range(len(stages) + 1):  # each campaign adds images at most once; later images come from users
        with space.locked(), logged(space, about) as log:
            run = _Run(
                space, recipe, stages, folder.resolve(), log, progress or Silent(), workers or processors(), is_profiled
            )
            opened = open_engine(engine, run.worker, workers=workers, log_folder=log.folder, address=address)
            with run.events.run():
                finished = run.go(opened, copy)
        if not finished.rerun:
            break
    return replace(finished, left_out=left_out)


def image_folder(recipe: Recipe, images: Path | None) -> Path:
    """Return the folder over which a recipe runs: the given folder, or else the recipe's own.

    Raises:
        BenchwrightError: Neither names a folder.
    """
    if images is not None:
        return images
    if recipe.header.images:
        return recipe.folder / recipe.header.images
    raise BenchwrightError("no images: give a folder with --images DIR, or the key `images` in the recipe")


def run_steps(
    steps: Sequence[Step],
    *,
    images: Path,
    workspace: Path,
    workers: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
    engine: str = "local",
) -> FinishedRun:
    """Run steps without a recipe file, as the `filter` commands do."""
    recipe = Recipe("steps", steps, seed=seed, folder=images)
    progress = progress or Silent()
    done = run_recipe(recipe, images=images, workspace=workspace, workers=workers, progress=progress, engine=engine)
    for stage, error in done.raised.items():
        progress.warn(f"{stage} raised {error}")
    return done


def open_view(workspace: Path, *, withdrawn: Collection[str] | None = None) -> View:
    """Return final steps' view of a workspace after a complete run.

    Args:
        workspace: Folder of the workspace.
        withdrawn: Ids of images that count as withdrawn; those that `release takedown` withdrew if None.

    Raises:
        BenchwrightError: Nothing has run there, or annotators have not finished.
    """
    space = Workspace.open(workspace)
    settings = space.settings()
    if settings.get("state") != "done":
        raise BenchwrightError(f"the run in {workspace} is not finished; call `benchwright run` again first")
    worker = worker_context_of(space)
    return View(
        worker,
        worker.stages,
        shard_names(worker.shard_count),
        _what_made(worker.stages, settings["recipe"]),
        withdrawn=withdrawn_images(workspace) if withdrawn is None else withdrawn,
    )


def worker_context_of(space: Workspace) -> WorkerContext:
    """Return the worker context of the recipe that ran last in a workspace, without curators' decisions.

    Raises:
        BenchwrightError: Nothing has run there, or a step of its recipe is no longer installed.
    """
    settings = space.settings()
    recipe = _recipe_of(space, settings)
    return _worker_context(space, recipe.header, plan(recipe.steps), Path(settings["images"]), space.made_rule())


def stages_of_workspace(workspace: Path) -> list[Stage]:
    """Return the stages of the recipe that ran last in a workspace, finished or not.

    Raises:
        BenchwrightError: Nothing has run there, or a step of its recipe is no longer installed.
    """
    space = Workspace.open(workspace)
    return plan(_recipe_of(space, space.settings()).steps)


def _recipe_of(space: Workspace, settings: Mapping[str, Any]) -> Recipe:
    return read_resolved(settings["recipe"], str(space.root / "workspace.json"), space.root)


def _what_made(stages: Sequence[Stage], resolved: Mapping[str, Any]) -> dict[str, Any]:
    """Return a resolved recipe reduced to the steps that made the tables of the given stages.

    It omits final steps, so that the choice of models to score on a release does not change its bytes.
    """
    makers = {stage.entry for stage in stages if stage.kind != "final"}
    return {**resolved, "steps": [step for step in resolved["steps"] if step["as"] in makers]}


def _worker_context(
    space: Workspace, header: Header, stages: Sequence[Stage], images: Path, made: MadeRule
) -> WorkerContext:
    limits = Limits(**header.limits.model_dump())
    # The path is absolute, because workers may have another current folder.
    return WorkerContext(
        Workspace(space.root.absolute()), images, stages, header.seed, header.shards, limits, made, restore=make_again
    )


@dataclass
class _Run:
    """A run in progress."""

    space: Workspace
    recipe: Recipe
    stages: Sequence[Stage]
    images: Path
    log: RunLog
    progress: Progress
    workers: int = 1
    is_profiled: bool = False
    executed: int = 0
    decoded: int = 0
    seconds: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    artifacts: dict[str, str] = field(default_factory=dict)
    reached: set[str] = field(default_factory=set)
    waiting: list[Stage] = field(default_factory=list)
    rerun: bool = False
    copy: bool = False
    raised: dict[str, str] = field(default_factory=dict)
    counted: dict[str, VerdictCounts] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.made = self._made_rule()
        self.worker = _worker_context(self.space, self.recipe.header, self.stages, self.images, self.made)
        self.worker.overrides = take_in(self.space, shard_count=self.recipe.header.shards)
        self.shards = shard_names(self.recipe.header.shards)
        self.events = StageEvents(self.log, self._counts, is_profiled=self.is_profiled)

    def go(self, opened: Engine, copy: bool) -> FinishedRun:
        header, self.copy = self.recipe.header, copy
        brought = photographs_of(self.space.root)
        for stage in self.stages:
            if stage.step.brings_pictures:
                self.progress.phase(stage.id, 0)
                context = BringContext(stage.id, self.space.root, header.seed, self.worker.limits)
                brought += stage.step.bring(context)
        self._save_settings("running")
        for line in self.log.changed_versions():
            self.progress.warn(
                f"{line} since the last run here; existing results stay (delete a stage's folder under tables/ to make "
                f"them again)"
            )
        for line in mend_tables(self.space, self.stages, self.shards):
            self.progress.warn(line)
        with opened as engine:
            if not (self.space.tables / INGEST / "current.json").exists():
                engine.prepare()  # a new workspace always needs workers: they start while files are listed
            started = time.perf_counter()
            self.progress.phase(INGEST, 0)
            with self.events.stages([INGEST], "ingest") as watched:
                watched.ran = 1  # ingest looks for changed files in every run
                counts = ingest(
                    self.space,
                    self.images,
                    limits=self.worker.limits,
                    shard_count=header.shards,
                    run_jobs=self._jobs_of(engine, [INGEST]),
                    copy=copy,
                    brought=brought,
                    leaves_out=self._is_taken,
                )
            if not counts.records:
                self.progress.warn(f"no file in {self.images}")
            reports = [report_of(INGEST, [counts], time.perf_counter() - started, makes=("images",))]
            waits = self._go_through(engine)
        reports += self._reports()
        if remade := sorted(set(self.worker.remade)):
            self.progress.warn(
                f"under objects/, {counted(len(remade), 'picture was', 'pictures were')} lost or damaged and made "
                f"again, such as {remade[0][:12]}"
            )
        self._warn_of_stale_decisions()
        self._save_settings("waiting" if waits else "done")
        self.space.checked.save(tmp=self.space.tmp)
        return FinishedRun(
            workspace=self.space.root,
            state="waiting" if waits else "done",
            steps=reports,
            waits=waits,
            artifacts=self.artifacts,
            executed=self.executed,
            decoded=self.decoded,
            run_folder=self.log.folder,
            rerun=self.rerun,
            advice=self._advice(reports),
            raised=self.raised,
        )

    def _is_taken(self, uri: str) -> bool:
        """Return whether a step reads a file of the image folder, so that the file is not treated as an image."""
        return any(stage.step.takes(uri) for stage in self.stages if stage.step.brings_pictures)

    def _warn_of_stale_decisions(self) -> None:
        """Report the curators' decisions that have no effect; never stop the run because of them."""
        reached = {stage.id for stage in self.stages if stage.entry in self.reached}
        decisions = list(self.worker.overrides)
        stale = [
            status
            for status in (override_status(self.space, decisions) if decisions else ())
            if status.state == "stale"
            and (status.override.stage in reached or status.override.stage not in self._stage_ids())
        ]
        if stale:
            self.progress.warn(
                f"of {counted(len(decisions), 'curator decision')}, {counted(len(stale), 'has', 'have')} nothing left "
                f"to decide, such as {stale[0].override.action} {stale[0].override.record_id[:12]} at "
                f"{stale[0].override.stage}: {stale[0].because}; `benchwright filter overrides {self.space.root}` "
                "lists them"
            )

    def _stage_ids(self) -> set[str]:
        return {stage.id for stage in self.stages}

    def _go_through(self, engine: Engine) -> list[str]:
        """Run the phases up to the first waiting campaign, and those that open alongside it; return pending work."""
        waits: list[str] = []
        for phase in phases(self.stages):
            if self.waiting and not self._opens_now(phase.stages[0]):
                break
            started = time.perf_counter()
            with self.events.stages([stage.id for stage in phase.stages], phase.kind) as watched:
                words = self._run_phase(engine, phase, watched)
                if words is not None:
                    watched.state = "waiting"
                    waits.append(words)
                    self.waiting += phase.stages
                    continue
                for stage in phase.stages:
                    self.reached.add(stage.entry)
                    if phase.kind != "map":
                        self.seconds[stage.entry] += time.perf_counter() - started
                    if phase.kind != "final":
                        self._publish(stage)
                    if phase.kind == "map":
                        self._check_works(stage)
        return waits

    def _opens_now(self, stage: Stage) -> bool:
        """Return whether a stage opens alongside the waiting campaigns."""
        beside = opened_beside(stage, self.stages[: self.stages.index(stage)])
        return bool(beside) and {one.id for one in self.waiting} <= {one.id for one in beside}

    def _run_phase(self, engine: Engine, phase: Phase, watched: Watched) -> str | None:
        """Run a phase; if it waits for people, return their pending work."""
        if phase.kind == "map":
            watched.ran = self._map(engine, phase)
            return None
        [stage] = phase.stages
        self.progress.phase(stage.id, 0)
        if phase.kind == "gather":
            started = time.perf_counter()
            if sum(map(self._size, self.shards)) >= _IMAGES_TO_REST:
                engine.drop_caches()
            watched.ran = int(run_gather(self.worker, stage, self.shards, self._record_map(engine, stage)))
            if watched.ran:
                self.executed += 1
                self.log.event("gather", stage=stage.id, seconds=time.perf_counter() - started)
        elif phase.kind == "campaign":
            watched.ran = 1  # a campaign asks the review store in every run
            verdicts = run_campaign(self.worker, stage, self.shards, beside=self.waiting)
            if verdicts.waiting is not None:
                self.rerun = self.rerun or verdicts.rerun
                return verdicts.waiting
        else:
            watched.ran = int(self._final(engine, stage))
            watched.counts = {"artifacts": len(self.artifacts)}
        return None

    def _publish(self, stage: Stage) -> None:
        for shard in self.shards:
            self.worker.forget(stage.id, shard)
        operation = stage.step.operation(self.worker.seed)
        described = operation.model_dump(mode="json") | {"operation_id": operation.operation_id}
        table = StageTable(self.space, stage.id)
        table.look_again()
        table.publish(self.shards, described)

    def _check_works(self, stage: Stage) -> None:
        """Stop the run if a step raised an exception on every record, as the step is then at fault, not the images."""
        counts = self._counts(stage.id)
        if counts.records >= _RECORDS_TO_SUSPECT and counts.by["failed", "step_error"] == counts.records:
            raise StepError(
                f"step {stage.id!r} raised an error on every one of {counts.records} {stage.consumes}; fix the step "
                f"and run again (the errors are in {self.log.folder})"
            )

    def _counts(self, stage_id: str) -> VerdictCounts:
        """Return the counts of the table of a stage that this run has completed; empty counts for a final step."""
        if stage_id not in self.counted:
            markers = [StageTable(self.space, stage_id).marker(shard) for shard in self.shards]
            self.counted[stage_id] = VerdictCounts.total(marker.counts for marker in markers if marker)
        return self.counted[stage_id]

    def _record_map(self, engine: Engine, stage: Stage) -> EngineMap:
        return EngineMap(stage.id, self._jobs_of(engine, [stage.id]), workers=self.workers, events=self.events)

    def _map(self, engine: Engine, phase: Phase) -> int:
        """Run the outdated shards of a phase; return their number."""
        jobs = [
            MapJob(shard, tuple(stage.id for stage in phase.stages), self._size(shard))
            for shard in self.shards
            if not all(self._is_current(stage, shard) for stage in phase.stages)
        ]
        self.progress.phase(
            " + ".join(dict.fromkeys(stage.entry for stage in phase.stages)), sum(job.size for job in jobs)
        )
        for done in self._jobs_of(engine, [stage.id for stage in phase.stages], phase.needs)(jobs):
            result = done.result
            self.executed += 1
            self.decoded += result["decoded"]
            self.worker.remade += result["remade"]
            self.raised = result["raised"] | self.raised
            for stage_id, seconds in result["seconds"].items():
                self.seconds[next(stage.entry for stage in phase.stages if stage.id == stage_id)] += seconds
            for stage in phase.stages:
                self.worker.forget(stage.id, done.job.shard)
        return len(jobs)

    def _jobs_of(
        self, engine: Engine, stages: Sequence[str], needs: Resources | None = None
    ) -> Callable[[Sequence[Job]], Iterator[Done]]:
        """Return the engine's `run`, with logging and progress, for the jobs of these stages."""

        def run(jobs: Sequence[Job]) -> Iterator[Done]:
            for done in engine.run(jobs, needs):
                self.events.job(done, stages)
                self.progress.advance(done.job.size)
                yield done

        return run

    def _size(self, shard: str) -> int:
        marker = StageTable(self.space, INGEST).marker(shard)
        return marker.files.get("images", {}).get("rows", 0) if marker else 0

    def _is_current(self, stage: Stage, shard: str) -> bool:
        marker = StageTable(self.space, stage.id).marker(shard)
        if marker is None or TRANSIENT & marker.counts["verdicts"].get("failed", {}).keys():
            return False
        try:
            return (marker.fingerprint, marker.overrides) == (
                self.worker.fingerprint(stage, shard),
                self.worker.overrides.digest(stage, shard),
            )
        except BenchwrightError:  # an earlier stage has no shard yet
            return False

    def _final(self, engine: Engine, stage: Stage) -> bool:
        """Run a final step unless it is up to date; return whether it ran."""
        recipe = _what_made(self.stages[: self.stages.index(stage)], self.recipe.resolved())
        context = FinalContext(
            self.worker.seed,
            stage.id,
            self.space.root,
            recipe,
            dict(self.artifacts),
            self.workers,
            self.progress,
            self._record_map(engine, stage),
            partial(self.events.part, stage.id),
        )
        finished = run_final(self.worker, stage, self.shards, context)
        self.artifacts |= finished.artifacts
        return finished.ran

    def _reports(self) -> list[StepReport]:
        by_entry: dict[str, list[Stage]] = {}
        for stage in self.stages:
            if stage.entry in self.reached:
                by_entry.setdefault(stage.entry, []).append(stage)
        reports: list[StepReport] = []
        for entry, stages in by_entry.items():
            if stages[0].kind == "final":
                kept = reports[-1].kept if reports else 0
                reports.append(StepReport(entry, kept, kept, {}, {}, 0, self.seconds[entry]))
                continue
            parts = [self._counts(stage.id) for stage in stages]
            makes = {stream for stage in stages for stream in stage.makes}
            reports.append(report_of(entry, parts, self.seconds[entry], makes=makes))
        return reports

    def _advice(self, reports: Sequence[StepReport]) -> list[tuple[str, str]]:
        """Return the entries that made few items, each with the cause and the remedy."""
        by_name = {report.name: report for report in reports}
        return [
            (entry, advice)
            for entry, step in self.recipe.steps
            if (report := by_name.get(entry)) is not None
            and (advice := step.advice(report.made, report.dropped)) is not None
        ]

    def _shards_of_tables(self) -> int | None:
        """Return the number of shards of the existing tables; None if no tables exist."""
        return len(StageTable(self.space, INGEST).marked()) or None

    def _made_rule(self) -> MadeRule:
        """Return the rule for making pictures: that of the workspace or, if it is new, that of its recipe's release."""
        if self._shards_of_tables() is not None:
            with suppress(DamagedError):  # repaired and reported when the settings are written
                return self.space.made_rule()
        rules = {step.picture_rule for _, step in self.recipe.steps if isinstance(step, FinalStep)}
        return "lossless" if "lossless" in rules else "by_content"

    def _save_settings(self, state: str) -> None:
        header = self.recipe.header
        path = self.space.root / "workspace.json"
        pictures: PictureRule = "by_content"
        try:
            if path.exists():
                shards = self.space.settings().get("shards")
                pictures = "by_content" if shards is None else self.space.picture_rule()
            else:
                shards = self._shards_of_tables()
        except DamagedError as error:
            self.progress.warn(f"{path.name} {error.what.partition(';')[0]}: rewritten from the recipe")
            shards = self._shards_of_tables()
        if shards not in {None, header.shards}:  # None if people reviewed in this workspace before any run
            raise BenchwrightError(
                f"{self.space.root} was made with {counted(shards, 'shard')} but the recipe sets {header.shards}; the "
                f"number is fixed at ingest: restore the old number or use a new --workspace"
            )
        self.space.save_settings(
            {
                "recipe": self.recipe.resolved(),
                "images": str(self.images),
                **({COPIED: True} if self.copy else {}),
                "shards": header.shards,
                "pictures": pictures,
                "made": self.made,
                "state": state,
                "stages": [INGEST, *(stage.id for stage in self.stages)],
                "artifacts": dict(self.artifacts),
                # While the run waits for people, tables of later steps are those of an earlier run.
                "reached": None if state == "running" else sorted(self.reached),
            }
        )
