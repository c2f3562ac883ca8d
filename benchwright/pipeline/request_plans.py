"""The requests to models that a run would send, and their maximum cost, determined before any is sent."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel

from benchwright.models.endpoints.chat import ChatSettings
from benchwright.models.endpoints.usage import RequestPlan
from benchwright.recipe import Recipe
from benchwright.steps import ItemForecast, Step
from benchwright.texts.normalization import counted

from .ingest import list_files
from .planning.fitting import fitted_to
from .planning.forecast import forecast, forecast_lines
from .planning.plan import check_final_steps, plan
from .run import image_folder


class RunPlan(NamedTuple):
    """The requests to models that the steps of a recipe would send for the pictures of a folder.

    Args:
        images: Number of files in the folder that the run would read as pictures; earlier steps may drop some of them.
        plans: Entry of the recipe and its requests, in order.
        unplanned: Entries that send a model an unpredictable number of requests.
        bringing: Entries that bring their own pictures, which `images` does not count.
        expected: Entry of the recipe and its expected number of items, for each mode of a task that can forecast it.
    """

    images: int
    plans: tuple[tuple[str, RequestPlan], ...]
    unplanned: tuple[str, ...]
    bringing: tuple[str, ...]
    expected: tuple[tuple[str, ItemForecast], ...]

    @property
    def cost(self) -> float | None:
        """Return the maximum total cost; None if a price is missing or an entry is unplanned."""
        costs = [requests.cost for _, requests in self.plans]
        known = [cost for cost in costs if cost is not None]
        return None if len(known) < len(costs) or self.unplanned else round(sum(known), 6)

    def to_json(self) -> dict[str, Any]:
        """Return the plan as JSON values."""
        return {
            "dry_run": True,
            "images": self.images,
            "plans": [{"step": entry, **requests.to_json()} for entry, requests in self.plans],
            "cost": self.cost,
            "unplanned": list(self.unplanned),
            "bringing": list(self.bringing),
            "expected": [{"step": entry, **items._asdict()} for entry, items in self.expected],
        }

    def describe(self) -> str:
        """Return the plan as lines of text."""
        lines = [f"{counted(self.images, 'picture')} at most; replies already in the workspace are free"]
        lines += [f"{entry}: {requests.describe()}" for entry, requests in self.plans]
        lines += [f"{entry}: asks a model an unpredictable number of times" for entry in self.unplanned]
        lines += [f"{entry}: brings pictures, not counted here" for entry in self.bringing]
        lines += forecast_lines(self.expected)
        if not self.plans and not self.unplanned:
            lines.append("no step asks a model behind an endpoint")
        elif self.cost is not None:
            lines.append(f"in all at most {self.cost:,.4f}")
        return "\n".join(lines)


def plan_requests(recipe: Recipe, *, images: Path | None = None) -> RunPlan:
    """Return the requests that a run of a recipe would send to models, without sending or writing anything.

    Args:
        recipe: The recipe.
        images: Image folder; the recipe's own if None.

    Raises:
        BenchwrightError: The steps do not fit together, or the image folder is missing.
    """
    brings = any(step.brings_pictures for _, step in recipe.steps)
    has_folder = images is not None or recipe.header.images is not None or not brings
    folder = image_folder(recipe, images) if has_folder else None
    fitted, _ = fitted_to(recipe, folder)
    check_final_steps(plan(fitted.steps), seed=fitted.header.seed)
    bringing = [(entry, step) for entry, step in fitted.steps if step.brings_pictures]
    files = [] if folder is None else list_files(folder)
    expected = tuple(forecast(fitted, folder, files))
    count = sum(not any(step.takes(uri) for _, step in bringing) for uri in files)
    plans: list[tuple[str, RequestPlan]] = []
    unplanned: list[str] = []
    for entry, step in fitted.steps:
        planned = step.planned_requests(count)
        if planned is not None:
            plans += [(entry, requests) for requests in planned]
        elif _asks_a_model(step):
            unplanned.append(entry)
    return RunPlan(count, tuple(plans), tuple(unplanned), tuple(entry for entry, _ in bringing), expected)


def _asks_a_model(step: Step) -> bool:
    return any(isinstance(settings, ChatSettings) for settings in _settings_in(step))


def _settings_in(model: BaseModel) -> Iterator[BaseModel]:
    """Yield the models found in the settings of a step, at any depth."""
    for name in type(model).model_fields:
        value = getattr(model, name)
        for part in value if isinstance(value, list | tuple) else [value]:
            if isinstance(part, BaseModel):
                yield part
                yield from _settings_in(part)
