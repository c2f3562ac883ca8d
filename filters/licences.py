"""The step `licences`: images under a licence that the recipe does not allow do not go on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import Field

from benchwright.diagnostics.pictures.licences import is_allowed
from benchwright.records import ImageRecord
from benchwright.rights import normalized_licence
from benchwright.steps import Context, Filter, Outcome, Stream, Verdict


class Licences(Filter):
    """Drop images whose licence is not among those that are allowed.

    Licences are compared by their SPDX identifiers, so that `CC BY 4.0`, `CC-BY-4.0` and the address of that licence
    are one; those that are not recognised are compared as they are stated, without regard to case.

    Args:
        allow: Licences that images may have, such as `[CC0-1.0, CC-BY-4.0]`.
        missing_allowed: Whether images of which no licence is stated go on.
        ask: Whether people are asked instead of the image being dropped.

    Reasons:
        licence_missing (drop or ask): No licence of the image is stated.
        licence_not_allowed (drop or ask): The image's licence is not in `allow`.
    """

    name: ClassVar[str] = "licences"
    consumes: ClassVar[Stream] = "images"
    values: ClassVar[Mapping[str, str]] = {"licence": "string"}
    thresholds: ClassVar[frozenset[str]] = frozenset({"allow", "missing_allowed", "ask"})

    allow: tuple[str, ...] = Field(min_length=1)
    missing_allowed: bool = False
    ask: bool = False

    def measure(self, record: ImageRecord, ctx: Context) -> dict[str, str | None]:
        """Return the licence that the image's source states, by its identifier where it is known."""
        del ctx
        stated = None if record.source is None else record.source.licence
        return {"licence": normalized_licence(stated) if stated else None}

    def judge(self, measured: Mapping[str, Any]) -> Outcome:
        """Compare with the licences that are allowed."""
        licence = measured["licence"]
        verdict: Verdict = "ask" if self.ask else "drop"
        if licence is None:
            return Outcome() if self.missing_allowed else Outcome(verdict, "licence_missing")
        if is_allowed(licence, self.allow):
            return Outcome()
        return Outcome(verdict, "licence_not_allowed", evidence={"licence": licence})
