"""Programs that read exports, run in the consumers' environment, and the items that they must print."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
from exported_releases import Expected

CONSUMERS = Path(__file__).parent / "consumers"


def offline(folder: Path, **more: str) -> dict[str, str]:
    """Return an environment in which programs write into a folder and reach no server."""
    home = {"HOME": str(folder), "XDG_CACHE_HOME": str(folder / "cache"), "XDG_DATA_HOME": str(folder / "data")}
    return {**os.environ, **home, "HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "PYTHONPATH": "", **more}


def run_consumer(python: Path, script: str, *arguments: object, folder: Path, **env: str) -> Any:
    """Run a script of `tests/consumers` in the consumers' environment and return the JSON of its last output."""
    path = CONSUMERS / script
    done = subprocess.run(
        [str(python), str(path), *map(str, arguments)], capture_output=True, text=True, check=False, timeout=300,
        cwd=folder, env=offline(folder, **env),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


def fingerprint(pixels: np.ndarray) -> str:
    """Return size and SHA-256 of a picture's pixels, as `print_items.py` does in the other environment."""
    return f"{pixels.shape[1]}x{pixels.shape[0]} {hashlib.sha256(pixels.tobytes()).hexdigest()}"


def documents_of(expected: list[Expected]) -> list[dict[str, Any]]:
    """Return the expected items as scripts print them."""
    return [
        {
            "item_id": item.item_id,
            "split": item.split,
            "question": item.question,
            "options": item.options,
            "target": item.target,
            "pixels": [fingerprint(pixels) for pixels in item.pixels],
        }
        for item in expected
    ]
