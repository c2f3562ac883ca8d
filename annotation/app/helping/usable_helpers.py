"""Which helpers of a campaign can be used here, and pictures prepared for them ahead."""

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
"""Seconds for which what is missing is not looked for again."""


def helpers_in(campaign: Campaign) -> CampaignHelpers:
    """Return the helpers of a campaign; none where one of them is not known here any more."""
    try:
        return read_campaign_helpers(campaign.settings, campaign.form)
    except BenchwrightError:  # of a package that is not installed any more; people draw without
        return CampaignHelpers()


def why_unusable(helper: NamedHelper) -> str | None:
    """Return that a helper cannot be used here, without a path of this machine; None where it can."""
    if _missing(canonical_json(helper.to_json()), int(time.monotonic() / _LOOKED_AT_S)) is None:
        return None
    return unusable(helper)


def unusable(helper: NamedHelper) -> str:
    """Return for people that a helper cannot be used."""
    return f"{helper.settings.title} cannot be used on this server yet; `benchwright doctor` tells the curator why"


def warm_helpers(
    lanes: HelperLanes,
    campaign: Campaign,
    images: Sequence[ItemImage],
    size_of: Callable[[ItemImage], tuple[int, int]],
) -> None:
    """Have pictures of a task prepared for the campaign's helpers, such as embedded, when nothing else waits."""
    for helper in helpers_in(campaign).helpers:
        if why_unusable(helper) is None:
            for image in images:
                lanes.warm(HelperWork(helper, image.image_id, size_of(image), None))


@lru_cache(maxsize=64)
def _missing(helper: str, moment: int) -> str | None:
    """Return what a helper lacks, looked up once a moment."""
    del moment
    [named] = helpers_of([json.loads(helper)])
    return named.settings.missing()
