"""The step `question_faults`: applies the audit's rules about items to your own items."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, get_args

import numpy as np
from pydantic import field_validator

from benchwright.diagnostics.item_faults.fault_rules import ItemFacts, ItemPicture, Severity
from benchwright.diagnostics.item_faults.pictures import asks_for_color
from benchwright.diagnostics.item_faults.rules import KINDS, RULES, faults_of_item, faults_of_set, weight_of
from benchwright.errors import UnreadableImage
from benchwright.records import Item
from benchwright.steps import (
    Context,
    Filter,
    GatherContext,
    Gathered,
    GatherStep,
    Measured,
    Outcome,
    Step,
    Stream,
    Verdict,
)

if TYPE_CHECKING:
    import pyarrow as pa

_FAMILY = {rule.kind: rule.family for rule in RULES}
_SEVERITIES: tuple[Severity, ...] = get_args(Severity)


class _Judged(Step):
    """Settings shared by both parts."""

    ignore: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    ask_from: Severity = "medium"

    def verdict_on(self, found: Mapping[str, str]) -> tuple[Verdict, str | None]:
        """Return the verdict on an item, and the family of the deciding rule.

        Args:
            found: Kinds of findings, each with its worst severity.
        """
        counts = {kind: severity for kind, severity in found.items() if kind not in self.ignore}
        dropping = [kind for kind in counts if kind in self.drop]
        asking = [kind for kind, severity in counts.items() if severity in self._asked]
        if dropping:
            return "drop", _FAMILY[dropping[0]]
        return ("ask", _FAMILY[asking[0]]) if asking else ("keep", None)

    @property
    def _asked(self) -> tuple[Severity, ...]:
        return _SEVERITIES[: _SEVERITIES.index(self.ask_from) + 1]


class FaultsOfEach(Filter, _Judged):
    """Examine each item by itself."""

    name: ClassVar[str] = "each"
    consumes: ClassVar[Stream] = "items"
    values: ClassVar[Mapping[str, str]] = {"kinds": "list<string>", "severities": "list<string>"}
    thresholds: ClassVar[frozenset[str]] = frozenset({"ignore", "drop", "ask_from"})

    def measure(self, record: Item, ctx: Context) -> Measured:
        """Apply all rules about single items."""
        found: dict[str, Severity] = {}
        evidence = []
        for rule, fault in faults_of_item(_facts(record, ctx)):
            severity, _ = weight_of(rule, fault)
            found[rule.kind] = min(severity, found.get(rule.kind, "low"), key=_SEVERITIES.index)
            evidence.append({"kind": rule.kind, "severity": severity, "words": fault.words, **fault.evidence})
        worst_first = sorted(found, key=lambda kind: _SEVERITIES.index(found[kind]))
        values: dict[str, list[str]] = {"kinds": worst_first, "severities": [found[kind] for kind in worst_first]}
        return Measured(values, {"faults": evidence} if evidence else {})

    def judge(self, measured: Mapping[str, Any]) -> Outcome:
        """Drop an item or ask about it, according to its worst kind of fault; kinds that drop items take precedence."""
        found = dict(zip(measured["kinds"], measured["severities"], strict=True))
        verdict, family = self.verdict_on(found)
        return Outcome() if family is None else Outcome(verdict, family, evidence={"kinds": list(found)})


def _facts(item: Item, ctx: Context) -> ItemFacts:
    """Return the facts that the rules need; pictures are decoded only if the item asks about a color."""
    is_asked = asks_for_color(item)
    return ItemFacts(item, pictures=[ItemPicture(is_grey=_is_grey(image.image_id, ctx) if is_asked else None)
                                     for image in item.images])  # fmt: skip


def _is_grey(image_id: str, ctx: Context) -> bool | None:
    from benchwright.diagnostics.pictures.measures import is_grey

    try:
        return is_grey(ctx.images.rgb(ctx.image(image_id)))
    except UnreadableImage:
        return None


class FaultsOfAll(GatherStep, _Judged):
    """Examine all items at once."""

    name: ClassVar[str] = "all"
    consumes: ClassVar[Stream] = "items"
    values: ClassVar[Mapping[str, str]] = {"kinds": "list<string>"}
    columns: ClassVar[tuple[str, ...]] = ("record",)

    def gather(self, columns: pa.Table, ctx: GatherContext) -> Gathered:
        """Apply all rules about a set of items."""
        del ctx
        items = [Item.model_validate_json(record) for record in columns["record"].to_pylist()]
        found: defaultdict[int, dict[str, str]] = defaultdict(dict)
        evidence: defaultdict[int, list[Mapping[str, Any]]] = defaultdict(list)
        for rule, fault in faults_of_set([ItemFacts(item) for item in items]):
            severity, _ = weight_of(rule, fault)
            for row in fault.items:
                found[row][rule.kind] = severity
                evidence[row].append({"kind": rule.kind, "severity": severity, "words": fault.words, **fault.evidence})
        rows = sorted(found)
        judged = [self.verdict_on(found[row]) for row in rows]
        return Gathered(
            rows=np.array(rows, np.int64),
            verdicts=[verdict for verdict, _ in judged],
            reasons=[family for _, family in judged],
            values={"kinds": [list(found[row]) for row in rows]},
            evidence=[{"faults": evidence[row]} for row in rows],
        )


class QuestionFaults(_Judged):
    """Ask about items with faults that a careful reviewer would find, according to the rules of the audit.

    Finds keys that explanations contradict, options that are equal or refer to others, answers given away by words,
    grammar, marks or an order, placeholders, garbled and hidden characters, personal data, missing pictures to which a
    text refers, and questions about colors in gray pictures. The audit's page lists all rules. Ignores names and
    metadata of picture files, because a release contains neither.

    Args:
        ignore: Kinds of faults to ignore.
        drop: Kinds of faults for which to drop an item; the others are asked about.
        ask_from: Smallest severity at which an item is asked about: `high`, `medium` or `low`.

    Reasons:
        keys (drop or ask): The explanation supports an option other than the key.
        options (drop or ask): Options are equal, refer to others, or are missing values.
        given_away (drop or ask): Words, grammar, a mark or an order give the right option away.
        placeholders (drop or ask): A text is a placeholder or a template, is garbled, or contains markup.
        hidden_characters (drop or ask): A text contains invisible characters.
        personal_data (drop or ask): A text contains a mail address, or the number of a phone, account, card or
            passport.
        pictures (drop or ask): A picture to which a text refers is missing, or the question asks about a color in a
            gray picture.
    """

    name: ClassVar[str] = "question_faults"
    consumes: ClassVar[Stream] = "items"

    @field_validator("ignore", "drop")
    @classmethod
    def _kinds_are_known(cls, kinds: tuple[str, ...]) -> tuple[str, ...]:
        if unknown := [kind for kind in kinds if kind not in KINDS]:
            raise ValueError(f"unknown kind of fault {unknown[0]!r}; give one of {', '.join(sorted(KINDS))}")
        return kinds

    def parts(self) -> tuple[Step, ...]:
        """Return the parts: the rules about single items, then the rules about all items."""
        settings = {"ignore": self.ignore, "drop": self.drop, "ask_from": self.ask_from}
        return FaultsOfEach.model_validate(settings), FaultsOfAll.model_validate(settings)
