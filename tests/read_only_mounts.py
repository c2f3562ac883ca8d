"""Commands on a folder that is read-only for every user: a bind mount in a separate mount namespace."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

_MOUNT = ["unshare", "--mount", "sh", "-c"]
_RUNNER = """
import contextlib, io, json, sys
from benchwright.cli.main import invoke
for line in sys.stdin:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = invoke(json.loads(line))
        except Exception as error:
            code = 3
            err.write(repr(error))
    print(json.dumps([code, out.getvalue(), err.getvalue()]))
"""


class Ended(NamedTuple):
    """The ending of a command."""

    code: int
    out: str
    err: str


@cache
def _may_mount() -> bool:
    if shutil.which("unshare") is None:
        return False
    tried = subprocess.run([*_MOUNT, "mount -t tmpfs none /mnt"], capture_output=True, check=False)
    return tried.returncode == 0


def read_only(folder: Path, commands: Sequence[Sequence[object]]) -> list[Ended]:
    """Run commands one after the other in one process that sees a folder read-only."""
    if not _may_mount():
        pytest.skip("a folder can be mounted read-only by root on Linux only")
    script = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"'
    done = subprocess.run(
        [*_MOUNT, script, str(folder), sys.executable, "-c", _RUNNER],
        input="".join(json.dumps([str(part) for part in one]) + "\n" for one in commands),
        capture_output=True, text=True, check=True, timeout=300,
    )  # fmt: skip
    return [Ended(*json.loads(line)) for line in done.stdout.splitlines()]
