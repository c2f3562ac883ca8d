"""The funnel: what went into each step of a run and what came out, with examples of what did not, as a page."""

from benchwright.funnel.counting import FunnelStep, count_funnel
from benchwright.funnel.writing import PER_REASON, write_funnel, write_run_funnel

__all__ = ["PER_REASON", "FunnelStep", "count_funnel", "write_funnel", "write_run_funnel"]
