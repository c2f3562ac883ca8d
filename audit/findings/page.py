"""The audit page: one file with the verdict, the findings with their pictures, the checks, and the citation."""

from __future__ import annotations

import base64
import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchwright import __version__
from benchwright.errors import UnreadableImage
from benchwright.pages import page_pieces
from benchwright.records import LETTERS
from benchwright.texts.normalization import counted, printable
from benchwright.workspace.atomic import replacing

from ..source.audited_items import AuditedItems
from .finding import SEVERITIES, Finding
from .finding_tables import FindingTable, tables_of
from .remedies import Remedy, remedy_of
from .report import AuditReport
from .verdict import KindCount, concerned, kinds_of, verdict_of

if TYPE_CHECKING:
    from benchwright.workspace.item_cache import ItemCache

PAGE = "audit.html"
_TEMPLATES = Path(__file__).parent / "templates"
_SIDE_PX = 300
_PREVIEW = f"audit preview {_SIDE_PX} 1"
_MOST_PICTURES = 160
"""Largest number of pictures on a page; each takes about 15 kB."""
_PICTURES_OF_FINDING = 4
_EXAMPLES = 6
"""Number of findings of a kind shown in full."""
_IDS, _ROWS = 400, 200
_EVIDENCE_CHARACTERS = 1500


class _FindingPicture(NamedTuple):
    """A picture shown with a finding; if it cannot be shown, `uri` is None and `problem` gives the reason.

    `also` is the number of other files with the same bytes.
    """

    uri: str | None
    width: int
    height: int
    name: str
    problem: str = ""
    also: int = 0


class _FindingItem(NamedTuple):
    """A question shown with a finding; `options` holds each option's letter, words and whether it is right.

    The question is empty if the source lacks its words.
    """

    item_id: str
    split: str | None
    question: str
    options: Sequence[tuple[str, str, bool]]


class _FindingExample(NamedTuple):
    """A finding shown in full."""

    finding: Finding
    pictures: Sequence[_FindingPicture]
    more_pictures: int
    items: Sequence[_FindingItem]
    more_items: int
    evidence: str
    tables: Sequence[FindingTable]


class _ShownKind(NamedTuple):
    """The findings of one kind: some are shown in full, the remaining ones only by their items."""

    of_kind: KindCount
    concerned: str
    examples: Sequence[_FindingExample]
    others: Sequence[str]
    more: int
    remedy: Remedy


def write_page(report: AuditReport, folder: Path, cache: ItemCache) -> Path:
    """Write the page of an audit and return its path; equal reports give identical bytes.

    Args:
        report: The audit.
        folder: Existing folder in which to write the page.
        cache: Cache of reduced pictures.
    """
    target = folder / PAGE
    with replacing(target) as draft, draft.open("w", encoding="utf-8", errors="replace") as handle:
        handle.writelines(_pieces(report, _Previews(report.audited, cache)))
    return target


def _pieces(report: AuditReport, previews: _Previews) -> Iterator[str]:
    audited = report.audited
    kinds = kinds_of(report.findings, len(audited.all_items))
    shown = {
        severity: [_shown(kind, audited, previews) for kind in kinds if kind.severity == severity]
        for severity in SEVERITIES
    }
    splits = sorted(set(audited.splits.values()))
    values = {
        "name": audited.source.resolve().name,
        "verdict": verdict_of(report),
        "counts": report.counts,
        "facts": [
            ("items", f"{len(audited.all_items):,}"),
            ("with a key", f"{sum(each.has_key for each in audited.all_items):,}"),
            *([("rotations", f"{len(audited.rotations):,}")] if audited.rotations else []),
            ("pictures", f"{len(audited.pictures):,}"),
            ("splits", ", ".join(splits) if splits else "none stated"),
            *([] if report.blind is None else [("best blind strategy", report.blind.words)]),
            ("checks that ran", f"{sum(check.state == 'done' for check in report.checks)} of {len(report.checks)}"),
        ],
        "kinds": [(kind, concerned(kind)) for kind in kinds],
        "severities": [(severity, of_severity) for severity, of_severity in shown.items() if of_severity],
        "checks": report.checks,
        "accepted": [(kind, concerned(kind)) for kind in kinds_of(report.accepted, len(audited.all_items))],
        "unreadable": audited.unreadable[:_ROWS],
        "more_unreadable": max(0, len(audited.unreadable) - _ROWS),
        "reading": audited.reading,
        "version": __version__,
        "content": audited.content_digest[:16],
        "citable": citable(report),
    }
    return page_pieces(
        _TEMPLATES,
        "audit.html",
        values,
        generator="benchwright audit",
        style="audit.css",
        finalize=_printable,
    )


def citable(report: AuditReport) -> str:
    """Return the sentence with which a paper may cite the audit."""
    audited = report.audited
    kinds = [
        kind for kind in kinds_of(report.findings, len(audited.all_items)) if kind.severity != "low" and kind.items
    ]
    named = "; ".join(
        f"{kind.words}: {len(kind.findings):,}, on {counted(kind.items, 'item')} ({kind.share:.1%})" for kind in kinds
    )
    done = sum(check.state == "done" for check in report.checks)
    return (
        f"An audit with Benchwright {__version__} ({done} of {counted(len(report.checks), 'check')}) of "
        f"{counted(len(audited.all_items), 'item')} and {counted(len(audited.pictures), 'picture')} (content "
        f"{audited.content_digest[:16]}) found " + (f"{named}." if named else "nothing of high or medium severity.")
    )


def _printable(value: Any) -> Any:
    """Return a text with control characters escaped and line breaks kept; other values are returned unchanged."""
    if not isinstance(value, str) or hasattr(value, "__html__"):
        return value
    return "\n".join(printable(line) for line in value.split("\n"))


def _shown(kind: KindCount, audited: AuditedItems, previews: _Previews) -> _ShownKind:
    telling = sorted(kind.findings, key=lambda finding: len(finding.pictures) < 2)  # several pictures show more
    full, rest = telling[:_EXAMPLES], telling[_EXAMPLES:]
    others = [", ".join(finding.items[:12]) or finding.summary for finding in rest]
    return _ShownKind(
        kind,
        concerned(kind),
        [_example(finding, audited, previews) for finding in full],
        others[:_IDS],
        max(0, len(others) - _IDS),
        remedy_of(kind.findings[0]),
    )


def _example(finding: Finding, audited: AuditedItems, previews: _Previews) -> _FindingExample:
    of_items = [
        image.image_id
        for item in finding.items[:_PICTURES_OF_FINDING]
        if item in audited.worded
        for image in audited.worded[item].item.images
        if image.image_id in audited.pictures
    ]
    place = {image_id: number for number, image_id in reversed([*enumerate(of_items)])}
    named = sorted(finding.pictures, key=lambda image_id: place.get(image_id, len(of_items)))  # as items below
    pictures = list(dict.fromkeys(named or of_items))
    tables = tables_of(finding)
    items = finding.items[:_PICTURES_OF_FINDING]
    return _FindingExample(
        finding,
        [previews.of(image_id) for image_id in pictures[:_PICTURES_OF_FINDING]],
        max(0, len(pictures) - _PICTURES_OF_FINDING),
        [_shown_item(audited, item) for item in items],
        max(0, len(finding.items) - len(items)),
        "" if tables else _evidence(finding),
        tables,
    )


def _shown_item(audited: AuditedItems, item_id: str) -> _FindingItem:
    wordless, in_words = audited.wordless_by_id.get(item_id), audited.open_by_id.get(item_id)
    if in_words is not None:
        answer = [("answer", in_words.answer.replace("\n", " or "), True)] if in_words.answer is not None else []
        return _FindingItem(item_id, in_words.split, in_words.item.question, answer)
    if wordless is not None:
        letters = zip(LETTERS, wordless.options, strict=False)
        options = [(letter, text or "", place == wordless.key) for place, (letter, text) in enumerate(letters)]
        return _FindingItem(item_id, wordless.split, "", options)
    if (each := audited.by_id.get(item_id)) is None:  # its options are not those of an item
        return _FindingItem(item_id, None, "", [])
    numbers = {image.image_id: number for number, image in enumerate(each.item.images, start=1)}
    options = [
        (
            choice.key,
            choice.text if choice.text is not None else f"picture {numbers[str(choice.image_id)]}",
            choice.key == each.item.right_key,
        )
        for choice in each.item.choices
    ]
    return _FindingItem(each.item_id, each.split, each.item.question, options)


def _evidence(finding: Finding) -> str:
    if not finding.evidence:
        return ""
    text = json.dumps(dict(finding.evidence), ensure_ascii=False, indent=1)
    return text if len(text) <= _EVIDENCE_CHARACTERS else text[:_EVIDENCE_CHARACTERS] + " … (all of it in audit.json)"


class _Previews:
    """Reduced pictures of a page, at most `_MOST_PICTURES`."""

    def __init__(self, audited: AuditedItems, cache: ItemCache) -> None:
        self._audited, self._cache = audited, cache
        self._files: defaultdict[str, set[str]] = defaultdict(set)
        for each in audited.worded.values():
            for image, name in zip(each.item.images, each.names, strict=False):
                self._files[image.image_id].add(name)
        self._made: dict[str, _FindingPicture] = {}

    def of(self, image_id: str) -> _FindingPicture:
        """Return a picture in the form used on a page."""
        picture = self._audited.pictures[image_id]
        if image_id not in self._made:
            if len(self._made) >= _MOST_PICTURES:
                return _FindingPicture(None, 0, 0, picture.name, "not shown, to keep the page small")
            self._made[image_id] = self._reduced(image_id)
        return self._made[image_id]

    def _reduced(self, image_id: str) -> _FindingPicture:
        from benchwright.drawing.previews import preview

        picture = self._audited.pictures[image_id]

        def make() -> bytes:
            drawn = preview(picture.file.read_bytes(), max_side_px=_SIDE_PX)
            head = json.dumps([drawn.media_type, drawn.width, drawn.height]).encode()
            return head + b"\n" + drawn.data

        try:
            head, _, data = self._cache.get_or_make(_PREVIEW, image_id, make).partition(b"\n")
        except UnreadableImage as error:
            return _FindingPicture(None, 0, 0, picture.name, str(error))
        except OSError as error:
            return _FindingPicture(None, 0, 0, picture.name, error.strerror or str(error))
        media_type, width, height = json.loads(head)
        uri = f"data:{media_type};base64,{base64.b64encode(data).decode('ascii')}"
        return _FindingPicture(uri, width, height, picture.name, also=max(0, len(self._files[image_id]) - 1))
