"""Rights: licenses of pictures, and statements about people and places in picture files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from benchwright.texts.normalization import counted

from ..check import AuditContext
from ..evidence import readable_pictures, require_pictures
from ..findings.finding import Finding
from ..source.audited_items import AuditedItems


class PictureLicences:
    """Pictures without a license, or under a license that forbids what a benchmark does with them."""

    name: ClassVar[str] = "licences"
    title: ClassVar[str] = "Pictures without a license, or under one that forbids passing them on"

    def run(self, audited: AuditedItems, context: AuditContext) -> Iterator[Finding]:
        """Return a finding for all pictures without a license, and one for each license that is not allowed."""
        from benchwright.diagnostics.pictures.licences import is_allowed
        from benchwright.rights import forbids_redistribution

        require_pictures(audited)
        allowed = context.allowed_licences
        missing: list[str] = []
        refused: dict[str, list[str]] = {}
        for image_id, picture in audited.pictures.items():
            licence = None if picture.source is None else picture.source.licence
            if licence is None:
                missing.append(image_id)
            elif not is_allowed(licence, allowed) if allowed else forbids_redistribution(licence, is_changed=False):
                refused.setdefault(licence, []).append(image_id)
        if missing:
            is_all = len(missing) == len(audited.pictures)
            of = counted(len(audited.pictures), "picture")
            has_not = "does not have" if len(missing) == 1 else "do not have"
            which = "No picture has" if is_all else f"{len(missing):,} of {of} {has_not}"
            yield Finding(
                "unlicensed_pictures",
                "low" if is_all else "medium",
                () if is_all else _items(audited, missing),
                f"{which} a stated license: in a table `sources.csv` next to them, in a column `licence`, or in the "
                "file.",
                {"pictures": len(missing)},
                "certain",
                tuple(missing[:4]),
            )
        for licence, pictures in sorted(refused.items()):
            are = counted(len(pictures), "picture is", "pictures are")
            yield Finding(
                "licence_not_allowed",
                "high",
                _items(audited, pictures),
                f"{are} under {licence!r}, which does not allow passing them on."
                if not allowed
                else f"{are} under {licence!r}, which is not among the allowed licenses.",
                {"licence": licence, "pictures": len(pictures)},
                "certain",
                tuple(pictures[:4]),
            )


class PersonalMetadata:
    """Locations and owners that picture files still contain."""

    name: ClassVar[str] = "personal_metadata"
    title: ClassVar[str] = "GPS positions, owners and serial numbers in picture files"

    def run(self, audited: AuditedItems, context: AuditContext) -> Iterator[Finding]:
        """Return a finding for pictures with a location, and one for pictures with an owner or serial number."""
        measured = readable_pictures(audited, context)
        placed = [image_id for image_id, measures in measured.items() if measures.personal.get("gps")]
        owned = [
            image_id
            for image_id, measures in measured.items()
            if not measures.personal.get("gps") and measures.personal.keys() & {"owner", "serial_number"}
        ]
        if placed:
            yield Finding(
                "gps_position",
                "medium",
                _items(audited, placed),
                f"{counted(len(placed), 'picture file states', 'picture files state')} the GPS position of the "
                "photograph.",
                {"pictures": [audited.pictures[image_id].name for image_id in placed[:100]]},
                "certain",
                tuple(placed[:4]),
            )
        if owned:
            yield Finding(
                "personal_metadata",
                "low",
                _items(audited, owned),
                f"{counted(len(owned), 'picture file names', 'picture files name')} the camera's owner or serial "
                "number.",
                {"pictures": [audited.pictures[image_id].name for image_id in owned[:100]]},
                "certain",
                tuple(owned[:4]),
            )


def _items(audited: AuditedItems, pictures: list[str]) -> tuple[str, ...]:
    return audited.in_order(item for image_id in pictures for item in audited.items_of_picture.get(image_id, ()))
