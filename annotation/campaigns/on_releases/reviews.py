"""Open a campaign from a file of tasks to review items of a release again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, get_args

from benchwright.errors import BenchwrightError, DataError
from benchwright.release import Release
from benchwright.release.format.errata import Finding
from benchwright.review_files.tasks import ReviewTasks, read_review_tasks
from benchwright.texts.normalization import counted
from benchwright.workspace.store_place import settle_store
from benchwright.workspace.workspace import Workspace

from ...forms.assignment_settings import SETTING, AssignmentSettings
from ...forms.campaign_form import CampaignForm
from ...forms.kinds import ERRATA, KINDS, REVIEW, VERIFY, CampaignKind
from ...forms.payloads import TaskInput, payload_with
from ...store.review_store import ReviewStore, open_store
from ...workflow.image_files import brought_pictures
from ...workflow.settlement.closing import check_closes, close_early
from ...workflow.settlement.further_votes import check_further_votes
from ...workflow.settlement.rules import MAX_SLOTS
from ..review import review_form
from ..running.open_campaign import CampaignRequest, prepared_input
from ..verify import verify_form
from .edits import CRITERIA, REASONS

_OPENED_FROM = "opened_from"
"""Setting of a campaign: SHA-256 of the file from which it was opened."""

_ROUNDS = 3
"""Number of rounds of an item that annotators may edit: its edits, a correction of these, and a final check."""


class OpenedCampaign(NamedTuple):
    """An opened campaign.

    Args:
        campaign: Name of the campaign.
        kind: Kind of the campaign.
        tasks: Number of its tasks.
        new: Number of newly added tasks.
        annotators: Number of annotators for each task.
        workspace: Folder of the workspace.
        gold: Number of tasks with a known right decision, which all annotators get and no results include.
    """

    campaign: str
    kind: str
    tasks: int
    new: int
    annotators: int
    workspace: Path
    gold: int = 0


def open_tasks(
    path: Path,
    release: Path,
    workspace: Path,
    *,
    name: str | None = None,
    annotators: int | None = None,
    handout: AssignmentSettings | None = None,
) -> OpenedCampaign:
    """Open the campaign in a file of tasks, with items and pictures from the release; safe to repeat.

    If a campaign is opened again, the `handout` of the later call applies.

    Args:
        path: File of tasks, as `evaluate errors` and `evaluate suspects` write it.
        release: Folder of the release of the file's items.
        workspace: Folder of the workspace, which is created if it does not exist.
        name: Name of the campaign; default the name in the file.
        annotators: Number of different annotators for each task; default that of the campaign's kind.
        handout: Assignment of tasks; default without gold, shares and priorities.

    Raises:
        BenchwrightError: The name belongs to another campaign, or the number of annotators is out of range.
        DataError: The file is not a file of tasks, belongs to another release, or names items that the release lacks;
            or the campaign does not accept the known decision on a gold item.
    """
    wanted = read_review_tasks(path)
    kind = KINDS.get(wanted.head.kind)
    if kind is None or not _is_opened_by_files(kind):
        takes = ", ".join(each_kind.name for each_kind in KINDS.values() if _is_opened_by_files(each_kind))
        raise DataError(
            f"{path} has tasks of kind {wanted.head.kind!r}, which a file cannot open; a file can open {takes}"
        )
    other = [category.code for category in wanted.head.categories if category.code not in get_args(Finding)]
    if kind.name == REVIEW and wanted.head.categories:
        raise DataError(f"{path} has tasks of kind {REVIEW!r} with categories; reviewers vote on {', '.join(CRITERIA)}")
    if kind.name in (ERRATA, VERIFY) and other:
        known = ", ".join(get_args(Finding))
        raise DataError(f"{path} has tasks of kind {kind.name!r} with the category {other[0]!r}; they can have {known}")
    if not wanted.tasks:
        raise DataError(f"{path} contains no tasks; give a file with at least one")
    each = annotators or kind.annotators
    if not 1 <= each <= MAX_SLOTS:
        raise BenchwrightError(f"{counted(each, 'annotator')} per task: give 1 to {MAX_SLOTS}")
    opened = Release.open(release)
    if opened.release_id != wanted.head.release_id:
        raise DataError(
            f"{path} has tasks of {wanted.head.release} (release {wanted.head.release_id[:12]}), but {release} is "
            f"{opened.name} {opened.version} (release {opened.release_id[:12]}); give that release"
        )
    campaign = name or wanted.head.name
    try:
        check_closes(handout or AssignmentSettings(), kind.name)
    except ValueError as error:
        raise BenchwrightError(f"--close-decided: {error}") from None
    try:
        check_further_votes(handout or AssignmentSettings(), kind.name, slots=each)
    except ValueError as error:
        raise BenchwrightError(f"--first-votes: {error}") from None
    settle = review_workspace(workspace)
    request = _asking(kind, wanted, each, handout or AssignmentSettings())
    task_inputs = [prepared_input(task_input, request) for task_input in _work(wanted, opened, path, settle.root)]
    with open_store(settle_store(workspace)) as store:
        new = _bring_up(store, campaign, request, wanted, task_inputs)
    gold = sum(task_input.gold is not None for task_input in task_inputs)
    return OpenedCampaign(campaign, kind.name, len(task_inputs), new, each, workspace, gold)


def _is_opened_by_files(kind: CampaignKind) -> bool:
    return kind.form is not None or kind.name in (VERIFY, REVIEW)


def _asking(kind: CampaignKind, wanted: ReviewTasks, annotators: int, handout: AssignmentSettings) -> CampaignRequest:
    guidelines = _guidelines(kind, wanted)
    if kind.form is not None:
        form = CampaignForm(fields=kind.form(wanted.head.categories).fields, guidelines=guidelines)
    elif kind.name == REVIEW:
        fields = review_form(CRITERIA, CRITERIA).fields
        form = CampaignForm(fields=fields, guidelines=guidelines, blind_first=True, edits=True, rounds=_ROUNDS)
    else:
        form = verify_form(reasons=REASONS, guidelines=guidelines, rounds=_ROUNDS, explained=True)
    return CampaignRequest(
        kind=kind.name,
        rule=kind.rule.format(n=annotators),
        slots=annotators,
        form=form,
        group=None,
        handout=handout,
    )


def review_workspace(root: Path) -> Workspace:
    """Return the workspace, creating it if needed, so that annotators can review a release built elsewhere.

    Raises:
        BenchwrightError: The folder contains something other than a workspace.
    """
    workspace = Workspace.create(root)
    if not (root / "workspace.json").exists():
        workspace.save_settings({})
    workspace.settings()
    return workspace


def _work(wanted: ReviewTasks, release: Release, path: Path, root: Path) -> Iterator[TaskInput]:
    """Yield the release's items that the file requests, and store their pictures."""
    by_id = {task.item_id: task for task in wanted.tasks}
    pictures = brought_pictures(root)
    for released in release.items(pictures_of=frozenset(by_id)):
        task = by_id.pop(released.item.item_id, None)
        if task is None:
            continue
        if task.content_hash != released.item.content_hash:
            raise DataError(f"{path}: item {task.item_id} differs from the release; make the file again")
        for data in released.images.values():
            pictures.put(data)
        yield TaskInput(task.item_id, task.content_hash, payload_with(released.item.model_dump(mode="json"), task))
    if by_id:
        raise DataError(
            f"{path}: {counted(len(by_id), 'item is', 'items are')} not in {release.path}, such as {min(by_id)}"
        )


def _bring_up(
    store: ReviewStore, campaign: str, request: CampaignRequest, wanted: ReviewTasks, task_inputs: list[TaskInput]
) -> int:
    """Open the campaign, or update it if it is already open, and return the number of new tasks."""
    kept = request.handout.to_json()
    settings = {
        _OPENED_FROM: wanted.sha256,
        "release": wanted.head.release,
        "release_id": wanted.head.release_id,
        "categories": [category.model_dump(mode="json") for category in wanted.head.categories],
        **({SETTING: kept} if kept else {}),
    }
    with store.batch() as held:
        if campaign in held.campaign_names():
            before = held.campaign(campaign)
            if before.settings.get(_OPENED_FROM) != wanted.sha256:
                raise BenchwrightError(
                    f"campaign {campaign!r} exists and was not opened on this file; give another --name"
                )
        held.upsert_campaign(
            campaign,
            kind=request.kind,
            rule=request.rule,
            slots_per_task=request.slots,
            form=request.form,
            settings=settings,
            seed=wanted.head.seed,
        )
        opened = held.upsert_tasks(campaign, _as_revised(held, campaign, task_inputs)).opened
        close_early(held, campaign)
        return opened


def _as_revised(store: ReviewStore, campaign: str, task_inputs: Sequence[TaskInput]) -> Iterator[TaskInput]:
    """Yield task inputs, with the present versions of the items that were edited in the campaign."""
    present = {task.item_id: task for task in store.tasks(campaign, states=("open", "done"))}
    for task_input in task_inputs:
        task = present.get(task_input.item_id)
        if task is None or not store.campaign(campaign).form.rounds or task.content_hash == task_input.content_hash:
            yield task_input
        else:
            yield TaskInput(task.item_id, task.content_hash, task.payload, priority=task_input.priority)


def _guidelines(kind: CampaignKind, wanted: ReviewTasks) -> str:
    """Return the guidelines for annotators: those for the kind of campaign, and the meaning of each category."""
    lines = [
        f"- **{_plain(category.words)}**: {_plain(category.help)}"
        for category in wanted.head.categories
        if category.help
    ]
    return "\n".join([kind.guidelines, "", *lines]).strip()


def _plain(text: str) -> str:
    """Return a text from a file with its Markdown characters escaped."""
    marks = "\\`*_{}[]<>()#+|~:$!"
    return "".join(
        f"\\{character}" if character in marks else " " if character in "\r\n" else character for character in text
    )
