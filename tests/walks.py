"""Parts of the end-to-end tests: photographs, recipes and runs, and the bytes of a folder tree."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from PIL import Image

from benchwright.cli.main import invoke

SAME_EVERY_TIME = ("tables", "objects", "releases", "results")
"""Folders of a workspace whose bytes must not depend on anything but images, recipe and seed."""

RECIPE = """\
name: walk
seed: 3
shards: 4
steps:
  - exact_duplicates
  - near_duplicates
  - step: jigsaw
    min_tile_px: 16
    likeness: keep
  - step: visual_correspondence
    min_side_px: 96
    min_view_px: 96
  - step: verify
    rule: unanimous(2)
    simulate:
      annotators: 3
      error_rate: 0.1
  - splits
  - step: freeze
    name: walk
  - step: evaluate
    models: [random, "constant:A", edge_continuity, local_features]
"""


def make_photographs(folder: Path, *, count: int = 14, height_px: int = 190) -> None:
    """Cut distinct pieces of unequal sizes, from `height_px` on, out of scikit-image's photographs, in three formats."""
    from skimage import data

    folder.mkdir(parents=True, exist_ok=True)
    sources = [data.astronaut(), data.chelsea(), data.coffee(), data.rocket(), data.hubble_deep_field()]
    for number in range(count):
        pixels = sources[number % len(sources)]
        height, width = height_px + 7 * number, height_px + 40 - 3 * number
        top = (number * 23) % (pixels.shape[0] - height)
        left = (number * 41) % (pixels.shape[1] - width)
        piece = Image.fromarray(np.ascontiguousarray(pixels[top : top + height, left : left + width]))
        piece.save(folder / f"piece-{number:02}.{('png', 'jpg', 'webp')[number % 3]}")
    (folder / "again.png").write_bytes((folder / "piece-00.png").read_bytes())


def tree_digest(workspace: Path) -> dict[str, str]:
    """Return the SHA-256 of every file that must be the same every time, by relative path."""
    return {
        path.relative_to(workspace).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for name in SAME_EVERY_TIME
        for path in sorted((workspace / name).rglob("*"))
        if path.is_file()
    }


def live_digest(workspace: Path) -> dict[str, str]:
    """Return the SHA-256 of every file that counts: shards that tables list, the release made last, all results.

    What earlier settings or images left behind (shard files until `benchwright gc`, drafts of releases) is left out.
    """
    files: list[Path] = []
    for listing in sorted((workspace / "tables").glob("*/current.json")):
        files.append(listing)
        for shard in json.loads(listing.read_text(encoding="utf-8"))["shards"]:
            files += [listing.parent / file["name"] for file in shard["files"].values()]
    made = json.loads((workspace / "workspace.json").read_text(encoding="utf-8"))["artifacts"]
    files += [path for name in ("release", "results") if name in made for path in (workspace / made[name]).rglob("*")]
    return {
        path.relative_to(workspace).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(files)
        if path.is_file()
    }


def command(*arguments: object) -> list[str]:
    """Return the command line of a Benchwright command in this environment."""
    return [sys.executable, "-m", "benchwright", *map(str, arguments)]


def benchwright(
    *arguments: object, env: dict[str, str] | None = None, cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    return subprocess.run(
        command(*arguments), capture_output=True, text=True, check=False, timeout=300, cwd=cwd,
        env={**os.environ, **(env or {})}, stdin=subprocess.DEVNULL,
    )  # fmt: skip


def in_process(
    *arguments: object, env: dict[str, str] | None = None, stdin: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end within this process, which spares it the start of another."""
    words, output, errors = [str(argument) for argument in arguments], StringIO(), StringIO()
    with (
        redirect_stdout(output), redirect_stderr(errors), patch("sys.stdin", StringIO(stdin)),
        patch.dict(os.environ, env or {}),
    ):  # fmt: skip
        code = invoke(words)
    return subprocess.CompletedProcess(words, code, output.getvalue(), errors.getvalue())


def as_nobody_special() -> list[str]:
    """Return what to put before a command so that it respects the modes of files, even where the tests run as root."""
    return ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []


def run_json(*arguments: object, env: dict[str, str] | None = None) -> Any:
    """Run a command with --json that must succeed, within this process, and return its document."""
    done = in_process(*arguments, "--json", env=env)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


def executions(workspace: Path) -> int:
    """Count shard executions over all runs of a workspace, from its run logs."""
    return sum(
        json.loads(line)["event"] in {"job", "gather"}
        for log in (workspace / "runs").glob("*/events.jsonl")
        for line in log.read_text(encoding="utf-8").split("\n")
        if line.endswith("}")
    )


def workers_of(pid: int) -> list[int]:
    """Return the worker processes of a run: not multiprocessing's resource tracker, nor the server that forks workers."""
    parents: dict[int, int] = {}
    lines: dict[int, bytes] = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(status.parent.name)] = int(status.read_text().rpartition(")")[2].split()[1])
            lines[int(status.parent.name)] = (status.parent / "cmdline").read_bytes()
        except OSError:
            continue
    servers = {one for one, parent in parents.items() if parent == pid and b"forkserver" in lines.get(one, b"")}
    return sorted(
        one
        for one, parent in parents.items()
        if parent in servers or (parent == pid and b"spawn_main" in lines.get(one, b""))
    )
