"""Commands that carry out a design, and the smallest pilot that separates the effects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from shlex import join
from typing import Any, NamedTuple

import numpy as np

from benchwright.models.endpoints.vendors.apis import APIS, api_of
from benchwright.replies.readers import READERS, ROBUST
from benchwright.statistics.clustered import LEAST_CLUSTERS

from ..backends.options import BackendOptions
from ..protocols.wordings import WORDINGS
from ..results.score import Score
from .design import Numbers
from .facets import SYSTEM_MARK
from .observations import shown_settings
from .population import Population

UNNAMED, UNNAMED_OTHER = "openai:NAME", "openai:OTHER"
"""Names to use in commands if no model is named, or if there is only a file of replies, which cannot be asked."""
_SAME = frozenset({"mm-sap", "mm-sap-refusal"})
"""Wordings that are identical to another one, either entirely or for most items."""
_OPTIONS = ("base_url", "temperature", "top_p", "seed", "max_tokens", "system", "reasoning_effort", "reasoning_tokens")
_FILE = "predictions:"
_LEAST_SHARED = 10
"""Smallest number of clusters with at least two items in a pilot, which separates items from clusters."""


class Asked(NamedTuple):
    """The models to ask, and the folder of the results.

    Args:
        model: Name of the model.
        options: Options of the model, in the form of stored results.
        shown: Settings of the protocol except order and wording, in the form of stored results.
        wordings: Names of the wordings of earlier runs.
        readers: Names of the readers of earlier runs.
        results: Folder of results.
    """

    model: str
    options: Mapping[str, Any]
    shown: Mapping[str, Any]
    wordings: tuple[str, ...]
    readers: tuple[str, ...]
    results: Path


def asked_of(score: Score, wordings: Sequence[str], readers: Sequence[str], results: Path) -> Asked:
    """Return the model and settings with which a stored result was obtained."""
    api = api_of(score.model)
    renamed = {} if api is None else APIS[api].renamed
    fields = {option: renamed.get(option) or option for option in _OPTIONS}
    asked_with = score.asked_with
    options = {option: asked_with[field] for option, field in fields.items() if asked_with.get(field) is not None}
    if api is not None and options.get("base_url") == APIS[api].base_url:
        del options["base_url"]
    model = UNNAMED if score.model.startswith(_FILE) else score.model
    return Asked(model, options, shown_settings(score), tuple(wordings), tuple(readers), results)


def run_commands(release: Path, population: Population, asked: Asked, numbers: Numbers) -> list[str]:
    """Return the commands that carry out a design: one for each wording, and one for each reader beyond the first."""
    commands = []
    run = [name for name in asked.readers if name in READERS]
    readers = [ROBUST, *(name for name in [*run, *sorted(READERS)] if name != ROBUST)]
    for reader in list(dict.fromkeys(readers))[: numbers.readers]:
        for wording in _wordings(asked, numbers.wordings):
            words = ["evaluate", "run", str(release), "--model", asked.model]
            words += _protocol(wording, numbers.orders, asked.shown)
            words += [] if reader == ROBUST else ["--reader", reader]
            words += [] if population.split is None else ["--split", population.split]
            words += [] if numbers.items >= population.size else ["--limit", str(numbers.items)]
            words += [] if numbers.samples == 1 else ["--samples", str(numbers.samples)]
            commands.append(join(["benchwright", *words, *_flags(asked.options), "--out", str(asked.results)]))
    return commands


def pilot_of(release: Path, population: Population, asked: Asked) -> list[str]:
    """Return the commands of the smallest study that separates items, orders and wordings.

    It asks two orders in two wordings. Its items are the fewest that cover 20 clusters, 10 of which contain at least
    two items if the release has that many.
    """
    numbers = Numbers(_pilot_items(population), orders=2, wordings=2)
    return run_commands(release, population, asked, numbers)


def _pilot_items(population: Population) -> int:
    """Return the smallest number of items whose sample covers enough clusters; all items if no number suffices."""
    sizes = np.bincount(population.group)
    clusters = min(LEAST_CLUSTERS, len(sizes))
    shared = min(_LEAST_SHARED, int((sizes > 1).sum()))

    def suffices(items: int) -> bool:
        held = np.bincount(population.group[population.drawn(items)])
        return int((held > 0).sum()) >= clusters and int((held > 1).sum()) >= shared

    low, high = 1, population.size
    while high - low > 1:  # a larger sample contains every smaller one
        middle = (low + high) // 2
        low, high = (low, middle) if suffices(middle) else (middle, high)
    return high


def _wordings(asked: Asked, number: int) -> list[str]:
    """Return the names of wordings, beginning with those of earlier runs."""
    plain = dict.fromkeys(name.partition(SYSTEM_MARK)[0] for name in asked.wordings)
    run = [name for name in plain if name in WORDINGS]
    others = [name for name in WORDINGS if name not in run and name not in _SAME]
    return [*sorted(run, key=list(map(str, WORDINGS)).index), *others][:number]


def _protocol(wording: str, orders: int, shown: Mapping[str, Any]) -> list[str]:
    settings: dict[str, Any] = {"k": orders} if orders > 1 else {}
    settings |= {} if wording == "vanilla" else {"wording": wording}
    name = "shuffle" if orders > 1 else "vanilla"
    settings |= shown
    spelled = [f"{key}={str(value).lower() if isinstance(value, bool) else value}" for key, value in settings.items()]
    text = f"{name}:{','.join(spelled)}" if spelled else name
    return [] if text == "vanilla" else ["--protocol", text]


def _flags(options: Mapping[str, Any]) -> list[str]:
    """Return the command-line options whose values differ from the defaults."""
    flags = []
    for name, value in options.items():
        usual = BackendOptions.model_fields[name].get_default()
        if value != usual:
            flags += [f"--{name.replace('_', '-')}", str(value)]
    return flags
