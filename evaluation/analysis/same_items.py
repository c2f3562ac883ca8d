"""Scores of models on exactly the items that people answered, so that both figures refer to the same sample."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchwright.errors import BenchwrightError
from benchwright.release.format.human_baseline import read_human_baseline

from ..results.human_baseline import HumanFigures, check_comparable, human_figures, task_shares
from ..results.score import Figure, figures, read_scores
from .reply_matrix import ReplyMatrix, read_reply_matrix

if TYPE_CHECKING:
    from benchwright.release import Release

Metrics = dict[str, Figure]


class Sample(NamedTuple):
    """Figures of models on the items of one campaign.

    Args:
        items: Number of these items.
        models: Figures by model: `accuracy`, `accuracy/<task>` and `accuracy_macro`. `n` is smaller if a model was not
            asked all of the items.
    """

    items: int
    models: Mapping[str, Metrics]

    def document(self) -> dict[str, Any]:
        """Return the sample as JSON values."""
        return {"items": self.items, "models": {title: _dumped(metrics) for title, metrics in self.models.items()}}


class SameItemFigures(NamedTuple):
    """Figures of people and models on the same items.

    Args:
        human: Figures of people.
        samples: Figures of models on the same items, by campaign.
    """

    human: HumanFigures
    samples: Mapping[str, Sample]

    def document(self) -> dict[str, Any]:
        """Return the figures as JSON values."""
        document = self.human.model_dump(mode="json")
        for name, sample in self.samples.items():
            document["campaigns"][name] |= sample.document()
        return document


def figures_on_same_items(results: Path, release: Release) -> SameItemFigures:
    """Return the figures of people and models on the items that people answered.

    Args:
        results: Folder that `evaluate run` wrote.
        release: Release on which the models were scored.

    Raises:
        BenchwrightError: People were asked no items, or the results belong to a different release.
        DataError: The results or the release are damaged.
    """
    scores = read_scores(results)
    human = human_figures(release, scores[0].split)
    if human is None:
        raise BenchwrightError(
            f"{release.path} has no human baseline, because its recipe had no campaign `answer`; docs/recipes.md "
            "shows how to ask people"
        )
    check_comparable(human, scores)
    return SameItemFigures(
        human, samples_of(read_reply_matrix(results, scores, release), read_human_baseline(release) or {})
    )


def samples_of(sheet: ReplyMatrix, baseline: Mapping[str, Mapping[str, Any]]) -> dict[str, Sample]:
    """Return the models' figures on the items of each campaign in a baseline."""
    return {name: _sample(sheet, campaign["items"].keys()) for name, campaign in sorted(baseline.items())}


def _sample(sheet: ReplyMatrix, answered: Collection[str]) -> Sample:
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    held = pc.is_in(sheet.items.column("item_id"), value_set=pa.array(sorted(answered), pa.string())).to_numpy()
    tasks = np.array(sheet.items.column("task").to_pylist(), dtype=str)
    models = {}
    for row, score in enumerate(sheet.scores):
        taken = held & sheet.asked[row]
        models[score.title] = figures(task_shares(sheet.right[row, taken], sheet.group[taken], tasks[taken]))
    return Sample(int(held.sum()), dict(sorted(models.items())))


def _dumped(metrics: Metrics) -> dict[str, Any]:
    return {name: figure.model_dump(mode="json") for name, figure in sorted(metrics.items())}
