"""What a campaign's form lets annotators say of a task."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ..form import FormError, form_of
from .payloads import item_in
from .records import RefusedError

CHOICES = "choices"
"""As `decisions_from` of a form: each task has decisions of its own, the keys of the choices that it shows."""


class Typed(NamedTuple):
    """What was said in a typed form: in one word, and by field."""

    decision: str
    values: dict[str, Any]


def decisions_of(form: Mapping[str, Any], payload: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the decisions that a task takes: its form's, or the keys of its own choices."""
    if form.get("decisions_from") == CHOICES:
        return tuple(choice["key"] for choice in payload["choices"])
    return tuple(form["decisions"])


def fields_of(form: Mapping[str, Any], payload: Mapping[str, Any], said: Mapping[str, Any] | None) -> Typed | None:
    """Return what was said in a typed form, checked against it; None where the campaign has no such form.

    Raises:
        RefusedError: The form does not take it, or has no fields.
    """
    typed = form_of(form)
    if typed is None:
        if said is not None:
            raise RefusedError("this campaign takes a decision, and no fields")
        return None
    item = item_in(payload)
    letters = [choice["key"] for choice in item["choices"]]
    try:
        values = typed.checked(said or {}, letters=letters, key=item.get("answer") or item.get("refusal"))
    except FormError as error:
        raise RefusedError(str(error)) from None
    return Typed(typed.headline_of(values), values)
