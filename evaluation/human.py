"""What people reached on a release: its human baseline as figures that stand beside the models'."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from math import fsum
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from benchwright.errors import DataError
from benchwright.release import Release
from benchwright.release.human import read_human_baseline

from .release_files import check_files, columns_of
from .score import Figure, Score, figures, with_method
from .statistics import Estimate, mean_of_proportions, wilson

FORMAT: Literal["benchwright/human"] = "benchwright/human"
VERSION = 2
"""Version 2 states how each interval was made."""

HUMAN_FILE = "human.json"


class CampaignFigures(BaseModel):
    """What the annotators of one campaign reached."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    simulated: bool
    """Nobody answered: the annotators are simulated."""
    annotators: int = Field(ge=1)
    answers_per_item: int = Field(ge=1)
    metrics: dict[str, Figure]
    """`accuracy`, `accuracy/<task>` and `accuracy_macro`, named and bounded as a model's."""


class HumanFigures(BaseModel):
    """What `human_figures` returns and `human.json` holds."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal["benchwright/human"] = FORMAT
    version: int = VERSION
    release: str
    """Name and version, for people."""
    release_id: str
    split: str | None
    """None for all splits."""
    campaigns: dict[str, CampaignFigures]

    def lines(self) -> dict[str, Mapping[str, Figure]]:
        """Return the metrics of each campaign under the name that it has in a table of models."""
        found: dict[str, Mapping[str, Figure]] = {}
        for name, campaign in sorted(self.campaigns.items()):
            who = "human" if len(self.campaigns) == 1 else f"human: {name}"
            found[f"{who} (simulated)" if campaign.simulated else who] = campaign.metrics
        return found


def human_figures(release: Release, split: str | None = None) -> HumanFigures | None:
    """Return what people reached on a release, or on one split; None where nobody was asked.

    An accuracy is the mean over items of the share of right answers, so that each item counts once, as it does for a
    model. The interval takes an item's answers together as one draw: n is the number of items, not of answers, since
    answers to one item resemble each other. It errs on the wide side: a share lies in [0, 1], so its variance is at
    most mean (1 - mean), which is that of a single answer.

    Raises:
        DataError: The release is damaged.
    """
    baseline = read_human_baseline(release)
    if baseline is None:
        return None
    tasks = _task_of_items(release, split)
    return HumanFigures(
        release=f"{release.name} {release.version}",
        release_id=release.release_id,
        split=split,
        campaigns={
            name: CampaignFigures(
                simulated=told["simulated"],
                annotators=told["annotators"],
                answers_per_item=told["answers_per_item"],
                metrics=figures(_accuracies(told["items"], tasks)),
            )
            for name, told in sorted(baseline.items())
        },
    )


def read_human(folder: Path) -> HumanFigures | None:
    """Return the figures of people that a results folder holds; None where it holds none.

    Raises:
        DataError: The file is damaged, or of a newer program.
    """
    path = folder / HUMAN_FILE
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(document, dict) and document.get("format") == FORMAT and document.get("version", 0) > VERSION:
            raise DataError(
                f"{path} has version {document['version']}, this program reads up to {VERSION}; upgrade benchwright"
            )
        return HumanFigures.model_validate(_upgraded(document))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError, ValidationError) as error:
        raise DataError(f"{path} is no baseline ({str(error).splitlines()[0]}); run the recipe again") from error


def _upgraded(document: Any) -> Any:
    """Return figures of version 1, which did not say how an interval was made, as of this version."""
    if not isinstance(document, dict) or document.get("version") != 1:
        return document
    campaigns = {
        name: {**told, "metrics": {metric: with_method(metric, figure) for metric, figure in told["metrics"].items()}}
        for name, told in document["campaigns"].items()
    }
    return {**document, "version": VERSION, "campaigns": campaigns}


def check_beside(human: HumanFigures, scores: Sequence[Score]) -> None:
    """Refuse to show people beside models that were asked something else.

    Raises:
        DataError: Release or split differ.
    """
    for score in scores[:1]:
        if (human.release_id, human.split) != (score.release_id, score.split):
            raise DataError(
                f"the human baseline is of {human.release} ({human.release_id[:12]}), {human.split or 'all splits'}; "
                f"the scores are of {score.release} ({score.release_id[:12]}), {score.split or 'all splits'}: "
                "score the models on the same release"
            )


def _accuracies(items: Mapping[str, Mapping[str, int]], tasks: Mapping[str, str]) -> dict[str, Estimate]:
    shares: dict[str, list[float]] = {}
    for item_id, told in sorted(items.items()):
        if item_id in tasks:
            shares.setdefault(tasks[item_id], []).append(told["right"] / told["asked"])
    by_task = {task: _mean(shares[task]) for task in sorted(shares)}
    return {
        "accuracy": _mean(share for task in shares.values() for share in task),
        "accuracy_macro": mean_of_proportions(list(by_task.values())),
        **{f"accuracy/{task}": estimate for task, estimate in by_task.items()},
    }


def _mean(shares: Iterable[float]) -> Estimate:
    found = list(shares)
    return wilson(fsum(found), len(found))


def _task_of_items(release: Release, split: str | None) -> dict[str, str]:
    """Return the task of each item by id, without reading a picture."""
    check_files(release, split)
    found: dict[str, str] = {}
    for batch in columns_of(release, split, ["item_id", "task"]):
        found.update(zip(*(column.to_pylist() for column in batch.columns), strict=True))
    return found
