"""Pairs of pictures that may show the same content, found from stored words and miniatures before decoding any file.

`shared_words` finds the pairs of pictures that share several rare words with a consistent rotation and shift (weak
geometric consistency: Jégou, Douze and Schmid, ECCV 2008). It builds an inverted index over all corners by sorting, in
bounded memory. Words that occur in too many pictures are omitted, so that the work grows nearly linearly with the
number of pictures.

`agreement` checks such a pair more closely. Words that are equal by chance move in different ways; those of copies all
move in the same way. Words are matched one to one, and every two matches give a similarity transform (shift, rotation,
scale). The transforms on which most matches agree are checked on the miniatures, which must show the same where the
pictures overlap. A comparison of pixels costs twenty times as much and needs both files.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .local_features import OCTAVE, mutually_nearest
from .visual_words import CELL_PX, SIDE_PX, TURNS, WORD_BITS, Miniature, Words, decode_words

_LEAST_SHARED, _LEAST_SHIFTED = 3, 2
"""Spots with corners that two pictures must share under one rotation, and the number of these that must also share one
shift."""
MOST_BEARERS = 32
"""Number of corners with the same word above which it is ignored: letters of a common font, corners of a template."""
_SPOT, _SPOTS, _CELL = 16, 256, 8
"""Side of a spot, number of spots in a picture, and side of a cell of shifts; sides are in 256ths of the picture's
side."""
_FEWEST_BITS, _MOST_BITS = 17, 29
_GROUP_BITS = 4
"""Number of leading bits of the words that are sorted at a time."""
_AT_A_TIME = 1 << 14
"""Number of corners looked up at a time, which take some 20 MB."""

_UNIT_PX = SIDE_PX / 256
"""Unit of the positions of words: 256ths of the side."""
_MATCH_BITS = 14
"""Number of bits, of 59, in which two matching words may differ."""
_REACH = 6.0
"""Largest distance of a word from its predicted position, in 256ths of the side, multiplied by the scale if above 1."""
_APART = 12.0
"""Smallest distance between two matches that determine rotation and scale, in 256ths of the side."""
_MOST_SCALE = 6.0
_TURN_STEPS, _OCTAVES = 2.5, 4
"""Steps of rotation and octaves of scale by which two matches may differ from the similarity transform that they
give."""
_MOST_TRIED, _MOST_ALIGNMENTS = 400, 40
_ALIGNMENTS = 6
_LEAST_WORDS = 3
_ENOUGH_WORDS = 8
"""Number of agreeing words above which miniatures are not checked, since so many rarely agree by chance."""
_LEAST_ALIKE = 0.7
"""Smallest correlation of two miniatures where they overlap. A correct alignment of a quarter with its whole gives 0.9
or more; a third of six attempted wrong alignments give 0.5."""
_LEAST_CELLS = 24

_Ints = NDArray[np.int64]
_Rows = NDArray[np.int32]
_Complex = NDArray[np.complex128]


class SharedWords(NamedTuple):
    """Pairs of pictures with `left < right`, each once, by `left` and then `right`.

    Args:
        left: Shape (pairs,), indices of pictures.
        right: Shape (pairs,), indices of pictures.
        shared: Shape (pairs,), spots with corners that moved in one way, counted in the picture with fewer.
    """

    left: _Ints
    right: _Ints
    shared: _Ints


class WordSharing(NamedTuple):
    """Pairs of pictures that share words, and the data for a repeated search after a few pictures changed.

    Args:
        pairs: The pairs.
        bits: Number of bits of a word.
        common: Words that occur at too many corners, in ascending order, for each part of the descriptor.
    """

    pairs: SharedWords
    bits: int
    common: tuple[NDArray[np.uint32], ...]


def word_bits(corners: int) -> int:
    """Return the number of bits of a word at which few of this many corners share a word by chance."""
    return int(np.clip(np.ceil(np.log2(max(corners, 2))) - 2, _FEWEST_BITS, _MOST_BITS))


def shared_words(words: Iterable[Words]) -> SharedWords:
    """Return the pairs of pictures that share corners at `_LEAST_SHARED` spots or more, moved in one way.

    Two spots that agree closely on a shift are stronger evidence than three that agree roughly: fewer unrelated
    pictures pass, and more quarters of a picture.

    Args:
        words: Words of each picture.
    """
    return word_sharing(words).pairs


def word_sharing(
    words: Iterable[Words], *, before: WordSharing | None = None, is_new: NDArray[np.bool_] | None = None
) -> WordSharing:
    """Return the result of `shared_words`, and the data needed to continue from it.

    Whether two pictures share enough depends on the two, and on which words are common. Earlier results therefore
    remain valid for all pairs except those with a new picture, or with a picture in which a word became common or
    ceased to be common.

    Args:
        words: Words of each picture.
        before: The result for earlier pictures, of which all that remain keep their order; its pairs are those of the
            remaining ones, by their new positions. If None, all pictures are searched.
        is_new: Shape (pictures,), whether each picture was not among those; None if all are new.
    """
    every, owner = _all_corners(words)
    bits = word_bits(len(every))
    tables = [_WordTable.of(every, bits, part) for part in range(WORD_BITS // bits)]
    common = tuple(table.common() for table in tables)

    def meetings(corners: _Ints) -> tuple[_Ints, _Ints]:
        words = [_words_of_part(every[corners], bits, part) for part in range(len(tables))]
        earlier, later = zip(*map(_WordTable.meetings, tables, repeat(corners), words), strict=True)
        return np.concatenate(earlier), np.concatenate(later)

    changed = np.ones(int(owner[-1]) + 1 if len(owner) else 0, np.bool_)
    if before is not None and is_new is not None and before.bits == bits:
        changed = is_new.copy()
        for part, (was, now) in enumerate(zip(before.common, common, strict=True)):
            if len(turned := np.setxor1d(was, now)):
                changed[owner[np.isin(_words_of_part(every, bits, part), turned)]] = True
    concerned = changed[owner]
    if before is None or 2 * np.count_nonzero(concerned) > len(owner):
        found = [_agreeing_pairs(every, owner, *meetings(corners)) for corners in _by_picture(owner)]
        return WordSharing(_in_order(found), bits, common)
    meets = np.zeros(len(owner), np.bool_)
    for part in range(len(tables)):
        word = _words_of_part(every, bits, part)
        is_borne = np.zeros(1 << bits, np.bool_)
        is_borne[word[concerned]] = True
        meets |= is_borne[word]
    meeting = np.flatnonzero(meets)
    found = []
    for rows in _by_picture(owner[meeting]):
        earlier, later = meetings(meeting[rows])
        is_theirs = concerned[earlier] | concerned[later]
        found.append(_agreeing_pairs(every, owner, earlier[is_theirs], later[is_theirs]))
    still = ~(changed[before.pairs.left] | changed[before.pairs.right])
    return WordSharing(_in_order([SharedWords(*(column[still] for column in before.pairs)), *found]), bits, common)


def _words_of_part(every: Words, bits: int, part: int) -> NDArray[np.uint32]:
    """Return each corner's word from one part of its descriptor."""
    shifted = every["bits"] >> np.uint64(64 - bits * (part + 1))
    shifted &= np.uint64((1 << bits) - 1)
    return shifted.astype(np.uint32)


def _in_order(found: Sequence[SharedWords]) -> SharedWords:
    """Return the pairs of pictures from several searches, sorted."""
    nothing = SharedWords(*(np.zeros(0, np.int64) for _ in SharedWords._fields))
    whole = SharedWords(*(np.concatenate(column) for column in zip(nothing, *found, strict=True)))
    order = np.lexsort((whole.right, whole.left))
    return SharedWords(*(column[order] for column in whole))


def _all_corners(words: Iterable[Words]) -> tuple[Words, _Rows]:
    """Return the corners of all pictures, one after the other, and the picture of each corner."""
    # Appended, not concatenated: corners are the largest data here, and are never in memory twice.
    corners = bytearray()
    sizes = []
    for picture in words:
        corners += picture.tobytes()
        sizes.append(len(picture))
    return np.frombuffer(corners, decode_words("").dtype), np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)


class _WordTable(NamedTuple):
    """Corners sorted by word: `corner[first[word] : first[word] + before[c]]` are earlier ones with the word of `c`.

    Args:
        corner: Shape (corners,).
        before: Shape (corners,); 0 for one with a common word, which meets none.
        before: Shape (corners,); 0 for one with a common word, which meets none.
    """

    corner: _Rows
    first: _Rows
    before: NDArray[np.uint8]

    @classmethod
    def of(cls, every: Words, bits: int, part: int) -> _WordTable:
        """Sort corners by the word from one part of the descriptor, one group of words at a time, to save memory."""
        table = cls(np.empty(len(every), np.int32), np.zeros((1 << bits) + 1, np.int32), np.zeros(len(every), np.uint8))
        group_of = np.empty(len(every), np.uint8)
        np.right_shift(every["bits"], np.uint64(64 - bits * part - _GROUP_BITS), out=group_of, casting="unsafe")
        group_of &= (1 << _GROUP_BITS) - 1
        words = 1 << (bits - _GROUP_BITS)
        for group in range(1 << _GROUP_BITS):
            own = np.flatnonzero(group_of == group)
            word = _words_of_part(every[own], bits, part) & np.uint32(words - 1)
            bearers = np.bincount(word, minlength=words)
            ends = np.cumsum(bearers)
            before = np.arange(len(own)) - np.repeat(ends - bearers, bearers)
            before[np.repeat(bearers > MOST_BEARERS, bearers)] = 0
            own = own[np.argsort(word, kind="stable")]
            start = int(table.first[group * words])
            table.corner[start : start + len(own)] = own
            table.first[group * words + 1 : (group + 1) * words + 1] = start + ends
            table.before[own] = before
        return table

    def common(self) -> NDArray[np.uint32]:
        """Return the words of too many corners, in ascending order."""
        return np.flatnonzero(np.diff(self.first) > MOST_BEARERS).astype(np.uint32)

    def meetings(self, corners: _Ints, word: NDArray[np.uint32]) -> tuple[_Ints, _Ints]:
        """Return the pairs of an earlier corner and one of these corners that have the same word.

        Args:
            corners: Some corners.
            word: The word of each of them.
        """
        before = self.before[corners].astype(np.int64)
        ends = np.cumsum(before)
        at = np.arange(int(before.sum())) + np.repeat(self.first[word] - ends + before, before)
        return self.corner[at].astype(np.int64), np.repeat(corners, before)


def _run_starts(ascending: NDArray[Any]) -> _Ints:
    """Return the indices at which a new value begins."""
    is_new = np.ones(len(ascending), np.bool_)
    is_new[1:] = ascending[1:] != ascending[:-1]
    return np.flatnonzero(is_new)


def _by_picture(owner: _Rows) -> Iterator[_Ints]:
    """Yield ranges of corners, one after another, each of whole pictures."""
    begin = 0
    while begin < len(owner):
        last = owner[min(begin + _AT_A_TIME, len(owner)) - 1]
        end = int(np.searchsorted(owner, last, side="right"))
        yield np.arange(begin, end)
        begin = end


def _agreeing_pairs(every: Words, owner: _Rows, earlier: _Ints, later: _Ints) -> SharedWords:
    """Return the pairs of pictures with enough shared corners that moved in one way."""
    apart = np.flatnonzero(owner[earlier] != owner[later])
    # Two corners may share a word in several tables.
    meeting = np.sort(earlier[apart] * len(owner) + later[apart])
    earlier, later = np.divmod(meeting[_run_starts(meeting)], max(len(owner), 1))
    # Most corners share a word by chance, one per pair of pictures: too few to agree, so they are left out first.
    often = _is_frequent(_pair(owner, earlier, later))
    earlier, later = earlier[often], later[often]
    for moved, least in ((_turn_bins, _LEAST_SHARED), (_shift_bins, _LEAST_SHIFTED)):
        spots = _spot(every[earlier]), _spot(every[later])
        agree = _agreeing(_pair(owner, earlier, later), spots, moved(every[earlier], every[later]), least=least)
        earlier, later = earlier[agree], later[agree]
    pair = _pair(owner, earlier, later)
    pairs = np.unique(pair)
    shared = np.minimum(*(_distinct_spots(pair, _spot(every[corners])) for corners in (earlier, later)))
    left, right = np.divmod(pairs, max(len(owner), 1))
    return SharedWords(left, right, shared)


def _pair(owner: _Rows, earlier: _Ints, later: _Ints) -> _Ints:
    """Return one number per pair of corners that identifies their pair of pictures."""
    pair: _Ints = owner[earlier].astype(np.int64) * len(owner) + owner[later]
    return pair


def _is_frequent(pair: _Ints) -> NDArray[np.bool_]:
    """Return whether each pair of corners belongs to two pictures that share at least `_LEAST_SHARED` such pairs."""
    _, number, times = np.unique(pair, return_inverse=True, return_counts=True)
    often: NDArray[np.bool_] = times[number] >= _LEAST_SHARED
    return often


def _turn_bins(earlier: Words, later: Words) -> list[_Ints]:
    """Return the rotation of each pair of corners in steps: the step itself, and the one before and after."""
    steps = later["turn"].astype(np.int64) - earlier["turn"]
    return [(steps + near) % TURNS for near in (-1, 0, 1)]


def _shift_bins(earlier: Words, later: Words) -> list[_Ints]:
    """Return the cells in which each pair of corners places the center of the earlier picture in the later one.

    The rotation and scale of the pair are rough, so the neighboring cells are returned too.
    """
    turn = (later["turn"].astype(np.int64) - earlier["turn"]) * (2 * np.pi / TURNS)
    scale = OCTAVE ** (later["octave"].astype(np.int64) - earlier["octave"])
    x, y = (scale * (128 - earlier[axis].astype(np.float64)) for axis in ("x", "y"))
    across = later["x"] + x * np.cos(turn) - y * np.sin(turn)
    down = later["y"] + x * np.sin(turn) + y * np.cos(turn)
    column, row = (np.floor(place / _CELL).astype(np.int64) + 100 for place in (across, down))
    return [(column + dx) * 1000 + row + dy for dx in (-1, 0, 1) for dy in (-1, 0, 1)]


def _spot(words: Words) -> _Ints:
    """Return the index of each corner's spot; one spot of a picture often has corners of several sizes."""
    column, row = ((words[axis] // _SPOT).astype(np.int64) for axis in ("x", "y"))
    spot: _Ints = column * (256 // _SPOT) + row
    return spot


def _agreeing(pair: _Ints, spots: tuple[_Ints, _Ints], cells: Sequence[_Ints], *, least: int) -> NDArray[np.bool_]:
    """Return whether each pair of corners is in a cell with at least `least` spots of each of its two pictures.

    A spot that shares words with many spots, such as one dot among stars, counts once.
    """
    _, pair = np.unique(pair, return_inverse=True)
    key = np.concatenate([pair * 1_000_000 + cell for cell in cells])
    _, group = np.unique(key, return_inverse=True)
    different = np.minimum(*(_distinct_spots(group, np.tile(spot, len(cells))) for spot in spots))
    agrees: NDArray[np.bool_] = np.asarray(different[group] >= least).reshape(len(cells), -1).max(axis=0)
    return agrees


def _distinct_spots(group: _Ints, spot: _Ints) -> _Ints:
    """Return the number of distinct spots of each group, groups in ascending order."""
    _, first = np.unique(group * _SPOTS + spot, return_index=True)
    _, counts = np.unique(group[first], return_counts=True)
    return counts.astype(np.int64)


class _Alignment(NamedTuple):
    """A similarity that maps a word at z = x + iy to `scale_turn * z + shift`, with the number of agreeing words."""

    scale_turn: complex
    shift: complex
    words: int


def agreement(words: tuple[Words, Words], miniatures: tuple[Miniature, Miniature]) -> int:
    """Return how many words agree on an alignment under which two pictures may show the same content, else 0."""
    for alignment in _alignments(*words):
        if alignment.words >= _ENOUGH_WORDS or _correlation(*miniatures, alignment) >= _LEAST_ALIKE:
            return alignment.words
    return 0


def _alignments(words: Words, partner: Words) -> Iterator[_Alignment]:
    """Yield the alignments on which most words agree, most first, each set of words once."""
    if min(len(words), len(partner)) < _LEAST_WORDS:
        return
    matched, partner_matched = mutually_nearest(words["bits"][:, None], partner["bits"][:, None], most_bits=_MATCH_BITS)
    start, end = (
        words["x"][matched] + 1j * words["y"][matched],
        partner["x"][partner_matched] + 1j * partner["y"][partner_matched],
    )
    turned = (partner["turn"][partner_matched].astype(np.int64) - words["turn"][matched]) * (2 * np.pi / TURNS)
    enlarged = OCTAVE ** (partner["octave"][partner_matched].astype(np.int64) - words["octave"][matched])
    scale_turn, shift = _similarities(start, end, enlarged * np.exp(1j * turned))
    reach = _REACH * np.maximum(1, np.abs(scale_turn))
    agree = np.abs(scale_turn[:, None] * start + shift[:, None] - end) <= reach[:, None]
    count = agree.sum(axis=1)
    tried: set[bytes] = set()
    for number in np.argsort(-count, kind="stable")[:_MOST_ALIGNMENTS].tolist():
        if count[number] < _LEAST_WORDS or len(tried) >= _ALIGNMENTS:
            return
        if (agreeing := agree[number].tobytes()) not in tried:
            tried.add(agreeing)
            if (alignment := _fitted(start[agree[number]], end[agree[number]])) is not None:
                yield alignment


def _similarities(start: _Complex, end: _Complex, own: _Complex) -> tuple[_Complex, _Complex]:
    """Return scale, rotation and shift of every two matches whose own rotation and scale agree with them."""
    first, second = np.triu_indices(len(start), 1)
    apart = (np.abs(start[second] - start[first]) > _APART) & (np.abs(end[second] - end[first]) > _APART)
    first, second = first[apart], second[apart]
    scale_turn = (end[second] - end[first]) / (start[second] - start[first])
    plausible = (np.abs(scale_turn) < _MOST_SCALE) & (np.abs(scale_turn) > 1 / _MOST_SCALE)
    for match in (first, second):
        off = scale_turn / own[match]
        plausible &= np.abs(np.angle(off)) <= _TURN_STEPS * 2 * np.pi / TURNS
        plausible &= np.abs(np.log(np.abs(off))) <= _OCTAVES * np.log(OCTAVE)
    scale_turn, first = scale_turn[plausible][:_MOST_TRIED], first[plausible][:_MOST_TRIED]
    return scale_turn, end[first] - scale_turn * start[first]


def _fitted(start: _Complex, end: _Complex) -> _Alignment | None:
    """Return the similarity that maps `start` onto `end` best by least squares; None if all points coincide."""
    middle, target = start.mean(), end.mean()
    spread = float((np.abs(start - middle) ** 2).sum())
    if spread == 0:
        return None
    scale_turn = complex(((end - target) * np.conj(start - middle)).sum() / spread)
    return _Alignment(scale_turn, complex(target - scale_turn * middle), len(start)) if scale_turn else None


def _correlation(moving: Miniature, fixed: Miniature, alignment: _Alignment) -> float:
    """Return the correlation, -1 to 1, of two aligned miniatures; -1 if they hardly overlap."""
    import cv2

    scale_turn, shift = alignment.scale_turn, alignment.shift
    if abs(scale_turn) > 1:  # the moving one is never enlarged: few pixels hold no details
        moving, fixed, scale_turn, shift = fixed, moving, 1 / scale_turn, -shift / scale_turn
    linear = np.array([[scale_turn.real, -scale_turn.imag], [scale_turn.imag, scale_turn.real]])
    middle = np.array([0.5, 0.5])
    moved = np.array([shift.real, shift.imag]) * (_UNIT_PX / CELL_PX) + linear @ middle - middle
    affine = np.column_stack([linear, moved])
    size = (fixed.shape[1], fixed.shape[0])
    soft = cv2.GaussianBlur(moving.astype(np.float32), (0, 0), max(0.5, 0.5 / abs(scale_turn)))
    inside = np.asarray(cv2.warpAffine(np.ones(moving.shape, np.float32), affine, size)) > 0.95
    if np.count_nonzero(inside) < _LEAST_CELLS:
        return -1.0
    mine = np.asarray(cv2.warpAffine(soft, affine, size), np.float32)[inside]
    theirs = np.asarray(cv2.GaussianBlur(fixed.astype(np.float32), (0, 0), 0.7), np.float32)[inside]
    mine, theirs = mine - mine.mean(), theirs - theirs.mean()
    spread = float(np.sqrt((mine**2).sum() * (theirs**2).sum()))
    return float((mine * theirs).sum()) / spread if spread > 0 else -1.0
