"""A table for comparing scores: models by tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from benchwright.texts.normalization import counted

from ..prompting.prompts import VANILLA
from .score import ENDINGS, Figure, Score

if TYPE_CHECKING:
    from rich.table import Table

    from .human_baseline import HumanFigures


def unfit_scores(scores: Sequence[Score]) -> list[str]:
    """Return a line for each score that reveals too little about its model to be compared."""
    return [f"{printable(score.title)} is unfit: {score.why_unfit()}" for score in scores if score.unfit]


def sample_line(score: Score) -> str:
    """Return a text that explains the meaning of a sample's figures."""
    if score.subset is not None:
        return (
            f"{printable(score.title)}: the accuracies and their intervals are estimates of what all "
            f"{counted(score.limit_of or 0, 'item')} would give; other figures cover only the asked items. It is "
            "ranked only with estimates from the same items"
        )
    return (
        f"{printable(score.title)}: the accuracies and their intervals are estimates of what all {score.limit_of:,} "
        "items would give; other figures cover only the sample. It is ranked only with samples of the same items. "
        "Without --limit, the same command asks the rest"
    )


def draw_lines(scores: Sequence[Score]) -> list[str]:
    """Return a line for each score with several samples per item, stating their joint results."""
    lines = []
    for score in sorted(scores, key=lambda score: score.title):
        if score.samples > 1:
            spread, vote = score.metrics.get("repetition_spread"), _cell(score.metrics.get("majority"))
            passing = [name for name in score.metrics if name.startswith("pass@")]
            shares = (
                f"{name} {_cell(score.metrics[name])}" for name in sorted(passing, key=lambda name: int(name[5:]))
            )
            by = "-" if spread is None or spread.value is None else f"{spread.value:.3f}"
            lines.append(
                f"{printable(score.title)}: {', '.join(shares)}; majority {vote}; spread between draws (sd) {by}"
            )
    return lines


def cause_lines(scores: Sequence[Score]) -> list[str]:
    """Return a line for each frequent cause of items without an answer in a score."""
    return [printable(f"{score.title}: {line}") for score in scores for line in score.described_causes()]


def reading_lines(scores: Sequence[Score]) -> list[str]:
    """Return lines about each score's judge readings and unread replies and, if labeled, the reader's error."""
    return [printable(f"{score.title}: {line}") for score in scores for line in score.described_reading()]


def summary_document(scores: Sequence[Score]) -> dict[str, dict[str, Any]]:
    """Return each model's metrics by name and, under `outcomes`, the replies without a letter, as JSON values."""
    return {
        score.title: {name: figure.model_dump(mode="json") for name, figure in sorted(score.metrics.items())}
        | {"outcomes": outcomes_document(score)}
        for score in sorted(scores, key=lambda score: score.title)
    }


def outcomes_document(score: Score) -> dict[str, Any]:
    """Return the outcomes of a score's items, and the causes of items without an answer, as JSON values."""
    states = ("asked", "miss", "refusal", "cut_off", "error")
    parts = ("cut_off_answered", "cut_off_empty", "filtered", "empty", "tool_call")
    counts = {name: getattr(score, name) for name in (*states, *parts)}
    causes = [cause.model_dump() for cause in score.causes]
    sample = {"limit": score.limit, "limit_of": score.limit_of, "subset": score.subset}
    return {**counts, "ended": score.ended, **sample, "causes": causes, "unfit": score.unfit, **reading_document(score)}


def reading_document(score: Score) -> dict[str, Any]:
    """Return a score's unread replies, the reader's error, and the judge's readings; null if unknown."""
    parts = {"unread": score.unread, "reading": score.reading, "judge": score.judge}
    return {name: None if part is None else part.model_dump(mode="json") for name, part in parts.items()}


def outcome_counts(score: Score) -> dict[str, str]:
    """Return the number of items by ending, as text; replies cut off before their first word in parentheses.

    Example: `{"answered": "14", ..., "cut_off": "3 (1 empty)", ..., "error": "0"}`.
    """
    counts = {name: f"{n:,}" for name, n in score.ended.items()}
    if score.cut_off_empty:
        counts["cut_off"] += f" ({score.cut_off_empty:,} empty)"
    return counts


def unanswered_words(score: Score) -> str:
    """Return the number of unanswered items and the reasons as text; empty if all items were answered.

    Example: `10 not answered: 8 named no letter, 2 in error`.
    """
    ended = {name: n for name, n in score.ended.items() if n and name != "answered"}
    if not ended:
        return ""
    return f"{sum(ended.values()):,} not answered: {', '.join(f'{n:,} {_ENDED[name]}' for name, n in ended.items())}"


_ENDED = {**ENDINGS, "miss": "named no letter", "tool_call": "called a tool", "error": "in error"}
"""Endings, in the form used after a number."""


def endings_taken(scores: Sequence[Score]) -> list[str]:
    """Return the endings that occur in any of the scores, in the order of `ENDINGS`; tables show only these endings."""
    return [name for name in ENDINGS if any(score.ended[name] for score in scores)]


def endings_without_item(scores: Sequence[Score]) -> str:
    """Return the endings that no item has, as text; empty if every ending occurs."""
    taken = endings_taken(scores)
    return ", ".join(words for name, words in ENDINGS.items() if name not in taken)


def summary_table(scores: Sequence[Score], human: HumanFigures | None = None) -> Table:
    """Return a table of accuracies with 95 % intervals, numbers of items, and the accuracy of chance.

    There is one line per model, with columns for all asked items, each task, and the endings of items (`endings_taken`;
    all except answered ones are counted as wrong). A score with too many errors is marked as unfit. The table is
    transposed if there are more tasks than models, so that it stays narrow. A dash marks a task that a model cannot
    take. Below the models are people, if any were asked, then chance on the asked items, taken from the score with the
    most items.
    """
    from rich import box
    from rich.table import Table
    from rich.text import Text

    people = {} if human is None else human.lines()
    tasks = tasks_of(scores)
    aware = _knowledge_metrics(scores)
    endings = endings_taken(scores)
    heads = (*(name.removeprefix("mm_sap/") for name in aware), *(ENDINGS[name] for name in endings))
    lines = [("model", "all asked", *tasks, *heads)]
    for score in sorted(scores, key=lambda score: score.title):
        cells = [_cell(score.metrics.get(name)) for name in _columns("accuracy", tasks)]
        cells += [_cell(score.metrics.get(name)) for name in aware]
        name = printable(score.title) + (" (unfit)" if score.unfit else "")
        counts = outcome_counts(score)
        lines.append((name, *cells, *(counts[ending] for ending in endings)))
    blank = [""] * len(heads)
    lines += [
        (name, *(_cell(met.get(column)) for column in _columns("accuracy", tasks)), *blank)
        for name, met in people.items()
    ]
    if scores:
        lines.append(("chance", *(_cell(chance_figure(scores, name)) for name in _columns("chance", tasks)), *blank))
    if len(tasks) > len(scores):
        lines = [("task", *column[1:]) if column[0] == "model" else column for column in zip(*lines, strict=True)]
    title = f"accuracy [95 % interval] on {scores[0].release}" if scores else "no scores"
    table = Table(box=box.SIMPLE_HEAD, title=Text(title), title_justify="left")
    for place, name in enumerate(lines[0]):
        table.add_column(Text(name), justify="right" if place else "left", no_wrap=True)
    first_below = next(iter(people), "chance")
    for line in lines[1:]:
        if line[0] == first_below:
            table.add_section()
        table.add_row(*map(Text, line), style="dim" if line[0] == "chance" else None)
    return table


def figure_table(title: str, blocks: Sequence[Sequence[tuple[str, Mapping[str, Figure]]]]) -> Table:
    """Return a table of accuracies over all items and by task, one row per name, with a rule between blocks."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    every = [metrics for block in blocks for _, metrics in block]
    tasks = sorted({name.removeprefix("accuracy/") for met in every for name in met if name.startswith("accuracy/")})
    table = Table(box=box.SIMPLE_HEAD, title=Text(title), title_justify="left")
    for place, name in enumerate(["", "all", *tasks]):
        table.add_column(Text(name), justify="right" if place else "left", no_wrap=True)
    for block in blocks:
        table.add_section()
        for name, metrics in block:
            cells = (_cell(metrics.get(column)) for column in _columns("accuracy", tasks))
            table.add_row(*map(Text, (printable(name), *cells)))
    return table


def reader_gaps(scores: Sequence[Score]) -> list[str]:
    """Return a line for each score from a paper's reader, with the robust reader's result on the same replies."""
    lines = []
    for score in sorted(scores, key=lambda score: score.title):
        robust, gap = (score.metrics.get(name) for name in ("by_robust_reader", "reader_gap"))
        ours, taken = score.metrics.get("accuracy"), None if gap is None else gap.value
        if robust is not None and ours is not None and taken is not None:
            lines.append(
                f"{printable(score.title)}: the reader {score.reader} finds {_cell(ours)} right, the robust reader "
                f"{_cell(robust)} in the same replies: {taken:+.3f}"
            )
    return lines


def _knowledge_metrics(scores: Sequence[Score]) -> list[str]:
    """Return MM-SAP's metrics that the table shows: those for which every asked item offers an option that declines.

    Otherwise they appear only in `score.json` and in the report, because the accuracies next to them would be of other
    items.
    """
    names = [f"mm_sap/score_{name}" for name in ("kk", "ku", "sa")]
    if not any(is_of_all(score, names[0]) for score in scores):
        return []
    return [name for name in names if any(name in score.metrics for score in scores)]


def is_of_all(score: Score, metric: str) -> bool:
    """Return whether a figure of a score covers all asked items."""
    figure, accuracy = score.metrics.get(metric), score.metrics.get("accuracy")
    return figure is not None and accuracy is not None and figure.n == accuracy.n


def tasks_of(scores: Sequence[Score]) -> list[str]:
    """Return the tasks that any of the models was asked, sorted."""
    return sorted({task for score in scores for task in score.tasks})


def chance_figure(scores: Sequence[Score], name: str) -> Figure | None:
    """Return the accuracy of chance (`chance` or `chance/TASK`) from the score with the most items asked.

    Scores under `vanilla` are preferred, because chance under `circular` is the probability of being right in every
    rotation.
    """
    having = [score for score in scores if name in score.metrics]
    most = max(having, key=lambda score: (score.protocol == VANILLA, score.metrics[name].n), default=None)
    return None if most is None else most.metrics[name]


_PIPED_WIDTH = 100
_LEAST_NAME = 12
"""Smallest width of a column of names, in characters, regardless of the width of the columns of figures."""


def drawn(table: Table, names: int = 0) -> str:
    """Return a table as text, as wide as the terminal; without a terminal, 100 characters wide.

    Args:
        table: Table.
        names: Number of leading columns that name the rows. A table that is too wide is split into several, one below
            the other, each with these columns. If 0, columns are narrowed to fit a terminal; without a terminal, the
            table is as wide as it needs to be.
    """
    import io
    import sys

    from benchwright.terminal.cleaning import coloured, console

    on_terminal = sys.stdout.isatty()
    buffer = io.StringIO()
    width = None if on_terminal else _PIPED_WIDTH if names else 10_000
    color_system = "auto" if on_terminal else None
    shown = console(buffer, width=width, force_terminal=on_terminal, color_system=color_system)
    for part in in_width(table, shown.width, names) if names else [table]:
        shown.print(part)
    return coloured("\n".join(line.rstrip() for line in buffer.getvalue().splitlines()))


def in_width(table: Table, width: int, names: int) -> list[Table]:
    """Return a table as one or more tables that fit the width, unless a single column exceeds it.

    Args:
        table: Table whose cells are strings.
        width: Width in characters.
        names: Number of leading columns that each of these tables repeats.
    """
    from rich.cells import cell_len
    from rich.table import Table

    padding = 3  # a space on each side, and one between columns
    widths = [padding + max(cell_len(str(cell)) for cell in (column.header, *column.cells)) for column in table.columns]
    head, rest = range(names), range(names, len(widths))
    own = list(widths)
    while padding + sum(widths[k] for k in head) + max((widths[k] for k in rest), default=0) > width:
        widest = max(head, key=lambda k: widths[k], default=None)
        if widest is None or widths[widest] <= padding + _LEAST_NAME:
            break
        widths[widest] -= 1  # names continue in further lines, figures do not
    parts: list[list[int]] = [[]]
    for k in rest:
        if parts[-1] and padding + sum(widths[i] for i in (*head, *parts[-1], k)) > width:
            parts.append([])
        parts[-1].append(k)
    if len(parts) == 1 and own == widths:
        return [table]
    texts = [list(column.cells) for column in table.columns]
    tables: list[Table] = []
    for part in parts:
        places = [*head, *part]
        piece = Table(box=table.box, title=table.title if not tables else None, title_justify="left")
        for k in places:
            is_folded = widths[k] < own[k]
            piece.add_column(
                table.columns[k].header,
                justify=table.columns[k].justify,
                no_wrap=not is_folded,
                overflow="fold",
                max_width=widths[k] - padding if is_folded else None,
            )
        for number, row in enumerate(table.rows):
            cells = [texts[k][number] for k in places]
            piece.add_row(*cells, style=row.style, end_section=row.end_section)
        tables.append(piece)
    return tables


def _columns(metric: str, tasks: Sequence[str]) -> list[str]:
    return [metric, *(f"{metric}/{task}" for task in tasks)]


def _cell(figure: Figure | None) -> str:
    if figure is None or figure.value is None:
        return "-"
    interval = f" [{figure.ci[0]:.2f}, {figure.ci[1]:.2f}]" if figure.ci else ""
    return f"{figure.value:.2f}{interval} n={figure.n}"


def printable(name: str) -> str:
    """Return a name without control characters that a terminal would interpret."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in name)
