"""The step `licences`, which removes images under a license that the recipe does not allow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import Field

from benchwright.diagnostics.pictures.licences import is_allowed
from benchwright.records import ImageRecord
from benchwright.rights import normalized_licence
from benchwright.steps import Context, Filter, Outcome, Stream, Verdict


class Licences(Filter):
    """Drop images whose license is not allowed.

    Licenses are compared by their SPDX identifiers, so that `CC BY 4.0`, `CC-BY-4.0` and the URL of that license are
    equal; unrecognized ones are compared as stated, ignoring case.

    Args:
        allow: Allowed licenses, such as `[CC0-1.0, CC-BY-4.0]`.
        missing_allowed: Whether images without a stated license pass.
        ask: Whether to ask annotators instead of dropping the image.

    Reasons:
        licence_missing (drop or ask): The image states no license.
        licence_not_allowed (drop or ask): The image's license is not in `allow`.
    """

    name: ClassVar[str] = "licences"
    consumes: ClassVar[Stream] = "images"
    values: ClassVar[Mapping[str, str]] = {"licence": "string"}
    thresholds: ClassVar[frozenset[str]] = frozenset({"allow", "missing_allowed", "ask"})

    allow: tuple[str, ...] = Field(min_length=1)
    missing_allowed: bool = False
    ask: bool = False

    def measure(self, record: ImageRecord, ctx: Context) -> dict[str, str | None]:
        """Return the license stated by the image's source, as an identifier if it is known."""
        del ctx
        stated = None if record.source is None else record.source.licence
        return {"licence": normalized_licence(stated) if stated else None}

    def judge(self, measured: Mapping[str, Any]) -> Outcome:
        """Compare the license with the allowed licenses."""
        licence = measured["licence"]
        verdict: Verdict = "ask" if self.ask else "drop"
        if licence is None:
            return Outcome() if self.missing_allowed else Outcome(verdict, "licence_missing")
        if is_allowed(licence, self.allow):
            return Outcome()
        return Outcome(verdict, "licence_not_allowed", evidence={"licence": licence})
