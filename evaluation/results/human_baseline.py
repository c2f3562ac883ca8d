"""The human baseline of a release, as figures that can be compared with those of models.

There are figures for all annotators together, for each annotator, and for the best one. People and models are compared
on all items, on each task, and by the mean across tasks.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from math import lcm
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from benchwright.errors import DataError
from benchwright.release import Release
from benchwright.release.format.human_baseline import read_human_baseline
from benchwright.statistics.clustered import mean_share_right, share_right
from benchwright.statistics.proportions import Estimate

from ..prompting.release_files import check_files, columns_of, groups_of
from .score import Figure, Score, figures, with_method

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from benchwright.statistics.proportions import Estimate


def task_shares(
    right: NDArray[Any], group: NDArray[Any], tasks: Sequence[str], *, parts: int = 1
) -> dict[str, Estimate]:
    """Return `accuracy`, `accuracy_macro` and `accuracy/<task>` with their 95 % intervals.

    Args:
        right: Whether each item was answered correctly, or how many of its `parts` equal parts were.
        group: Index of each item's cluster, from 0.
        tasks: Task of each item.
        parts: Number of equal parts of an item, as in `share_right`; 1 by default.
    """
    import numpy as np

    names, task = np.unique(np.asarray(tasks, dtype=str), return_inverse=True)
    shares = [
        share_right(right[held], group[held], parts=parts)
        for number, name in enumerate(names)
        for held in (task == number,)
    ]
    return {
        "accuracy": share_right(right, group, parts=parts),
        "accuracy_macro": mean_share_right(right, group, task, shares, "accuracy_macro", parts=parts),
        **{f"accuracy/{name}": share for name, share in zip(names.tolist(), shares, strict=True)},
    }


_LEAST_OF_THE_BUSIEST = 0.5
"""Proportion of the busiest annotator's number of items that an annotator must have answered to qualify as best."""

Metrics = Mapping[str, Figure]


def _answers_by_annotator(items: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, dict[str, int]]]:
    """Return each annotator's answers in the form of a baseline's items, as if each item had been asked once.

    Args:
        items: Items of one campaign, as `read_human_baseline` returns them; items that do not state who was right are
            left out.
    """
    answers: dict[str, dict[str, dict[str, int]]] = {}
    for item_id, answer in items.items():
        for annotator, right in answer.get("by", {}).items():
            answers.setdefault(annotator, {})[item_id] = {"asked": 1, "right": int(right)}
    return {annotator: answers[annotator] for annotator in sorted(answers, key=_number)}


def _best_of(each: Mapping[str, Metrics]) -> str | None:
    """Return the annotator with the highest proportion of right answers, or None if there are fewer than two
    annotators.

    Only annotators who answered at least the proportion `_LEAST_OF_THE_BUSIEST` of the busiest one's number of items
    qualify, because a few lucky answers do not make an annotator the best. Ties go to the annotator who answered more,
    then to the lower number.
    """
    if len(each) < 2:
        return None
    answered = {name: metrics["accuracy"].n for name, metrics in each.items()}
    enough = [name for name, n in answered.items() if n >= _LEAST_OF_THE_BUSIEST * max(answered.values())]
    return max(enough, key=lambda name: (each[name]["accuracy"].value or 0.0, answered[name], -_number(name)))


def _number(pseudonym: str) -> int:
    return int(pseudonym.rpartition("-")[2])


FORMAT: Literal["benchwright/human"] = "benchwright/human"
VERSION = 3
"""Version 2 states how each interval was computed; version 3 adds the figures of each annotator."""

HUMAN_FILE = "human.json"


class CampaignFigures(BaseModel):
    """Figures of the annotators of one campaign."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    simulated: bool
    """Whether the annotators are simulated, so that no person answered."""
    annotators: int = Field(ge=1)
    answers_per_item: int = Field(ge=1)
    metrics: dict[str, Figure]
    """`accuracy`, `accuracy/<task>` and `accuracy_macro`, named and bounded as for a model: the mean over people."""
    each: dict[str, dict[str, Figure]] = {}
    """The same figures for each annotator, by pseudonym; empty if the release does not state who was right."""
    best: str | None = None
    """The annotator with the highest proportion of right answers (`_best_of`)."""


class HumanFigures(BaseModel):
    """The figures that `human_figures` returns and that `human.json` contains."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal["benchwright/human"] = FORMAT
    version: int = VERSION
    release: str
    """Name and version, for readers."""
    release_id: str
    split: str | None
    """None for all splits."""
    campaigns: dict[str, CampaignFigures]

    def lines(self) -> dict[str, Mapping[str, Figure]]:
        """Return the metrics of each campaign under its name, for a table of models."""
        lines: dict[str, Mapping[str, Figure]] = {}
        for name, campaign in sorted(self.campaigns.items()):
            label = "human" if len(self.campaigns) == 1 else f"human: {name}"
            simulated = " (simulated)" if campaign.simulated else ""
            lines[f"{label}{simulated}"] = campaign.metrics
            if campaign.best is not None:
                lines[f"{label}, best{simulated}"] = campaign.each[campaign.best]
        return lines


def human_figures(release: Release, split: str | None = None) -> HumanFigures | None:
    """Return the human figures on a release or on one of its splits, or None if people were not asked.

    An accuracy is the mean, over items, of the proportion of right answers, so that each item has the same weight, as
    for a model. The interval treats an item's answers together as one draw, and clusters of items as for a model: n is
    the number of items, not of answers, because answers to one item are correlated. The interval is conservative: a
    proportion lies in [0, 1], so its variance is at most mean (1 - mean), the variance of a single answer.

    Raises:
        DataError: The release is damaged.
    """
    baseline = read_human_baseline(release)
    if baseline is None:
        return None
    items = _items(release, split)
    return HumanFigures(
        release=f"{release.name} {release.version}",
        release_id=release.release_id,
        split=split,
        campaigns={name: _campaign(campaign, items) for name, campaign in sorted(baseline.items())},
    )


def _campaign(campaign: Mapping[str, Any], items: Mapping[str, _BaselineItem]) -> CampaignFigures:
    own = _answers_by_annotator(
        {item_id: answers for item_id, answers in campaign["items"].items() if item_id in items}
    )
    each = {name: figures(_accuracies(answers, items)) for name, answers in own.items()}
    return CampaignFigures(
        simulated=campaign["simulated"],
        annotators=campaign["annotators"],
        answers_per_item=campaign["answers_per_item"],
        metrics=figures(_accuracies(campaign["items"], items)),
        each=each,
        best=_best_of(each),
    )


def read_human(folder: Path) -> HumanFigures | None:
    """Return the human figures stored in a results folder, or None if there are none.

    Raises:
        DataError: The file is damaged, or a newer version of the program wrote it.
    """
    path = folder / HUMAN_FILE
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(document, dict) and document.get("format") == FORMAT and document.get("version", 0) > VERSION:
            raise DataError(
                f"{path} has version {document['version']}, but this program reads up to {VERSION}; upgrade benchwright"
            )
        return HumanFigures.model_validate(_upgraded(document))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError, ValidationError) as error:
        raise DataError(f"{path} is not a baseline ({str(error).splitlines()[0]}); run the recipe again") from error


def _upgraded(document: Any) -> Any:
    """Return figures of an older version in the current form; version 1 did not state the method of an interval."""
    if not isinstance(document, dict) or document.get("version") not in {1, 2}:
        return document
    campaigns = document["campaigns"]
    if document["version"] == 1:
        campaigns = {
            name: {
                **campaign,
                "metrics": {metric: with_method(metric, figure) for metric, figure in campaign["metrics"].items()},
            }
            for name, campaign in campaigns.items()
        }
    return {**document, "version": VERSION, "campaigns": campaigns}


def check_comparable(human: HumanFigures, scores: Sequence[Score]) -> None:
    """Refuse to compare people with models that were asked different items.

    Raises:
        DataError: The release or the split differs.
    """
    for score in scores[:1]:
        if (human.release_id, human.split) != (score.release_id, score.split):
            raise DataError(
                f"the human baseline is of {human.release} ({human.release_id[:12]}), {human.split or 'all splits'}; "
                f"the scores belong to {score.release} ({score.release_id[:12]}), {score.split or 'all splits'}: "
                "score the models on the same release"
            )


class _BaselineItem(NamedTuple):
    """The task of an item and the index of its cluster."""

    task: str
    group: int


def _accuracies(answers: Mapping[str, Mapping[str, int]], items: Mapping[str, _BaselineItem]) -> dict[str, Estimate]:
    import numpy as np

    answered = [(answer, items[item_id]) for item_id, answer in sorted(answers.items()) if item_id in items]
    # Shares as whole numbers of equal parts; if the numbers of answers have no small common multiple, to a millionth.
    parts = min(lcm(*(answer["asked"] for answer, _ in answered)), 10**6)
    right = np.array([round(answer["right"] * parts / answer["asked"]) for answer, _ in answered], dtype=np.int64)
    group = np.array([item.group for _, item in answered], dtype=np.int64)
    return task_shares(right, group, [item.task for _, item in answered], parts=parts)


def _items(release: Release, split: str | None) -> dict[str, _BaselineItem]:
    """Return the task and cluster of each item by id, without reading any picture."""
    check_files(release, split)
    batches = list(columns_of(release, split, ["item_id", "task"]))
    ids, tasks = (
        [value for batch in batches for value in batch.column(name).to_pylist()] for name in ("item_id", "task")
    )
    return dict(zip(ids, map(_BaselineItem, tasks, groups_of(release, split)), strict=True))
