"""Small pictures, all different."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image


def pixels(number: int, width: int, height: int) -> np.ndarray:
    """Return a smooth picture that nothing else has."""
    rng = np.random.default_rng(number)
    coarse = Image.fromarray(rng.integers(0, 256, (6, 8, 3), dtype=np.uint8))
    return np.asarray(coarse.resize((width, height), Image.Resampling.BICUBIC))


def save(path: Path, number: int, width: int, height: int, format: str | None = None) -> None:
    """Write a picture of that size."""
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(pixels(number, width, height)).save(path, format)
