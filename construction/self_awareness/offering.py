"""The shared base of the two tasks with right answers, which makes an item from a question with its options."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from benchwright.errors import RequestFailed
from benchwright.models.endpoints.chat import ChatSettings
from benchwright.models.endpoints.structured_replies import NotOfThatShape
from benchwright.records import LETTERS, ImageRecord, Item
from benchwright.steps import Context, OpenContext

from ..distractors.difficulty import difficulty
from ..distractors.drafting import drafted_distractors
from ..ground_truth.values import RecordTruth
from ..item_parts.options.choices import capital
from ..item_parts.options.modes import Mode
from ..truth_tasks.truth_plans import ChosenRecord, ItemPlan, ItemWording, LeftOut, TruthPictures
from .exchanged import OfferedQuestion
from .refusing import DISTRACTORS, PLACES, RefusingTask

if TYPE_CHECKING:
    from benchwright.models.endpoints.chat import Chat


class OfferingTask(RefusingTask):
    """A task whose questions have a right answer, three wrong ones, and an option that declines.

    Args:
        mode: `hardened`, or `paper`: each question gets wrong options by itself.
        chat: Model that writes the wrong options, in `paper` mode; null takes answers to other questions. The model's
            input includes what annotations state to be true, and its options must pass the same checks.

    Reasons:
        writer_no_json (drop): The model's reply contains no JSON.
        writer_other_json (drop): The reply does not contain three options that can be offered with the right one.
    """

    item_level: ClassVar[str | None]
    """Level of its items."""

    mode: Mode = "hardened"
    chat: ChatSettings | None = Field(None)

    @model_validator(mode="after")
    def _writes_by_itself(self) -> Self:
        if self.chat is not None and self.mode != "paper":
            raise ValueError(
                "chat writes options for each question by itself: give it with `mode: paper`, and only then"
            )
        return self

    @property
    def costly(self) -> bool:  # type: ignore[override]
        """Return whether the step asks a model."""
        return self.chat is not None

    def parameters(self) -> dict[str, Any]:
        """Return the settings that determine the items, including the writing model, if any, without its timeouts and
        retries.
        """
        settings = {name: value for name, value in super().parameters().items() if name != "chat"}
        return settings if self.chat is None else {**settings, "chat": self.chat.deciding()}

    def open(self, ctx: OpenContext) -> Chat | None:
        """Connect to the model that writes options, if any."""
        from benchwright.models.endpoints.chat import Chat

        return None if self.chat is None else Chat(self.chat, concurrency=1, replies=ctx.replies)

    def planned(
        self, truth: RecordTruth[OfferedQuestion], pictures: TruthPictures, rng: np.random.Generator
    ) -> ItemPlan | str:
        """Put the wrong options into random order."""
        del pictures
        offered = truth.truth
        order = rng.permutation(len(offered.wrong)).tolist()
        document = {
            "question": capital(offered.question),
            "right": capital(offered.right),
            "wrong": [capital(offered.wrong[number]) for number in order],
            "sources": [offered.sources[number] for number in order],
            "category": offered.category,
            "difficulty": offered.difficulty,
            "evidence": offered.evidence,
            **({"also_right": list(offered.also_right)} if offered.is_to_be_written else {}),
        }
        return ItemPlan(PLACES, offered.category, document)

    def made(
        self,
        record: ImageRecord,
        ctx: Context,
        chosen: ChosenRecord,
        shown: Sequence[ImageRecord],
        made: dict[str, ImageRecord],
    ) -> list[Item] | LeftOut | str:
        """Return the item of a question; the writing model, if there is one, first writes the wrong options."""
        plan = chosen.plan
        if "also_right" not in plan:
            return super().made(record, ctx, chosen, shown, made)
        try:
            drafted = drafted_distractors(
                ctx.opened, plan["question"], plan["right"], number=DISTRACTORS, also_right=plan["also_right"]
            )
        except RequestFailed as error:
            return LeftOut(f"writer_{error.reason}", {"detail": error.detail}, may_pass=True)
        except NotOfThatShape as error:
            return LeftOut(f"writer_{error.reason}", {"detail": error.detail, "replies": list(error.replies)})
        written = {
            **plan,
            "wrong": [capital(candidate.text) for candidate in drafted.candidates],
            "sources": [candidate.source for candidate in drafted.candidates],
            "difficulty": round(difficulty(plan["right"], [candidate.text for candidate in drafted.candidates]), 4),
            "evidence": {**plan["evidence"], "replies": list(drafted.replies)},
        }
        return super().made(record, ctx, chosen._replace(plan=written), shown, made)

    def worded(self, chosen: ChosenRecord, shown: Sequence[ImageRecord]) -> ItemWording:
        """Put the right option and the one that declines at their positions."""
        del shown
        plan = chosen.plan
        author = str(plan["evidence"].get("written_by", "template"))
        sources = dict(zip(plan["wrong"], plan["sources"], strict=True))
        evidence = {key: value for key, value in plan["evidence"].items() if key != "written_by"}
        return ItemWording(
            plan["question"],
            self.options(plan, chosen.letter),
            ((0, "reference", ()),),
            evidence={**evidence, "distractors": sources, "difficulty": plan["difficulty"]},
            written_by=author,
            choices_by=next((source for source in plan["sources"] if source.startswith("model:")), "template"),
            refusal=LETTERS[plan["refusal"]],
            level=self.item_level,
            category=plan["category"],
        )
