"""Forecasts of how many items a recipe's steps will make over a folder, as far as steps can predict them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from benchwright.images.identify import path_for
from benchwright.recipe import Recipe
from benchwright.steps import ForecastContext, ItemForecast, Step


def forecast(recipe: Recipe, folder: Path | None, uris: Sequence[str]) -> list[tuple[str, ItemForecast]]:
    """Return the expected items of each entry of a recipe, in order, with one forecast per mode of a task.

    Args:
        recipe: The recipe as it runs over the folder (`fitted_to`).
        folder: The image folder; None if steps bring all pictures.
        uris: URIs of the files in it.
    """
    before: dict[str, Step] = {}
    photographs = {} if folder is None else {uri: folder / path_for(uri) for uri in uris}
    expected: list[tuple[str, ItemForecast]] = []
    for entry, step in recipe.steps:
        ctx = ForecastContext(before, list(photographs.values()), recipe.header.seed)
        expected += [(entry, items) for items in step.forecast(ctx)]
        before[entry] = step
        if step.brings_pictures:  # a forecast settles which files it takes
            photographs = {uri: path for uri, path in photographs.items() if not step.takes(uri)}
    return expected


def forecast_lines(expected: Sequence[tuple[str, ItemForecast]]) -> Iterator[str]:
    """Yield the forecasts as lines to print, one per mode of a task, with advice if few items are expected."""
    for entry, modes in groupby(expected, key=lambda one: one[0]):
        for _, items in modes:
            mark = "" if items.is_set else "with another `mode`, "
            yield f"{entry}: {mark}{items}"
            if items.is_set and items.advice is not None:
                yield f"  few: {items.advice}"
