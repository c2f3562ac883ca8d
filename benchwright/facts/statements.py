"""Annotators' statements and marks from the campaigns `state` and `mark`, as stored in the values of images.

A separate mapping holds the author of each statement, by its place, such as `background` or `unanswerable/taste`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, get_args

from benchwright.errors import DataError
from benchwright.questions.drafts import author_of_draft
from benchwright.questions.implication import WrittenIn
from benchwright.records import Record
from benchwright.regions import Region, read_region

from .checks import mistakes_in
from .idea_facts import High
from .picture_facts import CutOut, PictureFacts, StatedInWords, StatedSource, Subject
from .schema import Name, Stated, Text

REGIONS, STATEMENTS = "regions", "statements"
"""Names of the values in which campaigns keep marks and statements."""
PERSON, SIMULATED = "person", "simulated"

_OF_A_REGION = frozenset(Region.model_fields)
_OF_ANOTHER_PICTURE = 65_535, 65_535
"""Limit on coordinates in the second picture of a pair, whose size is not in the value; the app checked them."""


class StatedSubject(Stated):
    """A subject's phrase, without its location, which annotators mark."""

    name: Name
    phrase: Text
    """Phrase for the subject in a question, such as `the coffee cup`."""
    onto: tuple[str, ...] = ()
    """Other pictures in front of which `background_substitution` places it, by file name, path or image id."""


class Authorship(Record):
    """The author of a statement.

    Attributes:
        by: Author as in `Item.written_by`: `person` or `simulated`; `model:<id>` for a draft accepted unchanged,
            `person, from model:<id>` for a draft that an annotator changed.
        written_in: Slot of the campaign in which an annotator wrote or accepted the statement.
    """

    by: str
    written_in: WrittenIn


class StatementsOnPicture(StatedInWords):
    """Annotators' statements about a picture: the value `statements` of the campaign `state`, as canonical JSON."""

    also: tuple[str, ...] = ()
    source: StatedSource | None = None
    caption: Text | None = None
    """Description of the picture in one sentence; also used in `pairs`."""
    subjects: tuple[StatedSubject, ...] = ()
    written_in: WrittenIn | None = None
    """The slot of all statements if one annotator wrote them; an entry in `authors` takes precedence."""
    authors: Mapping[str, Authorship] = {}
    """Author by the statement's place: `caption`, `subjects/cup`, `unanswerable/taste`, `seen/role`, `swaps/2` ..."""

    def author(self, place: str) -> Authorship | None:
        """Return a statement's author, so that no annotator judges their own statement; None if unknown."""
        if place in self.authors or self.written_in is None:
            return self.authors.get(place)
        return Authorship(by=SIMULATED if self.written_in.simulated else PERSON, written_in=self.written_in)


def author_of(model: str, *, is_edited: bool) -> str:
    """Return the author of a model's draft that an annotator accepted, unchanged or edited."""
    return author_of_draft(f"model:{model}", is_edited=is_edited)


def statement_mistakes(statements: StatementsOnPicture, *, names: frozenset[str] | None = None) -> list[str]:
    """Return the mistakes in statements according to the rules of facts files, each as text.

    Rules about other pictures' facts apply only to the complete facts, since these may not be stated yet.

    Args:
        statements: Statements on one picture.
        names: Known names of subjects; default None, all names in the statements.
    """
    onto = {subject.name: subject.onto for subject in statements.subjects}
    known = names if names is not None else frozenset(_named(statements))
    subjects = tuple(
        Subject(name=name, phrase=name, box=(0, 0, 1, 1), cut_out=CutOut(onto=onto.get(name, ())))
        for name in sorted(known | set(onto))
    )
    words = {name: getattr(statements, name) for name in StatedInWords.model_fields}
    key = "this picture"
    others = {other: _permissive(of) for other, of in _others(statements).items()}
    pictures = {key: PictureFacts(also=statements.also, subjects=subjects, **words), **others}
    return [
        f"{place_in_words(path[1:])}: {value!r}: {why}" for path, value, why in mistakes_in(pictures) if path[0] == key
    ]


def _named(statements: StatementsOnPicture) -> Iterator[str]:
    if statements.pairs is not None:
        yield statements.pairs.subject
        yield from (swap.target for swap in statements.pairs.swaps)


def _others(statements: StatementsOnPicture) -> dict[str, set[str]]:
    """Return the other pictures that statements mention, with the subjects named for each."""
    others: dict[str, set[str]] = {other: set() for subject in statements.subjects for other in subject.onto}
    if statements.pairs is not None:
        for backgrounds in statements.pairs.backgrounds.values():
            others |= {other: others.get(other, set()) for other in backgrounds}
        for swap in statements.pairs.swaps:
            if swap.by is None:
                continue
            others.setdefault(swap.by, set()).update({swap.of} if swap.of is not None else ())
    return others


def _permissive(subjects: set[str]) -> PictureFacts:
    """Return a picture that satisfies every reference made to it by another picture."""
    suggests = {high: {"value": "anything"} for high in get_args(High)}
    return PictureFacts.model_validate(
        {
            "background": "anything else at all",
            "subjects": [{"name": name, "phrase": name, "box": [0, 0, 1, 1]} for name in sorted(subjects)],
            "pairs": {"caption": "anything", "subject": "anything", "suggests": suggests},
        }
    )


def place_in_words(path: tuple[str | int, ...]) -> str:
    """Return a readable location in a picture's facts, such as `unanswerable 2 name`, with entries counted from 1."""
    return " ".join(str(part + 1) if isinstance(part, int) else part.replace("_", " ") for part in path)


class FieldRegion(NamedTuple):
    """A region on which annotators agreed.

    Args:
        field: The region's field in the campaign's form.
        region: The region, in pixels of the upright picture.
    """

    field: str
    region: Region


class PictureRegions(NamedTuple):
    """Annotators' marks on a picture: the value `regions` of the campaign `mark`.

    Args:
        size_wh: Width and height of the picture, upright.
        regions: Agreed regions, in the order of the value.
        is_nothing: Whether the annotators agreed that the picture has nothing to mark.
        is_simulated: Whether the annotators were simulated.
        other: Id of the second picture if a pair was marked; None for a single picture.
    """

    size_wh: tuple[int, int]
    regions: tuple[FieldRegion, ...]
    is_nothing: bool = False
    is_simulated: bool = False
    other: str | None = None


def read_marked(text: str) -> PictureRegions:
    """Return annotators' marks, from the value that the campaign `mark` gives an image.

    `{"size_wh": [w, h], "regions": [{"field", "shape", "points", ...}], "nothing": bool}`, for pairs with `"other"`;
    ignores a region's keys about its origin, such as `by` and `spread`.

    Raises:
        DataError: The text is not such a document.
    """
    try:
        document = json.loads(text)
        width, height = (int(side) for side in document["size_wh"])
        sizes = {"correspondence": [(width, height), _OF_ANOTHER_PICTURE]}
        regions = tuple(_region(entry, sizes.get(entry["shape"], [(width, height)])) for entry in document["regions"])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataError(f"this is not a value of the campaign `mark`: {error!r}") from error
    return PictureRegions(
        (width, height),
        regions,
        bool(document.get("nothing", False)),
        bool(document.get("simulated", False)),
        document.get("other"),
    )


def _region(entry: Mapping[str, Any], sizes_wh: list[tuple[int, int]]) -> FieldRegion:
    document = {name: value for name, value in entry.items() if name in _OF_A_REGION}
    return FieldRegion(str(entry["field"]), read_region(document, sizes_wh))
