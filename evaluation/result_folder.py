"""The folder of a result: its name, its protection against replacement, and the differences that a new score makes."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchwright.errors import BenchwrightError
from benchwright.texts.normalization import counted
from benchwright.workspace.private_files import keep_private, make_private_folder

from .backends.result_names import results_name
from .results.score import PREDICTIONS_FILE, SCORE_FILE, Score, read_score

if TYPE_CHECKING:
    from .ask import EvaluationPlan
    from .backends.base import Backend

logger = logging.getLogger(__name__)


def result_folder(
    out: Path, backend: Backend, plan: EvaluationPlan, identity: dict[str, Any], *, replace: bool
) -> Path:
    """Return the folder of a result: that of an older version if it contains the same result, otherwise one named after
    the result.

    A result with other settings that an older version wrote is not overwritten.
    """
    names = backend.name, plan.protocol.text, plan.read_by
    plain, wanted = out / results_name(*names), out / results_name(*names, identity)
    if replace or not (plain / SCORE_FILE).exists():
        return wanted
    existing = read_score(plain)
    if (existing.model, existing.protocol, existing.reader) == names and existing.asked_with == identity:
        return plain
    is_taken = existing.identity is None and identity and wanted == plain
    return out / results_name(*names, {**identity, "beside": plain.name}) if is_taken else wanted


def warn_of_replacement(folder: Path, before: Score, after: Score) -> None:
    """Warn if an earlier result is about to change, as when failed questions were asked again or the program has
    changed.
    """

    def figures_of(score: Score) -> str:
        accuracy = score.metrics.get("accuracy")
        value = "-" if accuracy is None or accuracy.value is None else f"{accuracy.value:.3f}"
        return f"accuracy {value}, {counted(score.error, 'error')}, reader version {score.settings.get('reader')}"

    if before.metrics != after.metrics or before.error != after.error:
        logger.warning("%s: %s is replaced by %s", folder, figures_of(before), figures_of(after))


def refuse_others(folder: Path, existing: Score, backend: Backend, plan: EvaluationPlan) -> None:
    """Refuse a folder that contains a different result.

    Raises:
        BenchwrightError: The model, release, split, protocol or reader differs.
    """
    wanted: dict[str, Any] = {
        "model": backend.name,
        "release_id": plan.release.release_id,
        "split": plan.split,
        "protocol": plan.protocol.text,
        "reader": plan.read_by,
    }
    for name, value in wanted.items():
        if getattr(existing, name) != value:
            raise BenchwrightError(
                f"{folder} contains the score of {name} {getattr(existing, name)!r}, but this one is of {value!r}; "
                "give another folder with --out"
            )


@contextmanager
def results_folder(folder: Path | None) -> Iterator[Path]:
    """Yield the folder of a result, creating it if necessary, or a temporary folder if None."""
    if folder is None:
        with tempfile.TemporaryDirectory(prefix="benchwright-") as place:
            yield Path(place)
        return
    make_private_folder(folder)
    keep_private(folder / PREDICTIONS_FILE)
    yield folder
