"""Whether two pictures may show the same, from stored words and miniatures alone, before anything is decoded.

Words that are equal by chance move every which way; those of copies move alike. So words are matched one to one,
every two matches give a similarity (shift, turn, scale), and the ones on which most matches agree are tried on the
miniatures: where one picture lies in the other as they say, the miniatures show the same there. A second look costs
twenty times as much and needs both files.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .local_features import OCTAVE, mutually_nearest, shrunk
from .visual_words import SIDE_PX, TURNS, Words

if TYPE_CHECKING:
    from PIL import Image

CELL_PX = 8
"""Pixels of the picture, shrunk to `SIDE_PX`, that one of its miniature stands for."""
_UNIT_PX = SIDE_PX / 256
"""Places of words are in 256ths of the side."""
_MATCH_BITS = 14
"""Of 59 bits, in which two words that match may differ."""
_REACH = 6.0
"""How far from its predicted place a word may lie, in 256ths of the side, times the scale where that is above 1."""
_APART = 12.0
"""How far apart two matches must lie to tell turn and scale."""
_MOST_SCALE = 6.0
_TURN_STEPS, _OCTAVES = 2.5, 4
"""Steps of turn, and octaves of size, by which two matches may differ from the similarity that they give."""
_MOST_TRIED, _MOST_ALIGNMENTS = 400, 40
_ALIGNMENTS = 6
_LEAST_WORDS = 3
_ENOUGH_WORDS = 8
"""Words that agree on one alignment, of which by chance hardly ever so many do: then the miniatures are not asked."""
_LEAST_ALIKE = 0.7
"""Correlation of two miniatures where they overlap. A right alignment of a quarter with its whole gives 0.9 and more;
of wrong ones, of which six are tried, every third gives 0.5."""
_LEAST_CELLS = 24

Miniature = NDArray[np.uint8]
"""Shape (rows, columns), grey: of `CELL_PX` pixels each, at most 40 long."""
_Complex = NDArray[np.complex128]


class Alignment(NamedTuple):
    """A similarity that takes a word at z = x + iy to `scale_turn * z + shift`, and how many words agree on it."""

    scale_turn: complex
    shift: complex
    words: int


def miniature(luma: Image.Image) -> Miniature:
    """Return the miniature of an upright grey picture."""
    import cv2

    grey = shrunk(luma, side_px=SIDE_PX)
    size = (max(1, round(grey.shape[1] / CELL_PX)), max(1, round(grey.shape[0] / CELL_PX)))
    return np.asarray(cv2.resize(grey, size, interpolation=cv2.INTER_AREA), np.uint8)


def spelled_miniature(grey: Miniature) -> str:
    """Return a miniature as text, for a table: its columns, then its pixels."""
    return base64.b64encode(bytes([grey.shape[1]]) + grey.tobytes()).decode("ascii")


def read_miniature(text: str) -> Miniature:
    """Return the miniature that `spelled_miniature` spelled."""
    data = np.frombuffer(base64.b64decode(text), np.uint8)
    return data[1:].reshape(-1, int(data[0]))


def agreement(words: tuple[Words, Words], miniatures: tuple[Miniature, Miniature]) -> int:
    """Return how many words agree on an alignment under which two pictures may show the same; 0 where none does."""
    for alignment in _alignments(*words):
        if alignment.words >= _ENOUGH_WORDS or _likeness(*miniatures, alignment) >= _LEAST_ALIKE:
            return alignment.words
    return 0


def _alignments(one: Words, other: Words) -> Iterator[Alignment]:
    """Yield the alignments on which most words agree, most first, those of different words only."""
    if min(len(one), len(other)) < _LEAST_WORDS:
        return
    here, there = mutually_nearest(one["bits"][:, None], other["bits"][:, None], most_bits=_MATCH_BITS)
    start, end = one["x"][here] + 1j * one["y"][here], other["x"][there] + 1j * other["y"][there]
    turned = (other["turn"][there].astype(np.int64) - one["turn"][here]) * (2 * np.pi / TURNS)
    enlarged = OCTAVE ** (other["octave"][there].astype(np.int64) - one["octave"][here])
    scale_turn, shift = _similarities(start, end, enlarged * np.exp(1j * turned))
    reach = _REACH * np.maximum(1, np.abs(scale_turn))
    agree = np.abs(scale_turn[:, None] * start + shift[:, None] - end) <= reach[:, None]
    count = agree.sum(axis=1)
    tried: set[bytes] = set()
    for number in np.argsort(-count, kind="stable")[:_MOST_ALIGNMENTS].tolist():
        if count[number] < _LEAST_WORDS or len(tried) >= _ALIGNMENTS:
            return
        if (which := agree[number].tobytes()) not in tried:
            tried.add(which)
            if (alignment := _fitted(start[agree[number]], end[agree[number]])) is not None:
                yield alignment


def _similarities(start: _Complex, end: _Complex, own: _Complex) -> tuple[_Complex, _Complex]:
    """Return scale and turn, and shift, of every two matches that are turned and enlarged as they say themselves."""
    first, second = np.triu_indices(len(start), 1)
    apart = (np.abs(start[second] - start[first]) > _APART) & (np.abs(end[second] - end[first]) > _APART)
    first, second = first[apart], second[apart]
    scale_turn = (end[second] - end[first]) / (start[second] - start[first])
    plausible = (np.abs(scale_turn) < _MOST_SCALE) & (np.abs(scale_turn) > 1 / _MOST_SCALE)
    for which in (first, second):
        off = scale_turn / own[which]
        plausible &= np.abs(np.angle(off)) <= _TURN_STEPS * 2 * np.pi / TURNS
        plausible &= np.abs(np.log(np.abs(off))) <= _OCTAVES * np.log(OCTAVE)
    scale_turn, first = scale_turn[plausible][:_MOST_TRIED], first[plausible][:_MOST_TRIED]
    return scale_turn, end[first] - scale_turn * start[first]


def _fitted(start: _Complex, end: _Complex) -> Alignment | None:
    """Return the similarity that takes points nearest to others, by least squares; None where all are one point."""
    middle, target = start.mean(), end.mean()
    spread = float((np.abs(start - middle) ** 2).sum())
    if spread == 0:
        return None
    scale_turn = complex(((end - target) * np.conj(start - middle)).sum() / spread)
    return Alignment(scale_turn, complex(target - scale_turn * middle), len(start)) if scale_turn else None


def _likeness(one: Miniature, other: Miniature, alignment: Alignment) -> float:
    """Return the correlation, -1 to 1, of two miniatures where one lies in the other; -1 where they hardly overlap."""
    import cv2

    scale_turn, shift = alignment.scale_turn, alignment.shift
    if abs(scale_turn) > 1:  # what is laid over the other is shrunk, since nothing can be made out of few pixels
        one, other, scale_turn, shift = other, one, 1 / scale_turn, -shift / scale_turn
    linear = np.array([[scale_turn.real, -scale_turn.imag], [scale_turn.imag, scale_turn.real]])
    middle = np.array([0.5, 0.5])
    moved = np.array([shift.real, shift.imag]) * (_UNIT_PX / CELL_PX) + linear @ middle - middle
    affine = np.column_stack([linear, moved])
    size = (other.shape[1], other.shape[0])
    soft = cv2.GaussianBlur(one.astype(np.float32), (0, 0), max(0.5, 0.5 / abs(scale_turn)))
    inside = np.asarray(cv2.warpAffine(np.ones(one.shape, np.float32), affine, size)) > 0.95
    if np.count_nonzero(inside) < _LEAST_CELLS:
        return -1.0
    mine = np.asarray(cv2.warpAffine(soft, affine, size), np.float32)[inside]
    theirs = np.asarray(cv2.GaussianBlur(other.astype(np.float32), (0, 0), 0.7), np.float32)[inside]
    mine, theirs = mine - mine.mean(), theirs - theirs.mean()
    spread = float(np.sqrt((mine**2).sum() * (theirs**2).sum()))
    return float((mine * theirs).sum()) / spread if spread > 0 else -1.0
