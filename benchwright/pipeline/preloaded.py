"""What every worker needs, imported once by the process that workers are forked from; nothing else imports this."""

from __future__ import annotations

import gc

import pyarrow.parquet

import benchwright.pipeline.ingest
import benchwright.pipeline.map_stage

__all__ = ["benchwright", "pyarrow"]

# What is there now stays for good. Collecting among it would write to memory that all workers share.
gc.collect()
gc.freeze()
