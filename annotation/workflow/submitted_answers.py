"""What annotators said in a campaign with a typed form, and the tasks that it was said of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from benchwright.errors import BenchwrightError

from ..forms.form import Form
from ..forms.kinds import REVIEW
from ..forms.payloads import about_in, item_in
from ..store import Annotation, Campaign, ReviewStore, Task

Row = dict[str, Any]


class CampaignAnswers(NamedTuple):
    """A campaign's answers so far.

    Args:
        campaign: The campaign.
        form: Of it.
        tasks: Current ones, by item id.
        said: The latest answers, by item id and slot.
    """

    campaign: Campaign
    form: Form
    tasks: Mapping[str, Task]
    said: Sequence[Annotation]

    @property
    def open(self) -> int:
        """Return how many tasks are not answered by all yet."""
        return sum(task.state == "open" for task in self.tasks.values())


def results_of(store: ReviewStore, name: str) -> CampaignAnswers:
    """Return what a campaign came to so far.

    Raises:
        BenchwrightError: It has no typed form, or there is no such campaign.
    """
    campaign = store.campaign(name)
    form = campaign.form.typed
    if form is None or campaign.kind == REVIEW:
        raise BenchwrightError(
            f"campaign {name!r} is of kind {campaign.kind!r}, whose outcome is in the run's tables; "
            "`benchwright outcomes` and `benchwright review agreement` show it"
        )
    tasks = {task.item_id: task for task in store.tasks(name, states=("open", "done"))}
    return CampaignAnswers(campaign, form, tasks, store.decisions(name))


def rows_of(results: CampaignAnswers) -> list[Row]:
    """Return a row for each answer, by item and annotator: item, task, what tells it apart, annotator, fields."""
    found = []
    for one in sorted(results.said, key=lambda one: (one.item_id, one.annotator)):
        payload = results.tasks[one.item_id].payload
        fields = one.fields or {}
        found.append(
            {
                "item_id": one.item_id, "task": item_in(payload)["task"], **about_in(payload),
                "annotator": one.annotator, **{field.name: fields.get(field.name) for field in results.form.fields},
            }
        )  # fmt: skip
    return found


def fields_in(one: Annotation) -> Mapping[str, Any]:
    """Return what an answer says by field."""
    assert one.fields is not None  # the store takes no answer without them where the form has some
    return one.fields
