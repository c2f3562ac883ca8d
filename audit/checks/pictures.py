"""Pictures that cannot be seen because they are broken, missing or blank, and pictures that show little."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import ClassVar

from benchwright.source_files.refusals import AMBIGUOUS_PICTURE

from ..check import AuditContext
from ..evidence import picture_measures, readable_pictures, require_pictures
from ..findings.finding import Finding, Severity
from ..source.audited_items import UNREADABLE_PICTURE, AuditedItems

_BLANK = "blank"
_SERIOUS = ("blank", "too_dark", "too_bright", "mostly_frame")
"""Faults that describe pictures that show little."""
_WORDS = {
    "too_small": "The shorter side has few pixels.",
    "too_long": "The picture is far longer than wide.",
    "blurred": "Nothing in the picture is sharp.",
    "too_dark": "The picture is dark throughout.",
    "too_bright": "The picture is bright throughout.",
    "clipped": "Most pixels are black or white.",
    "monochrome": "The picture has no color.",
    "heavy_compression": "The file is compressed so strongly that detail is lost.",
    "blocky": "Blocks of a strong compression show.",
    "mostly_frame": "Nearly all of the picture is a frame of one color.",
}
_UNSEEN = {UNREADABLE_PICTURE: "cannot be read", AMBIGUOUS_PICTURE: "may be any of several files"}


class BrokenPictures:
    """Pictures that are missing or cannot be decoded."""

    name: ClassVar[str] = "broken_pictures"
    title: ClassVar[str] = "Pictures that are missing or cannot be decoded"

    def run(self, audited: AuditedItems, context: AuditContext) -> Iterator[Finding]:
        """Return a finding for each picture that cannot be seen."""
        measured = picture_measures(audited, context)
        absent: defaultdict[str, list[str]] = defaultdict(list)
        for each in audited.worded.values():
            for name in each.missing:
                absent[name].append(each.item_id)
        for name, items in absent.items():
            reason = audited.absent[name].reason
            yield Finding(
                "broken_picture" if reason == UNREADABLE_PICTURE else "missing_picture",
                "high",
                tuple(items),
                f"The picture {name} {_UNSEEN.get(reason, 'is missing')}, so the question cannot be answered.",
                {"picture": name, "reason": audited.absent[name].detail},
                "certain",
            )
        for image_id, measures in measured.items():
            if measures.failed is not None:
                name = audited.pictures[image_id].name
                yield Finding(
                    "broken_picture",
                    "high",
                    audited.items_of_picture.get(image_id, ()),
                    f"The picture {name} cannot be decoded, so the question cannot be answered.",
                    {"picture": name, "reason": measures.failed},
                    "certain",
                )


class PictureFaults:
    """Blank pictures, and pictures that are dark, blurred, small or compressed, by the limits of the step `quality`."""

    name: ClassVar[str] = "picture_quality"
    title: ClassVar[str] = "Blank, dark, blurred, tiny or strongly compressed pictures"

    def run(self, audited: AuditedItems, context: AuditContext) -> Iterator[Finding]:
        """Return a finding for each faulty picture, classified by its worst fault."""
        from benchwright.diagnostics.pictures.faults import BOUNDS, faults_of

        require_pictures(audited)
        readable = readable_pictures(audited, context)
        for image_id, faults in context.check_each_picture(
            readable, lambda it: faults_of(readable[it].quality, BOUNDS)
        ):
            if not faults:
                continue
            worst = next((reason for reason in faults if reason in _SERIOUS), next(iter(faults)))
            severity: Severity = "high" if worst == _BLANK else "medium" if worst in _SERIOUS else "low"
            yield Finding(
                "blank_picture" if worst == _BLANK else f"{worst}_picture",
                severity,
                audited.items_of_picture.get(image_id, ()),
                "The picture shows nothing." if worst == _BLANK else _WORDS.get(worst, f"The picture is {worst}."),
                {"picture": audited.pictures[image_id].name, "faults": faults},
                "certain" if worst in (_BLANK, "too_small") else "likely",
                (image_id,),
            )
