"""Open a campaign `pair` on pictures of a release, and return the pictures that annotators found to be copies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from benchwright.errors import BenchwrightError, DataError
from benchwright.overrides import AGAINST
from benchwright.release import Release
from benchwright.review_files.tasks import SideText
from benchwright.texts.normalization import counted
from benchwright.workspace.store_place import settle_store

from ...forms.campaign_form import CampaignForm
from ...forms.kind_forms.pair import PAIR_FORM, SAME
from ...forms.kinds import KINDS, PAIR
from ...forms.payloads import TaskInput, item_in, payload_beside
from ...store.database.records import Task
from ...store.review_store import ReviewStore, open_store
from ...workflow.image_files import brought_pictures
from ...workflow.settlement.rules import parse_rule
from ..pair import image_pair, pair_task, pair_verdicts
from .reviews import OpenedCampaign, review_workspace


class PairToJudge(NamedTuple):
    """Two pictures of a release that may be the same picture.

    Args:
        better: Id of the picture that stays if they are the same.
        worse: Id of the picture whose items are dropped in that case.
        beside: Texts that annotators see next to the pictures.
    """

    better: str
    worse: str
    beside: tuple[SideText, ...] = ()


class JudgedCopy(NamedTuple):
    """A picture that annotators found to be the same as a picture that is kept.

    Args:
        kept: Id of the picture that is kept.
        agreed: Number of annotators who found that the pictures are the same.
        asked: Number of annotators who looked at the pair.
        notes: Notes of the annotators who found them the same, sorted.
    """

    kept: str
    agreed: int
    asked: int
    notes: tuple[str, ...]


def open_pairs(
    pairs: Sequence[PairToJudge], release: Release, workspace: Path, *, name: str, annotators: int | None = None
) -> OpenedCampaign:
    """Open a campaign on pairs of a release's pictures; safe to repeat, including with additional pairs.

    The campaign's present pairs remain, with the decisions on them, whether or not the call includes them. Their better
    pictures also remain the same.

    Args:
        pairs: Pairs of different pictures.
        release: Release that contains the pictures.
        workspace: Folder of the workspace, which is created if it does not exist.
        name: Name of the campaign.
        annotators: Number of different annotators for each pair; default that of the kind, or of the open campaign.

    Raises:
        BenchwrightError: The name belongs to another campaign, or the number of annotators differs from that of the
            open campaign.
        DataError: The release lacks one of the pictures.
    """
    kind, root = KINDS[PAIR], review_workspace(workspace).root
    by_pair = {image_pair(pair.better, pair.worse).pair_id: pair for pair in pairs}
    shown = {image_id for pair in pairs for image_id in (pair.better, pair.worse)}
    pictures = brought_pictures(root)
    for released in release.items():
        for image_id, data in released.images.items():
            if image_id in shown:
                pictures.put(data)
                shown.discard(image_id)
    if shown:
        raise DataError(
            f"{release.path} has no picture {min(shown)[:12]}, which a pair shows; give the release that was audited"
        )
    with open_store(settle_store(workspace)) as store, store.batch() as held:
        inputs = {pair_id: _task(pair) for pair_id, pair in by_pair.items()}
        form = CampaignForm(fields=PAIR_FORM.fields, guidelines=kind.guidelines)
        each = annotators or kind.annotators
        settings = {"release": f"{release.name} {release.version}", "release_id": release.release_id}
        if name in held.campaign_names():
            before = held.campaign(name)
            if before.kind != PAIR or before.settings.get("release_id") != release.release_id:
                raise BenchwrightError(
                    f"campaign {name!r} already exists for something else; give the new one another name"
                )
            if annotators not in (None, before.slots_per_task):
                raise BenchwrightError(
                    f"campaign {name!r} asks {counted(before.slots_per_task, 'annotator')} per pair and cannot change "
                    f"to {annotators}"
                )
            form, each, settings = before.form, before.slots_per_task, dict(before.settings)
            inputs |= {
                task.item_id: TaskInput(task.item_id, task.content_hash, task.payload) for task in _tasks(held, name)
            }
        held.upsert_campaign(
            name,
            kind=PAIR,
            rule=str(parse_rule(f"majority({each})")),
            slots_per_task=each,
            form=form,
            settings=settings,
            seed=0,
        )
        opened = held.upsert_tasks(name, inputs.values()).opened
    return OpenedCampaign(name, PAIR, len(inputs), opened, each, workspace)


def copies_judged(store: ReviewStore, campaign: str) -> tuple[Mapping[str, JudgedCopy], int]:
    """Return the pictures that annotators found to be copies, by id, and the number of open pairs."""
    tasks = {task.item_id: task for task in _tasks(store, campaign)}
    done = {pair_id for pair_id, task in tasks.items() if task.state == "done"}
    decisions = [decision for decision in store.decisions(campaign) if decision.item_id in done]
    pairs = []
    for pair_id in sorted(done):
        better, worse = (image["image_id"] for image in item_in(tasks[pair_id].payload)["images"])
        pairs.append(image_pair(better, worse))
    if not pairs:
        return {}, len(tasks)
    images = sorted({image_id for pair in pairs for image_id in (pair.better, pair.worse)})
    rule = parse_rule(store.campaign(campaign).rule)
    verdicts = pair_verdicts(rule, images, pairs, decisions, known={}, simulated=False, seed=0)
    judged = {}
    for image_id, outcome in verdicts.outcomes.items():
        if outcome.verdict == "drop":
            kept = outcome.evidence[AGAINST]
            asked = [each for each in decisions if each.item_id == image_pair(kept, image_id).pair_id]
            same = [each for each in asked if each.decision == SAME]
            notes = sorted(str((each.fields or {}).get("note") or "") for each in same)
            judged[image_id] = JudgedCopy(kept, len(same), len(asked), tuple(filter(None, notes)))
    return judged, len(tasks) - len(done)


def _tasks(store: ReviewStore, campaign: str) -> Sequence[Task]:
    return store.tasks(campaign, states=("open", "done"))


def _task(pair: PairToJudge) -> TaskInput:
    task = pair_task(image_pair(pair.better, pair.worse))
    return task._replace(payload=payload_beside(task.payload, pair.beside))
