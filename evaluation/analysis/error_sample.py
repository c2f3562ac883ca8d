"""A sample of models' errors to inspect: a fixed number from each task, or proportional to the values of a label.

The draw is determined by a hash of seed, item and model: the same errors give the same sample on every machine.

The error categories come from papers whose authors inspected replies by hand; the explanations are original.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchwright.canonical import digest
from benchwright.errors import BenchwrightError, DataError
from benchwright.files.parquet_tables import UnreadableParquet
from benchwright.review_files.tasks import LONGEST_TEXT, FindingCategory, ReviewTask, SideText, TaskFileHead
from benchwright.statistics.stratified import shares

from ..prompting.release_files import check_files, columns_of
from ..results.judged_predictions import not_of_score, open_judged
from ..results.score import PREDICTIONS_FILE, Score, read_scores

if TYPE_CHECKING:
    from benchwright.release import Release


BLINK = (
    FindingCategory(
        code="invented_detail", words="Hallucinates fine-grained patterns or attributes",
        help="The reply describes a pattern, texture or attribute that the picture does not show.",
    ),
    FindingCategory(
        code="mark_misplaced", words="Hallucinates where a visual prompt is",
        help="The reply puts a ring, box or letter somewhere else than it is drawn.",
    ),
    FindingCategory(
        code="setting_missed", words="Fails to capture the overall setting or style",
        help="The reply misjudges the scene, situation or style as a whole.",
    ),
    FindingCategory(
        code="object_not_grounded", words="Fails to ground an object",
        help="The reply misses the thing in question, or mistakes another one for it.",
    ),
    FindingCategory(code="other", words="Something else", help="None of these; state the error as the reason."),
)  # fmt: skip
"""BLINK, section 4.3 (10 errors per task)."""

II_BENCH = (
    FindingCategory(
        code="metaphor_misunderstood", words="Metaphorical misunderstanding",
        help="The reply misreads the implication or symbol, or misses the theme as a whole.",
    ),
    FindingCategory(
        code="detail_misunderstood", words="Detail misunderstanding",
        help="The reply mistakes a detail for something else.",
    ),
    FindingCategory(
        code="detail_ignored", words="Detail ignorance", help="The reply ignores a detail that matters."
    ),
    FindingCategory(
        code="surface_level", words="Surface-level interpretation",
        help="The reply describes only what the picture plainly shows, not its meaning.",
    ),
    FindingCategory(
        code="reasoning_error", words="Reasoning error",
        help="The reply understands the picture and draws a wrong conclusion.",
    ),
    FindingCategory(
        code="rejected", words="Reject to answer",
        help="The reply declines, because it finds too little information or the question unfit.",
    ),
    FindingCategory(
        code="extraction_error", words="Answer extraction error",
        help="The reply is right, but its letter was misread or not found.",
    ),
)  # fmt: skip
"""II-Bench, section 4.3 and appendix F (100 errors, in proportion to the domains)."""

CATEGORIES: Mapping[str, Sequence[FindingCategory]] = {"blink": BLINK, "ii-bench": II_BENCH}


def own_categories(texts: Sequence[str]) -> tuple[FindingCategory, ...]:
    """Return the categories given as `CODE=WORDS`.

    Raises:
        BenchwrightError: A category does not have this form, or a code occurs twice.
    """
    from pydantic import ValidationError

    categories = []
    for text in texts:
        code, _, words = (part.strip() for part in text.partition("="))
        try:
            categories.append(FindingCategory(code=code, words=words))
        except ValidationError:
            raise BenchwrightError(
                f"category {text[:80]!r}: give CODE=WORDS, with a code of lowercase letters, digits and _, such as "
                "'wrong_object=Takes another object for it'"
            ) from None
    codes = [category.code for category in categories]
    if len(set(codes)) != len(codes):
        raise BenchwrightError(
            f"category code {next(code for code in codes if codes.count(code) > 1)!r} is given twice; use each code "
            "once"
        )
    return tuple(categories)


TASK = "task"
COLUMNS = (TASK, "split", "level", "category")
"""Columns to whose values a sample can be proportional, in addition to attributes."""
NONE = ""
"""Stratum of items that lack the label."""

_READ_AS = {"miss": "no single letter", "refusal": "a refusal", "cut_off": "cut off before an answer"}


class Plan(NamedTuple):
    """The size, strata and seed of the draw.

    Args:
        total: Total number of errors; None to draw `per_stratum` from each stratum.
        per_stratum: Largest number of errors from each stratum.
        by: Label that defines the strata: `task`, `split`, `level`, `category` or an attribute.
        seed: Seed of the draw.
    """

    total: int | None = None
    per_stratum: int = 10
    by: str = TASK
    seed: int = 0


class ErrorSample(NamedTuple):
    """The drawn errors as review tasks, with counts.

    Args:
        head: First line of the task file.
        tasks: Remaining lines, by item id.
        errors: Number of errors in each stratum.
        drawn: Number of errors drawn from each stratum.
        models: Models whose errors were drawn.
    """

    head: TaskFileHead
    tasks: tuple[ReviewTask, ...]
    errors: Mapping[str, int]
    drawn: Mapping[str, int]
    models: tuple[str, ...]

    def document(self, out: Path) -> dict[str, Any]:
        """Return the sample as JSON values, without the tasks."""
        strata = {name: {"errors": n, "drawn": self.drawn.get(name, 0)} for name, n in sorted(self.errors.items())}
        return {
            "release": self.head.release,
            "release_id": self.head.release_id,
            "models": list(self.models),
            "errors": sum(self.errors.values()),
            "drawn": len(self.tasks),
            "strata": strata,
            "out": str(out),
        }


class _Error(NamedTuple):
    """A wrong reply of a model to an item."""

    order: str
    item_id: str
    model: str
    row: Mapping[str, Any]


class _Facts(NamedTuple):
    """The facts about an item that are needed for the draw."""

    stratum: str
    task: str
    content_hash: str


def draw_errors(
    results: Path, release: Release, plan: Plan, categories: Sequence[FindingCategory], *, models: Sequence[str] = ()
) -> ErrorSample:
    """Draw errors made by the models in a folder of results.

    An error is a wrong reply: a different letter, no letter, or a refusal. Items without any reply are left out,
        because there is nothing to inspect. If there are several models, errors are drawn from all of theirs together,
        and each item occurs only once, with one of the models.

    Args:
        results: Folder that `evaluate run` wrote.
        release: Release on which the models were scored.
        plan: Size and strata of the sample.
        categories: Categories to offer to annotators.
        models: Names of models; all models if empty.

    Raises:
        BenchwrightError: A model is missing, the release is a different one, or no item has the label.
        DataError: There are no results, or the results or the release are damaged.
    """
    scores = _chosen(read_scores(results), models, results)
    if scores[0].release_id != release.release_id:
        raise BenchwrightError(
            f"{results} contains scores on {scores[0].release} (release {scores[0].release_id[:12]}), and "
            f"{release.path} "
            f"is release {release.release_id[:12]}; give the release that was scored"
        )
    check_files(release, scores[0].split)
    facts = _facts(release, scores[0].split, plan.by)
    strata: dict[str, list[_Error]] = {}
    for error in sorted(_errors(results, scores, plan.seed), key=lambda error: (error.order, error.model)):
        if error.item_id not in facts:
            raise DataError(f"{results}: item {error.item_id} is missing from {release.path}; score the models again")
        strata.setdefault(facts[error.item_id].stratum, []).append(error)
    chosen = _drawn({name: _each_item_once(errors) for name, errors in strata.items()}, plan)
    tasks = [_task(error, facts[error.item_id]) for errors in chosen.values() for error in errors]
    head = TaskFileHead(
        kind="error_analysis",
        name="errors",
        release=f"{release.name} {release.version}",
        release_id=release.release_id,
        categories=tuple(categories),
        seed=plan.seed,
    )
    return ErrorSample(
        head,
        tuple(sorted(tasks, key=lambda task: task.item_id)),
        {name: len(some) for name, some in strata.items()},
        {name: len(some) for name, some in chosen.items()},
        tuple(score.title for score in scores),
    )


def _chosen(scores: Sequence[Score], models: Sequence[str], results: Path) -> list[Score]:
    by_name = {score.folder: score for score in scores} | {score.title: score for score in scores}
    if missing := [name for name in models if name not in by_name]:
        titles = ", ".join(score.title for score in scores)
        raise BenchwrightError(f"{results} contains no score of {missing[0]!r}; it has {titles}")
    return [by_name[name] for name in dict.fromkeys(models)] if models else list(scores)


def _facts(release: Release, split: str | None, by: str) -> dict[str, _Facts]:
    """Return the stratum, task and content hash of each item."""
    facts: dict[str, _Facts] = {}
    names = ["item_id", "content_hash", TASK, "attributes", *(name for name in COLUMNS if name != TASK)]
    is_there = False
    for batch in columns_of(release, split, names):
        for row in batch.to_pylist():
            label = row[by] if by in COLUMNS else json.loads(row["attributes"]).get(by)
            is_there = is_there or label is not None
            facts[row["item_id"]] = _Facts(NONE if label is None else str(label), row[TASK], row["content_hash"])
    if facts and not is_there:
        raise BenchwrightError(
            f"no item of {release.path} has a label {by!r}; give {', '.join(COLUMNS)} or an attribute of its items"
        )
    return facts


def _errors(results: Path, scores: Sequence[Score], seed: int) -> Iterator[_Error]:
    import pyarrow.compute as pc

    for score in scores:
        folder = results / score.folder
        try:
            with open_judged(folder, score) as file:
                table = file.table(["item_id", "state", "letter", "right", "reply", "cause"])
        except UnreadableParquet as error:
            raise not_of_score(folder / PREDICTIONS_FILE, f"its rows cannot be read ({error.reason})") from error
        wrong = pc.and_(pc.invert(table.column("right")), pc.is_valid(table.column("reply")))
        for row in table.filter(wrong).to_pylist():
            if row["state"] != "error":
                order = digest(["error sample", seed, row["item_id"]])
                yield _Error(order, row["item_id"], score.title, row)


def _each_item_once(errors: Sequence[_Error]) -> list[_Error]:
    """Return the errors with each item kept for only one model, which a hash chooses."""
    of_item: dict[str, list[_Error]] = {}
    for error in errors:
        of_item.setdefault(error.item_id, []).append(error)
    return [min(some, key=lambda error: digest([error.order, error.model])) for some in of_item.values()]


def _drawn(strata: Mapping[str, Sequence[_Error]], plan: Plan) -> dict[str, Sequence[_Error]]:
    if plan.total is None:
        wanted = {name: min(plan.per_stratum, len(some)) for name, some in strata.items()}
    else:
        wanted = shares({name: len(some) for name, some in strata.items()}, plan.total)
    return {name: some[: wanted[name]] for name, some in strata.items()}


def _task(error: _Error, facts: _Facts) -> ReviewTask:
    row = error.row
    read_as = _READ_AS.get(row["state"]) or f"{row['letter']}, which is not the key"
    return ReviewTask(
        item_id=error.item_id,
        content_hash=facts.content_hash,
        about={
            "model": error.model[:1000],
            "task": facts.task,
            "state": row["state"],
            "letter": row["letter"] or "",
            "stratum": facts.stratum[:1000],
        },
        beside=(
            SideText(label="The model's reply", text=_cut(row["reply"] or row["cause"] or "(no text)")),
            SideText(label="Read as", text=read_as),
        ),
    )


def _cut(text: str) -> str:
    if len(text) <= LONGEST_TEXT:
        return text
    kept = LONGEST_TEXT - 60
    return f"{text[:kept]}\n[{len(text) - kept} more characters]"
