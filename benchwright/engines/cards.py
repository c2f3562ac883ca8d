"""The processes that serve this machine's GPUs, one per GPU, which a local engine starts for its workers."""

from __future__ import annotations

import logging
import os
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from benchwright.engines import card_process, starting
from benchwright.errors import StepError

logger = logging.getLogger(__name__)

CPU = ""
"""Placeholder for a GPU's name: CUDA sees no GPU, so models run on the CPU."""


@dataclass
class RunningCard:
    """A GPU with the process that serves it.

    Args:
        gpu: Name of the GPU, from `visible_gpus`.
        address: Address at which workers connect.
        process: The process.
        conn: Connection to the process; the process ends when the connection is closed.
    """

    gpu: str
    address: str
    process: BaseProcess
    conn: Connection

    def end(self) -> None:
        """End the process, even in the middle of a batch."""
        self.conn.close()
        self.process.kill()
        self.process.join()


class Cards:
    """Processes that open models for workers, one per GPU.

    Args:
        worker_context: Picklable `ModelHost`, which opens the models.
        log_folder: Folder for the output of each process.
        log_name: Prefix of the log names, followed by the number of the process.
    """

    def __init__(self, worker_context: Any, *, log_folder: Path, log_name: str) -> None:
        self._worker_context = worker_context
        self._log_folder, self._log_name = log_folder, log_name
        self._folder: Path | None = None
        self._started = 0
        self.running: list[RunningCard] = []

    def start(self, gpus: Sequence[str]) -> None:
        """Start a process for each GPU; models open when a worker requests them.

        Raises:
            StepError: A process ended during its start.
        """
        self._folder = Path(tempfile.mkdtemp(prefix="bw-"))  # short, since a socket's path has at most 100 characters
        for gpu in gpus:
            self.running.append(self._start(gpu))

    def stop(self) -> None:
        """End all processes, which frees their memory on the GPUs."""
        for card in self.running:
            card.end()
        self.running.clear()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    def replace_dead(self) -> bool:
        """Replace each process that has ended; return whether any had ended."""
        dead = [place for place, card in enumerate(self.running) if not card.process.is_alive()]
        for place in dead:
            card = self.running[place]
            logger.warning("the process of GPU %s ended with %s; starting another", card.gpu, card.process.exitcode)
            card.end()
            self.running[place] = self._start(card.gpu)
        return bool(dead)

    def _start(self, gpu: str) -> RunningCard:
        self._started += 1
        name = f"{self._log_name}-{self._started}"
        log = self._log_folder / f"{name}.log"
        address = str(Path(str(self._folder)) / name)
        ours, theirs = starting.context().Pipe()
        process = starting.context().Process(  # type: ignore[attr-defined]
            target=card_process.main,
            args=(theirs, address, str(log), {**os.environ, "CUDA_VISIBLE_DEVICES": gpu}),
            daemon=True,
        )
        with starting.uninterrupted(), theirs:
            process.start()
        try:
            ours.send(self._worker_context)
            ours.recv()
        except (EOFError, OSError) as error:
            process.join()
            raise StepError(f"the process of GPU {gpu or 'none'} ended while starting; see {log}") from error
        return RunningCard(gpu, address, process, ours)
