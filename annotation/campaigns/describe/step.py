"""The campaign `describe`: annotators state what each image is and conveys, and write questions about it.

Their texts become a value of the image. The step `image_implication` makes items from it, as it does from the
statements in a facts file. Each item records where it was written, so that the store never assigns it to its author.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, get_args

from pydantic import field_validator

from benchwright.canonical import canonical_json
from benchwright.questions.implication import (
    Difficulty,
    Domain,
    Emotion,
    ImageType,
    Implication,
    Rhetoric,
    SixOptions,
    WrittenIn,
)
from benchwright.records import ImageRecord, ItemImage
from benchwright.steps import CampaignContext, Outcome, Step, Stream, Verdicts

from ...forms.campaign_form import CampaignForm
from ...forms.fields.form import Form
from ...forms.kind_forms.description import CONVEYS, COUNTS, description_form, words_of
from ...forms.kinds import DESCRIBE, KINDS
from ...forms.payloads import TaskInput, payload_with_drafts
from ...forms.task_content import TaskContent, task_input
from ...simulated.writers import SimulatedDescribers
from ...store.database.records import Annotation
from ...workflow.gold import with_gold
from ...workflow.submitted_answers import fields_in
from ..running.drafts_before import DraftedBy, check_drafts_before, columns_with_drafts, draft_counts, each_once
from ..running.open_campaign import AssignedCampaign, CampaignRequest, run_campaign
from ..running.verdicts import pseudonyms
from .description_proposals import authors_of_description, authors_of_question, draft_at, proposed_description

_DROPPED_AS = "no_implication"
_VOCABULARIES: Mapping[str, Any] = {
    "image_type": ImageType,
    "difficulty": Difficulty,
    "domain": Domain,
    "emotion": Emotion,
    "rhetoric": Rhetoric,
}
_RULE = "single"


class Describe(AssignedCampaign):
    """Let annotators describe each image and write one to three questions about it; drop images that convey nothing.

    As II-Bench's annotators did (appendix B.3), they state what the image is and conveys: image type, difficulty,
    domain, emotion, rhetoric, an explanation, and questions with one right and five wrong options each. One annotator
    describes an image. The step belongs among the filters of images. The run stops here, in state `waiting`, until
    every image is described. `image_implication` makes items of the value `implication`.

    Steps `draft_descriptions` before it may draft descriptions (`drafted_by`): annotators see them as drafts, and
    accept, edit or discard each part. Items state for each text whether a person wrote it, or which draft it comes
    from.

    Authors never judge their own items in any campaign, so you need annotators besides those who describe. The item
    records where it was written (campaign, image, place), and only the review store knows by whom. A changed
    description makes its items again, and opens a new round for them.

    Attributes:
        several_types: Whether an image may have several types, as in II-Bench's published data; its appendix B allows
            one.
        drafted_by: Entries of steps `draft_descriptions` before it whose drafts annotators see; none by default. Of
            several, the first that describes an image gives its labels and explanation. Simulated annotators get no
            drafts.
        guidelines: Instructions for annotators, in Markdown; by default those of the kind.
        handout: Assignment of images to annotators; the only known decision on gold ones is that they convey nothing
            (`nothing`). `close_decided` is refused: every answer counts.
        simulate: Let simulated annotators describe instead of people. Their texts are drawn at random and state this;
            their items have `simulated` in `written_by` where people's have `person`. Other simulated annotators verify
            or answer elsewhere, so their own texts bar none of them.

    Reasons:
        no_implication (drop): The annotator who described the image found that it conveys nothing.
    """

    name: ClassVar[str] = DESCRIBE
    consumes: ClassVar[Stream] = "images"
    values: ClassVar[Mapping[str, str]] = {"implication": "string"}
    """As in `benchwright.questions.implication`."""

    several_types: bool = False
    drafted_by: DraftedBy = ()
    guidelines: str | None = None
    simulate: SimulatedDescribers | None = None

    @field_validator("drafted_by")
    @classmethod
    def _names_each_once(cls, value: DraftedBy) -> DraftedBy:
        return each_once(value)

    @property
    def reads(self) -> tuple[str, ...]:  # type: ignore[override]
        """Return the values with drafts."""
        return columns_with_drafts(self.drafted_by)

    def placed(self, given: Mapping[str, Mapping[str, str]]) -> Step:
        """Return the step itself, if all entries that make drafts for it come before it.

        Raises:
            RecipeError: An entry is not before this step, or drafts nothing.
        """
        check_drafts_before(self.name, self.drafted_by, given)
        return self

    def parameters(self) -> dict[str, Any]:
        """Return the settings that determine the result; newer ones only if they change the original behavior."""
        parameters = super().parameters()
        unset = [name for name in ("several_types", "drafted_by") if not parameters[name]]
        return {name: value for name, value in parameters.items() if name not in unset}

    def advance(self, records: Iterable[ImageRecord], ctx: CampaignContext) -> Verdicts:
        """Bring the tasks up to date with these images; return the descriptions once every image is described."""
        guidelines = self.guidelines if self.guidelines is not None else KINDS[DESCRIBE].guidelines
        typed = description_form(several_types=self.several_types, drafts=bool(self.drafted_by))
        form = CampaignForm(fields=typed.fields, guidelines=guidelines)
        request = CampaignRequest(
            kind=DESCRIBE, rule=_RULE, slots=1, form=form, group=self.simulate, handout=self.handout
        )
        drafts = {} if self.simulate is not None else {name: ctx.values[name] for name in self.reads}
        state = run_campaign(request, self._work(records, drafts, typed), ctx)
        if state.waiting is not None:
            return Verdicts(state.waiting)
        implications = {decision.item_id: implication_in(decision, ctx.stage) for decision in state.decisions}
        simulated = self.simulate is not None
        outcomes = {image_id: _outcome(implication, simulated) for image_id, implication in implications.items()}
        summary = _summary(implications, state.decisions, simulated=simulated)
        if drafts:
            summary["drafts"] = draft_counts(ctx, drafts, state.decisions, unit_of=draft_at)
        verdicts = Verdicts(None, outcomes, summary)
        known = {
            image_id: Outcome("drop", _DROPPED_AS, evidence={"gold": decision})
            for image_id, decision in state.gold.items()
        }
        return with_gold(verdicts, known)

    def _work(
        self, records: Iterable[ImageRecord], drafts: Mapping[str, Mapping[str, Any]], form: Form
    ) -> Iterator[TaskInput]:
        for record in records:
            shown = (ItemImage(image_id=record.image_id, role="reference"),)
            content = TaskContent(task=DESCRIBE, question="What does this image convey?", images=shown)
            task = task_input(record.image_id, record.image_id, content)
            proposals = proposed_description(record.image_id, drafts, form, several_types=self.several_types)
            yield task if proposals is None else task._replace(payload=payload_with_drafts(task.payload, proposals))


def implication_in(annotation: Annotation, campaign: str) -> Implication | None:
    """Return what an annotator wrote about an image, or None if the annotator found that it conveys nothing."""
    fields = fields_in(annotation)
    if fields["implication"] != CONVEYS:
        return None
    labels = {name: _in_words(name, fields[name]) for name in _VOCABULARIES}
    if not isinstance(labels["image_type"], str) and len(labels["image_type"]) == 1:
        [labels["image_type"]] = labels["image_type"]
    questions = tuple(
        SixOptions(
            ask=fields[f"ask_{n}"],
            right=fields[f"right_{n}"],
            wrong=tuple(fields[f"wrong_{n}"]),
            authors=authors_of_question(fields, n),
        )
        for n in range(1, COUNTS.index(fields["questions"]) + 2)
    )
    simulated = annotation.annotator_kind == "simulated"
    written_in = WrittenIn(campaign=campaign, record_id=annotation.item_id, slot=annotation.slot, simulated=simulated)
    return Implication.model_validate(
        {
            **labels,
            "explanation": fields["explanation"],
            "questions": questions,
            "written_in": written_in,
            "authors": authors_of_description(fields),
        }
    )


def _in_words(name: str, value: str | Sequence[str]) -> Any:
    words = words_of(_VOCABULARIES[name])
    return words[value] if isinstance(value, str) else [words[code] for code in value]


def _outcome(implication: Implication | None, simulated: bool) -> Outcome:
    evidence = {"simulated": True} if simulated else {}
    if implication is None:
        return Outcome("drop", _DROPPED_AS, evidence=evidence)
    stated = canonical_json(implication.model_dump(mode="json"))
    return Outcome(values={"implication": stated}, evidence=evidence)


def _summary(
    implications: Mapping[str, Implication | None], decisions: Sequence[Annotation], *, simulated: bool
) -> dict[str, Any]:
    """Return the numbers of images, questions and labels, without times or names."""
    kept = [implication for implication in implications.values() if implication is not None]
    names = pseudonyms(decisions)
    return {
        "kind": DESCRIBE,
        "rule": _RULE,
        "simulated": simulated,
        "total": len(implications),
        "kept": len(kept),
        "rejected": len(implications) - len(kept),
        "questions": sum(len(implication.questions) for implication in kept),
        "labels": {name: _counts(name, kept) for name in _VOCABULARIES},
        "annotators": {
            name: {"images": n}
            for name, n in sorted(Counter(names[decision.annotator] for decision in decisions).items())
        },
    }


def _counts(name: str, kept: Sequence[Implication]) -> dict[str, int]:
    """Return the count of each vocabulary term; an image may have several types and several rhetoric terms."""
    stated = [getattr(implication, name) for implication in kept]
    named = Counter(
        word
        for stated_labels in stated
        for word in ([stated_labels] if isinstance(stated_labels, str) else stated_labels)
    )
    return {word: named[word] for word in get_args(_VOCABULARIES[name])}
