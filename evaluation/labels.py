"""Labels of items: attributes hold one text each, and several labels stand in it with commas between."""

from __future__ import annotations


def labels_in(value: object) -> tuple[str, ...]:
    """Return the labels in the value of an attribute, each once; none where it is no text.

    Example:
        >>> labels_in("Metaphor, Contrast")
        ('Metaphor', 'Contrast')
    """
    parts = value.split(",") if isinstance(value, str) else []
    return tuple(dict.fromkeys(part.strip() for part in parts if part.strip()))
