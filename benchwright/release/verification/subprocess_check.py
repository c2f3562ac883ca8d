"""Checking of a release's contents in a separate process.

Arrow is written in C++ and not designed for hostile input: a crafted Parquet file can crash the process that reads it,
or decompress to more than the available memory. Here, either is reported as a problem of the release.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import benchwright
from benchwright.release.verification.problems import ReleaseContents

_MEMORY_BYTES = 4 * 1024**3
"""Limit of the address space, in bytes; an item with `parquet.MAX_PICTURE_BYTES` of pictures takes about half of it."""


def check_contents_apart(
    root: Path,
    *,
    memory_bytes: int = _MEMORY_BYTES,
    program: Sequence[str] = ("-m", "benchwright.release.verification.contents"),
) -> ReleaseContents:
    """Return the result of `contents.check_contents` for a release with a readable manifest.

    Raises:
        RuntimeError: The program failed through no fault of the release.
    """
    package = os.path.dirname(os.path.dirname(os.path.abspath(benchwright.__file__)))
    paths = os.pathsep.join(filter(None, [package, os.environ.get("PYTHONPATH")]))
    done = subprocess.run(  # noqa: S603 - this Python interpreter and a module of this package
        [sys.executable, *program, os.path.abspath(root), str(memory_bytes)],
        env={**os.environ, "PYTHONPATH": paths},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    if done.returncode == 0:
        return ReleaseContents(**json.loads(done.stdout))
    if done.returncode < 0:
        how = signal.Signals(-done.returncode).name
        return ReleaseContents(None, [f"data: cannot be read; the process that tried was ended by {how}"])
    if done.stderr.rstrip().endswith(b"MemoryError"):
        return ReleaseContents(None, [f"data: cannot be read within {memory_bytes} bytes of memory"])
    raise RuntimeError(f"checking {root} failed:\n{done.stderr.decode(errors='replace')}")
