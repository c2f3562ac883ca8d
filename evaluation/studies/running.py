"""Running a study: every model under every condition, without asking answered questions again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from benchwright.errors import BenchwrightError
from benchwright.progress import Progress
from benchwright.replies.readers import ROBUST
from benchwright.workspace.item_cache import cache_of

from ..backends.options import BackendOptions
from ..results.score import MAX_ERRORS, Score
from ..run import evaluate, sealed_splits_asked
from ..several_models import Evaluation, evaluate_all, uses_of
from .outcome import StudyOutcome, StudyScore, outcome_of

if TYPE_CHECKING:
    from benchwright.release import Release

    from .catalogue import Study

CACHE = "cache"
"""Folder in the results folder for the digests of drawn pictures; it can be deleted at any time."""


def run_study(
    study: Study,
    release: Release,
    models: Sequence[str],
    out: Path,
    *,
    options: BackendOptions,
    split: str | None = None,
    reader: str = ROBUST,
    max_errors: float = MAX_ERRORS,
    progress: Progress | None = None,
) -> StudyOutcome:
    """Score every model under every condition, and return the effects of the conditions.

    Models at different endpoints are queried at the same time (`several_models`). An interrupted run continues from the
    logs of replies in `out`.

    Args:
        study: The study.
        release: Release whose items are asked; if they are sealed, the release as returned by `unsealed`.
        models: Names of the models, as on the command line of `evaluate run`.
        out: Folder of results, as `evaluate run` writes them.
        options: Options of the models.
        split: Name of the split to ask; all splits if None.
        reader: Reader that finds letters in replies.
        max_errors: Proportion of errors among the asked items, 0 to 1, above which a score is unfit.
        progress: Receiver of progress reports.

    Raises:
        BenchwrightError: Models are repeated or missing, or no item can be asked under a condition.
        CheckFailed: A model failed in the same way on all its first questions, or a budget is spent; run the study
            again to continue.
    """
    if not models or len(set(models)) < len(models):
        raise BenchwrightError("a study needs at least one --model, and each only once")
    if sealed := sealed_splits_asked(release, split):
        raise BenchwrightError(
            f"a study compares scores, and the answers of {', '.join(sealed)} are sealed: give the key with --key, "
            "or, without the key, ask with `evaluate run --protocol` and submit the answer files"
        )
    with cache_of(out / CACHE) as cache:

        def evaluation(model: str, protocol: str) -> Evaluation:
            def score(shown: Progress) -> Score:
                score = evaluate(
                    release,
                    model,
                    protocol=protocol,
                    reader=reader,
                    split=split,
                    out=out,
                    options=options,
                    max_errors=max_errors,
                    progress=shown,
                    cache=cache,  # pictures drawn in an earlier run are not drawn again
                )
                if not score.asked:
                    raise BenchwrightError(
                        f"{model} got no question under {protocol!r} on {release.path}: {study.lacking}, or the "
                        "model takes none of its tasks"
                    )
                return score

            return Evaluation(model, uses_of(model, options, protocol=protocol), score)

        asked = [(model, condition) for model in models for condition in study.conditions]
        scores = evaluate_all([evaluation(model, condition.protocol) for model, condition in asked], progress)
    if len({score.model for score in scores}) < len(models):
        raise BenchwrightError(f"{' and '.join(models)} have the same name in results; study them one at a time")
    entries = [StudyScore(condition, score) for (_, condition), score in zip(asked, scores, strict=True)]
    return outcome_of(study, entries, out)
