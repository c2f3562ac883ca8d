"""Memory that is free inside this process, given back to the system."""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from typing import Any


def give_back() -> None:
    """Return what was freed to the system, where its allocators can be asked to (Linux with glibc; Arrow's own).

    Allocators keep freed memory for themselves. What one large table took would count as this process's for as long
    as it lives, although nothing lies in it.
    """
    if (pyarrow := sys.modules.get("pyarrow")) is not None:
        pyarrow.default_memory_pool().release_unused()
    if (trim := _malloc_trim()) is not None:
        trim(0)


@cache
def _malloc_trim() -> Any:
    """Return glibc's `malloc_trim`; None under another C library."""
    return getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
