"""Settings that fit pixels of another photograph to a picture."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class Blending(BaseModel):
    """How another photograph's pixels are fitted to a picture without a painting model.

    Args:
        matte_px: Half-width of the rim in which outlines follow the picture's edges and lose old colors, for pictures
            whose shorter side is 512 px; 0 softens outlines by `edges.rim_px`. It also applies to models.
        light: Fraction, 0-1, of the difference in light and color from the picture that is corrected; 0 for none.
        focus: Whether to blur a new background lightly if the old one was out of focus.
        shadow: Fraction, 0-1, of the light that a shadow removes at a subject's foot, if the frame does not cut the
            subject off.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    matte_px: float = Field(2.5, ge=0, le=20)
    light: float = Field(0.5, ge=0, le=1)
    focus: bool = True
    shadow: float = Field(0.45, ge=0, le=1)
