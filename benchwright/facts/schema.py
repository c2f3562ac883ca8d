"""Base types of facts files: strict models, texts, names, locations."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Text = Annotated[str, Field(min_length=1, max_length=600, pattern=r"^\S(.*\S)?$")]
Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=60)]
Point = tuple[float, float]
Box = tuple[float, float, float, float]
"""A box: x0, y0, x1, y1."""


class Stated(BaseModel):
    """A stated fact; unknown keys are rejected."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)
