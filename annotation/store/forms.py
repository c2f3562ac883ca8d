"""What a campaign's form lets annotators say of a task."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

CHOICES = "choices"
"""As `decisions_from` of a form: each task has decisions of its own, the keys of the choices that it shows."""


def decisions_of(form: Mapping[str, Any], payload: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the decisions that a task takes: its form's, or the keys of its own choices."""
    if form.get("decisions_from") == CHOICES:
        return tuple(choice["key"] for choice in payload["choices"])
    return tuple(form["decisions"])
