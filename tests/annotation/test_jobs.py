"""Commands started from the app: fixed ones, one at a time, followed to their end even by a restarted app.

- Output and exit status of a command are kept, and the audit log records who started and canceled it.
- A second one is refused while one works, in any process; an interrupted run continues later.
- No typed text becomes an option, and a running recipe is found again.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
import sqlalchemy as sa

from benchwright.annotation.jobs.commands import ExportJob, FreezeJob, FunnelJob, RunJob
from benchwright.annotation.jobs.job_records import JobRecord
from benchwright.annotation.jobs.job_runner import JobRunner
from benchwright.annotation.jobs.recipe_source import RecipeSource, prepare_workspace, recipe_source
from benchwright.annotation.store.database.schema import audit_log
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.errors import BenchwrightError
from benchwright.workspace.workspace import Workspace

from .curated import RECIPE, make_place

pytestmark = pytest.mark.slow

RUN_S = 120.0


@pytest.fixture
def place(tmp_path: Path) -> Path:
    folder = make_place(tmp_path)
    (folder / "curated.yaml").write_text(RECIPE, encoding="utf-8")
    return folder


@pytest.fixture
def store(place: Path) -> Iterator[ReviewStore]:
    with open_store(Workspace(place / "workspace").store_url) as opened:
        yield opened


@pytest.fixture
def new_runner(place: Path, store: ReviewStore) -> Callable[[], JobRunner]:
    return lambda: JobRunner(place / "workspace", store, now=lambda: datetime.now(UTC))


@pytest.fixture
def blocked(place: Path) -> RunJob:
    """A run that waits for its recipe, which is never written, until it is interrupted."""
    os.mkfifo(place / "never.yaml")
    return RunJob(place / "never.yaml", place / "photographs")


def ended(runner: JobRunner, record: JobRecord) -> JobRecord:
    done = runner.wait(record.id, timeout_s=RUN_S)
    assert done is not None
    return done


def acts(store: ReviewStore) -> list[tuple[str, str]]:
    with store.reading() as connection:
        query = sa.select(audit_log.c.act, audit_log.c.actor).where(audit_log.c.act.like("job_%"))
        return [(row.act, row.actor) for row in connection.execute(query.order_by(audit_log.c.id))]


def test_commands_run_to_their_end_and_leave_what_they_made_and_said(
    place: Path, store: ReviewStore, new_runner: Callable[[], JobRunner]
) -> None:
    runner = new_runner()
    run = ended(runner, runner.start(RunJob(place / "curated.yaml", place / "photographs"), by="cur"))
    assert (run.state, run.exit_code, run.by) == ("done", 0, "cur")
    result = runner.folder.result(run.id)
    assert result is not None
    assert result["state"] == "waiting"
    assert any("jigsaw" in line for line in runner.folder.last_lines(run.id, most=50))
    assert recipe_source(place / "workspace") == RecipeSource(place / "curated.yaml", place / "photographs")
    funnel = ended(runner, runner.start(FunnelJob(), by="cur"))
    assert (runner.folder.of(funnel.id) / "funnel.html").stat().st_size > 1000
    export = ended(runner, runner.start(ExportJob(is_pseudonymous=True), by="dot"))
    assert (runner.folder.of(export.id) / "export" / "tasks.csv").exists()
    freeze = ended(runner, runner.start(FreezeJob("curated", "1.0"), by="cur"))
    assert (freeze.state, freeze.exit_code) == ("failed", 2)
    assert "is not finished" in runner.folder.last_lines(freeze.id, most=1)[0]
    assert [record.id for record in runner.jobs()] == [freeze.id, export.id, funnel.id, run.id]
    assert acts(store) == [("job_started", "cur"), ("job_ended", "cur")] * 2 + [
        ("job_started", "dot"), ("job_ended", "dot"), ("job_started", "cur"), ("job_ended", "cur"),
    ]  # fmt: skip


def test_one_works_at_a_time_and_is_cancelled_from_any_app(
    store: ReviewStore, new_runner: Callable[[], JobRunner], blocked: RunJob
) -> None:
    first, second = new_runner(), new_runner()
    record = first.start(blocked, by="cur")
    for runner in (first, second):
        with pytest.raises(BenchwrightError, match="`run` is already running, started by cur"):
            runner.start(FunnelJob(), by="dot")
        found = runner.running()
        assert found is not None
        assert found.id == record.id
    wait_until_it_reads(record, blocked)
    second.cancel(record.id, by="dot")
    done = ended(first, record)
    assert (done.state, done.exit_code, done.cancelled_by) == ("cancelled", 130, "dot")
    assert second.running() is None
    assert acts(store) == [("job_started", "cur"), ("job_cancelled", "dot"), ("job_ended", "cur")]
    assert ended(second, second.start(FunnelJob(), by="dot")).state == "done"


def test_an_app_that_was_started_anew_finds_how_a_job_ended(
    new_runner: Callable[[], JobRunner], blocked: RunJob
) -> None:
    before = new_runner()
    record = before.start(blocked, by="cur")
    wait_until_it_reads(record, blocked)
    assert record.process is not None
    after = new_runner()
    seen = after.job(record.id)
    assert seen is not None
    assert seen.state == "running"
    after.cancel(record.id, by="cur")
    after.cancel(record.id, by="cur")  # the second one does not ask
    before.wait(record.id, timeout_s=RUN_S)
    found = after.job(record.id)
    assert found is not None
    assert found.state == "cancelled"
    lost = JobRecord("20260301T120000-abcdef", "run", "cur", [], datetime.now(UTC), (2**22 + 1, 5))
    after.folder.of(lost.id).mkdir()
    after.folder.write(lost)
    settled = new_runner().job(lost.id)
    assert settled is not None
    assert (settled.state, settled.exit_code) == ("failed", None)


def wait_until_it_reads(record: JobRecord, job: RunJob) -> None:
    """Wait until a run has begun to read its recipe: opening a FIFO for writing returns when a process reads it."""
    assert record.process is not None
    # Kept open, so that the reader waits for bytes that never come.
    _kept_open.append(os.open(job.recipe, os.O_WRONLY))


_kept_open: list[int] = []


@pytest.mark.parametrize("name", ["", "--errata=x", "Demo", "a b", "../up", "a" * 61])
def test_what_is_typed_becomes_no_option_and_no_path(name: str) -> None:
    with pytest.raises(BenchwrightError):
        FreezeJob(name)
    if name:
        with pytest.raises(BenchwrightError):
            FreezeJob("demo", name)


def test_a_workspace_is_made_for_a_recipe_that_has_not_run(place: Path, tmp_path: Path) -> None:
    root = prepare_workspace(tmp_path / "new", place / "curated.yaml", place / "photographs")
    assert recipe_source(root) == RecipeSource(place / "curated.yaml", place / "photographs")
    assert prepare_workspace(root, Path("perception"), place / "photographs") == root
    found = recipe_source(root)
    assert found is not None
    assert found.recipe.name == "perception.yaml"
    with pytest.raises(BenchwrightError, match="is not a folder"):
        prepare_workspace(tmp_path / "other", place / "curated.yaml", tmp_path / "nowhere")
    assert recipe_source(place / "workspace") is None
