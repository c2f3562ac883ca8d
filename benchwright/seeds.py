"""Seeds of random choices, which depend on the record and never on the time or place of processing.

Every random choice about a record is seeded by (run seed, step, record id). Order, batch, worker count and
engine therefore do not change results.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchwright.canonical import digest

if TYPE_CHECKING:
    import numpy as np


def seed_for(run_seed: int, step: str, record_id: str, *more: str | int) -> int:
    """Return a seed of 64 bits for one record in one step."""
    return int(digest([run_seed, step, record_id, *more])[:16], 16)


def generator_for(run_seed: int, step: str, record_id: str, *more: str | int) -> np.random.Generator:
    """Return NumPy's PCG64 generator, seeded for one record in one step."""
    import numpy as np

    return np.random.Generator(np.random.PCG64(seed_for(run_seed, step, record_id, *more)))
