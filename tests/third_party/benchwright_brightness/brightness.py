from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import Field

from benchwright import Context, Filter, ImageRecord, Outcome


class Brightness(Filter):
    """Drop images whose mean grey level, 0-255, is below a threshold."""

    name: ClassVar[str] = "brightness"
    consumes: ClassVar[Any] = "images"
    values: ClassVar[Mapping[str, str]] = {"mean": "float64"}
    thresholds: ClassVar[frozenset[str]] = frozenset({"at_least"})

    at_least: float = Field(40.0, ge=0, le=255)

    def measure(self, record: ImageRecord, ctx: Context) -> Mapping[str, float]:
        return {"mean": round(float(ctx.images.rgb(record).mean()), 3)}

    def judge(self, measured: Mapping[str, Any]) -> Outcome:
        if measured["mean"] < self.at_least:
            return Outcome("drop", "too_dark", evidence={"mean": measured["mean"]})
        return Outcome()
