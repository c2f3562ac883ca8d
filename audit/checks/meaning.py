"""Meanings of words, without a network: options related in meaning or of a different kind, and repeated questions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

from benchwright.errors import PrerequisiteError
from benchwright.texts.normalization import counted

from ..check import AuditContext, CheckSkipped, require_words
from ..evidence import item_report, standing_items
from ..findings.finding import SEVERITIES, Finding
from ..source.audited_items import AuditedItem, AuditedItems

if TYPE_CHECKING:
    from benchwright.diagnostics.item_faults.fault_rules import FaultRule, ItemFault

_SHOWN = 50
_WAYS = {
    "words": "their words and right options mean the same according to the WordNet",
    "languages": "they are in two languages, their options say the same, and the same one is right",
    "sentences": "the sentence model finds them more similar than questions about different pictures",
}


class RelatedOptions:
    """Options that, according to a WordNet, mean the same, include the right one, or are of a different kind."""

    name: ClassVar[str] = "related_options"
    title: ClassVar[str] = "With --wordnet: options that mean the same, include the right one, or are of another kind"

    def run(self, audited: AuditedItems, context: AuditContext) -> Iterator[Finding]:
        """Return a finding for each pair of words that relates options, with all their items, and for each odd option.

        Raises:
            CheckSkipped: No WordNet is given.
        """
        require_words(audited)
        if context.wordnet is None:
            raise CheckSkipped("give the folder of a WordNet with --wordnet, such as that of the package wordnet-base")
        from benchwright.diagnostics.item_faults.fault_rules import ItemFacts
        from benchwright.diagnostics.item_faults.rules import ITEM_RULES, faults_of_item, weight_of
        from benchwright.diagnostics.meaning.meaning_rules import meaning_rules

        rules = meaning_rules(context.wordnet)
        standing = standing_items(audited, context)
        related: defaultdict[tuple[str, ...], list[tuple[str, FaultRule, ItemFault]]] = defaultdict(list)
        without = [rule for rule in ITEM_RULES if rule.kind in {rule.kind for rule in rules}]

        def looked_up(each: AuditedItem) -> list[tuple[FaultRule, ItemFault]]:
            facts = ItemFacts(standing[each.item_id], each.item_id)
            found = faults_of_item(facts, rules)
            known = {rule.kind for rule, _ in faults_of_item(facts, without)} if found else set()
            return [(rule, fault) for rule, fault in found if rule.kind not in known]  # another check names those

        looked = context.check_each(audited.items, looked_up)
        for each, found in looked:
            for rule, fault in found:
                if words := fault.evidence.get("words"):
                    related[(str(fault.evidence["relation"]), *words)].append((each.item_id, rule, fault))
                else:
                    severity, certainty = weight_of(rule, fault)
                    yield Finding(rule.kind, severity, (each.item_id,), fault.words, fault.evidence, certainty)
        for of_words in related.values():
            _, rule, fault = of_words[0]
            items = tuple(dict.fromkeys(item_id for item_id, _, _ in of_words))
            severity = min((weight_of(rule, fault)[0] for _, _, fault in of_words), key=SEVERITIES.index)
            more = "" if len(items) == 1 else f" The same words relate options of {counted(len(items), 'item')}."
            options = {item_id: fault.evidence["options"] for item_id, _, fault in of_words[:_SHOWN]}
            evidence = {**fault.evidence, "options": options}
            yield Finding(rule.kind, severity, items, fault.words + more, evidence, rule.certainty)


class QuestionsAskedAgain:
    """Questions about the same picture, or about none, that may ask the same thing in other words or in another
    language.
    """

    name: ClassVar[str] = "asked_again"
    title: ClassVar[str] = "Questions asked again in another language or, with --wordnet or --sentences, other words"

    def run(self, audited: AuditedItems, context: AuditContext) -> Iterator[Finding]:
        """Return a finding for each pair of questions that no other check reports; copies of a picture count as one
        picture.

        Raises:
            CheckSkipped: The word lists are not installed.
        """
        from benchwright.diagnostics.meaning.asked_again import asked_again

        require_words(audited)
        shown = standing_items(audited, context)
        standing = [shown[each.item_id] for each in audited.keyed]
        known = {
            frozenset((each.item_id, other)) for each in item_report(audited, context).questions for other in each.of
        }
        vectors = None if context.sentences is None else context.sentences.vectors
        try:
            found = list(
                asked_again(
                    standing,
                    wordnet=context.wordnet,
                    vectors=vectors,
                    without_pictures=_without_pictures(audited),
                )
            )
        except PrerequisiteError as error:
            raise CheckSkipped(str(error)) from None
        for pair in found:
            if frozenset(pair.items) in known:
                continue
            items = audited.in_order(audited.own_id[item_id] for item_id in pair.items)
            yield Finding(
                "question_asked_again",
                "low",
                items,
                f"Two questions may ask the same: {_WAYS[pair.way]}.",
                {
                    "questions": [audited.by_id[item].item.question for item in items],
                    "way": pair.way,
                    "likeness": pair.likeness,
                    "languages": pair.languages,
                },
                "possible",
            )


def _without_pictures(audited: AuditedItems) -> frozenset[str]:
    """Return the ids of items whose source names no picture."""
    known = audited.pictures
    return frozenset(
        each.item.item_id
        for each in audited.keyed
        if not each.names and not each.missing and not any(image.image_id in known for image in each.item.images)
    )
