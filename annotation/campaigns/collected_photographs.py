"""Photographs that people handed in for prompts, as the next run takes them in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from benchwright.photographs import BroughtPhotograph, collected_photographs
from benchwright.records import Source
from benchwright.workspace.workspace import Workspace

from ..forms.collect import NONE
from ..forms.form import OneOf
from ..forms.kinds import COLLECT
from ..store import Annotation, Campaign, ReviewStore, open_store, store_exists
from ..workflow.submitted_answers import fields_in


class CollectedPhoto(NamedTuple):
    """A photograph that somebody handed in for a prompt.

    Args:
        image_id: The SHA-256 of its file.
        prompt: That it fits.
        source: What was said of it.
    """

    image_id: str
    prompt: str
    source: Source


def handed_in(root: Path) -> list[BroughtPhotograph]:
    """Return what a run takes in: the photographs of every campaign that collects some.

    Raises:
        BenchwrightError: The store cannot be read.
    """
    url = Workspace(root).store_url
    if not store_exists(url):
        return []
    files = collected_photographs(root)
    with open_store(url) as store:
        campaigns = [store.campaign(name) for name in store.campaign_names()]
        found = [one for campaign in campaigns if campaign.kind == COLLECT for one in handed_in_to(store, campaign)]
    return [BroughtPhotograph(files.path(one.image_id), one.source) for one in found]


def handed_in_to(store: ReviewStore, campaign: Campaign) -> list[CollectedPhoto]:
    """Return the photographs of one campaign, by task; each once."""
    prompts = {task.item_id: task.payload["question"] for task in store.tasks(campaign.name, states=("open", "done"))}
    found: dict[str, CollectedPhoto] = {}
    for one in _found(store.decisions(campaign.name)):
        source = _source(campaign, one)
        found.setdefault(source.uri, CollectedPhoto(fields_in(one)["photograph"], prompts[one.item_id], source))
    return list(found.values())


def _found(said: list[Annotation]) -> Iterator[Annotation]:
    yield from (one for one in said if fields_in(one)["found"] != NONE)


def _source(campaign: Campaign, said: Annotation) -> Source:
    fields = fields_in(said)
    return Source(
        uri=f"{campaign.name}:{fields['photograph']}.png",
        # Wherever a release names its sources, it then says which of them are no photographs.
        dataset=f"{campaign.name} (simulated)" if said.annotator_kind == "simulated" else campaign.name,
        canonical_id=fields.get("source"),
        licence=_licences(campaign)[fields["licence"]],
        author=fields["author"],
    )


def _licences(campaign: Campaign) -> dict[str, str]:
    """Return the licences of a campaign's form, as the recipe spells them, by code."""
    form = campaign.form.typed
    assert form is not None
    [field] = [field for field in form.fields if field.name == "licence"]
    assert isinstance(field, OneOf)
    return {option.code: option.words for option in field.options}
