"""Drafts that steps before a campaign made for its images: the steps' entries, and how the drafts were used.

The campaigns `write` and `describe` name these steps in `drafted_by`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any, NamedTuple

from pydantic import Field

from benchwright.errors import RecipeError
from benchwright.questions.drafts import DRAFTS, QuestionDrafts
from benchwright.steps import CampaignContext

from ...forms.payloads import proposals_in
from ...store.database.records import Annotation
from ...store.review_store import open_store
from ...workflow.submitted_answers import fields_in

NO_DRAFT = "all_broken: a second model broke every draft"
"""Reason why an image has no draft, if no step states one."""
_ORIGINS = "drafts"
DraftedBy = tuple[Annotated[str, Field(pattern=r"^[a-z0-9_.]+$")], ...]
"""Entries of steps that draft for a campaign, each once."""


def each_once(drafted_by: DraftedBy) -> DraftedBy:
    """Return the entries, after checking that each occurs only once.

    Raises:
        ValueError: One of them occurs twice.
    """
    if len(set(drafted_by)) != len(drafted_by):
        raise ValueError("drafted_by: list each step only once")
    return drafted_by


def columns_with_drafts(drafted_by: DraftedBy) -> tuple[str, ...]:
    """Return the values in which the given entries store their drafts."""
    return tuple(f"{entry}.{DRAFTS}" for entry in drafted_by)


def check_drafts_before(campaign: str, drafted_by: DraftedBy, given: Mapping[str, Mapping[str, str]]) -> None:
    """Check that steps before a campaign make drafts for it.

    Args:
        campaign: Name of the campaign's step.
        drafted_by: Entries that must draft.
        given: Values of each stage before it.

    Raises:
        RecipeError: An entry is not before the campaign, or drafts nothing.
    """
    step = "draft_descriptions" if campaign == "describe" else "draft_questions"
    for entry in drafted_by:
        if DRAFTS not in given.get(entry, {}):
            raise RecipeError(
                f"step {campaign!r} has `drafted_by: [{entry}]`, but no earlier step `{step}` has that name; "
                f"earlier steps: {', '.join(given) or 'nothing'}"
            )


def drafts_about(image_id: str, drafts: Mapping[str, Mapping[str, Any]]) -> list[QuestionDrafts]:
    """Return the drafts for an image, by the entry that made them.

    Args:
        image_id: Id of the image.
        drafts: For each entry that drafts, its values by image id.
    """
    texts = [text for values in drafts.values() if (text := values.get(image_id)) is not None]
    return [QuestionDrafts.model_validate_json(text) for text in texts]


class _Prompt(NamedTuple):
    by: str
    prompt: str


def draft_counts(
    ctx: CampaignContext,
    drafts: Mapping[str, Mapping[str, Any]],
    decisions: Iterable[Annotation],
    *,
    unit_of: Callable[[str], str] = str,
) -> dict[str, Any]:
    """Return counts of how drafts were used, by author and prompt, and the reasons why images have fewer drafts.

    Args:
        ctx: Context of the campaign.
        drafts: For each entry that drafts, its values by image id.
        decisions: Submissions of annotators.
        unit_of: Function that returns the draft to which a path in the form belongs; default the path itself. A draft
            counts as accepted if the texts at all its paths were taken unchanged.
    """
    with open_store(ctx.store_url) as store:
        known = {task.item_id: proposals_in(task.payload) for task in store.tasks(ctx.stage, states=("open", "done"))}
    drafted, broken, failed = Counter[_Prompt](), Counter[_Prompt](), Counter[str]()
    for image_id in known:
        for stated in drafts_about(image_id, drafts):
            drafted.update(_Prompt(stated.by, question.prompt) for question in (*stated.questions, *stated.broken))
            if stated.description is not None:
                drafted[_Prompt(stated.by, stated.description.prompt)] += 1
            broken.update(_Prompt(stated.by, question.prompt) for question in stated.broken)
            failed.update(reason.partition(":")[0] for reason in stated.failed.values())
    shown, accepted, edited = Counter[_Prompt](), Counter[_Prompt](), Counter[_Prompt]()
    for decision in decisions:
        proposals = known.get(decision.item_id)
        units: dict[str, list[str]] = {}
        for place in proposals.notes if proposals else ():
            units.setdefault(unit_of(place), []).append(place)
        taken = {origin["from"]: _is_changed(origin) for origin in (fields_in(decision).get(_ORIGINS) or {}).values()}
        for places in units.values():
            assert proposals is not None, "proposals hold notes"
            note = proposals.notes[places[0]]
            prompt = _Prompt(note.by, note.prompt)
            shown[prompt] += 1
            if any(place in taken for place in places):
                is_whole = all(taken.get(place) is False for place in places)
                (accepted if is_whole else edited)[prompt] += 1
    rows = [
        {
            "by": each.by,
            "prompt": each.prompt,
            "drafted": drafted[each],
            "broken": broken[each],
            "shown": shown[each],
            "accepted": accepted[each],
            "edited": edited[each],
            "discarded": shown[each] - accepted[each] - edited[each],
        }
        for each in sorted({*drafted, *shown})
    ]
    return {"prompts": rows, "failed": dict(sorted(failed.items()))}


def _is_changed(origin: Mapping[str, Any]) -> bool:
    """Return whether a draft was changed when it was used; adding parts that it lacked is not a change."""
    return bool(origin["changed"]) if "changed" in origin else bool(origin["edited"])
