"""Closed-form matting (Levin, Lischinski and Weiss 2008, doi:10.1109/TPAMI.2007.1177) within the rim of an outline.

In each window of 3 x 3 pixels, the opacity is assumed to be a linear function of the color. This links neighboring
pixels, so that opacity follows strands of hair and the edges of the photograph from the certain pixels on both sides
into the rim. PyMatting (MIT) solves the same system, but needs Numba and LLVM, about 50 MB.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.bool_]
_SIDE = 9
"""Number of pixels of a window."""
_SMOOTH = 1e-5
"""Color variance, for values from 0 to 1, below which a window counts as flat."""
_ACCURACY, _MOST_STEPS = 1e-4, 400


def closed_form(
    guide: NDArray[np.float32],
    unknown: Mask,
    known: NDArray[np.float32],
    expected: NDArray[np.float32],
    *,
    trust: float,
) -> NDArray[np.float32]:
    """Return the opacity at each pixel: solved where the given opacity is unknown, and unchanged elsewhere.

    Args:
        guide: (height, width, 3), RGB from 0 to 1.
        unknown: (height, width): pixels whose opacity to solve.
        known: (height, width), 0-1: opacity of the other pixels.
        expected: (height, width), 0-1: opacity that unknown pixels have where colors tell nothing.
        trust: Weight of `expected`, above 0.
    """
    from scipy.sparse import coo_matrix, diags
    from scipy.sparse.linalg import cg

    windows = _windows(unknown)
    if not len(windows):
        return known
    involved, places = np.unique(windows, return_inverse=True)
    places = places.reshape(windows.shape)
    rows, columns = np.repeat(places, _SIDE, axis=1), np.tile(places, (1, _SIDE))
    links = _links(guide.reshape(-1, 3)[windows].astype(np.float64))
    count = len(involved)
    matrix = coo_matrix((links.ravel(), (rows.ravel(), columns.ravel())), shape=(count, count)).tocsr()
    open_ones = unknown.ravel()[involved]
    prior = expected.ravel()[involved[open_ones]].astype(np.float64)
    system = matrix[open_ones][:, open_ones] + diags(np.full(len(prior), trust))
    aim = trust * prior - matrix[open_ones][:, ~open_ones] @ known.ravel()[involved[~open_ones]].astype(np.float64)
    jacobi = diags(1 / system.diagonal())
    solved, _ = cg(system, aim, x0=prior, rtol=_ACCURACY, maxiter=_MOST_STEPS, M=jacobi)
    opacity = np.array(known, np.float32)
    opacity.ravel()[involved[open_ones]] = np.clip(solved, 0, 1)
    return opacity


def _windows(unknown: Mask) -> NDArray[np.intp]:
    """Return the pixels of each window that touches an unknown pixel, as indices into the flattened picture, shape (n,
    9).
    """
    import cv2

    height, width = unknown.shape
    centers = cv2.dilate(unknown.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
    centers[[0, height - 1]] = False
    centers[:, [0, width - 1]] = False
    steps = np.array([down * width + across for down in (-1, 0, 1) for across in (-1, 0, 1)])
    return np.asarray(np.flatnonzero(centers)[:, None] + steps, np.intp)


def _links(colors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the matting Laplacian of each window, shape (n, 9, 9).

    Args:
        colors: (n, 9, 3): RGB of its pixels, 0-1.
    """
    off = colors - colors.mean(axis=1, keepdims=True)
    spread = off.transpose(0, 2, 1) @ off / _SIDE + _SMOOTH / _SIDE * np.eye(3)
    alike = (1 + off @ np.linalg.solve(spread, off.transpose(0, 2, 1))) / _SIDE
    return np.asarray(np.eye(_SIDE) - alike, np.float64)
