"""Words of local features: a picture as a small set of numbers, of which copies share some, crops too.

A hash of the whole frame moves when the frame does. Corners do not: each gives a word, some bits of its
descriptor, and by how much it is turned. Pictures that share several rare words, all turned alike, are proposed as
copies (weak geometric consistency: Jégou, Douze and Schmid, ECCV 2008). Words are looked up by sorting, and words
that many pictures have are left out, so the work grows nearly as the number of pictures does.

Which pictures share words is told by an inverted index over all corners, made by sorting, in bounded memory.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from benchwright.records import ImageRecord
from benchwright.steps import Context, MapStep, OpenContext, Outcome, Stream

from .local_features import Features, describe, detector, shrunk

if TYPE_CHECKING:
    from PIL import Image
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from .local_features import OCTAVE

SIDE_PX = 320
_DECODED_AT_LEAST_PX = 192
WORD_CANDIDATES, CORNERS = 500, 128
_KEPT_BITS = (
    94, 214, 236, 169, 81, 69, 141, 108, 115, 10, 204, 151, 200, 135, 216, 51, 172, 137, 112, 100, 203, 188, 104, 149,
    96, 202, 131, 99, 27, 180, 50, 148, 118, 73, 18, 198, 3, 53, 106, 35, 217, 228, 174, 138, 14, 134, 175, 41, 125,
    177, 117, 240, 186, 15, 162, 9, 87, 45, 84,
)  # fmt: skip
"""Bits of the descriptor that compression, resizing, cropping and other light flip least, and that say little of each
other, steadiest first: chosen on 50 pictures of II-Bench."""
WORD_BITS = len(_KEPT_BITS)
TURNS = 32
"""Steps of a full turn."""

_DTYPE = np.dtype([("bits", "<u8"), ("x", "u1"), ("y", "u1"), ("turn", "u1"), ("octave", "u1")])

Words = NDArray[np.void]
"""Shape (corners,): `bits` of the descriptor, the first the highest; place in 256ths of `SIDE_PX`; `turn`; `octave`."""


def words_of(features: Features) -> Words:
    """Return for each corner bits of its descriptor, its place, turn and size, in the corners' order."""
    bits = np.zeros((len(features), 64), np.uint8)
    bits[:, :WORD_BITS] = np.unpackbits(features.descriptors, axis=1)[:, _KEPT_BITS]
    words = np.zeros(len(features), _DTYPE)
    words["bits"] = np.packbits(bits, axis=1).view(">u8").ravel()
    words["x"], words["y"] = (features.points * (256 / SIDE_PX)).astype(np.uint8).T
    words["turn"] = (features.angles_deg / (360 / TURNS)).astype(np.uint8) % TURNS
    words["octave"] = features.octaves
    return words


def spelled(words: Words) -> str:
    """Return words as text, for a table."""
    return base64.b64encode(words.tobytes()).decode("ascii")


def read_words(text: str) -> Words:
    """Return the words that `spelled` spelled."""
    return np.frombuffer(base64.b64decode(text), _DTYPE)


class FeatureWords(MapStep):
    """Describe every picture by words of its local features, and keep a miniature to try alignments of words on."""

    name: ClassVar[str] = "features"
    consumes: ClassVar[Stream] = "images"
    version: ClassVar[int] = 2
    values: ClassVar[Mapping[str, str]] = {"words": "string", "miniature": "string"}

    def open(self, ctx: OpenContext) -> object:
        """Make the detector."""
        del ctx
        return detector(WORD_CANDIDATES)

    def one(self, record: ImageRecord, ctx: Context) -> Outcome:
        """Describe one picture; one without corners has no words, and needs no miniature."""
        from .word_geometry import miniature, spelled_miniature

        luma = ctx.images.luma(record, at_least_px=_DECODED_AT_LEAST_PX)
        words = described(luma, ctx.opened)
        return Outcome(values={"words": words, "miniature": spelled_miniature(miniature(luma)) if words else None})


def described(luma: Image.Image, orb: Any) -> str:
    """Return the words of an upright grey picture, spelled."""
    return spelled(words_of(describe(shrunk(luma, side_px=SIDE_PX), orb, most=CORNERS)))


LEAST_SHARED, LEAST_SHIFTED = 3, 2
"""Spots with a corner that two pictures must share, turned alike, to be proposed; and of these, shifted alike too."""
MOST_BEARERS = 32
"""Words that more corners have are left out: letters of a common font, corners of a template."""
_SPOT, _SPOTS, _CELL = 16, 256, 8
"""In 256ths of the side at which corners were found."""
_FEWEST_BITS, _MOST_BITS = 17, 29
_AT_A_TIME = 1 << 14
"""Corners looked up at a time: some 20 MB."""

_Ints = NDArray[np.int64]
_Rows = NDArray[np.int32]


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
