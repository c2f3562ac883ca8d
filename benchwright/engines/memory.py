"""Returning memory that this process has freed to the system."""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from typing import Any


def give_back() -> None:
    """Return freed memory to the system, if the allocator supports it (glibc on Linux; Arrow's own).

    Allocators keep freed memory. Without this call, the memory that one large table used would be charged to this
    process until it ends.
    """
    if (pyarrow := sys.modules.get("pyarrow")) is not None:
        pyarrow.default_memory_pool().release_unused()
    if (trim := _malloc_trim()) is not None:
        trim(0)


@cache
def _malloc_trim() -> Any:
    """Return glibc's `malloc_trim`; None if another C library is in use."""
    return getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
