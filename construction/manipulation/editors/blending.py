"""Settings of how pixels of another photograph are fitted to a picture."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class Blending(BaseModel):
    """How pixels of another photograph are fitted to a picture where no model paints.

    Args:
        matte_px: Half width of the rim in which outlines follow the picture's edges and old colors are taken out, for
            pictures whose shorter side is 512 px; 0 softens outlines as `edges.rim_px` says. Models have it too.
        light: Share, 0-1, of the difference in light and color from the picture that is made up for; 0 for none.
        focus: Whether a new background is blurred lightly where the old one was out of focus.
        shadow: Share, 0-1, of the light that is gone where a subject that the frame does not cut off stands.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    matte_px: float = Field(2.5, ge=0, le=20)
    light: float = Field(0.5, ge=0, le=1)
    focus: bool = True
    shadow: float = Field(0.45, ge=0, le=1)
