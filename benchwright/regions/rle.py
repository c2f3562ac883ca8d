"""Masks as run lengths in the compressed form of COCO's annotations; NumPy handles only long ones.

Runs count cells column by column, top to bottom; the first run counts cells that are not set. From the fourth run on,
the text contains the difference of each run from the run two before. A number consists of groups of five bits, lowest
first; each becomes one character, 48 above its value, plus 32 if another group follows. The sign is the highest bit of
the last group. Source: cocodataset/cocoapi, `common/maskApi.c`.
"""

from __future__ import annotations

from collections.abc import Sequence

_FIRST, _LAST = 48, 48 + 63
_MOST_GROUPS = 8
_LONG = 200
"""Number of runs or characters above which NumPy is faster."""


def encode_runs(runs: Sequence[int]) -> str:
    """Return runs encoded as text."""
    if len(runs) > _LONG:
        return _encode_many(runs)
    letters: list[str] = []
    for number, run in enumerate(runs):
        rest = run - runs[number - 2] if number > 2 else run
        more = True
        while more:
            group, rest = rest & 31, rest >> 5
            more = rest != (-1 if group & 16 else 0)
            letters.append(chr(_FIRST + group + (32 if more else 0)))
    return "".join(letters)


def decode_runs(text: str) -> list[int]:
    """Return the runs encoded in a text.

    Raises:
        ValueError: The text contains another character, ends within a number, or encodes a negative run.
    """
    if len(text) > _LONG and (decoded := _decode_many(text)) is not None:
        return decoded
    runs: list[int] = []
    number = shift = 0
    for place, letter in enumerate(text):
        code = ord(letter)
        if not _FIRST <= code <= _LAST:
            raise ValueError(f"counts contain {letter!r} at character {place + 1}, unlike any of COCO's run lengths")
        group = code - _FIRST
        number |= (group & 31) << shift
        shift += 5
        if group & 32:
            if shift >= 5 * _MOST_GROUPS:
                raise ValueError(f"counts contain an unterminated number at character {place + 1}")
            continue
        if group & 16:
            number -= 1 << shift
        run = number + runs[-2] if len(runs) > 2 else number
        if run < 0:
            raise ValueError(f"counts encode a run of {run} cells at character {place + 1}")
        runs.append(run)
        number = shift = 0
    if shift:
        raise ValueError("counts end within a number")
    return runs


def _encode_many(runs: Sequence[int]) -> str:
    import numpy as np

    numbers = np.array(runs, np.int64)
    numbers[3:] -= np.array(runs[1:-2], np.int64)
    # A number of n groups lies from -2^(5n - 1) to before 2^(5n - 1).
    size = np.where(numbers < 0, ~numbers, numbers)
    place = np.arange(_MOST_GROUPS)
    groups = 1 + (size[:, None] >= 1 << (5 * place[1:] - 1)).sum(axis=1)
    letters = _FIRST + ((numbers[:, None] >> (5 * place)) & 31) + 32 * (place < groups[:, None] - 1)
    text: str = letters[place < groups[:, None]].astype(np.uint8).tobytes().decode("ascii")
    return text


def _decode_many(text: str) -> list[int] | None:
    """Return the runs; None if the text is invalid, so that `decode_runs` can name the mistake."""
    import numpy as np

    if not text.isascii():
        return None
    codes = np.frombuffer(text.encode("ascii"), np.uint8).astype(np.int64) - _FIRST
    ends = np.flatnonzero(codes & 32 == 0)
    if codes.min() < 0 or codes.max() > _LAST - _FIRST or not len(ends) or ends[-1] != len(codes) - 1:
        return None
    starts = np.concatenate([[0], ends[:-1] + 1])
    lengths = ends - starts + 1
    if lengths.max() > _MOST_GROUPS:
        return None
    place = np.arange(len(codes)) - np.repeat(starts, lengths)
    runs = np.add.reduceat((codes & 31) << (5 * place), starts)
    runs -= np.where(codes[ends] & 16, 1 << (5 * lengths), 0)
    for first in (1, 2):
        runs[first::2] = np.cumsum(runs[first::2])
    decoded: list[int] = runs.tolist()
    return decoded if runs.min() >= 0 else None
