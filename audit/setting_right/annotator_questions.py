"""Questions for annotators about the findings of an audit: about items, and about pairs of pictures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, get_args

from benchwright.canonical import canonical_json
from benchwright.texts.normalization import printable

from ..checks.splits import TRAINING
from ..findings.finding import SEVERITIES, Finding, Severity
from ..findings.kinds import (
    AMBIGUOUS,
    ASKED_TWICE,
    FAULTS,
    ITEM_KINDS,
    PICTURES_ALIKE,
    WORDING_KINDS,
    is_about_bad_picture,
)
from ..findings.report import AuditReport
from ..source.audited_items import AuditedItem, AuditedItems, OpenItem

Way = Literal["edit", "judge", "review"]
"""Task of an annotator for an item: edit it, judge its fault, or answer it without its key first. If several ways have
equally severe findings, the first of them applies: an annotator who edits or judges an item can also call it ambiguous.
"""
_WAYS: tuple[Way, ...] = get_args(Way)
_SUMMARIES = dict(FAULTS.values())
_MOST_SHOWN = 5
_LONGEST = 400


class SideNote(NamedTuple):
    """A text shown to annotators alongside the subject of their judgment."""

    label: str
    text: str


@dataclass
class ItemQuestion:
    """An item for annotators to judge.

    Args:
        item: Its own id.
        kinds: Kinds of the findings about it, worst first.
        severity: Worst severity of these findings.
        notes: The findings and the other items they concern.
        way: Task of the annotators, determined by a finding with the worst severity.
    """

    item: str
    kinds: list[str]
    severity: Severity
    notes: list[SideNote]
    way: Way


class PairQuestion(NamedTuple):
    """Two different pictures for annotators to compare: do they show the same content?

    Args:
        better: Id, as in `AuditedItems.pictures`, of the picture that is kept if they show the same.
        worse: Id of the other picture.
        kind: Kind of the finding.
        notes: The finding and the items that show either picture.
    """

    better: str
    worse: str
    kind: str
    notes: tuple[SideNote, ...]


@dataclass(frozen=True)
class AuditQuestions:
    """All questions for annotators about an audit.

    Args:
        items: Questions about items by own id, those of the worst findings first.
        pairs: Questions about pairs of pictures.
        not_asked: Number of findings, by kind, for which there is no question because they concern the whole set or a
            fact on which the maintainer decides, such as a license.
    """

    items: Mapping[str, ItemQuestion]
    pairs: Sequence[PairQuestion]
    not_asked: Mapping[str, int] = field(default_factory=dict)


def questions_of(report: AuditReport) -> AuditQuestions:
    """Return the questions for annotators about the findings of an audit that no baseline accepts."""
    asking = _all_asked(report, frozenset())
    reviewed = frozenset(item for item, question in asking.items.items() if question.way == "review")
    if reviewed:  # again, now that the items whose keys must be hidden are known
        asking = _all_asked(report, reviewed)
    return AuditQuestions(asking.items, list(asking.pairs.values()), dict(sorted(asking.not_asked.items())))


def _all_asked(report: AuditReport, reviewed: frozenset[str]) -> _Asking:
    asking = _Asking(report.audited, reviewed)
    for finding in report.findings:
        asking.take(finding)
    return asking


@dataclass
class _Asking:
    audited: AuditedItems
    reviewed: frozenset[str]
    """Items that annotators answer without the key."""
    items: dict[str, ItemQuestion] = field(default_factory=dict)
    pairs: dict[tuple[str, str], PairQuestion] = field(default_factory=dict)
    not_asked: Counter[str] = field(default_factory=Counter)

    def take(self, finding: Finding) -> None:
        """Add the questions for a finding, according to its kind."""
        if finding.kind in PICTURES_ALIKE:
            self._ask_about_pictures(finding)
        elif finding.kind in ASKED_TWICE:
            for item in self._superfluous(finding.items):
                self._ask(item, finding, finding.items)
        elif finding.kind in ITEM_KINDS or is_about_bad_picture(finding):
            for item in finding.items:
                self._ask(item, finding, finding.items)
        elif finding.kind == AMBIGUOUS or finding.kind in WORDING_KINDS:
            for item in finding.items:
                self._ask(item, _about_one(finding, item))
        else:
            self.not_asked[finding.kind] += 1

    def _ask_about_pictures(self, finding: Finding) -> None:
        """Ask about each picture of a group, paired with the one to keep, and about items that share a file.

        A series of similar pictures has no representative: each picture is paired with the one most similar to it.
        """
        pictures = sorted(dict.fromkeys(finding.pictures), key=self._picture_weight)
        beside = finding.evidence.get("pairs") or [(pictures[0], worse) for worse in pictures[1:]]
        for named in beside:
            better, worse = sorted(named, key=self._picture_weight)
            pair = (better, worse)
            # Annotators of a pair of pictures may later answer questions about them, so the notes show no keys.
            notes = (_note_on(finding), *self._notes_on_items(self._showing(*pair), with_key=False))
            self.pairs.setdefault(pair, PairQuestion(*pair, finding.kind, notes))
        if finding.kind == "similar_pictures":
            return
        for picture in pictures:
            showing = [item for item in finding.items if picture in self._images(item)]
            names = {self._name(item, picture) for item in showing}
            splits = {self.audited.splits.get(item) for item in showing}
            # One file shared by several questions of a split is not a fault.
            if len(names) > 1 or len(splits) > 1:
                for item in self._superfluous(showing):
                    self._ask(item, finding, showing)

    def _ask(self, item: str, finding: Finding, others: Sequence[str] = ()) -> None:
        beside = [_note_on(finding), *self._notes_on_items([other for other in others if other != item], with_key=True)]
        way = self._way(finding, item)
        question = self.items.setdefault(item, ItemQuestion(item, [], finding.severity, [], way))
        question.severity, question.way = min(
            (question.severity, question.way), (finding.severity, way), key=lambda asked: _weight(*asked)
        )
        question.notes += [note for note in beside if note not in question.notes]
        if finding.kind not in question.kinds:
            question.kinds.append(finding.kind)

    def _way(self, finding: Finding, item: str) -> Way:
        if finding.kind in WORDING_KINDS:
            return "edit"
        # Only an item with a key can show whether annotators find the key independently.
        has_key = item in self.audited.by_id and self.audited.by_id[item].has_key
        return "review" if finding.kind == AMBIGUOUS and has_key else "judge"

    def _superfluous(self, items: Sequence[str]) -> Sequence[str]:
        """Return all items except the one to keep: the first outside training splits, or else the first."""
        return sorted(dict.fromkeys(items), key=self._item_weight)[1:]

    def _item_weight(self, item: str) -> tuple[bool, int]:
        split = self.audited.splits.get(item) or ""
        return split.lower() in TRAINING, self.audited.place(item)

    def _picture_weight(self, image_id: str) -> tuple[bool, int, int, str]:
        """Return the sort key of a picture: outside training splits first, then large, then early."""
        picture = self.audited.pictures[image_id]
        first = min(map(self._item_weight, self._showing(image_id)))
        return first[0], -picture.width * picture.height, first[1], image_id

    def _showing(self, *pictures: str) -> tuple[str, ...]:
        return self.audited.in_order(item for image_id in pictures for item in self.audited.items_of_picture[image_id])

    def _images(self, item: str) -> list[str]:
        return [image.image_id for image in self.audited.worded[item].item.images]

    def _name(self, item: str, picture: str) -> str:
        """Return the name that an item uses for a picture."""
        names = self.audited.worded[item].names
        return next(
            (name for name, image_id in zip(names, self._images(item), strict=False) if image_id == picture), ""
        )

    def _notes_on_items(self, items: Sequence[str], *, with_key: bool) -> Iterator[SideNote]:
        for item in items[:_MOST_SHOWN]:
            yield _note_on_item(self.audited.worded[item], with_key=with_key and item not in self.reviewed)
        if len(items) > _MOST_SHOWN:
            yield SideNote("Further items", ", ".join(map(_cut, items[_MOST_SHOWN : 4 * _MOST_SHOWN])))


def _weight(severity: Severity, way: Way) -> tuple[int, int]:
    return SEVERITIES.index(severity), _WAYS.index(way)


def _about_one(finding: Finding, item: str) -> Finding:
    """Return a finding about the words of many items, reduced to what it states about one item."""
    start = f"{item}, "
    words = {
        place.removeprefix(start): fault
        for place, fault in finding.evidence.get("words", {}).items()
        if place.startswith(start)
    }
    summary = f"{_SUMMARIES[finding.kind]}." if finding.kind in _SUMMARIES else finding.summary
    return replace(
        finding, summary=summary, evidence={**finding.evidence, "words": words} if words else finding.evidence
    )


def _note_on(finding: Finding) -> SideNote:
    """Return a note with the finding, its certainty and the measured values."""
    lines = [finding.summary, f"Certainty: {finding.certainty}."]
    lines += [f"{name.replace('_', ' ')}: {_spelled(value)}" for name, value in finding.evidence.items() if value != ""]
    return SideNote(f"The audit found: {finding.kind.replace('_', ' ')}", "\n".join(lines))


def _note_on_item(audited: AuditedItem | OpenItem, *, with_key: bool) -> SideNote:
    item = audited.item
    options = [f"{choice.key}: {choice.text or 'a picture'}" for choice in item.choices]
    right = audited.answer if isinstance(audited, OpenItem) else item.right_key
    key = ["no key" if right is None else f"Key: {right}"] if with_key else []
    lines = [item.question, *options, *key, *([", ".join(audited.names)] if audited.names else [])]
    split = f" ({audited.split})" if audited.split else ""
    return SideNote(f"Item {_cut(audited.item_id, 120)}{_cut(split, 60)}", "\n".join(map(_cut, lines)))


def _spelled(value: Any) -> str:
    if isinstance(value, dict) and all(isinstance(part, str) for part in value.values()):
        value = "; ".join(f"{name}: {part}" for name, part in value.items())
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        value = ", ".join(value)
    return _cut(value if isinstance(value, str) else canonical_json(value))


def _cut(text: str, most: int = _LONGEST) -> str:
    text = printable(text)
    return text if len(text) <= most else f"{text[: most - 1]}…"
