"""Imports of the modules that every worker needs, for the process from which workers are forked.

Nothing else imports this module.
"""

from __future__ import annotations

import pyarrow.parquet

import benchwright.pipeline.ingest
import benchwright.pipeline.stages.map_stage
from benchwright.machine.garbage import keep_to_the_end

__all__ = ["benchwright", "pyarrow"]

keep_to_the_end()
