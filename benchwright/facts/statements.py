"""What people state about one picture in words: all of a facts file's picture but what is marked on it.

The value `state.statements` of an image is a `Statements` as canonical JSON. Other pictures are named by their SHA-256,
which facts files take as a key too. Who wrote a statement is kept beside it, by its place, such as `background` or
`unanswerable/taste`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from benchwright.implication import WrittenIn
from benchwright.records import Record

from .facts_file import (
    Answerable,
    Facts,
    PictureFacts,
    StatedImplication,
    StatedSource,
    Subject,
    Unanswerable,
    mistakes_in,
)
from .idea_facts import PairFacts
from .schema import Name, Stated, Text

PERSON, SIMULATED = "person", "simulated"


class StatedSubject(Stated):
    """What is said of a subject that somebody marks: how a question calls it, and what it is put in front of."""

    phrase: Text
    onto: tuple[str, ...] = ()
    """Other pictures, by their SHA-256, before whose background the subject is put."""


class Authorship(Record):
    """Who wrote a statement.

    Attributes:
        by: Author as in `Item.written_by`: `person` or `simulated`; `model:<id>` for a draft that a person accepted as
            it was, `person, from model:<id>` for one that they changed.
        written_in: Slot of the campaign in which it was written or accepted.
    """

    by: str
    written_in: WrittenIn


class Statements(Stated):
    """All that was stated about one picture."""

    also: tuple[str, ...] = ()
    source: StatedSource | None = None
    caption: Text | None = None
    background: Text | None = None
    subjects: Mapping[Name, StatedSubject] = {}
    """By name; where they are follows from marks with this label."""
    unanswerable: tuple[Unanswerable, ...] = ()
    answerable: tuple[Answerable, ...] = ()
    implication: StatedImplication | None = None
    pairs: PairFacts | None = None
    authors: Mapping[str, Authorship] = {}
    """By the statement's place: `caption`, `subjects/cup`, `unanswerable/taste`, `seen/role`, `swaps/2` ..."""


def author_of(model: str, *, is_edited: bool) -> str:
    """Return the author of a draft that a person accepted, as it was or edited."""
    return f"{PERSON}, from model:{model}" if is_edited else f"model:{model}"


def statement_mistakes(statements: Statements, *, names: frozenset[str] | None = None) -> list[str]:
    """Return what the rules of facts files find wrong with statements, each in words.

    Rules on what other pictures state are left for the whole of the facts, since others may not be stated yet.

    Args:
        statements: Statements on one picture.
        names: Names of subjects that are known; default None, all that are named.
    """
    known = names if names is not None else frozenset(_named(statements))
    key = "this picture"
    whole = (0.0, 0.0, 1.0, 1.0)
    subjects = tuple(Subject(name=name, phrase=name, box=whole) for name in sorted(known))
    picture = PictureFacts(
        also=statements.also,
        size_wh=(1, 1),
        background=statements.background,
        subjects=subjects,
        unanswerable=statements.unanswerable,
        answerable=statements.answerable,
        implication=statements.implication,
        pairs=statements.pairs,
    )
    others = {other: _permissive(of) for other, of in _others(statements).items()}
    facts = Facts(format="benchwright-facts", version=1, images={key: picture, **others})
    mistakes = [
        f"{place_in_words(path[2:])}: {value!r}: {why}" for path, value, why in mistakes_in(facts) if path[1] == key
    ]
    if any(subject.onto for subject in statements.subjects.values()) and statements.background is None:
        mistakes.append(
            "subjects: a subject that is put before other pictures needs the picture's own background stated"
        )
    return mistakes


def _named(statements: Statements) -> Iterator[str]:
    yield from statements.subjects
    if statements.pairs is not None:
        yield statements.pairs.subject
        yield from (swap.target for swap in statements.pairs.swaps)


def _others(statements: Statements) -> dict[str, set[str]]:
    """Return the other pictures that `pairs` names, with the subjects that it names of them."""
    others: dict[str, set[str]] = {}
    if statements.pairs is not None:
        for backgrounds in statements.pairs.backgrounds.values():
            others |= {other: others.get(other, set()) for other in backgrounds}
        for swap in statements.pairs.swaps:
            others.setdefault(swap.by, set()).update({swap.of} if swap.of is not None else ())
    return others


def _permissive(subjects: set[str]) -> PictureFacts:
    """Return a picture that states all that another one may ask of it."""
    shown: Any = {"value": "anything"}
    return PictureFacts.model_validate(
        {
            "size_wh": [1, 1],
            "background": "anything at all",
            "subjects": [{"name": name, "phrase": name, "box": [0, 0, 1, 1]} for name in sorted(subjects)],
            "pairs": {
                "caption": "anything",
                "subject": "anything",
                "suggests": dict.fromkeys(("behaviour", "role", "identity", "emotion", "scenario"), shown),
            },
        }
    )


def place_in_words(path: tuple[str | int, ...]) -> str:
    """Return a place among a picture's facts in words, such as `unanswerable 2 name`: entries are counted from 1."""
    return " ".join(str(part + 1) if isinstance(part, int) else part.replace("_", " ") for part in path)
