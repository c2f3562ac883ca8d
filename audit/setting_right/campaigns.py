"""Opens campaigns about the findings of an audit, on a release of the audited source."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml

from benchwright.errors import BenchwrightError, DataError
from benchwright.progress import Progress
from benchwright.release import Release
from benchwright.review_files.tasks import (
    LONGEST_TEXT,
    FindingCategory,
    ReviewTask,
    SideText,
    TaskFileHead,
    read_review_tasks,
    write_review_tasks,
)
from benchwright.workspace.atomic import write_json
from benchwright.workspace.workspace import Workspace

from ..auditing import AuditSettings
from ..findings.report import AuditReport
from .annotator_questions import AuditQuestions, ItemQuestion, SideNote, Way, questions_of

if TYPE_CHECKING:
    from benchwright.annotation import OpenedCampaign
    from benchwright.workspace.run_results import LostRecords

FOLDER = "audit"
"""Folder of a workspace that holds the tasks from audits, and their subjects."""
_STATE = "set-right.json"
FORMAT, VERSION = "benchwright/set-right", 1
PAIRS = "audit-pictures"
"""Name of the campaign about pairs of pictures."""
ITEMS, EDITS, REVIEWS = "audit-items", "audit-edits", "audit-reviews"
"""Names of the campaigns on items: those to keep, drop or give another key; those to edit; and those to answer without
the key."""
_NAMES: Mapping[Way, str] = {"judge": ITEMS, "edit": EDITS, "review": REVIEWS}
_KINDS = {ITEMS: "errata", EDITS: "verify", REVIEWS: "review"}
_FIRST_VERSION = "1.0"
_WHY_FROZEN = "the questions are from the source, as published"
_MOST_BESIDE = 40
_DUPLICATE = FindingCategory(
    code="duplicate",
    words="Superfluous copy",
    help="The item shown next to it has the same picture or question and stays. If this item may stay too, decide "
    "that its key is right.",
)

_WORDING = FindingCategory(
    code="wording",
    words="Faults of wording",
    help="The finding is next to the item. Fix only that, with the smallest change: models and people have answered "
    "the item as it is. Accept the item if nothing is wrong with it. Other annotators check each edited "
    "version.",
)

_CATEGORIES = {ITEMS: (_DUPLICATE,), EDITS: (_WORDING, _DUPLICATE), REVIEWS: ()}


class LostItems(BenchwrightError):
    """Raised if items were lost during the import of a source for annotators; the audit that was already written is
    kept.
    """

    def __init__(self, source: Path, workspace: Path, lost: Sequence[LostRecords]) -> None:
        self.exit_code = max(each.exit_code for each in lost)
        super().__init__(
            f"{'; '.join(map(str, lost))}: the import of {source} into {workspace} is incomplete, so nothing was "
            "frozen and no campaign opened; the audit is written. Fix the cause and run it again: the items read so "
            "far are kept"
        )


class OpenedAudit(NamedTuple):
    """The campaigns that were opened.

    Args:
        release: Folder of the release that the campaigns are about.
        campaigns: For each campaign its `name`, `kind`, `tasks`, `new` and `annotators`.
        not_asked: Number of findings without a question, by kind.
        not_released: Own ids of items with findings that are missing from the release because they are incomplete.
    """

    release: Path
    campaigns: tuple[Mapping[str, Any], ...]
    not_asked: Mapping[str, int]
    not_released: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the result as JSON values."""
        return {
            "release": str(self.release),
            "campaigns": [dict(campaign) for campaign in self.campaigns],
            "not_asked": dict(self.not_asked),
            "not_released": list(self.not_released),
        }


def check_workspace(source: Path, workspace: Path) -> None:
    """Refuse, before a source is audited, any case that `open_campaigns` would refuse afterwards.

    Args:
        source: File, folder or release to audit.
        workspace: Workspace for the campaigns; created if it does not exist.

    Raises:
        BenchwrightError: The workspace is about another release, or the folder is not a workspace.
        DataError: The source is a release with sealed splits, or a release that cannot be read.
    """
    from benchwright.annotation import review_workspace

    review_workspace(workspace)
    folder = source if _is_release(source) else _place_of_release(source, workspace)
    release = _open_unsealed(source) if folder == source else None
    if not (workspace / FOLDER / _STATE).exists():
        return
    before = release_of(workspace)
    is_same = before.path.resolve() == folder.resolve() if release is None else before.release_id == release.release_id
    if not is_same:
        raise _about_another(workspace, before, folder)


def _open_unsealed(folder: Path) -> Release:
    release = Release.open(folder)
    if release.manifest.sealed is not None:
        raise DataError(
            f"{folder} has sealed splits, whose keys cannot be corrected; audit the release of the unsealed workspace"
        )
    return release


def _about_another(workspace: Path, before: Release, folder: Path) -> BenchwrightError:
    return BenchwrightError(
        f"{workspace} has campaigns about {before.path} ({before.release_id[:12]}), not about {folder}; give another "
        "workspace with --set-right"
    )


def open_campaigns(
    report: AuditReport,
    workspace: Path,
    settings: AuditSettings | None = None,
    *,
    annotators: int | None = None,
    progress: Progress | None = None,
) -> OpenedAudit:
    """Open campaigns on the findings of an audit; safe to repeat, with the same audit or a later one.

    A source other than a release becomes one, version 1.0, through the steps `items` and `freeze`. Items go to
    campaigns of the kind `errata`; if their words are in question, of the kind `verify`, in which annotators may edit
    them; and if they may be ambiguous, of the kind `review`, in which annotators first answer them without the key.
    Pairs of pictures go to the kind `pair`. An open task is not opened again and keeps its answers; additional findings
    of a later audit go to a new campaign.

    Args:
        report: The audit.
        workspace: Folder of the workspace; created if it does not exist.
        settings: Settings of the audit, for the columns and pictures of the source.
        annotators: Number of different annotators for each task; by default, the number of the campaign's kind.
        progress: Receiver of progress reports.

    Raises:
        BenchwrightError: The workspace is about another release, or the source has changed since its import.
        LostItems: Errors during the import caused the loss of items.
        DataError: The source has no complete items; or it is a release with sealed splits.
    """
    from benchwright.annotation import review_workspace

    review_workspace(workspace)
    questions = questions_of(report)
    source = report.audited.source
    folder = source if _is_release(source) else _bring_in(source, workspace, settings or AuditSettings(), progress)
    release = _open_unsealed(folder)
    _keep_state(workspace, folder, release)
    released = _Released(report, release)
    campaigns = [*_open_items(questions, released, workspace, annotators)]
    campaigns += _open_pairs(questions, released, workspace, annotators)
    lacking = tuple(item for item in questions.items if item not in released.items)
    return OpenedAudit(folder, tuple(campaigns), questions.not_asked, lacking)


def release_of(workspace: Path) -> Release:
    """Return the release to which the campaigns of a workspace belong.

    Raises:
        DataError: No campaigns were opened from an audit, or the release is missing or is a different one.
    """
    path = workspace / FOLDER / _STATE
    try:
        state = json.loads(path.read_text(encoding="utf-8"))
        folder, release_id = Path(state["release"]), str(state["release_id"])
    except FileNotFoundError:
        raise DataError(
            f"{workspace} has no campaigns of an audit; `benchwright audit SOURCE --set-right {workspace}` opens them"
        ) from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataError(f"{path} cannot be read ({error}); open the campaigns again with --set-right") from error
    release = Release.open(workspace / folder)
    if release.release_id != release_id:
        raise DataError(
            f"{release.path} is release {release.release_id[:12]}, and annotators judged {release_id[:12]}; restore "
            "that release"
        )
    return release


def item_campaigns(workspace: Path, name: str) -> list[str]:
    """Return the names of the campaigns about items that were opened in a workspace, in order.

    Args:
        workspace: Folder of the workspace.
        name: Name of the first campaign: `ITEMS`, `EDITS` or `REVIEWS`.
    """
    return [path.stem for path in _task_files(workspace, name)]


def _task_files(workspace: Path, name: str) -> list[Path]:
    return sorted((workspace / FOLDER).glob(f"{name}*.jsonl"), key=lambda path: (len(path.name), path.name))


def _is_release(source: Path) -> bool:
    return (source / "manifest.json").is_file()


def _bring_in(source: Path, workspace: Path, settings: AuditSettings, progress: Progress | None) -> Path:
    """Freeze a source of questions as a release and return its folder; an existing release is kept.

    A release never changes, so it is frozen only once it is certain that no item was lost to an error.

    Raises:
        LostItems: Items were lost to errors.
    """
    source = source.resolve()
    name = _name_of(source)
    items: dict[str, Any] = {"step": "items", "file": source.name, "keyless": "keep"}
    if settings.columns:
        items["mapping"] = dict(settings.columns)
    if settings.pictures is not None:
        items["pictures"] = str(settings.pictures.resolve())
    freeze = {"step": "freeze", "name": name, "version": _FIRST_VERSION, "why": _WHY_FROZEN}
    place = _place_of_release(source, workspace)
    for steps in ([items, freeze],) if place.exists() else ([items], [items, freeze]):
        _run(source, {"name": name, "seed": 0, "steps": steps}, workspace, settings, progress)
    return place


def _run(
    source: Path, recipe: Mapping[str, Any], workspace: Path, settings: AuditSettings, progress: Progress | None
) -> None:
    """Run a recipe next to a source.

    Raises:
        LostItems: Items were lost to errors.
    """
    from benchwright.pipeline import run_recipe
    from benchwright.recipe import parse_recipe
    from benchwright.workspace.run_results import failures_of, lost_in

    text = yaml.safe_dump(dict(recipe), allow_unicode=True, sort_keys=False)
    finished = run_recipe(
        parse_recipe(text, f"recipe for {source.name}", source.parent),
        workspace=workspace,
        workers=settings.workers,
        progress=progress,
    )
    if lost := lost_in(failures_of(finished.workspace), finished.raised):
        raise LostItems(source, workspace, lost)


def _name_of(source: Path) -> str:
    own = source.resolve()
    words = re.sub(r"[^a-z0-9]+", "-", (own.stem if own.is_file() else own.name).lower())[:60].strip("-")
    return words or "audited"


def _place_of_release(source: Path, workspace: Path) -> Path:
    """Return the folder for the release of a source of questions."""
    return workspace / "releases" / f"{_name_of(source)}-{_FIRST_VERSION}"


def _keep_state(workspace: Path, folder: Path, release: Release) -> None:
    path = workspace / FOLDER / _STATE
    if path.exists() and (before := release_of(workspace)).release_id != release.release_id:
        raise _about_another(workspace, before, folder)
    path.parent.mkdir(parents=True, exist_ok=True)
    inside = folder.resolve().is_relative_to(workspace.resolve())
    place = folder.resolve().relative_to(workspace.resolve()) if inside else folder.resolve()
    write_json(
        path, {"format": FORMAT, "version": VERSION, "release": place.as_posix(), "release_id": release.release_id}
    )


class _Released:
    """The items and pictures of an audit as the release contains them."""

    def __init__(self, report: AuditReport, release: Release) -> None:
        self.release = release
        audited = report.audited
        own_ids = audited.own_id if _is_release(audited.source) else {}
        self.items: dict[str, tuple[str, str]] = {}
        """Item id and content hash of each item, by its own id."""
        self.pictures: dict[str, str] = {}
        """Id of each picture in the release, by its id in the source; its file may have lost metadata since."""
        for each in release.items(fetched=False):
            item = each.item
            own = own_ids.get(item.item_id, str(item.attributes.get("source_id")))
            if own in audited.by_id:
                self.items[own] = item.item_id, item.content_hash
                images = audited.by_id[own].item.images
                self.pictures |= {
                    before.image_id: after.image_id for before, after in zip(images, item.images, strict=True)
                }


def _open_items(
    questions: AuditQuestions, released: _Released, workspace: Path, annotators: int | None
) -> Sequence[Mapping[str, Any]]:
    """Open new campaigns and reopen existing ones, so that a campaign left unopened by a crash is opened."""
    from benchwright.annotation import open_tasks

    release, folder = released.release, workspace / FOLDER
    files = [path for name in _KINDS for path in _task_files(workspace, name)]
    asked = {task.item_id for path in files for task in read_review_tasks(path).tasks}
    new: dict[str, list[ReviewTask]] = {name: [] for name in _KINDS}
    for question in questions.items.values():
        if question.item in released.items and released.items[question.item][0] not in asked:
            new[_NAMES[question.way]].append(_task(question, *released.items[question.item]))
    for first, tasks in new.items():
        if not tasks:
            continue
        names = (first if number == 1 else f"{first}-{number}" for number in count(1))
        path = next(path for name in names if not (path := folder / f"{name}.jsonl").exists())
        head = TaskFileHead(
            kind=_KINDS[first],
            name=path.stem,
            release=f"{release.name} {release.version}",
            release_id=release.release_id,
            categories=_CATEGORIES[first],
        )
        write_review_tasks(path, head, tasks)
        files.append(path)
    there = _campaigns_in(workspace)
    return [
        there[path.stem]
        if path.stem in there
        else _opened(open_tasks(path, release.path, workspace, annotators=annotators))
        for path in files
    ]


def _campaigns_in(workspace: Path) -> Mapping[str, Mapping[str, Any]]:
    """Return the campaigns of a workspace by name; opening one again would undo the assignment of its tasks."""
    from benchwright.annotation import open_store, store_exists

    url = Workspace(workspace).store_url
    if not store_exists(url):
        return {}
    with open_store(url) as store:
        return {
            each.name: {
                "name": each.name,
                "kind": each.kind,
                "tasks": len(store.tasks(each.name, states=("open", "done"))),
                "new": 0,
                "annotators": each.slots_per_task,
            }
            for each in store.campaigns()
        }


def _opened(each: OpenedCampaign) -> Mapping[str, Any]:
    return {
        "name": each.campaign, "kind": each.kind, "tasks": each.tasks, "new": each.new, "annotators": each.annotators
    }  # fmt: skip


def _open_pairs(
    questions: AuditQuestions, released: _Released, workspace: Path, annotators: int | None
) -> Sequence[Mapping[str, Any]]:
    from benchwright.annotation import PairToJudge, open_pairs

    pictures = released.pictures
    pairs = [
        PairToJudge(pictures[pair.better], pictures[pair.worse], tuple(map(_side_text, pair.notes)))
        for pair in questions.pairs
        if pair.better in pictures and pair.worse in pictures and pictures[pair.better] != pictures[pair.worse]
    ]
    if not pairs:
        return [each for each in _campaigns_in(workspace).values() if each["name"] == PAIRS]
    return [_opened(open_pairs(pairs, released.release, workspace, name=PAIRS, annotators=annotators))]


def _task(question: ItemQuestion, item_id: str, content_hash: str) -> ReviewTask:
    return ReviewTask(
        item_id=item_id,
        content_hash=content_hash,
        about={"found": ",".join(question.kinds)[:1000], "severity": question.severity},
        beside=tuple(map(_side_text, question.notes[:_MOST_BESIDE])),
    )


def _side_text(note: SideNote) -> SideText:
    return SideText(label=note.label[:200], text=note.text[:LONGEST_TEXT])
