"""Creation of one picture's candidates: first masks, then canvases, then pictures with or without models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from benchwright.drawing.masks import mask_of
from benchwright.facts import Way
from benchwright.models.endpoints.vendors.failures import MAY_PASS
from benchwright.records import ImageRecord
from benchwright.steps import Context, Outcome

from ..item_parts.cutting_out import Hints, Mask, fault, rectangle
from ..item_parts.idea import GroundedSubject, Idea
from ..stated_facts.facts_reader import as_shown
from .classical import Donors, composed
from .edit_jobs import EditJob, FinishedEdit, background_canvas, direct_canvas, finished, part_canvas
from .editors.base import NO_MEMORY, Painted, Painter, Unpainted
from .manipulated import Manipulated, packed
from .manipulation_settings import TASK_OF, ManipulationSettings
from .masks.base import (
    FoundMask,
    GrabCut,
    MaskRequest,
    PictureRequests,
    constrained,
    hints_within,
    judged_outline,
)
from .tools import Tools

_NO_TARGET, _WAY_LEFT_OUT, _SAME_AS_BEFORE = "no_target", "way_left_out", "same_as_before"
_OUTLINE_UNSTATED = "outline_unstated"
_FAILURES = frozenset({NO_MEMORY, *(f"endpoint_{reason}" for reason in MAY_PASS)})
"""Reasons that do not depend on the image: if there is no other result, the next run tries the image again."""


class _Masked(NamedTuple):
    """An idea with its mask; a direct alteration has none."""

    idea: Idea
    mask: Mask | None
    facts: Mapping[str, Any]


class PictureCandidates:
    """A source picture, its ideas, and the result of each.

    Args:
        record: The source.
        ideas: The ideas planned for it.
        step: Settings.
        ctx: Context of the step, with its tools opened.
    """

    def __init__(self, record: ImageRecord, ideas: Sequence[Idea], step: ManipulationSettings, ctx: Context) -> None:
        self._record, self._step, self._ctx = record, step, ctx
        self._tools: Tools = ctx.opened
        self._shown = as_shown(record, ctx, max_side_px=step.max_side_px)
        self._draw = partial(ctx.rng, record.image_id)
        self._donors = Donors(ctx, self._draw, self._tools.masker, step.masks)
        self._order = {idea.idea_id: place for place, idea in enumerate(ideas)}
        self._left_out: dict[str, str] = {}
        self._details: dict[str, str] = {}
        self._made: dict[tuple[int, int], tuple[Manipulated, ImageRecord]] = {}
        self._ideas, self._places = ideas, self._places_of(ideas)
        self._masks: dict[str, FoundMask] = {}
        self._requests: dict[str, MaskRequest] = {}
        self._divide_places()
        self.waiting: list[EditJob] = []
        """Canvases for a model to paint."""

    @property
    def to_find(self) -> PictureRequests:
        """Return the objects whose masks the picture needs."""
        return PictureRequests(self._shown.pixels, list(self._requests.values()))

    def start(self, masks: Sequence[FoundMask]) -> None:
        """Prepare all candidates, and finish those that need no model, with a mask for each object of `to_find`."""
        self._masks |= dict(zip(self._requests, masks, strict=True))
        for masked in self._masked():
            for candidate in range(self._step.candidates):
                self._start(masked, candidate)

    def painter(self, canvas: EditJob) -> Painter | None:
        """Return the model that paints a canvas, or None if pictures of this kind are composed instead."""
        return self._tools.painters.get(TASK_OF[canvas.idea.way])

    def painted(self, canvas: EditJob, result: Painted | Unpainted) -> None:
        """Record the picture that a model painted, or why it painted none."""
        painter = self.painter(canvas)
        assert painter is not None, "only what a model paints was waiting"
        if isinstance(result, Unpainted):
            candidate = f"{canvas.idea.idea_id}:{canvas.candidate}"
            self._left_out[candidate] = result.reason
            if result.detail is not None:
                self._details[candidate] = result.detail
            return
        done = finished(canvas, result.pixels, max_shift=self._step.max_frame_shift)
        model = {"model": dict(painter.made_with), "prompt": canvas.prompt, "seed": canvas.seed}
        facts = {**model, **result.facts}
        self._keep(canvas, done, painter.editor, facts)

    def outcome(self) -> Outcome:
        """Return the pairs of the picture in the order of its ideas; the evidence lists the ideas that failed."""
        made = [self._made[place] for place in sorted(self._made)]
        evidence = {"left_out": self._left_out} if self._left_out else {}
        evidence |= {"details": self._details} if self._details else {}
        reasons = set(self._left_out.values())
        if not made and len(reasons) == 1 and (only := reasons.pop()) in _FAILURES:
            return Outcome("failed", only, evidence={} if only == NO_MEMORY else evidence)
        images = {image.image_id: image for image in (*self._shown.made, *(image for _, image in made))}
        return Outcome(
            values={"pairs": packed([pair for pair, _ in made])},
            evidence=evidence,
            images=tuple(images.values()) if made else (),
        )

    def _places_of(self, ideas: Sequence[Idea]) -> dict[str, Hints]:
        """Return the locations of masks by idea; record the ideas whose location is unusable."""
        places: dict[str, Hints] = {}
        for idea in ideas:
            if (place := self._place(idea)) is not None:
                if isinstance(place, str):
                    self._left_out[idea.idea_id] = place
                else:
                    places[idea.idea_id] = place
        return places

    def _masked(self) -> Iterator[_Masked]:
        """Yield ideas with their masks; record the ideas that cannot be carried out."""
        for idea in self._ideas:
            if idea.idea_id in self._left_out:
                continue
            if idea.way == "direct":
                yield _Masked(idea, None, {})
                continue
            mask, facts = self._masks[idea.idea_id]
            why = fault(mask, self._places[idea.idea_id].box, **self._step.masks.checks())
            if why is None and idea.way == "background":
                facts, why = judged_outline(self._shown.pixels, mask, facts, most=self._step.masks.max_tear)
            if why is not None:
                self._left_out[idea.idea_id] = why
            else:
                yield _Masked(idea, mask, {"mask": {**facts, "runs": mask_of(mask).model_dump(mode="json")}})

    def _place(self, idea: Idea) -> Hints | str | None:
        """Return the location of an idea's mask, or the reason why it has none; None if the idea needs no mask."""
        if idea.way not in self._step.ways:
            return _WAY_LEFT_OUT
        if idea.way == "direct":
            return None
        subject = self._hints(idea.subject)
        if idea.way == "background":
            return _OUTLINE_UNSTATED if self._by_box_alone(subject) else subject
        if idea.target is None:
            return _NO_TARGET
        target = self._hints(idea.target)
        if isinstance(target, str) or isinstance(subject, str):
            return target  # a subject without a place is no constraint
        return constrained(target, subject, margin=self._step.masks.subject_margin)

    def _by_box_alone(self, subject: Hints | str) -> bool:
        """Return whether the subject's only hint is a box, so that its cut-out would include much of the background."""
        if isinstance(subject, str) or self._step.masks.box_alone or not isinstance(self._tools.masker, GrabCut):
            return False
        return subject.mask is None and not subject.inside and not subject.outside

    def _hints(self, grounded: GroundedSubject) -> Hints | str:
        size_wh = self._shown.record.width, self._shown.record.height
        return hints_within(grounded, scale=self._shown.scale, size_wh=size_wh)

    def _divide_places(self) -> None:
        """Divide the places into those whose mask is the rectangle itself, and requests for masks."""
        ways: dict[str, Way] = {idea.idea_id: idea.way for idea in self._ideas}
        for idea_id, hints in self._places.items():
            if ways[idea_id] == "partial" and self._step.masks.partial == "rectangle":
                mask = rectangle(hints.box, self._shown.pixels.shape)
                self._masks[idea_id] = mask, {"by": "rectangle", "box_xyxy": list(hints.box)}
            else:
                self._requests[idea_id] = MaskRequest(hints, int(self._draw(idea_id, "mask").integers(2**31)))

    def _start(self, masked: _Masked, candidate: int) -> None:
        """Prepare a candidate's canvas, and finish the candidate if it needs no model."""
        idea, mask, step, pixels = masked.idea, masked.mask, self._step, self._shown.pixels
        canvas: EditJob
        if idea.way == "direct" or mask is None:
            canvas = direct_canvas(idea, candidate, self._draw, pixels)
        elif idea.way == "partial":
            canvas = part_canvas(idea, candidate, self._draw, pixels, mask, step.edges)
        else:
            canvas = background_canvas(idea, candidate, self._draw, pixels, mask, step)
        canvas = canvas._replace(facts={**masked.facts, **canvas.facts})
        if (painter := self.painter(canvas)) is not None:
            self.waiting.append(canvas._replace(prompt=painter.prompt_of(idea)))
            return
        rng = self._draw(idea.idea_id, candidate, "fitting")
        done = composed(canvas, mask, self._donors, rng, step)
        if isinstance(done, str):
            self._left_out[idea.idea_id if candidate == 0 else f"{idea.idea_id}:{candidate}"] = done
        else:
            self._keep(canvas, done, idea.effect if idea.way == "direct" and idea.effect else "composite", {})

    def _keep(self, canvas: EditJob, done: FinishedEdit, editor: str, facts: Mapping[str, Any]) -> None:
        idea, place = canvas.idea, self._order[canvas.idea.idea_id]
        image = self._ctx.store_image(done.pixels, parents=[self._record, *done.donors])
        if any(at[0] == place and known.image_id == image.image_id for at, (_, known) in self._made.items()):
            self._left_out[f"{idea.idea_id}:{canvas.candidate}"] = _SAME_AS_BEFORE
            return
        made_with = {"way": idea.way, "scale": self._shown.scale, **done.facts, **facts}
        pair = Manipulated(
            idea_id=idea.idea_id,
            candidate=canvas.candidate,
            natural=self._shown.record.image_id,
            manipulated=image.image_id,
            editable=done.editable,
            editor=editor,
            made_with=made_with,
        )
        self._made[place, canvas.candidate] = pair, image
