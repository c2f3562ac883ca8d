"""An item's pair of pictures, as named by its evidence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from pydantic import ValidationError

from benchwright.records import ImageRecord, Item, MaskRuns
from benchwright.steps import Context

_BY_PEOPLE = frozenset({"facts", "rectangle"})
"""Origins of outlines that no program found."""


class PastedDonor(NamedTuple):
    """The cutout of another photograph that was pasted into the natural picture.

    Args:
        record: The other photograph.
        from_xyxy: Box of the cutout, in pixels of that photograph.
        at_xy: Corner of that box in the pair's pictures.
        size_wh: Size of the box there.
        mirrored: Whether left and right were exchanged.
        shows: Area in which it hides the picture behind it.
    """

    record: ImageRecord
    from_xyxy: tuple[int, int, int, int]
    at_xy: tuple[int, int]
    size_wh: tuple[int, int]
    mirrored: bool
    shows: MaskRuns


class PicturePair(NamedTuple):
    """The pictures of a pair, and how one was made from the other.

    Args:
        natural: The natural picture.
        manipulated: The manipulated picture.
        editable: Region that was to change; None for the whole picture.
        moved: Whether the subject was to be moved.
        way: Kind of edit, such as `background`; None if not stated.
        filled: Area of pixels made up from their surroundings; None if there is none.
        donor: The pasted cutout; None if there is none.
        has_effect: Whether an effect computed each pixel from those around it, so that nothing moved.
        background: Photograph behind the subject; None if it was not replaced.
        outline: Outline of the subject; None if not stated.
        outlined_by_people: Whether people drew the outline or the box itself was used.
        subject_box: Box in which a program found the outline: x0, y0, x1, y1 in the natural picture; None without one.
        has_color: Whether a part was given another color.
    """

    natural: ImageRecord
    manipulated: ImageRecord
    editable: MaskRuns | None
    moved: bool
    way: str | None = None
    filled: MaskRuns | None = None
    donor: PastedDonor | None = None
    has_effect: bool = False
    background: ImageRecord | None = None
    outline: MaskRuns | None = None
    outlined_by_people: bool = False
    subject_box: tuple[float, float, float, float] | None = None
    has_color: bool = False

    @property
    def key(self) -> str:
        """Return a key that is equal for items with equal pictures and regions."""
        masks = (self.editable, self.filled, self.donor and self.donor.shows, self.outline)
        behind = self.background and self.background.image_id
        edit = f"{self.moved} {self.has_effect} {self.has_color} {self.way} {behind} {self.outlined_by_people}"
        places = f"{edit} {[mask and mask.counts for mask in masks]}"
        return f"{self.natural.image_id} {self.manipulated.image_id} {places}"


def pair_of(item: Item, ctx: Context) -> PicturePair | None:
    """Return an item's pair, or None if it belongs to none.

    Raises:
        ValueError: The evidence names a region that is not a mask.
    """
    natural, manipulated = (item.evidence.get(name) for name in ("natural", "manipulated"))
    if not isinstance(natural, str) or not isinstance(manipulated, str):
        return None
    made_with = item.evidence.get("made_with")
    facts: Mapping[str, Any] = made_with if isinstance(made_with, dict) else {}
    way, donor, found = evidence_text(item, "way"), facts.get("donor"), facts.get("mask")
    behind = donor if way == "background" and isinstance(donor, dict) and "shows" not in donor else None
    return PicturePair(
        ctx.image(natural),
        ctx.image(manipulated),
        _mask(item, "editable", item.evidence.get("editable")),
        item.evidence.get("moved") is True,
        way,
        _mask(item, "made_with.filled", facts.get("filled")),
        _donor(item, donor, ctx),
        isinstance(facts.get("effect"), str),
        None if behind is None else ctx.image(behind["image_id"]),
        _mask(item, "made_with.mask.runs", found.get("runs")) if isinstance(found, dict) else None,
        isinstance(found, dict) and found.get("by") in _BY_PEOPLE,
        tuple(found["box_xyxy"]) if isinstance(found, dict) and "box_xyxy" in found else None,
        isinstance(facts.get("color"), str),
    )


def _donor(item: Item, stated: Any, ctx: Context) -> PastedDonor | None:
    """Return the pasted cutout; None if all of a picture was taken, as for a background."""
    if not isinstance(stated, dict) or "shows" not in stated:
        return None
    shows = _mask(item, "made_with.donor.shows", stated["shows"])
    assert shows is not None
    return PastedDonor(
        ctx.image(stated["image_id"]),
        tuple(stated["donor_xyxy"]),
        tuple(stated["pasted_at"]),
        tuple(stated["pasted_wh"]),
        stated["mirrored"],
        shows,
    )


def _mask(item: Item, name: str, stated: Any) -> MaskRuns | None:
    if stated is None:
        return None
    try:
        return MaskRuns.model_validate(stated)
    except ValidationError as error:
        raise ValueError(f"evidence '{name}' of item {item.item_id} is no mask: {error.errors()[0]['msg']}") from error


def evidence_text(item: Item, name: str) -> str | None:
    """Return a text from an item's evidence, or None if the evidence has no text of this name."""
    text = item.evidence.get(name)
    return text if isinstance(text, str) else None
