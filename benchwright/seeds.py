"""Seeds of random choices, which depend on the record and never on when or where the record is processed.

Every random choice about a record is seeded by (run seed, step, record id). Results therefore do not depend on order,
batch, worker count or engine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchwright.canonical import digest

if TYPE_CHECKING:
    import numpy as np


def seed_for(run_seed: int, step: str, record_id: str, *more: str | int) -> int:
    """Return a 64-bit seed for one record in one step."""
    return int(digest([run_seed, step, record_id, *more])[:16], 16)


def generator_for(run_seed: int, step: str, record_id: str, *more: str | int) -> np.random.Generator:
    """Return NumPy's PCG64 generator with the seed for one record in one step."""
    import numpy as np

    return np.random.Generator(np.random.PCG64(seed_for(run_seed, step, record_id, *more)))
