"""The choice of an engine by name, which imports only the chosen engine's modules."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from benchwright.engines.base import Engine
from benchwright.errors import BenchwrightError

if TYPE_CHECKING:
    from benchwright.pipeline.stages.worker_context import WorkerContext

ENGINES = ("local", "ray")
"""Names of engines: `local` uses processes on this machine, `ray` uses actors on a Ray cluster."""

PRELOADED = "benchwright.pipeline.preloaded"
"""Module that every worker of a pipeline imports."""


def open_engine(
    name: str, worker: WorkerContext, *, workers: int | None, log_folder: Path, address: str | None = None
) -> Engine:
    """Return the engine with the given name, which is a context manager.

    Args:
        name: One of `ENGINES`.
        worker: Context that workers keep between jobs.
        workers: Largest number of workers; None for as many as fit.
        log_folder: Folder for the output of workers.
        address: Address of a Ray cluster; None for the one that RAY_ADDRESS names, or else a local one.

    Raises:
        BenchwrightError: No engine has that name, or an address is given for the local engine.
        PrerequisiteError: The engine's packages are missing.
    """
    if name == "local":
        from benchwright.engines.local import LocalEngine, default_workers

        if address is not None:
            raise BenchwrightError(f"--address {address} is for --engine ray; the local engine has no address")
        room = default_workers(max(stage.step.needs().memory_mb for stage in worker.stages))
        return LocalEngine(worker.for_workers(), workers=workers or room, log_folder=log_folder, preload=(PRELOADED,))
    if name == "ray":
        from benchwright.engines.ray.engine import RayEngine
        from benchwright.engines.ray.shared_folders import SharedFolders

        shared = SharedFolders(worker.workspace.root, worker.images)
        return RayEngine(worker.for_workers(), workers=workers, log_folder=log_folder, address=address, shared=shared)
    raise BenchwrightError(f"unknown engine {name!r}; engines are {', '.join(ENGINES)}")
