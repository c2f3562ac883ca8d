"""Replies of models to items, as a matrix, for tests."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchwright.replies.model_replies import LetterMatrix


def matrix_of(letter: Any, key: Any, *, options: int = 4, task: Any = None, group: Any = None) -> LetterMatrix:
    """Return a matrix in which each model (`m0`, `m1`, ...) was asked each item (`q000`, ...); tasks are t0, t1, ..."""
    letter, key = np.asarray(letter, dtype=np.int8), np.asarray(key, dtype=np.int8)
    items = len(key)
    tasks = np.zeros(items, dtype=np.int64) if task is None else np.asarray(task, dtype=np.int64)
    return LetterMatrix(
        tuple(f"q{n:03}" for n in range(items)),
        tuple(f"t{n}" for n in range(int(tasks.max()) + 1)),
        tuple(f"m{n}" for n in range(len(letter))),
        letter.reshape(len(letter), items),
        np.ones((len(letter), items), dtype=bool),
        key,
        np.full(items, options),
        tasks,
        np.arange(items) if group is None else np.asarray(group, dtype=np.int64),
    )
