"""Rule-based checks of single items: each family of `benchwright.diagnostics.item_faults` is a check."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from benchwright.texts.normalization import counted

from ..check import AuditContext, CheckSkipped, require_words
from ..evidence import item_report, readable_pictures, standing_items
from ..findings.finding import Finding
from ..kept_faults import KeptFaults
from ..read_texts import read_texts
from ..source.audited_items import AuditedItem, AuditedItems

if TYPE_CHECKING:
    from benchwright.diagnostics.item_faults.fault_rules import Family, FaultRule, ItemFacts, ItemFault
    from benchwright.diagnostics.wording.repeated_options import OptionPair

_KEY_OF_SEVERAL = "ambiguous_key"
"""Reader's reason for a key that is the text of several options."""
_SHOWN = 200


class _FaultsOfItems:
    """The rules of one family, applied to every item and to the set."""

    name: ClassVar[str]
    title: ClassVar[str]
    family: ClassVar[Family]

    def run(self, audited: AuditedItems, context: AuditContext) -> Iterator[Finding]:
        """Return a finding for each fault, or one for all items of a rule whose faults are reported together.

        Raises:
            CheckSkipped: The source lacks the words of its questions, or no item has the facts that the rules need.
        """
        from benchwright.diagnostics.item_faults.fault_rules import FaultRule, SetRule
        from benchwright.diagnostics.item_faults.rules import faults_of_set, rules_of, weight_of

        require_words(audited)
        rules = rules_of(self.family)
        facts = self.facts(audited, context)
        of_item = KeptFaults(context, self.family, [rule for rule in rules if isinstance(rule, FaultRule)])
        together: defaultdict[str, list[tuple[FaultRule, str, ItemFault]]] = defaultdict(list)
        looked = context.check_each(audited.items, lambda each: of_item.of(facts[each.item_id]))
        for each, found in looked:
            for rule, fault in found:
                if rule.together:
                    together[rule.kind].append((rule, each.item_id, fault))
                else:
                    severity, certainty = weight_of(rule, fault)
                    yield Finding(rule.kind, severity, (each.item_id,), fault.words, fault.evidence, certainty)
        yield from map(_combined, together.values())
        of_set = [rule for rule in rules if isinstance(rule, SetRule)]
        looked_at = context.check_each(
            audited.items, lambda each: [rule.look_at(facts[each.item_id]) for rule in of_set]
        )
        ids = [each.item_id for each, _ in looked_at]
        for set_rule, of_several in faults_of_set([facts[item_id] for item_id in ids], of_set):
            severity, certainty = weight_of(set_rule, of_several)
            items = tuple(ids[place] for place in of_several.items)
            yield Finding(set_rule.kind, severity, items, of_several.words, of_several.evidence, certainty)

    def facts(self, audited: AuditedItems, context: AuditContext) -> Mapping[str, ItemFacts]:
        """Return the input of the rules, by the own ids of the items."""
        return _facts(audited, context)


def _facts(audited: AuditedItems, context: AuditContext) -> Mapping[str, ItemFacts]:
    from benchwright.diagnostics.item_faults.fault_rules import ItemFacts, ItemPicture

    def of_item(each: AuditedItem) -> ItemFacts:
        shown = [audited.pictures.get(image.image_id) for image in each.item.images]
        names = each.names or tuple("" if picture is None else picture.name for picture in shown)
        is_known = bool(each.names or each.missing) or any(picture is not None for picture in shown)
        fault = audited.fault_of.get(each.item_id)
        return ItemFacts(
            each.item,
            each.id_from_source,
            [ItemPicture(name) for name in names] if is_known else None,
            padded=each.padded,
            key_is_ambiguous=fault is not None and fault.reason == _KEY_OF_SEVERAL,
        )

    return context.shared("item facts", lambda: {each.item_id: of_item(each) for each in audited.items})


def _facts_with_files(audited: AuditedItems, context: AuditContext) -> Mapping[str, ItemFacts]:
    """Return the facts with the statements and colors of picture files, or without them if no file is readable."""
    facts = _facts(audited, context)
    try:
        measures = readable_pictures(audited, context)
    except CheckSkipped:
        return facts

    def of_item(each: AuditedItem) -> ItemFacts:
        known = facts[each.item_id]
        shown = []
        for picture, image in zip(known.pictures or (), each.item.images, strict=False):
            measured = measures.get(image.image_id)
            shown.append(
                picture if measured is None else picture._replace(stated=measured.stated, is_grey=measured.is_grey)
            )
        return replace(known, pictures=shown or known.pictures)

    return context.shared("item facts with files", lambda: {each.item_id: of_item(each) for each in audited.items})


def _combined(faults: Sequence[tuple[FaultRule, str, ItemFault]]) -> Finding:
    """Return one finding that covers all items in which a rule found a fault."""
    rule, first = faults[0][0], faults[0][2]
    items = tuple(dict.fromkeys(item_id for _, item_id, _ in faults))
    evidence: dict[str, Any] = {"texts": {}}
    for _, item_id, fault in faults:
        texts: Mapping[str, str] = fault.evidence.get("texts", {"": fault.words})
        for place, text in texts.items():
            if len(evidence["texts"]) < _SHOWN:
                evidence["texts"][f"{item_id}, {place}" if place else item_id] = text
    words = first.words if len(items) == 1 else f"In {counted(len(items), 'item')}; in the first: {first.words}"
    return Finding(rule.kind, rule.severity, items, words, evidence, rule.certainty)


class ExplainedKeys(_FaultsOfItems):
    """Explanations that support an option other than the key."""

    name: ClassVar[str] = "explanations"
    title: ClassVar[str] = "Explanations that call an option other than the key right"
    family: ClassVar[Family] = "keys"

    def run(self, audited: AuditedItems, context: AuditContext) -> Iterator[Finding]:
        """Return one finding for each contradiction, or a single one if explanations use another order of options.

        Raises:
            CheckSkipped: No item with a key has an explanation.
        """
        if not any(each.item.explanation for each in audited.keyed):
            raise CheckSkipped("no item with a key has an explanation")
        yield from super().run(audited, context)


class Options(_FaultsOfItems):
    """Options that repeat one another exactly or nearly, refer to others, or are missing values."""

    name: ClassVar[str] = "options"
    title: ClassVar[str] = "Options that repeat exactly or nearly, refer to others, or are missing values"
    family: ClassVar[Family] = "options"

    def run(self, audited: AuditedItems, context: AuditContext) -> Iterator[Finding]:
        """Return a finding for each fault, and for each pair of options that are nearly equal."""
        told: set[tuple[str, frozenset[str]]] = set()
        for finding in super().run(audited, context):
            if finding.kind == "options_equal_but_for_spelling":
                told.add((finding.items[0], frozenset(finding.evidence["options"])))
            yield finding
        for similar in item_report(audited, context).similar_options:
            item_id = audited.own_id[similar.item_id]
            if (item_id, frozenset(similar.options)) not in told:
                yield _similar(audited.by_id[item_id], similar)

    def facts(self, audited: AuditedItems, context: AuditContext) -> Mapping[str, ItemFacts]:
        """Return the input of the rules; pictures that are copies are treated as one picture."""
        standing = standing_items(audited, context)
        return {own: replace(facts, item=standing[own]) for own, facts in super().facts(audited, context).items()}


def _similar(each: AuditedItem, similar: OptionPair) -> Finding:
    texts = {choice.key: choice.text for choice in each.item.choices}
    return Finding(
        "similar_options",
        "low",
        (each.item_id,),
        f"The options {' and '.join(similar.options)} are nearly the same.",
        {"options": {key: texts[key] for key in similar.options}, "likeness": similar.likeness},
        "possible",
    )


class AnswersGivenAway(_FaultsOfItems):
    """Right options that the question, a name, metadata, alternative text, an id, grammar or an order gives away."""

    name: ClassVar[str] = "given_away"
    title: ClassVar[str] = "Answers in questions, file names, metadata, ids, grammar, marks and orders"
    family: ClassVar[Family] = "given_away"

    def facts(self, audited: AuditedItems, context: AuditContext) -> Mapping[str, ItemFacts]:
        """Return the input of the rules, including the statements in picture files."""
        return _facts_with_files(audited, context)


class UnfinishedTexts(_FaultsOfItems):
    """Placeholders, template fields, markup and garbled characters."""

    name: ClassVar[str] = "unfinished_texts"
    title: ClassVar[str] = "Placeholders, template fields, markup and garbled characters"
    family: ClassVar[Family] = "placeholders"


class HiddenCharacters(_FaultsOfItems):
    """Control characters, bidirectional controls and zero-width characters in texts, except those a script needs."""

    name: ClassVar[str] = "hidden_characters"
    title: ClassVar[str] = "Invisible characters"
    family: ClassVar[Family] = "hidden_characters"


class PersonalData(_FaultsOfItems):
    """Email addresses and numbers of phones, accounts, payment cards and passports."""

    name: ClassVar[str] = "personal_data"
    title: ClassVar[str] = "Personal data in texts and, with --ocr, in the text of pictures"
    family: ClassVar[Family] = "personal_data"

    def facts(self, audited: AuditedItems, context: AuditContext) -> Mapping[str, ItemFacts]:
        """Return the input of the rules, including the text in pictures if OCR is allowed."""
        facts = super().facts(audited, context)
        if not context.ocr or not audited.pictures:
            return facts
        lines = read_texts(list(audited.pictures.values()), context)

        def of_item(each: AuditedItem) -> ItemFacts:
            known = facts[each.item_id]
            shown = [
                picture._replace(text=lines.get(image.image_id))
                for picture, image in zip(known.pictures or (), each.item.images, strict=False)
            ]
            return replace(known, pictures=shown or known.pictures)

        return {each.item_id: of_item(each) for each in audited.items}


class NamedPictures(_FaultsOfItems):
    """Pictures that texts mention and items lack, and colors attributed to gray pictures."""

    name: ClassVar[str] = "named_pictures"
    title: ClassVar[str] = "Pictures that texts name and items lack, colors of gray pictures"
    family: ClassVar[Family] = "pictures"

    def facts(self, audited: AuditedItems, context: AuditContext) -> Mapping[str, ItemFacts]:
        """Return the input of the rules, including whether pictures have color."""
        return _facts_with_files(audited, context)
