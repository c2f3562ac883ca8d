"""Masks as run lengths: the compressed form of COCO's annotations, read and written without NumPy.

Runs count cells column by column, top to bottom; the first run counts cells that are not set. From the fourth run on,
a run is written as its difference to the run two before. A number is cut into groups of five bits, lowest first; each
becomes one character, 48 above its value, with 32 added where another group follows. The sign is the highest bit of
the last group. Source: cocodataset/cocoapi, `common/maskApi.c`.
"""

from __future__ import annotations

from collections.abc import Sequence

_FIRST, _LAST = 48, 48 + 63
_MOST_GROUPS = 8


def encode_runs(runs: Sequence[int]) -> str:
    """Return runs as text."""
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
    """Return the runs that a text spells.

    Raises:
        ValueError: The text holds another character, ends within a number, or spells a negative run.
    """
    runs: list[int] = []
    number = shift = 0
    for place, letter in enumerate(text):
        code = ord(letter)
        if not _FIRST <= code <= _LAST:
            raise ValueError(f"counts hold {letter!r} at character {place + 1}, which COCO's run lengths never do")
        group = code - _FIRST
        number |= (group & 31) << shift
        shift += 5
        if group & 32:
            if shift >= 5 * _MOST_GROUPS:
                raise ValueError(f"counts hold a number without end at character {place + 1}")
            continue
        if group & 16:
            number -= 1 << shift
        run = number + runs[-2] if len(runs) > 2 else number
        if run < 0:
            raise ValueError(f"counts spell a run of {run} cells at character {place + 1}")
        runs.append(run)
        number = shift = 0
    if shift:
        raise ValueError("counts end within a number")
    return runs
