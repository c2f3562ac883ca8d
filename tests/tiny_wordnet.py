"""A WordNet of a few senses in Princeton's files, written from scratch: words, fields and glosses are our own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

_LETTER = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}


class Sense(NamedTuple):
    """A sense: its name here, the number of its field, its words, and the names of what is more general."""

    name: str
    field: int
    words: Sequence[str]
    above: Sequence[str] = ()


SENSES: Mapping[str, Sequence[Sense]] = {
    "noun": (
        Sense("thing", 3, ("thing",)),
        Sense("animal", 5, ("animal", "creature"), ("thing",)),
        Sense("dog", 5, ("dog",), ("animal",)),
        Sense("poodle", 5, ("poodle",), ("dog",)),
        Sense("cat", 5, ("cat",), ("animal",)),
        Sense("horse", 5, ("horse",), ("animal",)),
        Sense("mouse", 5, ("mouse",), ("animal",)),
        Sense("tool", 6, ("tool",), ("thing",)),
        Sense("hammer", 6, ("hammer",), ("tool",)),
        Sense("car", 6, ("car", "automobile"), ("thing",)),
        Sense("police", 18, ("police_officer", "policeman"), ("thing",)),
        Sense("color", 7, ("color", "colour"), ("thing",)),
        Sense("red", 7, ("red",), ("color",)),
        Sense("number", 23, ("number",), ("thing",)),
        Sense("man", 18, ("man",), ("thing",)),
    ),
    "verb": (
        Sense("buy", 40, ("buy", "purchase")),
        Sense("run", 38, ("run",)),
        Sense("sit", 35, ("sit",)),
    ),
    "adj": (
        Sense("angry", 0, ("angry",)),
        Sense("furious", 0, ("furious(p)",), ("angry",)),
        Sense("big", 0, ("big", "large")),
    ),
    "adv": (Sense("fast", 2, ("fast",)),),
}
_POINTER = {"noun": "@", "verb": "@", "adj": "&", "adv": ""}
EXCEPTIONS = {"noun": "mice mouse\n", "verb": "ran run\nsat sit\n", "adj": "", "adv": ""}


def tiny_wordnet(folder: Path) -> Path:
    """Write the files into a folder and return it."""
    folder.mkdir(parents=True, exist_ok=True)
    for part, senses in SENSES.items():
        places = _places(part, senses)
        data = "".join(_line(part, sense, places) for sense in senses)
        (folder / f"data.{part}").write_text(_HEADER + data, encoding="utf-8", newline="\n")
        found: dict[str, list[int]] = {}
        for sense in senses:
            for word in sense.words:
                found.setdefault(word.partition("(")[0], []).append(places[sense.name])
        letter = _LETTER[part]
        lines = [
            f"{word} {letter} {len(at)} 0 {len(at)} 0 {' '.join(f'{place:08d}' for place in at)}  \n"
            for word, at in sorted(found.items())
        ]
        (folder / f"index.{part}").write_text(_HEADER + "".join(lines), encoding="utf-8", newline="\n")
        (folder / f"{part}.exc").write_text(EXCEPTIONS[part], encoding="utf-8", newline="\n")
    return folder


_HEADER = "  1 A few senses for tests, in the form of a WordNet.  \n"


def _places(part: str, senses: Sequence[Sense]) -> dict[str, int]:
    """Return where the line of each sense begins; lines have equal lengths whatever offsets they name."""
    at, places = len(_HEADER), {}
    for sense in senses:
        places[sense.name] = at
        at += len(_line(part, sense, dict.fromkeys((each.name for each in senses), 0)))
    return places


def _line(part: str, sense: Sense, places: Mapping[str, int]) -> str:
    letter = _LETTER[part]
    kind = "s" if part == "adj" and sense.above else letter
    words = " ".join(f"{word} 0" for word in sense.words)
    pointers = "".join(f" {_POINTER[part]} {places[name]:08d} {letter} 0000" for name in sense.above)
    frames = " 00" if part == "verb" else ""
    return (
        f"{places[sense.name]:08d} {sense.field:02d} {kind} {len(sense.words):02x} {words} {len(sense.above):03d}"
        f"{pointers}{frames} | what people call {sense.name}  \n"
    )
