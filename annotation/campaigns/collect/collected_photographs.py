"""Photographs that annotators submitted for prompts, prepared for the next run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from benchwright.records import Source
from benchwright.workspace.photographs import BroughtPhotograph, collected_photographs
from benchwright.workspace.workspace import Workspace

from ...forms.fields.field_types import OneOf
from ...forms.kind_forms.collect import NONE
from ...forms.kinds import COLLECT
from ...store.database.records import Annotation, Campaign
from ...store.review_store import ReviewStore, open_store, store_exists
from ...workflow.submitted_answers import fields_in


class CollectedPhoto(NamedTuple):
    """A photograph that an annotator submitted in response to a prompt.

    Args:
        image_id: SHA-256 of its file.
        prompt: Prompt for which it was submitted.
        source: Source, author and license that were stated with it.
    """

    image_id: str
    prompt: str
    source: Source


def submitted_photographs(root: Path) -> list[BroughtPhotograph]:
    """Return the photographs from all campaigns that collect photographs, for the next run.

    Raises:
        BenchwrightError: The store cannot be read.
    """
    url = Workspace(root).store_url
    if not store_exists(url):
        return []
    files = collected_photographs(root)
    with open_store(url) as store:
        campaigns = [store.campaign(name) for name in store.campaign_names()]
        photos = [
            photo for campaign in campaigns if campaign.kind == COLLECT for photo in photographs_of(store, campaign)
        ]
    return [BroughtPhotograph(files.path(photo.image_id), photo.source) for photo in photos]


def photographs_of(store: ReviewStore, campaign: Campaign) -> list[CollectedPhoto]:
    """Return the photographs of one campaign, each once, in the order of the tasks."""
    prompts = {task.item_id: task.payload["question"] for task in store.tasks(campaign.name, states=("open", "done"))}
    photos: dict[str, CollectedPhoto] = {}
    for annotation in _with_photograph(store.decisions(campaign.name)):
        source = _source(campaign, annotation)
        photos.setdefault(
            source.uri, CollectedPhoto(fields_in(annotation)["photograph"], prompts[annotation.item_id], source)
        )
    return list(photos.values())


def _with_photograph(decisions: list[Annotation]) -> Iterator[Annotation]:
    yield from (decision for decision in decisions if fields_in(decision)["found"] != NONE)


def _source(campaign: Campaign, annotation: Annotation) -> Source:
    fields = fields_in(annotation)
    return Source(
        uri=f"{campaign.name}:{fields['photograph']}.png",
        # A release that names its sources then marks the simulated ones, which are not photographs.
        dataset=f"{campaign.name} (simulated)" if annotation.annotator_kind == "simulated" else campaign.name,
        canonical_id=fields.get("source"),
        licence=_licences(campaign)[fields["licence"]],
        author=fields["author"],
    )


def _licences(campaign: Campaign) -> dict[str, str]:
    """Return the licenses offered by a campaign's form, as spelled in the recipe, by code."""
    form = campaign.form.typed
    assert form is not None
    [field] = [field for field in form.fields if field.name == "licence"]
    assert isinstance(field, OneOf)
    return {option.code: option.words for option in field.options}
