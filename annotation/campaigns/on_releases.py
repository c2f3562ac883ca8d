"""Opening a campaign on a file of tasks: items of a release that people look at again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from benchwright.errors import BenchwrightError, DataError
from benchwright.release import Release
from benchwright.review_tasks import ReviewTasks, read_review_tasks
from benchwright.workspace.store_place import settle_store
from benchwright.workspace.workspace import Workspace

from ..forms.assignment_settings import SETTING, AssignmentSettings
from ..forms.campaign_form import CampaignForm
from ..forms.kinds import KINDS, CampaignKind
from ..forms.payloads import TaskInput, payload_with
from ..store import ReviewStore, open_store
from ..workflow.closing import check_closes, close_decided
from ..workflow.image_files import brought_pictures
from ..workflow.rules import MAX_SLOTS
from .open_campaign import CampaignRequest, handed

OPENED_FROM = "opened_from"
"""Setting of a campaign: SHA-256 of the file that it was opened on."""


class OpenedCampaign(NamedTuple):
    """What was opened.

    Args:
        campaign: Its name.
        kind: Of it.
        tasks: Tasks in it.
        new: Of them, those that were not there before.
        annotators: That each takes.
        workspace: Where it is.
        gold: Tasks whose right decision is known; these go to everybody, and are in no results.
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
    """Open the campaign of a file of tasks, with items and pictures from the release; safe to repeat.

    Opened again, it hands out as is said then.

    Args:
        path: The file, as `evaluate errors` and `evaluate suspects` write it.
        release: Folder of the release that it is of.
        workspace: Folder of the workspace; made where it is not there.
        name: Of the campaign; as the file says where None.
        annotators: Different annotators that each task takes; as its kind has it where None.
        handout: How tasks go out; without gold, shares and priorities where None.

    Raises:
        BenchwrightError: The name is another campaign's, or the number of annotators is out of range.
        DataError: The file is none of tasks, of another release, or names items that the release does not have; or
            what is known of a gold item is nothing that the campaign takes.
    """
    wanted = read_review_tasks(path)
    kind = KINDS.get(wanted.head.kind)
    if kind is None or kind.form is None:
        takes = ", ".join(one.name for one in KINDS.values() if one.form is not None)
        raise DataError(f"{path} has tasks of kind {wanted.head.kind!r}, which files do not open; they open {takes}")
    if not wanted.tasks:
        raise DataError(f"{path} holds no tasks; there is nothing to look at")
    each = annotators or kind.annotators
    if not 1 <= each <= MAX_SLOTS:
        raise BenchwrightError(f"{each} annotators a task: give 1 to {MAX_SLOTS}")
    opened = Release.open(release)
    if opened.release_id != wanted.head.release_id:
        raise DataError(
            f"{path} has tasks of {wanted.head.release} (release {wanted.head.release_id[:12]}), and {release} is "
            f"{opened.name} {opened.version} (release {opened.release_id[:12]}); give that release"
        )
    campaign = name or wanted.head.name
    try:
        check_closes(handout or AssignmentSettings(), kind.name)
    except ValueError as error:
        raise BenchwrightError(f"--close-decided: {error}") from None
    settle = _workspace(workspace)
    asking = _asking(kind, wanted, each, handout or AssignmentSettings())
    work = [handed(one, asking) for one in _work(wanted, opened, path, settle.root)]
    with open_store(settle_store(workspace)) as store:
        new = _bring_up(store, campaign, asking, wanted, work)
    gold = sum(one.gold is not None for one in work)
    return OpenedCampaign(campaign, kind.name, len(work), new, each, workspace, gold)


def _asking(kind: CampaignKind, wanted: ReviewTasks, annotators: int, handout: AssignmentSettings) -> CampaignRequest:
    assert kind.form is not None
    form = kind.form(wanted.head.categories)
    return CampaignRequest(
        kind=kind.name, rule=kind.rule.format(n=annotators), slots=annotators,
        form=CampaignForm(fields=form.fields, guidelines=_guidelines(kind, wanted)), group=None, handout=handout,
    )  # fmt: skip


def _workspace(root: Path) -> Workspace:
    """Return the workspace, made where there is none: people can review a release that was built elsewhere."""
    workspace = Workspace.create(root)
    if not (root / "workspace.json").exists():
        workspace.save_settings({})
    workspace.settings()
    return workspace


def _work(wanted: ReviewTasks, release: Release, path: Path, root: Path) -> Iterator[TaskInput]:
    """Yield the release's items that are asked for, and keep their pictures."""
    by_id = {task.item_id: task for task in wanted.tasks}
    pictures = brought_pictures(root)
    for released in release.items():
        task = by_id.pop(released.item.item_id, None)
        if task is None:
            continue
        if task.content_hash != released.item.content_hash:
            raise DataError(f"{path}: item {task.item_id} is not as the release has it; make the file again")
        for data in released.images.values():
            pictures.put(data)
        yield TaskInput(task.item_id, task.content_hash, payload_with(released.item.model_dump(mode="json"), task))
    if by_id:
        raise DataError(f"{path}: {len(by_id)} items are not in {release.path}, such as {min(by_id)}")


def _bring_up(
    store: ReviewStore, campaign: str, asking: CampaignRequest, wanted: ReviewTasks, work: list[TaskInput]
) -> int:
    """Open the campaign or find it as it was opened before; return how many tasks are new."""
    kept = asking.handout.kept()
    settings = {
        OPENED_FROM: wanted.sha256, "release": wanted.head.release, "release_id": wanted.head.release_id,
        "categories": [one.model_dump(mode="json") for one in wanted.head.categories],
        **({SETTING: kept} if kept else {}),
    }  # fmt: skip
    with store.batch() as held:
        if campaign in held.campaign_names():
            before = held.campaign(campaign)
            if before.settings.get(OPENED_FROM) != wanted.sha256:
                raise BenchwrightError(
                    f"there is a campaign {campaign!r} already, which was not opened on this file; give another --name"
                )
        held.upsert_campaign(
            campaign, kind=asking.kind, rule=asking.rule, slots_per_task=asking.slots, form=asking.form,
            settings=settings, seed=wanted.head.seed,
        )  # fmt: skip
        opened = held.upsert_tasks(campaign, work).opened
        close_decided(held, campaign)
        return opened


def _guidelines(kind: CampaignKind, wanted: ReviewTasks) -> str:
    """Return what annotators are told: the kind's own words, and what each category means."""
    told = [f"- **{_plain(one.words)}**: {_plain(one.help)}" for one in wanted.head.categories if one.help]
    return "\n".join([kind.guidelines, "", *told]).strip()


def _plain(text: str) -> str:
    """Keep Markdown of a text that came in a file from being one."""
    marks = "\\`*_{}[]<>()#+|~:$!"
    return "".join(f"\\{one}" if one in marks else " " if one in "\r\n" else one for one in text)
