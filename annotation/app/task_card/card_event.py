"""Events from a card: decisions, skips and comments sent by browsers, with checks of their form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...forms.submission import Submission
from ...store.database.records import RefusedError
from ...workflow.drafts import WINDOW, SeenDraft

_MOST_S = 1e9
_MAX_WINDOW = 60
_DEEDS = frozenset({"decide", "skip", "undo", "comment", "flag"})
"""The possible actions of an annotator on a card."""


@dataclass(frozen=True)
class CardEvent:
    """An annotator's action on the card.

    Attributes:
        task: Id of the task.
        does: `decide`, `skip`, `undo`, `comment` or `flag`.
        submission: Unchecked submission from the browser; the store checks it. A comment is its note, and an answer
            before the key is shown is its decision.
        seen: Decision and draft that the window had seen; None if not sent.
        window: Name of the window; empty if not sent.
    """

    task: int
    does: str
    submission: Submission
    seen: SeenDraft | None = None
    window: str = ""

    @property
    def draft(self) -> dict[str, Any]:
        """Return the submission as a draft."""
        submission = self.submission
        written = {
            "decision": submission.decision,
            "reasons": list(submission.reasons),
            "note": submission.note,
            "edits": submission.edits,
        }
        fields = {} if submission.fields is None else {"fields": dict(submission.fields)}
        return {WINDOW: self.window, **{name: value for name, value in written.items() if value}, **fields}


def event_of(sent: Any) -> CardEvent:
    """Return the event that a browser sent, after checking its form.

    Raises:
        RefusedError: The data does not have the form that cards send.
    """
    if not isinstance(sent, Mapping) or type(sent.get("task")) is not int:  # `true` is not a task
        raise RefusedError("this is not a value that the card sends")
    reasons = sent.get("reasons")
    texts = [sent.get(name) for name in ("does", "decision", "note")]
    texts += reasons if isinstance(reasons, list) else [None]
    does, decision, note, *codes = (text for text in texts if isinstance(text, str))
    if len(codes) + 3 != len(texts) or does not in _DEEDS:
        raise RefusedError("this is not a value that the card sends")
    submission = Submission(
        decision=decision,
        reasons=tuple(codes),
        note=note.strip() or None,
        fields=_fields_sent(sent.get("fields")),
        edits=_edits_sent(sent.get("edits")),
        active_s=_seconds_sent(sent.get("active_s")),
    )
    return CardEvent(sent["task"], does, submission, _seen_sent(sent), _window_sent(sent))


def _seen_sent(sent: Mapping[str, Any]) -> SeenDraft | None:
    """Return the decision and draft that a window has shown, or None if the browser sent neither.

    Raises:
        RefusedError: The version or the revision is not a number.
    """
    version, revision = sent.get("version"), sent.get("revision")
    if version is None and revision is None:
        return None
    if type(version) is not int or type(revision) is not int:
        raise RefusedError("this is not a value that the card sends")
    return SeenDraft(version, revision)


def _window_sent(sent: Mapping[str, Any]) -> str:
    window = sent.get("window", "")
    if not isinstance(window, str) or len(window) > _MAX_WINDOW:
        raise RefusedError("this is not a value that the card sends")
    return window


def _seconds_sent(value: Any) -> float | None:
    """Return the number of seconds that a browser sent, if any; the store limits it further.

    Raises:
        RefusedError: The value is not a number.
    """
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise RefusedError("this is not a value that the card sends")
    return float(min(max(value, 0), _MOST_S))


def _fields_sent(fields: Any) -> dict[str, Any] | None:
    """Return the fields that a browser sent, by name: texts, lists of texts, lists of entries, or None if it sent none.

    Raises:
        RefusedError: The value is anything else.
    """
    known = _object_sent(fields)
    for value in (known or {}).values():
        if isinstance(value, dict):  # the treatment of a model's drafts, which the form checks
            continue
        parts = value if isinstance(value, list) else [value]
        if not (all(isinstance(text, str) for text in parts) or all(isinstance(entry, dict) for entry in parts)):
            raise RefusedError("this is not a value that the card sends")
    return known


def _edits_sent(edits: Any) -> dict[str, Any] | None:
    """Return the edits that a browser sent, an object or None; their content is checked by the store.

    Raises:
        RefusedError: The value is anything else.
    """
    return _object_sent(edits) or None


def _object_sent(value: Any) -> dict[str, Any] | None:
    """Return an object that a browser sent, or None if it sent none.

    Raises:
        RefusedError: The value is anything else.
    """
    if value is None:
        return None
    if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
        raise RefusedError("this is not a value that the card sends")
    return dict(value)
