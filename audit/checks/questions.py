"""Questions asked twice, questions that differ only in the order of options, and rows with invalid keys or options."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar, NamedTuple

from benchwright.diagnostics.wording.repeated_questions import MIN_SIMILARITY, NEAR, right_option
from benchwright.texts.normalization import counted

from ..check import AuditContext
from ..evidence import item_report
from ..findings.finding import Certainty, Finding, Severity
from ..source.audited_items import AuditedItem, AuditedItems, OpenItem, RotatedQuestion, RowFault, WordlessItem

_ROWS = 200
"""Largest number of rows that a finding lists with their faults."""
_REPEATED_KEY = "ambiguous_key"
"""Reader's reason for a key that is the text of several options."""


class _KeyFault(NamedTuple):
    kind: str
    severity: Severity
    summary: str


_NO_OPTION = _KeyFault("key_not_an_option", "high", "The key names no option")
_OTHER_FAULT = _KeyFault("unreadable_key", "high", "The key cannot be read")
_FAULTS = {
    "key_not_an_option": _NO_OPTION,
    "other_reading": _NO_OPTION,
    _REPEATED_KEY: _KeyFault("ambiguous_key", "high", "The key fits several options"),
    "several_keys": _KeyFault("several_keys", "high", "The key names several options"),
    "empty_option": _KeyFault("empty_option", "medium", "An option is empty"),
    "too_few_options": _KeyFault("too_few_options", "medium", "The only option leaves no choice"),
}
"""Findings by the reader's reasons."""


class RepeatedIds:
    """Ids that occur more than once in the source."""

    name: ClassVar[str] = "repeated_ids"
    title: ClassVar[str] = "Ids that occur twice"

    def run(self, audited: AuditedItems, context: AuditContext) -> Iterator[Finding]:
        """Return a finding for ids that are repeated within a file, and one for ids repeated across files."""
        del context
        by_own: defaultdict[str, list[AuditedItem | WordlessItem | OpenItem]] = defaultdict(list)
        for each in audited.all_items:
            if (
                each.stated_id != each.where.rpartition(", ")[2]
            ):  # otherwise the source states none, and its row names it
                by_own[each.stated_id].append(each)
        repeated = {own: items for own, items in by_own.items() if len(items) > 1}
        within = {own: items for own, items in repeated.items() if len({_file(each) for each in items}) < len(items)}
        across = {own: items for own, items in repeated.items() if own not in within}
        if within:
            yield _repeated_ids(within, "medium", "replies cannot be matched to items")
        if across:
            yield _repeated_ids(across, "low", "replies must name the file of their question")


def _file(item: AuditedItem | WordlessItem | OpenItem) -> str:
    return item.where.rpartition(", ")[0]


def _repeated_ids(
    repeated: Mapping[str, Sequence[AuditedItem | WordlessItem | OpenItem]], severity: Severity, so: str
) -> Finding:
    own, (first, second, *_) = next(iter(repeated.items()))
    return Finding(
        "repeated_id",
        severity,
        tuple(each.item_id for items in repeated.values() for each in items),
        f"{counted(len(repeated), 'id')} {'occurs' if len(repeated) == 1 else 'occur'} more than once, such as "
        f"{own!r} in {first.where} and in {second.where}: {so}.",
        {"ids": sorted(repeated)[:50]},
        "certain",
    )


class RepeatedQuestions:
    """Questions that are asked twice, or nearly, about the same pictures; copies of a picture are treated as one."""

    name: ClassVar[str] = "repeated_questions"
    title: ClassVar[str] = "Questions asked twice, in the same or nearly the same words"

    def run(self, audited: AuditedItems, context: AuditContext) -> Iterator[Finding]:
        """Return a finding for each group of items that ask the same thing."""
        groups: defaultdict[tuple[bool, str], set[str]] = defaultdict(set)
        same_options: dict[tuple[bool, str], bool] = {}
        for repetition in item_report(audited, context).questions:
            group = (repetition.reason == NEAR, repetition.group)
            groups[group] |= {repetition.item_id, *repetition.of}
            is_by_options = all(p.same_options and p.similarity < MIN_SIMILARITY for p in repetition.partners)
            same_options[group] = same_options.get(group, True) and is_by_options
        for (is_near, name), members in sorted(groups.items(), key=lambda entry: (entry[0][0], entry[0][1])):
            items = audited.in_order(audited.own_id[item_id] for item_id in members)
            yield (
                _nearly_repeated(audited, items, in_other_words=same_options[is_near, name])
                if is_near
                else _repeated(audited, items)
            )


def _nearly_repeated(audited: AuditedItems, items: tuple[str, ...], *, in_other_words: bool) -> Finding:
    return Finding(
        "nearly_repeated_question",
        "low",
        items,
        "Questions about the same picture have the same options and the same right one: they may ask the same in "
        "other words."
        if in_other_words
        else "Questions about the same picture are nearly the same: a curator should decide whether one is enough.",
        {"questions": [audited.by_id[item].item.question for item in items[:8]]},
        "possible",
    )


def _repeated(audited: AuditedItems, items: tuple[str, ...]) -> Finding:
    keys = {right_option(audited.by_id[item].item) for item in items} - {None}
    evidence = {"question": audited.by_id[items[0]].item.question}
    splits = sorted({audited.splits[item] for item in items if item in audited.splits})
    if len(splits) > 1:
        evidence["splits"] = ", ".join(splits)
    if len(keys) > 1:
        summary = "The same question about the same picture has different keys: one of them is wrong."
        return Finding("contradicting_keys", "high", items, summary, evidence, _certainty(audited, items))
    where = f" in the splits {', '.join(splits)}" if len(splits) > 1 else ""
    summary = f"The same question about the same picture, with the same options, is asked {len(items)} times{where}."
    severity: Severity = "high" if where else "medium"
    return Finding("repeated_question", severity, items, summary, evidence, _certainty(audited, items))


def _certainty(audited: AuditedItems, items: Sequence[str]) -> Certainty:
    """Return how certain it is that items show the same picture; files may use the same name for different pictures."""
    found = [audited.worded[item] for item in items]
    is_seen = not any(each.missing for each in found)
    return "certain" if is_seen or len({_file(each) for each in found}) == 1 else "likely"


class RotatedOptions:
    """Questions that repeat another one with its options in a different order, but have a different right option."""

    name: ClassVar[str] = "rotated_options"
    title: ClassVar[str] = "Questions repeated with rotated options but an unrotated key"

    def run(self, audited: AuditedItems, context: AuditContext) -> Iterator[Finding]:
        """Return a finding for each question that has a different key than its rotation."""
        del context
        known = {each.item_id for each in audited.all_items}
        by_question: defaultdict[str, list[RotatedQuestion]] = defaultdict(list)
        for rotation in audited.rotations:
            if rotation.problem:
                by_question[rotation.of].append(rotation)
        for own, rotations in by_question.items():
            yield Finding(
                "contradicting_keys",
                "high",
                (own,) if own in known else (),
                f"The question is repeated with its options in another order, and another option is right: in "
                f"{rotations[0].where}, {rotations[0].problem}.",
                {"rotations": [rotation._asdict() for rotation in rotations]},
                "certain",
            )


class FaultyRows:
    """Questions whose key names none or several of their options, or whose options are invalid."""

    name: ClassVar[str] = "faulty_rows"
    title: ClassVar[str] = "Questions that no run takes, because of their key or options"

    def run(self, audited: AuditedItems, context: AuditContext) -> Iterator[Finding]:
        """Return a finding for each kind of fault in keys or options, with all affected questions."""
        del context
        by_kind: defaultdict[_KeyFault, list[RowFault]] = defaultdict(list)
        for fault in audited.faults:
            # The check of equal options reports the others.
            if fault.reason != _REPEATED_KEY or fault.item_id not in audited.by_id:
                by_kind[_FAULTS.get(fault.reason, _OTHER_FAULT)].append(fault)
        for kind, faults in by_kind.items():
            number, first = len(faults), faults[0]
            yield Finding(
                kind.kind,
                kind.severity,
                tuple(dict.fromkeys(fault.item_id for fault in faults)),
                f"{kind.summary} in {counted(number, 'question')}, such as in {first.where}: {first.detail}.",
                {"rows": [fault._asdict() for fault in faults[:_ROWS]]},
                "certain",
            )


class MissingKeys:
    """Items for which no option is marked as right, in splits where other items have a key."""

    name: ClassVar[str] = "missing_keys"
    title: ClassVar[str] = "Items without a key among items with one"

    def run(self, audited: AuditedItems, context: AuditContext) -> Iterator[Finding]:
        """Return a finding for each split in which some items have a key and others do not."""
        del context
        by_split: defaultdict[str | None, list[AuditedItem | WordlessItem | OpenItem]] = defaultdict(list)
        for each in audited.all_items:
            by_split[each.split].append(each)
        for split, items in by_split.items():
            without = tuple(each.item_id for each in items if not each.has_key and each.item_id not in audited.fault_of)
            if without and len(without) < len(items):
                where = f" of the split {split}" if split else ""
                yield Finding(
                    "missing_key",
                    "medium",
                    without,
                    f"{len(without):,} of {counted(len(items), 'item')}{where} "
                    f"{'has' if len(without) == 1 else 'have'} no key.",
                    {"split": split},
                    "certain",
                )
