"""Lists and mappings that stand in one cell as text, as JSON or as Python writes them."""

from __future__ import annotations

import ast
import json
from typing import Any


def value_in(text: str) -> list[Any] | tuple[Any, ...] | dict[Any, Any] | None:
    """Return the list or mapping that a cell holds as text; None where it holds none.

    Example:
        >>> value_in('["a rope", "an oar"]'), value_in("['a rope']"), value_in("a rope")
        (['a rope', 'an oar'], ['a rope'], None)
    """
    if text.lstrip()[:1] in ("[", "{", "("):
        for read in (json.loads, ast.literal_eval):
            try:
                value = read(text)
            except (ValueError, SyntaxError, RecursionError, MemoryError):
                continue
            if isinstance(value, list | tuple | dict):
                return value
    return None


def list_in(value: Any) -> list[Any] | None:
    """Return a list, or the one that a cell holds as text; None for anything else."""
    if isinstance(value, str) and value.lstrip().startswith("["):
        value = value_in(value)
    return value if isinstance(value, list) else None
