"""Settings: question files whose ids restart in each file, so that each file is a separate task or split."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from itertools import takewhile


def start_anew(samples: Mapping[str, Mapping[str, str]]) -> set[str]:
    """Return the files in which an id that occurs in another file denotes a different question.

    Args:
        samples: For each file, the content of some of its questions, by id.
    """
    anew: set[str] = set()
    first: dict[str, tuple[str, str]] = {}
    for path, contents in samples.items():
        for identity, content in contents.items():
            other, known = first.setdefault(identity, (path, content))
            if known != content:
                anew |= {path, other}
    return anew


def setting_names(paths: Collection[str]) -> dict[str, str]:
    """Return the part that distinguishes each file's name: `popular` for `coco_pope_popular.json`."""
    stems = {path: path.rpartition("/")[2].partition(".")[0] for path in paths}
    parts = {path: re.split(r"[^A-Za-z0-9]+", stem) for path, stem in stems.items()}
    before = _alike(list(parts.values()))
    after = _alike([part[before:][::-1] for part in parts.values()])
    names = {path: "_".join(_middle(part, before, after)) for path, part in parts.items()}
    are_told = all(names.values()) and len(set(names.values())) == len(names)
    return names if are_told else stems


def _alike(words: Sequence[Sequence[str]]) -> int:
    """Return the number of leading words that two names have in common."""
    return sum(1 for _ in takewhile(lambda same: len(set(same)) == 1, zip(*words, strict=False)))


def _middle(parts: Sequence[str], before: int, after: int) -> Sequence[str]:
    return parts[before : len(parts) - after]
