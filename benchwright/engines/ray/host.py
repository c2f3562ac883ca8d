"""The actor that a Ray cluster places: one supervised worker process on its node.

The actor itself runs no job. It holds the resources that the scheduler allocated (processors, a share of a GPU, memory)
and starts a process that inherits them, supervised by the same code as on one machine. A record that ends the process
is identified on the node, a process that hangs is replaced, and a step's opened models live as long as the process.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchwright.engines.local import LocalEngine
from benchwright.engines.ray.serialized_jobs import SerializedContext, SerializedJob
from benchwright.engines.ray.shared_folders import Sight, Token
from benchwright.engines.usage import WorkCost


class Host:
    """One worker of a Ray cluster.

    Args:
        worker_context: Pickled context, unpickled only by the worker process.
        number: Number of this worker in its run; names its logs.
        log_folder: Folder for these logs.
        hang_s: Seconds spent on one record after which a worker process is replaced, as in the local engine.
        paths: Module search path of the main process.
        folder: Current folder of the main process; used if it exists.
    """

    def __init__(
        self, worker_context: bytes, *, number: int, log_folder: Path, hang_s: float, paths: Sequence[str], folder: str
    ) -> None:
        sys.path += [path for path in paths if path not in sys.path]
        # A spawned process imports its parent's main module again, and Ray's main module must not be imported.
        vars(sys.modules["__main__"]).pop("__file__", None)
        if os.path.isdir(folder):
            os.chdir(folder)
        name = f"worker-{number}"
        handler = logging.FileHandler(log_folder / f"{name}.log", encoding="utf-8")
        handler.setFormatter(logging.Formatter("%(asctime)s %(name)s %(levelname)s %(message)s"))
        logging.getLogger("benchwright").addHandler(handler)
        self._engine = LocalEngine(
            SerializedContext(worker_context), workers=1, log_folder=log_folder, hang_s=hang_s, log_name=name
        )

    def ready(self, token: Token | None) -> tuple[str, str, Sight | None]:
        """Return the id and name of this actor's node, and the result of its check of the shared folders."""
        import ray

        node: str = ray.get_runtime_context().get_node_id()
        name = os.uname().nodename
        logging.getLogger(__name__).warning("on node %s, GPUs %s", name, os.environ.get("CUDA_VISIBLE_DEVICES"))
        return node, name, token.look(f"{node}.{os.getpid()}") if token else None

    def run(self, serialized_job: SerializedJob) -> tuple[bytes, WorkCost, int, str]:
        """Run a job; return its pickled result, its cost, its number of attempts and the name of the worker."""
        [done] = self._engine.run([serialized_job])
        return done.result, done.usage, done.attempts, done.worker

    def stop(self) -> None:
        """End the worker process, then this one."""
        for process in multiprocessing.active_children():
            process.kill()
            process.join()
        os._exit(0)


def options_of(gpus: float, memory_mb: int) -> dict[str, Any]:
    """Return the actor options that reserve a host's resources and allow `stop` to run during `run`."""
    return {
        "num_cpus": 1,
        "num_gpus": gpus,
        "memory": memory_mb << 20,
        "max_restarts": 0,
        "max_concurrency": 2,
        "scheduling_strategy": "SPREAD",
    }
