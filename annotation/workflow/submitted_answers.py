"""Answers in a campaign with a typed form, and the tasks that they answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from benchwright.errors import BenchwrightError

from ..forms.fields.form import Form
from ..forms.kinds import REVIEW, VERIFY
from ..forms.payloads import about_in, item_in
from ..store.database.records import Annotation, Campaign, Task
from ..store.review_store import ReviewStore

Row = dict[str, Any]


class CampaignAnswers(NamedTuple):
    """The answers in a campaign so far.

    Args:
        campaign: The campaign.
        form: The campaign's typed form.
        tasks: Current tasks, by item id.
        annotations: The latest answers, by item id and slot.
    """

    campaign: Campaign
    form: Form
    tasks: Mapping[str, Task]
    annotations: Sequence[Annotation]

    @property
    def open(self) -> int:
        """Return how many tasks are still missing answers."""
        return sum(task.state == "open" for task in self.tasks.values())


def results_of(store: ReviewStore, name: str) -> CampaignAnswers:
    """Return the answers of a campaign so far.

    Raises:
        BenchwrightError: The campaign does not exist or has no typed form.
    """
    campaign = store.campaign(name)
    form = campaign.form.typed
    if campaign.kind in (VERIFY, REVIEW) and "release_id" in campaign.settings:
        raise BenchwrightError(
            f"campaign {name!r} asks about edits of a release's items; `benchwright set-right` makes the next version "
            "from the decisions, and `benchwright review agreement` shows how far they agree"
        )
    if form is None or campaign.kind == REVIEW:
        raise BenchwrightError(
            f"campaign {name!r} is of kind {campaign.kind!r}, whose outcome is in the run's tables; "
            "`benchwright outcomes` and `benchwright review agreement` show it"
        )
    tasks = {task.item_id: task for task in store.tasks(name, states=("open", "done"))}
    return CampaignAnswers(campaign, form, tasks, store.decisions(name))


def rows_of(results: CampaignAnswers) -> list[Row]:
    """Return one row per answer, by item and annotator: item, task, the task's subject, annotator and fields."""
    rows = []
    for annotation in sorted(results.annotations, key=lambda annotation: (annotation.item_id, annotation.annotator)):
        payload = results.tasks[annotation.item_id].payload
        fields = annotation.fields or {}
        rows.append(
            {
                "item_id": annotation.item_id,
                "task": item_in(payload)["task"],
                **about_in(payload),
                "annotator": annotation.annotator,
                **{field.name: fields.get(field.name) for field in results.form.fields},
            }
        )
    return rows


def fields_in(annotation: Annotation) -> Mapping[str, Any]:
    """Return the values of an answer, by field."""
    assert annotation.fields is not None  # the store refuses answers without fields if the form has some
    return annotation.fields
