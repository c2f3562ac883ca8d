"""A comparison of models as JSON values and as tables for a terminal."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchwright.errors import BenchwrightError
from benchwright.files.csv_cells import harmless
from benchwright.statistics.paired_power import POWER
from benchwright.texts.normalization import counted
from benchwright.workspace.atomic import write_bytes
from benchwright.workspace.written_once import REPLACE, written_once

from ..results.summary import printable
from .comparison import ALPHA, Comparison, PairResult, Ranked, p_value_text

if TYPE_CHECKING:
    from rich.table import Table

    from ..results.score import Score
    from .position_bias import LetterBias

CORRECTION = "joint sign flips (Romano and Wolf 2005)"
COMPARISON_FILE = "comparison.txt"
_SCREENFUL = 60
"""Largest number of table lines that a comparison prints; longer output goes to a file."""
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_LONG_NAME = 22
"""Longest name, in characters, that leaves room for a pair's figures next to both names."""
_MOST_PAIRS = 45
"""Number of pairs shown in a terminal: as many as ten models form."""
RULE = (
    "Models whose p over all pairs is below 0.05 are told apart and share no letter. Best rank: 1 plus the number "
    "of models found better; worst rank: the number of ranked models minus those found worse. All these ranges hold "
    "together with 95 % confidence (Mogstad, Romano, Shaikh and Wilhelm 2024)."
)


def comparison_document(
    scores: Sequence[Score], comparisons: Sequence[Comparison], letters: Mapping[str, LetterBias] | None
) -> dict[str, Any]:
    """Return comparisons as JSON values: the first one at the top level, those of single tasks by name."""
    every, *tasks = comparisons
    return {
        "release": scores[0].release,
        "release_id": scores[0].release_id,
        "split": scores[0].split,
        "models": [score.title for score in scores],
        "settings": {
            "level": 0.95,
            "alpha": ALPHA,
            "power": POWER,
            "correction": CORRECTION,
            "rule": RULE,
        },
        **_comparison(every),
        "tasks": {comparison.name: _comparison(comparison) for comparison in tasks},
        "letters": None if letters is None else {model: bias.document() for model, bias in letters.items()},
    }


def _comparison(comparison: Comparison) -> dict[str, Any]:
    return {
        "why_no_ranks": comparison.why_no_ranks,
        "least_p": comparison.least_p,
        "ranking": [_ranked(ranked) for ranked in comparison.ranking],
        "pairs": [_compared(result) for result in comparison.pairs],
    }


def _ranked(ranked: Ranked) -> dict[str, Any]:
    return {
        "model": ranked.model,
        "rank": ranked.rank,
        "groups": ranked.groups,
        "unfit": ranked.why_unfit is not None,
        **ranked.figure.model_dump(mode="json"),
    }


def _compared(result: PairResult) -> dict[str, Any]:
    pair = result.pair
    return {
        "first": result.first,
        "second": result.second,
        "n": pair.n,
        "clusters": pair.clusters,
        "difference": pair.difference,
        "ci": list(pair.interval),
        "method": pair.method,
        "only_first": pair.only_first,
        "only_second": pair.only_second,
        "p": pair.p,
        "p_joint": result.p_joint,
        "p_mcnemar": pair.p_mcnemar,
        "told_apart": result.told_apart,
        "design_effect": pair.design_effect,
        "items_needed": result.items_needed,
    }


def comparison_tables(comparisons: Sequence[Comparison], letters: Mapping[str, LetterBias] | None) -> list[Table]:
    """Return tables of ranks, of ranks by task, of pairs over all tasks and, if a release is given, of letters.

    The table of pairs is truncated after `_MOST_PAIRS`; `write_pairs` writes all pairs, including those on each task.
    """
    every, *tasks = comparisons
    tables = [_ranks(every), *([_task_ranks(every, tasks)] if tasks else []), _pairs(every)]
    return tables if letters is None else [*tables, _letters(letters)]


def screenful(text: str, path: Path) -> str:
    """Return a text if it fits on a screen, otherwise its beginning and the path of a file with the whole text.

    The file depends only on the results and is rewritten each time. If it cannot be written, the function returns the
    whole text.

    Args:
        text: Text to print, with or without terminal colors; the file omits them.
        path: File for a text of more than `_SCREENFUL` lines.
    """
    lines = text.splitlines()
    if len(lines) <= _SCREENFUL:
        return text
    try:
        write_bytes(path, (_COLOURS.sub("", "\n".join(lines)) + "\n").encode("utf-8", "replace"))
    except (OSError, BenchwrightError):
        return text
    left = counted(len(lines) - _SCREENFUL + 2, "more line")
    return "\n".join([*lines[: _SCREENFUL - 2], "", f"{left} in {path}"])


def write_pairs(comparisons: Sequence[Comparison], out: Path, *, force: bool = False) -> None:
    """Write all pairs, over all tasks and for each task, to a `.csv` file.

    Raises:
        BenchwrightError: The file name has a different suffix, the file exists and `force` is not given, or it cannot
            be written.
    """
    if out.suffix.lower() != ".csv":
        raise BenchwrightError(f"{out}: pairs are written as CSV; give a name that ends in .csv")
    rows = [
        {"tasks": comparison.name, **_compared(result)} for comparison in comparisons for result in comparison.pairs
    ]
    try:
        with written_once(out, otherwise=REPLACE, force=force) as draft, draft.open("w", encoding="utf-8") as handle:
            writer = csv.DictWriter(handle, list(rows[0]) if rows else ["tasks"], lineterminator="\n")
            writer.writeheader()
            writer.writerows(
                {**row, **{name: harmless(row[name]) for name in ("tasks", "first", "second")}} for row in rows
            )
    except OSError as error:
        raise BenchwrightError(f"{out} cannot be written: {error.strerror or error}") from error


def notes_of(comparisons: Sequence[Comparison]) -> list[str]:
    """Return one line for each comparison that has no ranks, and one for each unfit score."""
    lines = [
        f"{comparison.name}: {comparison.why_no_ranks}"
        for comparison in comparisons
        if comparison.why_no_ranks is not None
    ]
    every = comparisons[0].ranking
    return lines + [
        f"{printable(ranked.model)} is unfit: {ranked.why_unfit}" for ranked in every if ranked.why_unfit is not None
    ]


def _ranks(every: Comparison) -> Table:
    lines = [("#", "rank", "groups", "model", "accuracy", "n")]
    for number, ranked in enumerate(every.ranking, start=1):
        rank = str(ranked.rank or ("-" if every.why_no_ranks is None else "unknown"))
        lines.append(
            (
                str(number),
                "unfit" if ranked.why_unfit is not None else rank,
                ranked.groups or "-",
                printable(ranked.model),
                _with_interval(ranked.figure.value, ranked.figure.ci),
                str(ranked.figure.n),
            )
        )
    told = f"{every.pairs_told_apart} of {counted(len(every.pairs), 'pair')} told apart"
    return _table(f"possible ranks, given the pairs; models that share no letter are told apart ({told})", lines)


def _task_ranks(every: Comparison, tasks: Sequence[Comparison]) -> Table:
    """Return a table with a row per task and a column per model, headed by the model's number in the table of ranks."""
    lines = [("task", *(str(number) for number in range(1, len(every.ranking) + 1)), "told apart")]
    for task in tasks:
        ranks = {ranked.model: ranked.rank for ranked in task.ranking}
        cells = [str(ranks.get(ranked.model) or "-") for ranked in every.ranking]
        lines.append((task.name, *cells, f"{task.pairs_told_apart} of {len(task.pairs)}"))
    return _table("ranks by task; models have their numbers of the first table", lines)


def _pairs(every: Comparison) -> Table:
    """Return a table of the pairs, in which long names are replaced by numbers from the table of ranks."""
    names = {ranked.model: printable(ranked.model) for ranked in every.ranking}
    is_long = max(map(len, names.values()), default=0) > _LONG_NAME
    if is_long:
        names = {model: str(number) for number, model in enumerate(names, start=1)}
    lines = [("first", "second", "difference", "only one right", "p", "p (all pairs)", "told apart", "items needed")]
    for result in every.pairs[:_MOST_PAIRS]:
        compared = _compared(result)
        lines.append(
            (
                names[result.first],
                names[result.second],
                _with_interval(result.pair.difference, result.pair.interval, sign="+"),
                f"{result.pair.only_first}:{result.pair.only_second}",
                p_value_text(result.pair.p),
                p_value_text(result.p_joint),
                "yes" if result.told_apart else "no",
                "-" if compared["items_needed"] is None else f"{compared['items_needed']:,}",
            )
        )
    shown = "" if len(every.pairs) <= _MOST_PAIRS else f"; {_MOST_PAIRS} of {len(every.pairs)}, all with --out FILE"
    by = "; models have their numbers of the first table" if is_long else ""
    return _table(f"pairs: first minus second, with 95 % interval{by}{shown}", lines)


def _letters(letters: Mapping[str, LetterBias]) -> Table:
    names = sorted({share.letter for bias in letters.values() for share in bias.letters})
    lines = [("model", *names, "moved", "p")]
    for model, bias in letters.items():
        by_letter = {share.letter: share for share in bias.letters}
        cells = [f"{by_letter[name].given}/{by_letter[name].keyed}" if name in by_letter else "-" for name in names]
        p = "-" if bias.p is None else f"{bias.p:.2g}"
        lines.append((printable(model), *cells, "-" if bias.moved is None else f"{bias.moved:.2f}", p))
    return _table("letters given / keyed, of replies with a read letter; moved: share of letters out of place", lines)


def _table(title: str, lines: Sequence[Sequence[str]]) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, title=Text(title), title_justify="left")
    for name in lines[0]:
        table.add_column(Text(name), no_wrap=True)
    for line in lines[1:]:
        table.add_row(*map(Text, line))
    return table


def _with_interval(value: float | None, interval: Sequence[float] | None, sign: str = "") -> str:
    if value is None:
        return "-"
    limits = f" [{interval[0]:{sign}.2f}, {interval[1]:{sign}.2f}]" if interval else ""
    return f"{value:{sign}.2f}{limits}"
