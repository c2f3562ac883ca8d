"""The helpers of a campaign: programs that propose regions to annotators, as recipe and store refer to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.errors import BenchwrightError
from benchwright.regions import NamedHelper, helpers_of

from .campaign_form import CampaignForm

HELPERS, PROPOSE = "helpers", "propose"
"""Keys of a campaign's settings: its helpers, and the names of those that propose when a task opens."""
ALWAYS = ("grabcut",)
"""Helpers of campaigns that name none."""


class CampaignHelpers(NamedTuple):
    """The helpers of a campaign.

    Args:
        helpers: Helpers available to annotators, in order.
        propose: Names of the helpers whose proposals appear when a task opens.
    """

    helpers: tuple[NamedHelper, ...] = ()
    propose: tuple[str, ...] = ()

    def named(self, name: str) -> NamedHelper | None:
        """Return the helper with the given name, or None if the campaign has no such helper."""
        return next((helper for helper in self.helpers if helper.name == name), None)

    def to_json(self) -> dict[str, Any]:
        """Return the campaign's settings, as `read_campaign_helpers` reads them."""
        return {HELPERS: [helper.to_json() for helper in self.helpers], PROPOSE: list(self.propose)}


def campaign_helpers(entries: Sequence[Any], propose: Sequence[str], folder: Path | None = None) -> CampaignHelpers:
    """Return the helpers that a recipe names.

    Args:
        entries: Names, and objects with `name` and settings.
        propose: Names of the helpers that propose regions when a task opens.
        folder: Folder to which paths are relative; None if they are absolute.

    Raises:
        BenchwrightError: A helper is unknown, a setting is wrong, or a helper in `propose` cannot propose by itself.
    """
    helpers = CampaignHelpers(helpers_of(entries, folder), tuple(dict.fromkeys(propose)))
    for name in helpers.propose:
        helper = helpers.named(name)
        if helper is None:
            raise BenchwrightError(f"`{PROPOSE}` names {name!r}, which is not among `{HELPERS}`; add it there")
        if "nothing" not in helper.settings.takes:
            takes = " or ".join(helper.settings.takes)
            raise BenchwrightError(
                f"{name!r} cannot propose by itself because it needs {takes}; leave it out of `{PROPOSE}`"
            )
    return helpers


def read_campaign_helpers(settings: Mapping[str, Any], form: CampaignForm) -> CampaignHelpers:
    """Return the helpers of a campaign from the store; GrabCut if a form with regions names no helpers.

    Raises:
        BenchwrightError: A helper is no longer known.
    """
    if not form.region_fields:
        return CampaignHelpers()
    return campaign_helpers(settings.get(HELPERS, ALWAYS), settings.get(PROPOSE, ()))
