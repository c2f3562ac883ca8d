"""The campaign `describe`: people say of each image what it is and conveys, and write questions about it.

What they write becomes a value of the image. The step `image_implication` makes items of it, as it does of what a facts
file states, and each item says where it was written: so the store hands it to anybody but its author.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, get_args

from benchwright.canonical import canonical_json
from benchwright.implication import Difficulty, Domain, Emotion, ImageType, Implication, Rhetoric, SixOptions, WrittenIn
from benchwright.records import ImageRecord, ItemImage
from benchwright.steps import CampaignContext, Outcome, Stream, Verdicts

from ..forms.campaign_form import CampaignForm
from ..forms.description import CONVEYS, COUNTS, DESCRIPTION_FORM, words_of
from ..forms.kinds import DESCRIBE, KINDS
from ..forms.payloads import TaskInput
from ..forms.task_content import TaskContent, task_input
from ..simulated.writers import SimulatedDescribers
from ..store import Annotation
from ..workflow.gold import with_gold
from ..workflow.submitted_answers import fields_in
from .open_campaign import AssignedCampaign, CampaignRequest, run_campaign
from .verdicts import pseudonyms

DROPPED_AS = "no_implication"
_VOCABULARIES: Mapping[str, Any] = {
    "image_type": ImageType, "difficulty": Difficulty, "domain": Domain, "emotion": Emotion, "rhetoric": Rhetoric,
}  # fmt: skip
_RULE = "single"


class Describe(AssignedCampaign):
    """Let people describe each image and write one to three questions about it; drop what conveys nothing.

    Attributes:
        guidelines: What annotators are told, in Markdown.
        handout: How images go out to people; gold ones among them can only be known to convey nothing.
        simulate: Let simulated annotators describe instead of people; everything they touch says so.
    """

    name: ClassVar[str] = DESCRIBE
    consumes: ClassVar[Stream] = "images"
    values: ClassVar[Mapping[str, str]] = {"implication": "string"}
    """As `benchwright.implication` has it."""

    guidelines: str | None = None
    simulate: SimulatedDescribers | None = None

    def advance(self, records: Iterable[ImageRecord], ctx: CampaignContext) -> Verdicts:
        """Bring the tasks up to these images and return what was written once each is described."""
        guidelines = self.guidelines if self.guidelines is not None else KINDS[DESCRIBE].guidelines
        form = CampaignForm(fields=DESCRIPTION_FORM.fields, guidelines=guidelines)
        asking = CampaignRequest(
            kind=DESCRIBE, rule=_RULE, slots=1, form=form, group=self.simulate, handout=self.handout
        )
        state = run_campaign(asking, _work(records), ctx)
        if state.waiting is not None:
            return Verdicts(state.waiting)
        found = {one.item_id: described(one, ctx.stage) for one in state.decisions}
        simulated = self.simulate is not None
        outcomes = {image_id: _outcome(implication, simulated) for image_id, implication in found.items()}
        verdicts = Verdicts(None, outcomes, _summary(found, state.decisions, simulated=simulated))
        known = {
            image_id: Outcome("drop", DROPPED_AS, evidence={"gold": said}) for image_id, said in state.gold.items()
        }
        return with_gold(verdicts, known)


def _work(records: Iterable[ImageRecord]) -> Iterator[TaskInput]:
    for record in records:
        shown = (ItemImage(image_id=record.image_id, role="reference"),)
        exhibit = TaskContent(task=DESCRIBE, question="What does this image convey?", images=shown)
        yield task_input(record.image_id, record.image_id, exhibit)


def described(said: Annotation, campaign: str) -> Implication | None:
    """Return what an annotator wrote about an image; None where it conveys nothing."""
    fields = fields_in(said)
    if fields["implication"] != CONVEYS:
        return None
    labels = {name: _in_words(name, fields[name]) for name in _VOCABULARIES}
    questions = tuple(
        SixOptions(ask=fields[f"ask_{n}"], right=fields[f"right_{n}"], wrong=tuple(fields[f"wrong_{n}"]))
        for n in range(1, COUNTS.index(fields["questions"]) + 2)
    )
    simulated = said.annotator_kind == "simulated"
    written_in = WrittenIn(campaign=campaign, record_id=said.item_id, slot=said.slot, simulated=simulated)
    return Implication.model_validate(
        {**labels, "explanation": fields["explanation"], "questions": questions, "written_in": written_in}
    )


def _in_words(name: str, said: str | Sequence[str]) -> Any:
    words = words_of(_VOCABULARIES[name])
    return words[said] if isinstance(said, str) else [words[code] for code in said]


def _outcome(implication: Implication | None, simulated: bool) -> Outcome:
    evidence = {"simulated": True} if simulated else {}
    if implication is None:
        return Outcome("drop", DROPPED_AS, evidence=evidence)
    stated = canonical_json(implication.model_dump(mode="json"))
    return Outcome(values={"implication": stated}, evidence=evidence)


def _summary(found: Mapping[str, Implication | None], said: Sequence[Annotation], *, simulated: bool) -> dict[str, Any]:
    """Count images, questions and labels; no clocks, no names."""
    kept = [implication for implication in found.values() if implication is not None]
    names = pseudonyms(said)
    return {
        "kind": DESCRIBE,
        "rule": _RULE,
        "simulated": simulated,
        "total": len(found),
        "kept": len(kept),
        "rejected": len(found) - len(kept),
        "questions": sum(len(one.questions) for one in kept),
        "labels": {name: _counts(name, kept) for name in _VOCABULARIES},
        "annotators": {
            name: {"images": n} for name, n in sorted(Counter(names[one.annotator] for one in said).items())
        },
    }


def _counts(name: str, kept: Sequence[Implication]) -> dict[str, int]:
    """Count each word of a vocabulary; of rhetoric an image may have several."""
    stated = [getattr(one, name) for one in kept]
    named = Counter(word for one in stated for word in ([one] if isinstance(one, str) else one))
    return {word: named[word] for word in get_args(_VOCABULARIES[name])}
