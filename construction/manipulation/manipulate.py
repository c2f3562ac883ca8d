"""Manipulated images from ideas, as MVP-Bench makes them (section 4.1, step two): by partial component substitution,
overall background substitution and direct alteration, with models or without.

Masks of a picture are found together. What models paint is gathered over several pictures and batched by size, and each
candidate is painted from a seed of its own, so its pixels do not depend on order, workers or engine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from pydantic import PrivateAttr, ValidationInfo, model_validator

from benchwright.canonical import digest
from benchwright.errors import UnreadableImage
from benchwright.facts import CATEGORIES
from benchwright.models.batching import in_background
from benchwright.models.endpoints.image_edits import planned_edits
from benchwright.models.endpoints.usage import RequestPlan
from benchwright.records import ImageRecord
from benchwright.steps import FOLDER, Context, MapStep, OpenContext, Outcome, PictureFidelity, Resources, Stream

from ..item_parts.idea import unpacked
from .edit_jobs import EditJob
from .editors.base import Painter
from .editors.presets import Task
from .making import PictureCandidates
from .manipulated import packed
from .manipulation_settings import TASK_OF, ManipulationSettings
from .models.weights import Weights
from .tools import MASKS, TASKS, Tools, open_tools, used_weights

_WITH_MODELS, _WITHOUT = Resources(memory_mb=8192), Resources(memory_mb=1024)
_PLANNED = "ideas.planned"


class Manipulate(ManipulationSettings, MapStep):
    """Make manipulated images of every image that has ideas; the others pass.

    As in MVP-Bench (section 4.1, step two), a part is replaced, the background exchanged, or all of the picture
    altered; with models of diffusers and SAM, with a model behind an endpoint, or without either. An idea that cannot
    be carried out stands in the evidence under `left_out`, with one of the reasons below; the others are carried out.

    Args:
        backend: `composite` needs no weights, `diffusion` paints with models, `auto` with those that are there,
            `endpoint` with a model behind an endpoint that speaks OpenAI's `images.edit`.
        ways: Ideas of other ways are left out.
        candidates: Pictures made of each idea.
        max_side_px: Longer side of both images of a pair; larger sources are scaled down.
        max_enlargement: Factor by which a donor may be scaled up; else `donor_small`.
        min_visible: Least share, 0-1, of what a new background is known by (the main subject of its own picture) that
            must be left to see before it counts; less is `donor_hidden`.
        max_frame_shift: Shift of the frame, as a fraction of the longer side, up to which an altered picture is put
            back into place.
        inpaint: The model for parts and backgrounds.
        instruct: The model for direct alterations.
        editor: The model of backend `endpoint`, for all ways, and what it may cost.
        masks: Settings of the masks.
        subject: Limits of a subject's move before a new background.
        edges: Settings of the edge between what was painted and the rest.
        blend: Settings of how pixels of another photograph are fitted to a picture.
        hardware: Devices that models run on.

    Reasons:
        no_box (left out): Nobody said where it is.
        box_outside (left out): The stated place is not in the picture; a box that leaves the picture is cut to it.
        no_target (left out): A part without a place.
        target_off_subject (left out): A part that is far from its subject.
        outline_unstated (left out): A subject that GrabCut would cut out by its box alone (`masks.box_alone`).
        mask_empty (left out): The mask is too small.
        mask_everything (left out): The mask is too large.
        mask_off_box (left out): The mask is elsewhere.
        outline_torn (left out): The subject's outline looks more torn than `masks.max_tear`: it cuts through the
            subject or takes in what surrounds it. Give points, or outline it in the browser.
        no_donor (left out): Without weights: there is no picture to take from.
        donor_unreadable (left out): Without weights: the picture to take from cannot be read.
        donor_outline_torn (left out): Without weights: so for the subject of the picture to take from; of its mask
            the other reasons may stand with `donor_` before them, too.
        donor_small (left out): Without weights: the picture to take from would be enlarged by more than
            `max_enlargement`.
        donor_hidden (left out): Without weights: of what the new background is known by, less than `min_visible` is
            left to see.
        no_effect (left out): Without weights: an alteration that is none of the effects.
        same_as_before (left out): A candidate that came out equal to an earlier one; effects have one candidate only.
        unsafe (left out): The weights' own safety checker refused what was painted, or the endpoint's content filter
            stopped the request.
        changed_outside (left out): The endpoint's model drew another scene outside the mask, or moved it too far.
        endpoint_refused (left out): The endpoint refused the request; the evidence says in which words.
        endpoint_unusable_reply (left out): The endpoint returned no picture, or none that can be read, or one of
            another aspect.
        endpoint_timeout (failed): The endpoint did not answer in time; tried again by the next run. Left out where
            other ideas of the image were carried out; so the next two.
        endpoint_busy (failed): The endpoint was busy; tried again by the next run.
        endpoint_connection (failed): The endpoint could not be reached; tried again by the next run.
        out_of_memory (left out): Memory did not suffice for this one alone.
        way_left_out (left out): The settings leave ideas of this way out.
    """

    name: ClassVar[str] = "manipulate"
    version: ClassVar[int] = 4
    picture_fidelity: ClassVar[PictureFidelity] = "visual"
    pixels_compared: ClassVar[bool] = True
    consumes: ClassVar[Stream] = "images"
    values: ClassVar[Mapping[str, str]] = {"pairs": "string"}
    reads: ClassVar[tuple[str, ...]] = (_PLANNED,)
    costly: ClassVar[bool] = True

    _folder: Path | None = PrivateAttr(None)
    _weights: dict[str, Weights] | None = PrivateAttr(None)

    @model_validator(mode="after")
    def _place(self, info: ValidationInfo) -> Manipulate:
        self._folder = (info.context or {}).get(FOLDER, Path())
        return self

    def weights(self) -> dict[str, Weights]:
        """Return the weights that are used, as `used_weights`."""
        if self._weights is None:
            self._weights = used_weights(self, self._folder)
        return self._weights

    def weights_hash(self) -> str | None:
        """Return the digest over all weights that are used; None where none are.

        Raises:
            PrerequisiteError: Weights are missing.
        """
        used = {task: weights.sha256 for task, weights in self.weights().items()}
        return digest(used) if used else None

    def parameters(self) -> dict[str, Any]:
        """Return the settings that decide pictures: digests in place of weights' places, what `auto` came to."""
        parameters = super().parameters()
        for task in (MASKS, *TASKS):
            used = self.weights().get(task)
            parameters[task]["weights"] = None if used is None else f"sha256:{used.sha256}"
        parameters["hardware"] = {"dtype": self.hardware.dtype}
        del parameters["editor"]
        if self.editor is not None:
            parameters["editor"] = self.editor.deciding()
        return parameters

    def needs(self) -> Resources:
        """Return what a worker needs: more memory where models run, and the GPUs of the settings."""
        used = _WITH_MODELS if self.weights() else _WITHOUT
        return used._replace(
            gpus=self.hardware.gpus, gpu_memory_mb=self.hardware.gpu_memory_mb(self.weights().values())
        )

    def together(self) -> int:
        """Return how many images are taken together."""
        return self.hardware.images_together

    def open(self, ctx: OpenContext) -> Tools:
        """Load the models, or connect to the endpoint; keep OpenCV to the one thread that a worker has."""
        import cv2

        cv2.setNumThreads(1)
        return open_tools(self, self.weights(), None if self.editor is None else ctx.replies)

    def planned_requests(self, images: int) -> Sequence[RequestPlan] | None:
        """Return what an endpoint would be asked about so many images at most: an idea of each category of `ways`."""
        if self.editor is None:
            return None
        ideas = sum(category.way in self.ways for category in CATEGORIES.values())
        return [planned_edits(self.editor, images * ideas * self.candidates)]

    def one(self, record: ImageRecord, ctx: Context) -> Outcome:
        """Carry out the ideas of one image."""
        return self.many([record], ctx)[0]

    def many(self, records: Sequence[ImageRecord], ctx: Context) -> list[Outcome]:
        """Carry out the ideas of several images; what models paint is batched over all of them."""
        started: list[Outcome | PictureCandidates] = [self._started(record, ctx) for record in records]
        _paint([candidates for candidates in started if isinstance(candidates, PictureCandidates)])
        return [
            candidates.outcome() if isinstance(candidates, PictureCandidates) else candidates for candidates in started
        ]

    def _started(self, record: ImageRecord, ctx: Context) -> Outcome | PictureCandidates:
        planned = ctx.value(record.image_id, _PLANNED)
        if planned is None or not (ideas := unpacked(planned)):
            return Outcome(values={"pairs": packed([])})
        try:
            return PictureCandidates(record, ideas, self, ctx)
        except UnreadableImage as error:  # the others of the batch have done nothing wrong
            return Outcome("failed", error.reason, evidence={"detail": error.detail})


def _paint(pictures: Sequence[PictureCandidates]) -> None:
    """Let each model paint what waits for it, over all pictures together; what is painted is finished meanwhile."""
    waiting: dict[Task, list[tuple[PictureCandidates, EditJob, Painter]]] = {}
    for picture in pictures:
        for canvas in picture.waiting:
            painter = picture.painter(canvas)
            assert painter is not None, "only what a model paints waits"
            waiting.setdefault(TASK_OF[canvas.idea.way], []).append((picture, canvas, painter))
    for entries in waiting.values():
        painter = entries[0][2]
        edits = [canvas.edit(painter.size_for(canvas.window.size_wh)) for _, canvas, _ in entries]
        for place, painted in in_background(painter.painting(edits)):
            picture, canvas, _ = entries[place]
            picture.painted(canvas, painted)
