"""A short process ends without a search for unreachable cycles, and workers are forked without one (`machine.garbage`)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

_END = (
    "import atexit, gc, sys; atexit.register(lambda: print(gc.get_freeze_count() > 10_000)); "
    "sys.argv = ['benchwright', *sys.argv[1:]]; "
)


def _printed(program: str, *words: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", program, *words], check=False, capture_output=True, text=True
    ).stdout.strip()


@pytest.mark.parametrize("words", [["--version"], ["no-such-command"]])
def test_a_command_ends_without_examining_its_objects(words: list[str]) -> None:
    printed = _printed(f"{_END}from benchwright.cli.main import main; main()", *words)
    assert printed.splitlines()[-1] == "True"


def test_exit_handlers_and_temporary_folders_end_as_usual() -> None:
    program = (
        "import tempfile; folder = tempfile.TemporaryDirectory(); print(folder.name); "
        "from benchwright.machine.garbage import keep_to_the_end; keep_to_the_end()"
    )
    name = _printed(program)
    assert name
    assert not Path(name).exists()


def test_workers_are_forked_from_a_process_whose_objects_are_exempt() -> None:
    assert int(_printed("import gc, benchwright.pipeline.preloaded; print(gc.get_freeze_count())")) > 10_000
