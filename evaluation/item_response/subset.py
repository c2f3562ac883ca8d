"""A subset of a release's items that represents all of them, as written by `evaluate subset`.

It contains the item response model of every item. Evaluators who ask a model the subset therefore need neither the
replies used for fitting nor the results they came from.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from benchwright.canonical import digest
from benchwright.errors import BenchwrightError, DataError
from benchwright.statistics.proportions import Estimate, mean_of_proportions
from benchwright.texts.normalization import counted

from .drawing import Batch
from .fitting import ItemResponses
from .whole import whole_estimate

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from benchwright.release import Release

FORMAT: Literal["benchwright/subset"] = "benchwright/subset"
SUBSET_FILE = "subset.json"
"""Name of the copy stored next to a score that was estimated from the subset."""

SubsetMethod = Literal["doubt", "random"]
METHODS: dict[SubsetMethod, str] = {
    "doubt": "items with less predictable replies drawn more often",
    "random": "all items drawn with equal probability",
}
"""Methods of drawing a subset, with descriptions."""


class Drawn(BaseModel):
    """The batch of a drawn item, and its probability of being drawn."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    batch: int = Field(ge=0)
    """Index of the batch, from 0; adaptive runs draw several batches."""
    inclusion: float = Field(gt=0, le=1)
    """Probability of drawing the item from those not drawn before."""


class SubsetItem(BaseModel):
    """An item of the release, whether in the subset or not."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    item_id: str
    task: str
    guessing: float = Field(ge=0, lt=1)
    discrimination: float
    easiness: float
    covariance: tuple[float, float, float]
    """Variance of the discrimination, covariance of the two parameters, variance of the easiness."""
    drawn: Drawn | None = None


class Subset(BaseModel):
    """A subset, and the item response model of all items."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal["benchwright/subset"] = FORMAT
    version: Literal[1] = 1
    release: str
    """Name and version, for readers."""
    release_id: str
    split: str | None
    """None for all splits."""
    protocol: str
    """Protocol of the replies to which the model was fitted."""
    models: tuple[str, ...]
    """Models that gave these replies."""
    method: SubsetMethod
    seed: int
    misfit: float | None = Field(None, ge=0)
    """Error of the model alone for models left out of its fit, 0 to 1; None if there were too few models."""
    items: tuple[SubsetItem, ...]

    @model_validator(mode="after")
    def _names_each_item_once(self) -> Subset:
        if len({item.item_id for item in self.items}) < len(self.items):
            raise ValueError("an item occurs more than once")
        numbers = {item.drawn.batch for item in self.items if item.drawn is not None}
        if numbers != set(range(len(numbers))):
            raise ValueError("batches are not numbered from 0 on")
        return self

    @property
    def drawn_ids(self) -> frozenset[str]:
        """Return the ids of the drawn items."""
        return frozenset(item.item_id for item in self.items if item.drawn is not None)

    @cached_property
    def digest(self) -> str:
        """Return the digest of the drawn items and their probabilities; scores with equal digests are comparable."""
        drawn = [[i.item_id, i.drawn.batch, i.drawn.inclusion] for i in self.items if i.drawn is not None]
        return digest([self.release_id, self.split, drawn])

    @cached_property
    def fitted(self) -> ItemResponses:
        """Return the item response model of all items, without the models to which it was fitted."""
        import numpy as np

        columns = {
            name: np.array([getattr(item, name) for item in self.items], dtype=np.float64)
            for name in ("discrimination", "easiness", "guessing")
        }
        three = np.array([item.covariance for item in self.items], dtype=np.float64)
        nothing = np.zeros(0)
        return ItemResponses(
            columns["discrimination"],
            columns["easiness"],
            three[:, [0, 1, 1, 2]].reshape(-1, 2, 2),
            columns["guessing"],
            nothing,
            nothing,
        )

    @cached_property
    def batches(self) -> tuple[Batch, ...]:
        """Return the drawn items by batch."""
        import numpy as np

        places: dict[int, list[tuple[int, float]]] = {}
        for place, item in enumerate(self.items):
            if item.drawn is not None:
                places.setdefault(item.drawn.batch, []).append((place, item.drawn.inclusion))
        return tuple(
            Batch(np.array([place for place, _ in rows]), np.array([inclusion for _, inclusion in rows]))
            for _, rows in sorted(places.items())
        )

    def with_batches(self, batches: tuple[Batch, ...]) -> Subset:
        """Return a subset with the same items but other draws."""
        drawn = {
            int(place): Drawn(batch=number, inclusion=float(inclusion))
            for number, batch in enumerate(batches)
            for place, inclusion in zip(batch.places, batch.inclusion, strict=True)
        }
        items = tuple(item.model_copy(update={"drawn": drawn.get(place)}) for place, item in enumerate(self.items))
        fields = {name: getattr(self, name) for name in Subset.model_fields}
        return Subset.model_validate({**fields, "items": items})

    def right_of(self, judged: pa.Table) -> NDArray[np.bool_]:
        """Return whether each item was answered correctly according to judged rows; False for an item that was not
        asked.

        Args:
            judged: Rows with `item_id` and `right`, one for each asked item.
        """
        import numpy as np

        right = dict(zip(judged.column("item_id").to_pylist(), judged.column("right").to_pylist(), strict=True))
        return np.array([bool(right.get(item.item_id)) for item in self.items])

    def estimates(self, judged: pa.Table) -> dict[str, Estimate]:
        """Return estimates of the accuracies on all items: overall, by task, and as the mean across tasks.

        Args:
            judged: Rows with `item_id` and `right`, one for each asked item.
        """
        import numpy as np

        right, tasks = self.right_of(judged), np.array([item.task for item in self.items])
        every = whole_estimate(self.fitted, right, self.batches, misfit=self.misfit)
        by_task = {}
        for task in sorted(set(tasks.tolist())):
            of_task = whole_estimate(self.fitted, right, self.batches, among=tasks == task)
            by_task[f"accuracy/{task}"] = Estimate(None, None, 0) if of_task is None else of_task.estimate()
        return {
            "accuracy": Estimate(None, None, 0) if every is None else every.estimate(),
            **by_task,
            "accuracy_macro": _macro(list(by_task.values())),
        }

    def check_release(self, release: Release, split: str | None) -> None:
        """Refuse a release or split other than the one from which the subset was drawn.

        Raises:
            BenchwrightError: The release or split is a different one.
        """
        if release.release_id != self.release_id:
            raise BenchwrightError(
                f"the subset was drawn from {self.release} (release {self.release_id[:12]}), but {release.path} is "
                f"{release.name} {release.version} (release {release.release_id[:12]}); draw one from this release "
                "with `benchwright evaluate subset`"
            )
        if split != self.split:
            wanted, own = (name or "all splits" for name in (split, self.split))
            option = f"--split {self.split}" if self.split else "no --split"
            raise BenchwrightError(f"the subset was drawn from {own}, not from {wanted}; give {option}")

    def check_items(self, asked: Mapping[str, str]) -> None:
        """Refuse a model or protocol that takes a different set of items than the one that the subset represents.

        Args:
            asked: Task of each item that model and protocol can take, by id.

        Raises:
            BenchwrightError: The sets of items differ.
        """
        known = {item.item_id for item in self.items}
        if new := sorted(asked.keys() - known):
            raise BenchwrightError(
                f"the subset represents {counted(len(known), 'item')}, but the release has {len(new):,} more, such "
                f"as {new[0]}, without a reply of any model; draw a subset from results that cover these"
            )
        if left := sorted(known - asked.keys()):
            raise BenchwrightError(
                f"the subset represents {counted(len(known), 'item')}, but model and protocol cannot take "
                f"{len(left):,} of them, such as {left[0]}; score all items that they can take instead"
            )


def _macro(tasks: list[Estimate]) -> Estimate:
    """Return the mean across tasks, without an interval if any task has none."""
    values = [estimate.value for estimate in tasks]
    if any(value is None for value in values):
        return Estimate(None, None, 0)
    if any(estimate.interval is None for estimate in tasks):
        known = [value for value in values if value is not None]
        return Estimate(sum(known) / len(known), None, sum(estimate.n for estimate in tasks))
    return mean_of_proportions(tasks)


def read_subset(path: Path) -> Subset:
    """Return the subset read from a file.

    Raises:
        DataError: The file is not a subset, or a newer version of the program wrote it.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(document, dict) and document.get("format") == FORMAT and document.get("version") != 1:
            raise DataError(
                f"{path} has subset version {document.get('version')}, but this program reads version 1; upgrade "
                "benchwright"
            )
        return Subset.model_validate(document)
    except (OSError, ValueError, RecursionError, ValidationError) as error:
        reason = (
            "; ".join(
                f"{'.'.join(map(str, entry['loc'])) or 'the file'}: {entry['msg']}" for entry in error.errors()[:1]
            )
            if isinstance(error, ValidationError)
            else str(error).splitlines()[0]
        )
        raise DataError(
            f"{path} is not a subset ({reason}); `benchwright evaluate subset RELEASE RESULT... --out {path.name}` "
            "writes one"
        ) from error
