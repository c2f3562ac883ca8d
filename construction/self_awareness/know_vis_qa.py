"""KnowVisQA (MM-SAP, section 3.2): questions that require knowledge of the depicted entity, in six domains."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from benchwright.texts.normalization import normal

from ..distractors.sameness import may_both_be_right
from ..ground_truth.truths import GroundTruth, NamedEntity, SizeWH
from ..ground_truth.values import RecordTruth
from ..truth_tasks.truth_plans import UnusedTruth
from .exchanged import AnsweredQuestion, OfferedQuestion, with_options
from .offering import OfferingTask

_DOMAINS: Mapping[str, str] = {
    "animals_and_plants": "Which {kind} does the picture show?",
    "brands_and_products": "Which {kind} does the picture show?",
    "art": "What is the title of the {kind} in the picture?",
    "landmarks": "What is the name of the {kind} in the picture?",
    "food": "What is the name of the {kind} in the picture?",
    "organizations": "Which {kind} does the picture refer to?",
}
"""The paper's six domains, each with the question that is used unless a table states its own."""


class KnowVisQa(OfferingTask):
    """Make items that ask for the name of what is shown, with an option that declines; needs a step `dataset` before
    it.

    Follows MM-SAP's KnowVisQA: five options, one right and one that declines. Either of the two may be the right choice
    for a model, which may know the answer or know that it does not. The category is the domain. A table states the
    entity of each picture: columns `entity`, `kind` and `domain` with `image` and `licence`, and optionally
    `also_named`, `others` and `ask`.

    Wrong options are of the same kind, for instance other lakes for a lake. In `hardened` mode, four entities of a kind
    offer each other's names; a kind with fewer pictures is usable only in `paper` mode, which also uses the table's
    `others`.

    Args:
        mode: `hardened`, or `paper`: each entity gets wrong options by itself.
        chat: Model that writes the wrong options, in `paper` mode; null takes names from the table.

    Reasons:
        other_domain (drop): The domain is not one of the six: animals_and_plants, brands_and_products, art, landmarks,
            food, organizations.
        no_partners (drop): In `hardened` mode: fewer than three other entities of the kind are left.
        too_few_distractors (drop): In `paper` mode: fewer than three other names of the kind are known.
        writer_no_json (drop): The reply of the model that writes options contains no JSON.
        writer_other_json (drop): The reply does not contain three options that can be offered with the right one.
    """

    name: ClassVar[str] = "know_vis_qa"
    kinds: ClassVar[tuple[type[GroundTruth], ...]] = (NamedEntity,)
    item_level: ClassVar[str | None] = None

    def combined(
        self, truths: Sequence[RecordTruth[Any]], sizes_wh: Mapping[str, SizeWH], seed: int
    ) -> Iterator[RecordTruth[OfferedQuestion] | UnusedTruth]:
        """Yield the usable entities with their options, and the other entities with the reasons for their exclusion."""
        del sizes_wh
        questions: list[AnsweredQuestion] = []
        shown: dict[str, list[str]] = {}
        for truth in truths:
            entity: NamedEntity = truth.truth
            domain = _domain(entity.domain)
            shown.setdefault(truth.image_ids[0], []).extend((entity.entity, *entity.also_named))
            if domain not in _DOMAINS:
                yield UnusedTruth(truth, "other_domain")
                continue
            kind = " ".join(entity.entity_kind.split())
            ask = entity.ask or _DOMAINS[domain].format(kind=kind)
            pool = f"{domain} {normal(kind)}"
            questions.append(
                AnsweredQuestion(
                    truth,
                    truth.record,
                    domain,
                    pool,
                    ask,
                    entity.entity,
                    known=entity.others,
                    also_right=entity.also_named,
                    evidence={"entity": entity.entity, "entity_kind": kind, "made_of": "table"},
                    written_by="template" if entity.ask is None else "person",
                )
            )
        yield from with_options(
            questions,
            mode=self.mode,
            seed=seed,
            task=self.name,
            uses=self.uses,
            items=self.items,
            is_true=lambda picture, text: any(may_both_be_right(text, name) for name in shown[picture]),
            are_names=True,
            is_written=self.chat is not None,
        )


def _domain(text: str) -> str:
    """Return a domain as the step names it: `Animals & plants` becomes `animals_and_plants`."""
    return normal(text.replace("&", " and ")).replace(" ", "_")
