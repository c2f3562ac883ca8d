"""The funnel: what went into each step of a run and what came out, with examples of what did not, as a page.

Names below load on first use: a run that changed nothing only looks whether its page is there.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

_PUBLIC = {
    "PER_REASON": "writing",
    "FunnelStep": "counting",
    "count_funnel": "counting",
    "write_funnel": "writing",
    "write_run_funnel": "run_page",
}

__all__ = ["PER_REASON", "FunnelStep", "count_funnel", "write_funnel", "write_run_funnel"]

if TYPE_CHECKING:
    from benchwright.funnel.counting import FunnelStep, count_funnel
    from benchwright.funnel.run_page import write_run_funnel
    from benchwright.funnel.writing import PER_REASON, write_funnel


def __getattr__(name: str) -> Any:
    if name in _PUBLIC:
        return getattr(import_module(f"benchwright.funnel.{_PUBLIC[name]}"), name)
    raise AttributeError(f"module 'benchwright.funnel' has no attribute {name!r}")
