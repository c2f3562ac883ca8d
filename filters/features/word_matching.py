"""Which pictures may show the same, from stored words and miniatures alone, before anything is decoded.

First the pairs that share words: an inverted index over all corners, made by sorting, in bounded memory.

Then each of these pairs is looked at more closely. Words that are equal by chance move every which way; those of copies
move alike. So words are matched one to one, every two matches give a similarity (shift, turn, scale), and the ones on
which most matches agree are tried on the miniatures: where one picture lies in the other as they say, the miniatures
show the same there. A second look costs twenty times as much and needs both files.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .local_features import OCTAVE, mutually_nearest
from .visual_words import CELL_PX, SIDE_PX, TURNS, WORD_BITS, Miniature, Words, read_words

LEAST_SHARED, LEAST_SHIFTED = 3, 2
"""Spots with a corner that two pictures must share, turned alike, to be proposed; and of these, shifted alike too."""
MOST_BEARERS = 32
"""Words that more corners have are left out: letters of a common font, corners of a template."""
_SPOT, _SPOTS, _CELL = 16, 256, 8
"""In 256ths of the side at which corners were found."""
_FEWEST_BITS, _MOST_BITS = 17, 29
_AT_A_TIME = 1 << 14
"""Corners looked up at a time: some 20 MB."""

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

_Ints = NDArray[np.int64]
_Rows = NDArray[np.int32]
_Complex = NDArray[np.complex128]


class SharedWords(NamedTuple):
    """Pairs of pictures with `left < right`, each once, by `left` and then `right`.

    Args:
        left: Shape (pairs,), positions.
        right: Shape (pairs,).
        shared: Shape (pairs,): spots with corners that moved alike, of the picture that has fewer.
    """

    left: _Ints
    right: _Ints
    shared: _Ints


def word_bits(corners: int) -> int:
    """Return how many bits of a corner make a word, so that by chance few of so many are equal."""
    return int(np.clip(np.ceil(np.log2(max(corners, 2))) - 2, _FEWEST_BITS, _MOST_BITS))


def shared_words(words: Iterable[Words]) -> SharedWords:
    """Return the pairs of pictures that share corners at `LEAST_SHARED` spots or more, moved alike.

    Two spots that agree closely on a shift say more than three that agree roughly: strangers meet that way more seldom,
    and quarters of a picture more often.

    Args:
        words: One array per picture.
    """
    every, owner = _laid_out(words)
    bits = word_bits(len(every))
    tables = [_Table.of(every["bits"] >> np.uint64(64 - bits * (n + 1)), bits) for n in range(WORD_BITS // bits)]
    met = (_joined([table.meetings(rows) for table in tables]) for rows in _by_picture(owner))
    found = [_elected(every, owner, *corners) for corners in met]
    nothing = SharedWords(*(np.zeros(0, np.int64) for _ in SharedWords._fields))
    whole = SharedWords(*(np.concatenate(column) for column in zip(nothing, *found, strict=True)))
    order = np.lexsort((whole.right, whole.left))
    return SharedWords(*(column[order] for column in whole))


def _laid_out(words: Iterable[Words]) -> tuple[Words, _Rows]:
    """Return all corners, one picture after the other, and whose each is."""
    pictures = [read_words(""), *words]
    owner = np.repeat(np.arange(-1, len(pictures) - 1, dtype=np.int32), [len(one) for one in pictures])
    return np.concatenate(pictures), owner


class _Table(NamedTuple):
    """Corners sorted by a word: `corner[start[p] : p]` are the earlier ones with the word of the corner at p."""

    corner: _Rows
    place: _Rows
    start: _Rows
    is_common: NDArray[np.bool_]

    @classmethod
    def of(cls, words: NDArray[np.uint64], bits: int) -> _Table:
        """Sort corners by the last `bits` of their words; changes its argument."""
        words &= np.uint64((1 << bits) - 1)
        word = words.astype(np.uint32)
        corner = np.argsort(word, kind="stable").astype(np.int32)
        place = np.empty_like(corner)
        place[corner] = np.arange(len(corner), dtype=np.int32)
        first = _firsts(word[corner])
        bearers = np.diff(first, append=len(corner))
        start, is_common = np.repeat(first.astype(np.int32), bearers), np.repeat(bearers > MOST_BEARERS, bearers)
        return cls(corner, place, start, is_common)

    def meetings(self, rows: slice) -> tuple[_Ints, _Ints]:
        """Return corners before these that have the word of one of these, and that one, pair by pair."""
        place = self.place[rows].astype(np.int64)
        before = np.where(self.is_common[place], 0, place - self.start[place])
        later = np.repeat(np.arange(rows.start, rows.stop), before)
        ends = np.cumsum(before)
        within = np.arange(int(before.sum())) - np.repeat(ends - before, before)
        return self.corner[np.repeat(self.start[place], before) + within].astype(np.int64), later


def _firsts(ascending: NDArray[Any]) -> _Ints:
    """Return where each new value begins."""
    is_new = np.ones(len(ascending), np.bool_)
    is_new[1:] = ascending[1:] != ascending[:-1]
    return np.flatnonzero(is_new)


def _by_picture(owner: _Rows) -> Iterator[slice]:
    """Yield ranges of corners that cut no picture in two."""
    begin = 0
    while begin < len(owner):
        last = owner[min(begin + _AT_A_TIME, len(owner)) - 1]
        end = int(np.searchsorted(owner, last, side="right"))
        yield slice(begin, end)
        begin = end


def _joined(meetings: Sequence[tuple[_Ints, _Ints]]) -> tuple[_Ints, _Ints]:
    earlier, later = zip(*meetings, strict=True)
    return np.concatenate(earlier), np.concatenate(later)


def _elected(every: Words, owner: _Rows, earlier: _Ints, later: _Ints) -> SharedWords:
    """Count, pair by pair of pictures, the corners that meet and moved alike, and keep who has enough."""
    apart = np.flatnonzero(owner[earlier] != owner[later])
    # A corner may meet another in several tables.
    meeting = np.sort(earlier[apart] * len(owner) + later[apart])
    earlier, later = np.divmod(meeting[_firsts(meeting)], max(len(owner), 1))
    # Most meet by chance, once in a pair: too seldom ever to agree, so they are left out before anything is computed.
    often = _often(_pair(owner, earlier, later))
    earlier, later = earlier[often], later[often]
    for moved, least in ((_turned, LEAST_SHARED), (_shifted, LEAST_SHIFTED)):
        spots = _spot(every[earlier]), _spot(every[later])
        agree = _agreeing(_pair(owner, earlier, later), spots, moved(every[earlier], every[later]), least=least)
        earlier, later = earlier[agree], later[agree]
    pair = _pair(owner, earlier, later)
    pairs = np.unique(pair)
    shared = np.minimum(*(_different(pair, _spot(every[corners])) for corners in (earlier, later)))
    left, right = np.divmod(pairs, max(len(owner), 1))
    return SharedWords(left, right, shared)


def _pair(owner: _Rows, earlier: _Ints, later: _Ints) -> _Ints:
    """Return a number for the two pictures of each meeting."""
    pair: _Ints = owner[earlier].astype(np.int64) * len(owner) + owner[later]
    return pair


def _often(pair: _Ints) -> NDArray[np.bool_]:
    """Return which meetings are of pairs that meet `LEAST_SHARED` times or more."""
    _, number, times = np.unique(pair, return_inverse=True, return_counts=True)
    often: NDArray[np.bool_] = times[number] >= LEAST_SHARED
    return often


def _turned(earlier: Words, later: Words) -> list[_Ints]:
    """Return by how many steps each corner is turned: each step, and the one before and after."""
    steps = later["turn"].astype(np.int64) - earlier["turn"]
    return [(steps + near) % TURNS for near in (-1, 0, 1)]


def _shifted(earlier: Words, later: Words) -> list[_Ints]:
    """Return in which cells each corner would put the middle of the earlier picture into the later one.

    Its own turn and scale are taken, which are rough: hence also the cells around.
    """
    turn = (later["turn"].astype(np.int64) - earlier["turn"]) * (2 * np.pi / TURNS)
    scale = OCTAVE ** (later["octave"].astype(np.int64) - earlier["octave"])
    x, y = (scale * (128 - earlier[axis].astype(np.float64)) for axis in ("x", "y"))
    across = later["x"] + x * np.cos(turn) - y * np.sin(turn)
    down = later["y"] + x * np.sin(turn) + y * np.cos(turn)
    column, row = (np.floor(place / _CELL).astype(np.int64) + 100 for place in (across, down))
    return [(column + dx) * 1000 + row + dy for dx in (-1, 0, 1) for dy in (-1, 0, 1)]


def _spot(words: Words) -> _Ints:
    """Return a number for each corner's neighbourhood: one spot of a picture often has corners of several sizes."""
    column, row = ((words[axis] // _SPOT).astype(np.int64) for axis in ("x", "y"))
    spot: _Ints = column * (256 // _SPOT) + row
    return spot


def _agreeing(pair: _Ints, spots: tuple[_Ints, _Ints], cells: Sequence[_Ints], *, least: int) -> NDArray[np.bool_]:
    """Return which meetings lie in a cell of their pair with `least` spots of either picture.

    One spot that meets many, as one dot does among stars, is one.
    """
    _, pair = np.unique(pair, return_inverse=True)
    key = np.concatenate([pair * 1_000_000 + cell for cell in cells])
    _, group = np.unique(key, return_inverse=True)
    different = np.minimum(*(_different(group, np.tile(spot, len(cells))) for spot in spots))
    agrees: NDArray[np.bool_] = np.asarray(different[group] >= least).reshape(len(cells), -1).max(axis=0)
    return agrees


def _different(group: _Ints, spot: _Ints) -> _Ints:
    """Return how many different spots each group has, groups in ascending order."""
    _, first = np.unique(group * _SPOTS + spot, return_index=True)
    _, counts = np.unique(group[first], return_counts=True)
    return counts.astype(np.int64)


class Alignment(NamedTuple):
    """A similarity that takes a word at z = x + iy to `scale_turn * z + shift`, and how many words agree on it."""

    scale_turn: complex
    shift: complex
    words: int


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
