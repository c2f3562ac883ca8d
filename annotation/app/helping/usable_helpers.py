"""The helpers of a campaign that can be used on this machine, and the preparation of pictures for them."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from benchwright.canonical import canonical_json
from benchwright.errors import BenchwrightError
from benchwright.records import ItemImage
from benchwright.regions import NamedHelper, helpers_of

from ...forms.campaign_helpers import CampaignHelpers, read_campaign_helpers
from .helper_lanes import HelperLanes, HelperWork

if TYPE_CHECKING:
    from ...store.database.records import Campaign

_LOOKED_AT_S = 30.0
"""Seconds before the app checks again what a helper lacks."""


def helpers_in(campaign: Campaign) -> CampaignHelpers:
    """Return the helpers of a campaign, or none if one of them is no longer known on this machine."""
    try:
        return read_campaign_helpers(campaign.settings, campaign.form)
    except BenchwrightError:  # its package is no longer installed; annotators draw without helpers
        return CampaignHelpers()


def why_unusable(helper: NamedHelper) -> str | None:
    """Return a message, without the machine's paths, on why a helper is unusable; None if it is usable."""
    if _missing(canonical_json(helper.to_json()), int(time.monotonic() / _LOOKED_AT_S)) is None:
        return None
    return unusable(helper)


def unusable(helper: NamedHelper) -> str:
    """Return a message that tells annotators that a helper is unusable."""
    return f"{helper.settings.title} cannot be used on this server yet; `benchwright doctor` tells the curator why"


def warm_helpers(
    lanes: HelperLanes,
    campaign: Campaign,
    images: Sequence[ItemImage],
    size_of: Callable[[ItemImage], tuple[int, int]],
) -> None:
    """Prepare a task's pictures for the campaign's helpers, such as by embedding, once no other request is waiting."""
    for helper in helpers_in(campaign).helpers:
        if why_unusable(helper) is None:
            for image in images:
                lanes.warm(HelperWork(helper, image.image_id, size_of(image), None))


@lru_cache(maxsize=64)
def _missing(helper: str, moment: int) -> str | None:
    """Return what a helper lacks; the result is looked up once per `moment`."""
    del moment
    [named] = helpers_of([json.loads(helper)])
    return named.settings.missing()
