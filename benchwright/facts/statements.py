"""What people state and mark about a picture in the campaigns `state` and `mark`, as the values of images hold it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from benchwright.errors import DataError
from benchwright.implication import WrittenIn
from benchwright.regions import Region, read_region

from .picture_facts import StatedInWords
from .schema import Name, Stated, Text

_OF_A_REGION = frozenset(Region.model_fields)


class StatedSubject(Stated):
    """A subject in words; where it is, people mark."""

    name: Name
    phrase: Text
    """As a question calls it, such as `the coffee cup`."""
    onto: tuple[str, ...] = ()
    """Other pictures before which `background_substitution` puts it, by file name, path or image id."""


class Statements(StatedInWords):
    """What people state about a picture in words: the value `statements` of the campaign `state`, as canonical JSON."""

    subjects: tuple[StatedSubject, ...] = ()
    written_in: WrittenIn | None = None
    """The slot of the campaign in which it was written, so that nobody is asked about their own questions."""


class MarkedRegion(NamedTuple):
    """A region that people agreed on.

    Args:
        field: Field of the campaign's form that it belongs to.
        region: The region, in pixels of the upright picture.
    """

    field: str
    region: Region


class MarkedPicture(NamedTuple):
    """What people marked on a picture: the value `regions` of the campaign `mark`.

    Args:
        size_wh: Width and height of the picture, upright.
        regions: What they agreed on, in its order.
        is_simulated: Whether they were simulated.
    """

    size_wh: tuple[int, int]
    regions: tuple[MarkedRegion, ...]
    is_simulated: bool = False


def read_marked(text: str) -> MarkedPicture:
    """Return what people marked, from the value that the campaign `mark` gives an image.

    `{"size_wh": [w, h], "regions": [{"field", "shape", "points", ...}], "nothing": bool}`; keys of a region that say
    how it came about, such as `by` and `spread`, are passed over.

    Raises:
        DataError: The text is no such document.
    """
    try:
        document = json.loads(text)
        width, height = (int(side) for side in document["size_wh"])
        other = document.get("other_size_wh", document["size_wh"])
        sizes = {"correspondence": [(width, height), (int(other[0]), int(other[1]))]}
        regions = tuple(_region(entry, sizes.get(entry["shape"], [(width, height)])) for entry in document["regions"])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataError(f"this is no value of a campaign that marks: {error!r}") from error
    return MarkedPicture((width, height), regions, bool(document.get("simulated", False)))


def _region(entry: Mapping[str, Any], sizes_wh: list[tuple[int, int]]) -> MarkedRegion:
    document = {name: value for name, value in entry.items() if name in _OF_A_REGION}
    return MarkedRegion(str(entry["field"]), read_region(document, sizes_wh))
