"""The ways in which a key may name an option, and keys whose form determines the way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

Reading = Literal["letters", "labels", "from_0", "from_1", "text", "yes_no"]
READINGS: tuple[Reading, ...] = get_args(Reading)
"""Ways in which a key may name an option (`key_reading`); if two of them yield the same options, the first is used."""


@dataclass(frozen=True)
class KnownKey:
    """A key whose form determines its reading, regardless of the other keys of the source.

    Args:
        value: The key.
        reading: How the key names an option.
    """

    value: Any
    reading: Reading
