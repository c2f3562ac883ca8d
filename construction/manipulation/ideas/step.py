"""The step `ideas`: manipulations of images that change people's perception (MVP-Bench, step one)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, NamedTuple

from pydantic import Field, field_validator, model_validator

from benchwright.facts import CATEGORIES, CODES, Code
from benchwright.models.endpoints.chat import Chat, ChatSettings
from benchwright.models.endpoints.usage import RequestPlan
from benchwright.models.endpoints.vendors.failures import MAY_PASS
from benchwright.records import ImageRecord
from benchwright.steps import Context, MapStep, OpenContext, Outcome, Resources, Stream

from ...item_parts.idea import Idea, packed
from ...stated_facts.facts_reader import FACTS
from ..grounding import endpoint as by_endpoint
from ..grounding import stated as by_people
from ..grounding.endpoint import EndpointGrounder, EndpointGrounding
from ..grounding.located import DetectorSettings, Located
from ..grounding.scene import Grounder, NotGrounded, Scene
from ..grounding.stated import StatedGrounder, StatedGrounding
from .attacks import IdeaAttackSettings, IdeaBreaker
from .endpoint import EndpointWriter, EndpointWriting
from .planned import IdeaAttack, Planned, Writer, texts_of
from .plans import planned_ideas, wanted
from .policy import IdeaRefusal, Topic, refused
from .templates import TemplateWriter, TemplateWriting

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_NO_PEOPLE, _NO_IDEA, _REFUTED = "no_people", "no_idea", "refuted"
TRANSIENT = frozenset(f"endpoint_{reason}" for reason in MAY_PASS)


class _IdeaTools(NamedTuple):
    grounder: Grounder
    writer: Writer
    breaker: IdeaBreaker | None
    pool: ThreadPoolExecutor


class Ideas(MapStep):
    """Plan manipulations of each image, by category; an image without any is dropped with a reason.

    MVP-Bench's first step: how could an image be changed in one respect, so that people perceive something else? Each
    image gets ideas of up to thirteen categories, as the value `planned` that later steps read. By default a facts file
    states the content of an image (with the step `facts` before this one) and templates compose the ideas. A
    vision-language model can describe the image instead, and a language model can write the ideas. The image's evidence
    states why a category yielded no idea, with the model's replies verbatim.

    Args:
        categories: Categories of MVP-Bench, such as `B1`.
        grounder: Source of an image's content and locations: `facts`, or a vision-language model behind an `endpoint`.
        detector: A model that locates objects, replacing the grounder's boxes.
        writer: Source of the ideas: `templates` (of facts), or a language model behind an `endpoint`.
        attack: A second model, which sees the photograph and tries to refute each idea; null for none.
        people_only: Drop images without people, because MVP-Bench is about people.
        allow: Otherwise refused content that ideas may have: `real_persons` (by name), `minors`, `gore`.
        concurrency: Largest number of concurrent requests per worker.
        stated_by: Entry of the step `facts` that it reads, if the recipe renames it.

    Reasons:
        no_facts (drop): The facts state nothing about the image.
        no_people (drop): The image shows no people, and `people_only` is set.
        policy_real_person (drop): Its ideas name real persons.
        policy_minor (drop): Its ideas show children or adolescents.
        policy_gore (drop): Its ideas show blood, corpses or torture.
        refuted (drop): The second model refuted its ideas.
        no_idea (drop): Its categories yielded no ideas for several reasons; if all had one problem, that is the reason.
        endpoint_timeout (failed): The model did not answer in time; the next run tries again.
        endpoint_busy (failed): The model was busy; the next run tries again.
        endpoint_connection (failed): The model could not be reached; the next run tries again.
    """

    name: ClassVar[str] = "ideas"
    version: ClassVar[int] = 3
    consumes: ClassVar[Stream] = "images"
    values: ClassVar[Mapping[str, str]] = {"planned": "string"}
    costly: ClassVar[bool] = True
    resources: ClassVar[Resources] = Resources(memory_mb=512)

    categories: tuple[Code, ...] = Field(CODES, min_length=1)
    grounder: Annotated[StatedGrounding | EndpointGrounding, Field(discriminator="backend")] = StatedGrounding()
    detector: DetectorSettings | None = None
    writer: Annotated[TemplateWriting | EndpointWriting, Field(discriminator="backend")] = TemplateWriting()
    attack: IdeaAttackSettings | None = None
    people_only: bool = True
    allow: tuple[Topic, ...] = ()
    concurrency: int = Field(8, ge=1, le=64)
    stated_by: str = Field(FACTS, pattern=r"^[a-z0-9_.]+$")

    @property
    def reads(self) -> tuple[str, ...]:  # type: ignore[override]
        """Return the value that holds an image's content, if a facts file states it."""
        if isinstance(self.grounder, StatedGrounding):
            return (f"{self.stated_by}.{by_people.USE}",)
        return (f"{self.stated_by}.{by_endpoint.USE}",) if self.grounder.stated_boxes else ()

    @field_validator("categories", "allow")
    @classmethod
    def _each_once(cls, values: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(values)) != len(values):
            raise ValueError("give each once")
        return values

    @model_validator(mode="after")
    def _templates_need_facts(self) -> Ideas:
        if self.writer.backend == "templates" and self.grounder.backend != "facts":
            raise ValueError("templates put facts together: give grounder `facts`, or writer `endpoint`")
        return self

    def parameters(self) -> dict[str, Any]:
        """Return the settings that determine the ideas, without keys, waiting times and concurrency."""
        return {
            "categories": list(self.categories),
            "grounder": self.grounder.deciding(),
            "detector": self.detector and self.detector.deciding(),
            "writer": self.writer.deciding(),
            **({} if self.attack is None else {"attack": self.attack.deciding()}),
            "people_only": self.people_only,
            "allow": sorted(self.allow),
            **({} if self.stated_by == FACTS else {"stated_by": self.stated_by}),
        }

    def weights_hash(self) -> str | None:
        """Return the digest of the detector's files, if one is used."""
        return self.detector.sha256 if self.detector is not None else None

    def planned_requests(self, images: int) -> Sequence[RequestPlan] | None:
        """Return the largest number of requests for this many images, assuming that every reply is repaired once."""
        return planned_ideas(self.grounder, self.writer, self.attack, self.categories, images) or None

    def open(self, ctx: OpenContext) -> _IdeaTools:
        """Load the detector and connect to models.

        Raises:
            PrerequisiteError: A key is missing, or the detector cannot be loaded.
        """
        pool = ThreadPoolExecutor(self.concurrency)
        breaker = None if self.attack is None else IdeaBreaker(self.attack, self._chat(self.attack.chat, ctx))
        return _IdeaTools(self._grounder(pool, ctx), self._writer(ctx), breaker, pool)

    def _grounder(self, pool: ThreadPoolExecutor, ctx: OpenContext) -> Grounder:
        said_by = self._said_by(pool, ctx)
        return said_by if self.detector is None else Located(said_by, self.detector.load(), self.detector)

    def _said_by(self, pool: ThreadPoolExecutor, ctx: OpenContext) -> Grounder:
        if isinstance(self.grounder, StatedGrounding):
            return StatedGrounder(self.stated_by)
        chat = self._chat(self.grounder.chat, ctx)
        return EndpointGrounder(self.grounder, chat, pool, people_only=self.people_only, stated_by=self.stated_by)

    def _writer(self, ctx: OpenContext) -> Writer:
        if isinstance(self.writer, TemplateWriting):
            return TemplateWriter(self.writer)
        return EndpointWriter(self._chat(self.writer.chat, ctx), self.allow)

    def _chat(self, settings: ChatSettings, ctx: OpenContext) -> Chat:
        return Chat(settings, concurrency=self.concurrency, replies=ctx.replies)

    def one(self, record: ImageRecord, ctx: Context) -> Outcome:
        """Ground an image, ask for ideas of every category, and keep those that the content policy permits."""
        opened: _IdeaTools = ctx.opened
        categories = [CATEGORIES[code] for code in CODES if code in self.categories]
        try:
            scene = opened.grounder.scene(record, wanted(categories), ctx)
        except NotGrounded as error:
            told = {"detail": error.detail, "replies": list(error.replies)}
            return Outcome(_verdict(error.reason), error.reason, evidence=told)
        evidence = _described(scene)
        if self.people_only and scene.people == 0:
            return Outcome("drop", _NO_PEOPLE, evidence=evidence)
        if (refusal := refused(scene.texts(), allow=self.allow)) is not None:
            return Outcome("drop", refusal.reason, evidence=evidence | {"found": refusal.found})
        sees = isinstance(self.writer, EndpointWriting) and self.writer.sees_picture
        pixels = ctx.images.rgb(record) if sees or opened.breaker is not None else None
        shown = pixels if sees else None
        planned = list(opened.pool.map(lambda category: opened.writer.plan(category, scene, shown), categories))
        planned = [self._passed(plan) for plan in planned]
        if opened.breaker is not None and pixels is not None:
            planned = _attacked(planned, opened.breaker, pixels, opened.pool)
        evidence["categories"] = {
            category.code: plan.described() for category, plan in zip(categories, planned, strict=True)
        }
        return _outcome(planned, evidence)

    def _passed(self, planned: Planned) -> Planned:
        """Return the plan without ideas that the content policy refuses."""
        refusals: dict[str, IdeaRefusal] = {}
        kept: list[Idea] = []
        for idea in planned.ideas:
            if (refusal := refused(texts_of(idea), allow=self.allow)) is None:
                kept.append(idea)
            else:
                refusals[idea.idea_id] = refusal
        if not refusals:
            return planned
        detail = "; ".join(f"{idea_id}: {refusal.found!r}" for idea_id, refusal in refusals.items())
        problem = None if kept else next(iter(refusals.values())).reason
        return planned._replace(ideas=tuple(kept), problem=problem, detail=detail)


def _attacked(
    planned: Sequence[Planned], breaker: IdeaBreaker, pixels: NDArray[np.uint8], pool: ThreadPoolExecutor
) -> list[Planned]:
    """Return the plans without ideas that the second model refutes, with its results for all of them."""
    ideas = [idea for plan in planned for idea in plan.ideas]
    attacks = dict(
        zip(
            (idea.idea_id for idea in ideas),
            pool.map(lambda idea: breaker.attacked(idea, pixels), ideas),
            strict=True,
        )
    )
    return [_unrefuted(plan, attacks, breaker) for plan in planned]


def _unrefuted(plan: Planned, attacks: Mapping[str, tuple[IdeaAttack, ...]], breaker: IdeaBreaker) -> Planned:
    made = tuple(attack for idea in plan.ideas for attack in attacks[idea.idea_id])
    refuting = breaker.refutes(made)
    if not refuting:
        return plan._replace(attacks=made)
    out = {attack.idea_id for attack in refuting}
    kept = tuple(idea for idea in plan.ideas if idea.idea_id not in out)
    detail = "; ".join(f"{attack.idea_id} {attack.objection}: {attack.says}" for attack in refuting)
    return plan._replace(ideas=kept, problem=None if kept else _REFUTED, detail=detail, attacks=made)


def _verdict(reason: str) -> Any:
    """Return `drop` for an unsuitable image, or `failed` if a model failed."""
    return "drop" if reason in {_NO_PEOPLE, "no_facts", "no_subject"} else "failed"


def _described(scene: Scene) -> dict[str, Any]:
    """Return what was found out about the image, for the record."""
    seen = {
        name: {"value": seen.value, "problem": seen.problem, "replies": list(seen.replies)}
        for name, seen in scene.seen.items()
    }
    return {
        "caption": scene.caption,
        "subject": scene.subject.model_dump(mode="json"),
        "people": scene.people,
        "seen": seen,
        "replies": list(scene.replies),
        "grounded": dict(scene.made_with),
    }


def _outcome(planned: Sequence[Planned], evidence: dict[str, Any]) -> Outcome:
    ideas = [idea for plan in planned for idea in plan.ideas]
    if ideas:
        return Outcome(values={"planned": packed(ideas)}, evidence=evidence)
    problems = {plan.problem for plan in planned}
    if len(problems) == 1 and (only := problems.pop()) is not None and only not in {"no_facts"}:
        return Outcome("failed" if only in TRANSIENT else "drop", only, evidence=evidence)
    return Outcome("drop", _NO_IDEA, evidence=evidence)
