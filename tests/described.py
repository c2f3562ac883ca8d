"""The descriptions of steps, the source of help and reference pages."""

from __future__ import annotations

from benchwright.errors import UnreadableImage
from benchwright.rooms import catalogue
from benchwright.settings.help import reasons_of
from benchwright.steps import Outcome


def described_reasons(stage: str) -> set[tuple[str, str]]:
    """Return the reason codes that a stage of a run may give, each with its verdict."""
    name = stage.partition(".")[0]
    described = UnreadableImage if name == "ingest" else catalogue("steps")[name].load()
    reasons = (*reasons_of(described), *reasons_of(Outcome))
    return {(reason.code, verdict) for reason in reasons for verdict in reason.verdict.split(" or ")}
