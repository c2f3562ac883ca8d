"""Marks by themselves: a transparent picture to lay over one, so that whoever looks can take them away again."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from benchwright.drawing import draw_prompts
from benchwright.records import VisualPrompt


def draw_layer(prompts: Sequence[VisualPrompt], *, width: int, height: int) -> NDArray[np.uint8]:
    """Return the marks that `draw` puts on an image of a size, on nothing.

    Laid over the image they give what `draw` gives, to within two levels of 255: paint hides a share of what is below
    it wherever it is put, so that drawings on black and on white tell colour and opacity apart.

    Returns:
        (height, width, 4) RGBA, colours not multiplied by the opacity.

    Raises:
        PromptError: As `draw`.
    """
    black = np.zeros((height, width, 3), np.uint8)
    on_black = draw_prompts(black, prompts)
    on_white = draw_prompts(~black, prompts)
    layer = np.zeros((height, width, 4), np.uint8)
    rows, columns = np.nonzero((on_black != 0).any(axis=2) | (on_white != 255).any(axis=2))
    dark, light = on_black[rows, columns].astype(np.float64), on_white[rows, columns].astype(np.float64)
    opacity = 1 - (light - dark).mean(axis=1, keepdims=True) / 255
    color = np.divide(dark, opacity, out=np.zeros_like(dark), where=opacity > 0)
    layer[rows, columns] = np.rint(np.clip(np.hstack([color, opacity * 255]), 0, 255))
    return layer
