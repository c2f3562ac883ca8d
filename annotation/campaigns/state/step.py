"""The campaign `state`: annotators describe what images show, section by section, for steps that use facts.

Their statements become the value `statements` of the image, in the terms of facts files. The step `facts` combines it
with the marks on the image (`stated_by`). Each statement records its author and where it was written, so that authors
never judge items made from their own statements.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Literal

from pydantic import Field, field_validator, model_validator

from benchwright.canonical import canonical_json
from benchwright.facts import Authorship, StatementsOnPicture, author_of
from benchwright.facts.statements import PERSON, SIMULATED
from benchwright.images.identify import path_for
from benchwright.models.endpoints.usage import CHARACTERS_PER_TOKEN, RequestPlan
from benchwright.questions.implication import WrittenIn
from benchwright.records import ImageRecord, ItemImage
from benchwright.steps import CampaignContext, Outcome, Stream, Verdicts

from ...forms.campaign_form import CampaignForm
from ...forms.fields.field_types import OneOf, Repeated
from ...forms.fields.form import Form
from ...forms.kind_forms.statements import DRAFTS, HEADLINE, NEEDS, STATED, Section, state_form, statements_document
from ...forms.kinds import KINDS, STATE
from ...forms.payloads import Proposals, TaskInput, payload_of_picture, proposals_in
from ...forms.task_content import TaskContent
from ...simulated.annotators import check_enough
from ...simulated.writers import SimulatedStaters
from ...store.database.records import TASK_STATES, Annotation
from ...store.review_store import open_store
from ...workflow.gold import with_gold
from ...workflow.settlement.rules import Rule
from ...workflow.submitted_answers import fields_in
from ..running.open_campaign import AssignedCampaign, CampaignRequest, run_campaign
from ..running.verdicts import pseudonyms
from .model_drafts import DraftSettings, drafts_of, prompt_of

_IN_FACTS = {"conveyed": "implication/question"}
_LABELS = ("image_type", "domain", "emotion")
_KEYS = ("name", "of", "category", "effect")
"""Parts of an entry that identify it in facts files."""


class State(AssignedCampaign):
    """Let annotators state in words what each image shows; drop nothing.

    The sections are those of a facts file, without the marks on a picture: captions, the phrase for each subject in a
    question, the background, questions that the picture answers and does not answer, what it conveys, what is seen and
    inferred, and changes that would look right. The run stops here, in state `waiting`, until every image is done;
    `facts` with `stated_by: [state]` then passes the statements on. At submission, the form names any mistake, such as
    a main subject that is missing from the subjects.

    A model may draft the statements (`draft`). Its drafts are shown as such, and have no author until a person accepts
    or edits them. Items state for each text whether a person wrote it, or which model.

    Authors of statements never judge items made from them, so you need annotators besides those who state.

    Attributes:
        sections: Sections of the form. `attributes` needs `caption`, and `pairs` needs both.
        optional: Sections among them that may be left empty.
        annotators: Annotators who state each image, independently.
        combine: How to combine several annotators' statements. `all` takes every question, subject and change, one of
            each name, the first annotator's before the others'; of labels the most frequent; of texts, and of equally
            frequent labels, the first annotator's. `first` takes only the statements of the first annotator who stated
            anything. Annotators are ordered by their places in the task.
        draft: Model that drafts the statements; none by default. Simulated annotators get no drafts.
        guidelines: Instructions for annotators, in Markdown; by default those of the kind.
        handout: Assignment of images to annotators; the only known decision on gold ones is that there is nothing to
            state (`nothing`). `close_decided` is refused: every answer counts.
        simulate: Let simulated annotators state instead of people. Their texts say so in words, and items have
            `simulated` in `written_by` where people's have `person`.
    """

    name: ClassVar[str] = STATE
    consumes: ClassVar[Stream] = "images"
    values: ClassVar[Mapping[str, str]] = {"statements": "string"}
    """As in `benchwright.facts.Statements`."""

    sections: tuple[Section, ...] = Field(
        ("caption", "subjects", "background", "answerable", "unanswerable"), min_length=1
    )
    optional: tuple[Section, ...] = ()
    annotators: int = Field(1, ge=1, le=50)
    combine: Literal["all", "first"] = "all"
    draft: DraftSettings | None = None
    guidelines: str | None = None
    simulate: SimulatedStaters | None = None

    @field_validator("sections", "optional")
    @classmethod
    def _each_once(cls, value: tuple[Section, ...]) -> tuple[Section, ...]:
        if twice := sorted(name for name, n in Counter(value).items() if n > 1):
            raise ValueError(f"section {twice[0]!r} appears twice")
        return value

    @model_validator(mode="after")
    def _sections_are_consistent(self) -> State:
        for section in self.sections:
            if missing := [other for other in NEEDS.get(section, ()) if other not in self.sections]:
                raise ValueError(f"section {section!r} depends on {missing[0]!r}; add it to `sections`")
        if unknown := [section for section in self.optional if section not in self.sections]:
            raise ValueError(f"section {unknown[0]!r} is listed as optional, but not in `sections`; add it there")
        if self.simulate is not None:
            check_enough(self.simulate, Rule(self.annotators, self.annotators))
        return self

    def parameters(self) -> dict[str, Any]:
        """Return the settings that determine the result, which a model's budgets and the assignment of tasks do not."""
        parameters = super().parameters()
        return parameters if self.draft is None else {**parameters, "draft": self.draft.deciding()}

    def planned_requests(self, images: int) -> list[RequestPlan] | None:
        """Return the planned requests to the drafting model, with one repair for each reply."""
        if self.draft is None:
            return None
        words = len(prompt_of(self.sections, questions=self.draft.questions)) // CHARACTERS_PER_TOKEN
        return [self.draft.chat.plan("drafts", images, requests=2, pictures=2, words=2 * words)]

    def advance(self, records: Iterable[ImageRecord], ctx: CampaignContext) -> Verdicts:
        """Bring the tasks up to date with these images; return the statements once every image is done."""
        typed = state_form(self.sections, optional=self.optional, drafts=self.draft is not None)
        guidelines = self.guidelines if self.guidelines is not None else KINDS[STATE].guidelines
        request = CampaignRequest(
            kind=STATE,
            rule="single" if self.annotators == 1 else f"answers({self.annotators})",
            slots=self.annotators,
            form=CampaignForm(fields=typed.fields, guidelines=guidelines, states_facts=True),
            group=self.simulate,
            handout=self.handout,
        )
        state = run_campaign(request, self._work(list(records), typed, ctx), ctx)
        if state.waiting is not None:
            return Verdicts(state.waiting)
        by_image: dict[str, list[Annotation]] = {}
        for decision in state.decisions:
            by_image.setdefault(decision.item_id, []).append(decision)
        stated = {
            image_id: _combined_statements(decisions, typed, ctx.stage, first_only=self.combine == "first")
            for image_id, decisions in sorted(by_image.items())
        }
        evidence = {"simulated": True} if self.simulate is not None else {}
        outcomes = {image_id: _outcome(statements, evidence) for image_id, statements in stated.items()}
        summary = _summary(stated, state.decisions, request.rule, simulated=self.simulate is not None)
        if self.draft is not None and self.simulate is None:
            summary["drafts"] = _draft_counts(ctx, self.draft.chat.model)
        known = {image_id: Outcome(evidence={"gold": decision}) for image_id, decision in state.gold.items()}
        return self.noted(with_gold(Verdicts(None, outcomes, summary), known), ctx)

    def _work(self, records: Sequence[ImageRecord], typed: Form, ctx: CampaignContext) -> Iterator[TaskInput]:
        """Yield the tasks of images; request a model's draft only for new tasks."""
        drafts: dict[str, Proposals] = {}
        if self.draft is not None and self.simulate is None:
            known = _known_images(ctx)
            new = [record for record in records if record.image_id not in known]
            drafted = drafts_of(new, self.draft, sections=self.sections, form=typed, workspace=ctx.workspace)
            drafts = {record.image_id: proposals for record, proposals in zip(new, drafted, strict=True)}
        for record in records:
            shown = (ItemImage(image_id=record.image_id, role="reference"),)
            content = TaskContent(task=STATE, question="What does this picture show?", images=shown)
            payload = payload_of_picture(
                content.model_dump(mode="json"), name=_name_of(record), proposals=drafts.get(record.image_id)
            )
            yield TaskInput(record.image_id, record.image_id, payload)


def _name_of(record: ImageRecord) -> str:
    """Return the name under which searches find a picture: its path below the image folder, or its id."""
    return record.image_id if record.source is None else path_for(record.source.uri).as_posix()


def _known_images(ctx: CampaignContext) -> set[str]:
    with open_store(ctx.store_url) as store:
        if not any(campaign.name == ctx.stage for campaign in store.campaigns()):
            return set()
        return {task.item_id for task in store.tasks(ctx.stage, states=TASK_STATES)}


def _combined_statements(
    decisions: Sequence[Annotation], form: Form, campaign: str, *, first_only: bool
) -> StatementsOnPicture | None:
    """Return the combined statements of an image's annotators, or None if they stated nothing.

    Args:
        decisions: Their decisions, by slot.
        form: Form of the campaign.
        campaign: Name of the campaign.
        first_only: Whether only the first annotator who stated anything counts.
    """
    stating = [decision for decision in decisions if fields_in(decision)[HEADLINE] == STATED]
    if not stating:
        return None
    taken = _TakenFields(form, campaign)
    for decision in stating[:1] if first_only else stating:
        taken.add(decision)
    document = statements_document(taken.fields)
    return StatementsOnPicture.model_validate(document | {"authors": taken.authors})


class _TakenFields:
    """The parts taken from annotators' fields, and the author of each statement."""

    def __init__(self, form: Form, campaign: str) -> None:
        self._form, self._campaign = form, campaign
        self._votes: dict[str, list[tuple[str, Authorship]]] = {}
        self.fields: dict[str, Any] = {}
        self.authors: dict[str, Authorship] = {}

    def add(self, decision: Annotation) -> None:
        """Add those statements of another annotator that no earlier annotator has made."""
        fields = fields_in(decision)
        for field in self._form.fields[1:]:
            value = fields.get(field.name)
            if not value or field.name == DRAFTS:
                continue
            if isinstance(field, Repeated):
                for number, entry in enumerate(value, 1):
                    self._add_entry(field, entry, self._author(decision, f"{field.name}/{number}"))
            elif isinstance(field, OneOf):
                self._vote(field.name, value, self._author(decision, field.name))
            elif field.name not in self.fields:
                self.fields[field.name] = value
                self.authors[field.name] = self._author(decision, field.name)

    def _vote(self, name: str, value: str, author: Authorship) -> None:
        """Keep the label that most annotators gave; ties go to the first."""
        votes = self._votes.setdefault(name, [])
        votes.append((value, author))
        counts = Counter(label for label, _ in votes)
        chosen, written = max(votes, key=lambda vote: counts[vote[0]])  # the first of equals
        self.fields[name] = chosen
        self.authors[f"implication/{name}" if name in _LABELS else name] = written

    def _add_entry(self, field: Repeated, entry: Mapping[str, Any], author: Authorship) -> None:
        entries = self.fields.setdefault(field.name, [])
        key = _key_in(field, entry)
        names = {other["name"] for group in ("answerable", "unanswerable") for other in self.fields.get(group, ())}
        is_taken = field.name in {"answerable", "unanswerable"} and entry["name"] in names
        is_there = any(_key_in(field, other) == key if key else other == entry for other in entries)
        if is_taken or is_there or len(entries) == field.max_count:
            return
        entries.append(dict(entry))
        place = _IN_FACTS.get(field.name, f"{field.name}/{key or len(entries)}")
        self.authors[place] = author

    def _author(self, decision: Annotation, place: str) -> Authorship:
        simulated = decision.annotator_kind == "simulated"
        origin = (fields_in(decision).get(DRAFTS) or {}).get(place)
        by = SIMULATED if simulated else PERSON
        if origin is not None:
            by = author_of(origin["model"], is_edited=origin["edited"])
        written_in = WrittenIn(
            campaign=self._campaign, record_id=decision.item_id, slot=decision.slot, simulated=simulated
        )
        return Authorship(by=by, written_in=written_in)


def _key_in(field: Repeated, entry: Mapping[str, Any]) -> str:
    """Return the part that identifies an entry in facts files; empty if only the whole content identifies it."""
    if field.distinct is None:
        return ""
    key = str(entry[field.distinct])
    return key.upper() if field.distinct == "category" else key


def _outcome(statements: StatementsOnPicture | None, evidence: Mapping[str, Any]) -> Outcome:
    if statements is None:
        return Outcome(evidence=evidence)
    return Outcome(values={"statements": canonical_json(statements.model_dump(mode="json"))}, evidence=evidence)


def _summary(
    stated: Mapping[str, StatementsOnPicture | None], decisions: Sequence[Annotation], rule: str, *, simulated: bool
) -> dict[str, Any]:
    """Return counts of images and statements, and of their authors, without times or names."""
    with_any = [statements for statements in stated.values() if statements is not None]
    names = pseudonyms(decisions)
    authors = Counter(author.by for statements in with_any for author in statements.authors.values())
    return {
        "kind": STATE,
        "rule": rule,
        "simulated": simulated,
        "total": len(stated),
        "kept": len(stated),
        "rejected": 0,
        "stated": len(with_any),
        "questions": sum(len(one.answerable) + len(one.unanswerable) for one in with_any),
        "written_by": dict(sorted(authors.items())),
        "annotators": {
            name: {"images": n}
            for name, n in sorted(Counter(names[decision.annotator] for decision in decisions).items())
        },
    }


def _draft_counts(ctx: CampaignContext, model: str) -> dict[str, Any]:
    """Return the number of tasks with a draft, and the reasons why other tasks had none."""
    with open_store(ctx.store_url) as store:
        proposals = [proposals_in(task.payload) for task in store.tasks(ctx.stage, states=("open", "done"))]
    failed = Counter(one.failed.partition(":")[0] for one in proposals if one is not None and one.failed is not None)
    drafted = sum(one is not None and one.failed is None for one in proposals)
    return {"model": model, "drafted": drafted, "failed": dict(sorted(failed.items()))}
