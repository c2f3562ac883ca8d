"""How well an outline that a program found follows the picture.

Where GrabCut or a model tears an outline (an orange with a third bitten off, a person without a head), the outline
runs through smooth skin, peel or cloth, or through grass, and follows no edge there. One figure tells both: the share
of the outline that lies on an edge as strong as the strongest fifth of the picture.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .cutting_out import Mask

_SIDE_PX = 512
"""Longer side to which pictures are scaled before their outlines are judged, so that one bound fits all."""
_STRONG = 0.8
"""Quantile of the picture's gradients from which one counts as an edge."""
_LEAST = 12.0
"""Least gradient of an edge, in Lab per pixel by Sobel's operator, in pictures that are nearly bare."""


def edges_followed(pixels: NDArray[np.uint8], mask: Mask) -> float:
    """Return the share, 0-1, of a mask's outline that lies on an edge of the picture, to a pixel; 1 where all of it
    lies on the frame.

    Args:
        pixels: (height, width, 3) RGB.
        mask: (height, width), not empty.
    """
    import cv2

    height, width = mask.shape
    scale = _SIDE_PX / max(height, width)
    size_wh = max(3, round(width * scale)), max(3, round(height * scale))
    how = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    small = cv2.resize(np.array(pixels), size_wh, interpolation=how)
    cells = cv2.resize(mask.astype(np.uint8), size_wh, interpolation=cv2.INTER_NEAREST)
    lab = cv2.GaussianBlur(cv2.cvtColor(small, cv2.COLOR_RGB2LAB).astype(np.float32), (0, 0), 1.0)
    across, along = cv2.Sobel(lab, cv2.CV_32F, 1, 0), cv2.Sobel(lab, cv2.CV_32F, 0, 1)
    gradient = np.sqrt((across**2 + along**2).sum(axis=2))
    outline = (cells - cv2.erode(cells, np.ones((3, 3), np.uint8))) > 0
    outline[:2] = outline[-2:] = False
    outline[:, :2] = outline[:, -2:] = False
    if not outline.any():
        return 1.0
    strong = max(float(np.quantile(gradient, _STRONG)), _LEAST)
    near = cv2.dilate(gradient, np.ones((3, 3), np.uint8))
    return float((near[outline] > strong).mean())
