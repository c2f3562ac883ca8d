"""Lists and mappings stored as text in one cell, in JSON or Python notation."""

from __future__ import annotations

import ast
import json
import re
from io import StringIO
from itertools import pairwise
from token import STRING
from tokenize import generate_tokens
from typing import Any

_UNPARTED = re.compile(r"""['"]\s*['"]""")
"""Two texts with nothing between them, or an empty text."""


def value_in(text: str) -> list[Any] | tuple[Any, ...] | dict[Any, Any] | None:
    """Return the list or mapping stored as text in a cell; None if there is none.

    Example:
        >>> value_in('["a rope", "an oar"]'), value_in("['a rope' 'an oar']"), value_in("a rope")
        (['a rope', 'an oar'], ['a rope', 'an oar'], None)
    """
    if text.lstrip()[:1] in ("[", "{", "("):
        for read in (json.loads, ast.literal_eval):
            try:
                value = read(text)
            except (ValueError, SyntaxError, RecursionError, MemoryError):
                continue
            if isinstance(value, list | tuple | dict):
                return _parted(text) if read is ast.literal_eval and _UNPARTED.search(text) else value
    return None


def _parted(text: str) -> Any:
    """Return Python's interpretation, unless it joins strings without a comma between them, as written by NumPy."""
    tokens = [t for t in generate_tokens(StringIO(text.strip()).readline) if t.string.strip()]
    if not any(one.type == other.type == STRING for one, other in pairwise(tokens)):
        return ast.literal_eval(text)
    texts, ends = tokens[1:-1], (tokens[0].string, tokens[-1].string)
    is_plain = ends == ("[", "]") and all(token.type == STRING for token in texts)
    return [ast.literal_eval(token.string) for token in texts] if is_plain else None


def list_in(value: Any) -> list[Any] | None:
    """Return a list, or the list stored as text in a cell; None for other values."""
    if isinstance(value, str) and value.lstrip().startswith("["):
        value = value_in(value)
    return value if isinstance(value, list) else None
