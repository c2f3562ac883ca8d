"""Candidates made without a model: a donor on or over a part, a new background, another color, or an effect."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchwright.drawing.masks import mask_of
from benchwright.errors import DataError, UnreadableImage
from benchwright.facts import Color
from benchwright.records import ImageRecord
from benchwright.steps import Context

from ..item_parts.cutting_out import Mask, fault
from ..item_parts.idea import Donor, GroundedSubject
from ..item_parts.matting import band_of
from .edit_jobs import Draw, EditJob, FinishedEdit, finished, pasted
from .editors.compositing import NO_DONOR, Fitting, background_from, box_visible, has_ground, lent, part_replaced
from .editors.effects import EFFECTS
from .editors.harmony import contact_shadow, focused_like, in_the_light_of, shaded
from .editors.recoloring import neighbors_inside, recolored
from .editors.surfaces import surface_filled
from .manipulation_settings import ManipulationSettings, Masking
from .masks.base import Masker, MaskRequest, PictureRequests, Pixels, hints_within, judged_outline, masks_found

_NO_EFFECT, _DONOR_UNREADABLE = "no_effect", "donor_unreadable"
_DONOR_HIDDEN, _NO_GROUND = "donor_hidden", "no_ground"


class Donors:
    """Other photographs of the run that serve the ideas of one picture; each is cut out once for all candidates.

    Args:
        ctx: Context that gives access to the other pictures.
        draw: Random generators of the picture.
        masker: Masker that cuts the donors out.
        masks: Limits for a mask.
    """

    def __init__(self, ctx: Context, draw: Draw, masker: Masker, masks: Masking) -> None:
        self._ctx, self._draw, self._masker, self._masks = ctx, draw, masker, masks
        self._cut: dict[str, tuple[Mask, int] | str] = {}

    def picture(self, donor: Donor) -> tuple[ImageRecord, Pixels] | str:
        """Return an idea's donor and its pixels, or the reason why it has none."""
        try:
            record = self._ctx.image(donor.image_id)
            return record, self._ctx.images.rgb(record)
        except UnreadableImage:  # the donor fails in its own outcome; this image is not at fault
            return _DONOR_UNREADABLE
        except DataError:
            return NO_DONOR

    def cut_out(self, idea_id: str, of: GroundedSubject, pixels: Pixels) -> tuple[Mask, int] | str:
        """Return the mask of a donor's subject and the seed that found it, or the reason why it has none."""
        if idea_id not in self._cut:
            self._cut[idea_id] = self._found(idea_id, of, pixels)
        return self._cut[idea_id]

    def _found(self, idea_id: str, of: GroundedSubject, pixels: Pixels) -> tuple[Mask, int] | str:
        size_wh = (pixels.shape[1], pixels.shape[0])
        hints = hints_within(of, scale=1, size_wh=size_wh)
        if isinstance(hints, str):
            return f"donor_{hints}"
        seed = int(self._draw(idea_id, "donor").integers(2**31))
        [[(mask, facts)]] = masks_found(self._masker, [PictureRequests(pixels, [MaskRequest(hints, seed)])])
        why = fault(mask, hints.box, **self._masks.checks())
        if why is None:
            _, why = judged_outline(pixels, mask, facts, most=self._masks.max_tear)
        return (mask, seed) if why is None else f"donor_{why}"


def composed(
    canvas: EditJob, mask: Mask | None, donors: Donors, rng: np.random.Generator, step: ManipulationSettings
) -> FinishedEdit | str:
    """Return a candidate made without a model, or the reason why it cannot be made.

    Args:
        canvas: The candidate's canvas.
        mask: Mask of the region to replace or keep; None for a direct alteration.
        donors: Donors for the picture.
        rng: Random generator of the candidate.
        step: Settings.
    """
    if mask is None:
        return _altered(canvas)
    if canvas.idea.color is not None:
        return _colored(canvas, mask, canvas.idea.color, step)
    if (donor := canvas.idea.donor) is None:
        return NO_DONOR
    picture = donors.picture(donor)
    return picture if isinstance(picture, str) else _lent(canvas, mask, donors, (donor, *picture), rng, step)


def _lent(
    canvas: EditJob,
    mask: Mask,
    donors: Donors,
    taken: tuple[Donor, ImageRecord, Pixels],
    rng: np.random.Generator,
    step: ManipulationSettings,
) -> FinishedEdit | str:
    """Return a candidate with pixels of a donor, or the reason why it cannot be made."""
    donor, record, pixels = taken
    if canvas.idea.way == "background":
        return _before(canvas, record, pixels, step)
    if donor.of is None:
        return _filled(canvas, mask, record, pixels, step)
    cut = donors.cut_out(canvas.idea.idea_id, donor.of, pixels)
    return cut if isinstance(cut, str) else _replaced(canvas, mask, (record, pixels, *cut), rng, step)


def _altered(canvas: EditJob) -> FinishedEdit | str:
    effect = canvas.idea.effect
    if effect is None or effect not in EFFECTS:
        return _NO_EFFECT
    return FinishedEdit(EFFECTS[effect](canvas.base), None, {"effect": effect})


def _colored(canvas: EditJob, mask: Mask, color: Color, step: ManipulationSettings) -> FinishedEdit | str:
    band = round(band_of(mask.shape, step.blend.matte_px), 3)
    done = recolored(canvas.base, mask, color, band=band)
    if isinstance(done, str):
        return done
    foreign = round(neighbors_inside(canvas.base, mask, band=band), 4)
    return pasted(canvas, *done, {"color": color, "matte_px": band, "neighbors_inside": foreign})


def _before(canvas: EditJob, record: ImageRecord, pixels: Pixels, step: ManipulationSettings) -> FinishedEdit | str:
    size_wh = (canvas.base.shape[1], canvas.base.shape[0])
    background = background_from(pixels, size_wh, max_enlargement=step.max_enlargement)
    if isinstance(background, str):
        return background
    donor = canvas.idea.donor
    if donor is not None and canvas.alpha is not None:
        if donor.of is not None and box_visible(pixels, donor.of.box, canvas.alpha) < step.min_visible:
            return _DONOR_HIDDEN
        if not has_ground(pixels, donor.ground, np.asarray(1 - canvas.alpha, np.float32)):
            return _NO_GROUND
    done = finished(canvas, _fitted(canvas, background, step), max_shift=0)
    return done._replace(facts={**done.facts, "donor": {"image_id": record.image_id}}, donors=(record,))


def _fitted(canvas: EditJob, background: Pixels, step: ManipulationSettings) -> Pixels:
    """Return a new background with the light and focus of the old one, and the subject's shadow on it.

    The subject keeps its pixels, so the background is adapted to it.
    """
    assert canvas.alpha is not None, "a background has a mask"
    subject = 1 - canvas.alpha
    behind, blend = subject <= 0, step.blend
    lit = in_the_light_of(background, background.reshape(-1, 3), canvas.base[behind], share=blend.light)
    if blend.focus and canvas.stays:
        lit = focused_like(lit, canvas.base, ~behind)
    return shaded(lit, contact_shadow(subject, darkness=blend.shadow))


def _filled(
    canvas: EditJob, mask: Mask, record: ImageRecord, pixels: Pixels, step: ManipulationSettings
) -> FinishedEdit | str:
    """Return a candidate in which a part, such as a sign or a screen, shows another picture."""
    shown = surface_filled(canvas.base, mask, pixels, step.blend, max_enlargement=step.max_enlargement)
    if isinstance(shown, str):
        return shown
    facts = {"donor": {"image_id": record.image_id, **shown.facts}}
    return pasted(canvas, shown.pixels, shown.alpha, facts)._replace(donors=(record,))


def _replaced(
    canvas: EditJob,
    mask: Mask,
    taken: tuple[ImageRecord, Pixels, Mask, int],
    rng: np.random.Generator,
    step: ManipulationSettings,
) -> FinishedEdit | str:
    record, pixels, shape, seed = taken
    assert canvas.alpha is not None, "a part has a mask"
    mixed_or_reason = part_replaced(
        canvas.base,
        mask,
        canvas.alpha,
        lent(pixels, shape, canvas.base, mask, step.blend),
        fitting=Fitting.drawn(canvas.candidate, rng),
        feather_px=round(step.edges.rim_px * min(mask.shape) / 512, 3),
        max_enlargement=step.max_enlargement,
        shadow=step.blend.shadow,
    )
    if isinstance(mixed_or_reason, str):
        return mixed_or_reason
    shows, filled = mixed_or_reason.shows, mixed_or_reason.filled
    taken_from = {"image_id": record.image_id, "seed": seed, **mixed_or_reason.facts}
    shown = {"shows": mask_of(shows).model_dump(mode="json")} if shows.any() else {}  # a tiny part may round to nothing
    facts: dict[str, Any] = {"donor": {**taken_from, **shown}}
    if filled.any():
        facts["filled"] = mask_of(filled).model_dump(mode="json")
    return pasted(canvas, mixed_or_reason.pixels, mixed_or_reason.alpha, facts)._replace(donors=(record,))
