"""The table of scores: models by tasks, with figures for chance and people, and the best model in each column.

Some columns appear only if a release or a run has them; tokens and cost come from the accounting of the runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from benchwright.statistics.proportions import METHODS

from ...analysis.comparison import Ranked
from ...analysis.ranking import Rank
from ...results.score import Figure, Score
from ...results.summary import chance_figure, is_of_all, tasks_of
from .legible import legible

_KNOWLEDGE = (
    ("score_kk", "mm_sap/score_kk", "known, right"),
    ("score_ku", "mm_sap/score_ku", "unknown, declined"),
    ("score_sa", "mm_sap/score_sa", "their sum"),
)
"""Name in the paper, metric and description of each figure."""
READER = (
    ("robust reader", "by_robust_reader", "same replies"),
    ("reader gap", "reader_gap", "robust less paper's"),
)


class ExtraColumn(NamedTuple):
    """An additional column: its heading, the line below the heading, and a figure for each score (None if a score has
    none).
    """

    name: str
    below: str
    figures: tuple[Figure | None, ...]
    is_difference: bool = False


def more_columns(scores: Sequence[Score]) -> tuple[ExtraColumn, ...]:
    """Return the additional columns for the scores on a page, in order.

    MM-SAP's figures are such columns if every asked item offers an option that declines; if only some do, the figures
    have a separate table. With a paper's reader, the robust reader's result on the same replies is such a column.
    """
    columns = []
    if any(is_of_all(score, _KNOWLEDGE[0][1]) for score in scores):
        columns += [_column(scores, *knowledge) for knowledge in _KNOWLEDGE]
    if any(_figure_of_run(score, READER[0][1]) is not None for score in scores):
        columns += [_column(scores, *by_reader) for by_reader in READER]
    if any(score.samples > 1 for score in scores):
        columns.append(_column(scores, "majority", "majority", "vote of the draws"))
        passing = tuple(_figure_of_run(score, f"pass@{score.samples}") for score in scores)
        columns.append(ExtraColumn("pass@all", "any draw right", passing))
    return tuple(column for column in columns if any(figure is not None for figure in column.figures))


def _column(scores: Sequence[Score], name: str, metric: str, below: str) -> ExtraColumn:
    return ExtraColumn(name, below, tuple(_figure_of_run(score, metric) for score in scores), metric == "reader_gap")


def _figure_of_run(score: Score, name: str) -> Figure | None:
    figure = score.metrics.get(name)
    return None if figure is None or figure.value is None else figure


_ALL = "all asked"
"""Name of the column over all tasks."""


class PeopleShare(NamedTuple):
    """The number of people who answered an item, and the number of those who were right."""

    asked: int
    right: int


class People(NamedTuple):
    """Human figures on the same items.

    Args:
        figures: Figures in the form of a score's, from the campaign that plots and cards show: `accuracy` and
            `accuracy/TASK`.
        items: Answers to each item of that campaign, by item id.
        simulated: Whether the annotators of that campaign were simulated.
        lines: Figures of all campaigns, under their names in `evaluate summary`.
        note: Short description of the people asked.
    """

    figures: Mapping[str, Figure]
    items: Mapping[str, PeopleShare]
    simulated: bool
    lines: Mapping[str, Mapping[str, Figure]]
    note: str


class ScoreRow(NamedTuple):
    """The row of a model.

    Args:
        model: Name of the model.
        figures: Figure in each column; None if the model cannot take the task.
        best: Whether the figure is the best of its column, for each column.
        score: Complete score of the model.
        rank: Best and worst possible rank over all tasks; None if it has no rank.
        groups: Letters of the groups of models that do not differ significantly; empty if it has no rank.
    """

    model: str
    figures: tuple[Figure | None, ...]
    best: tuple[bool, ...]
    score: Score
    rank: Rank | None
    groups: str = ""

    @property
    def label(self) -> str:
        """Return the name for plots."""
        return f"{self.model} (unfit)" if self.score.unfit else self.model


class ScoreTable(NamedTuple):
    """Table of scores.

    Args:
        tasks: Names of the tasks, sorted; their columns follow the first, which is `_ALL`.
        lines: Row of each model, best first.
        chance: Accuracy of chance in each column, over the asked items, from the score with the most items.
        people: Human figure in each column, from the campaign that plots show; None if no person was asked.
        below: Name and figures of each campaign of people.
        who: Human figures; None if there is no baseline.
        why_no_ranks: Reason there are no ranks; None if there are.
    """

    tasks: tuple[str, ...]
    lines: tuple[ScoreRow, ...]
    chance: tuple[Figure | None, ...]
    people: tuple[Figure | None, ...]
    below: tuple[tuple[str, tuple[Figure | None, ...]], ...]
    who: People | None
    why_no_ranks: str | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the names of the columns."""
        return (_ALL, *self.tasks)


def board_of(
    scores: Sequence[Score], reached: People | None, ranking: Sequence[Ranked], why_no_ranks: str | None = None
) -> ScoreTable:
    """Return the table of scores; `ranking` covers the same models.

    The best figure is the highest accuracy of a column among the models asked the most items there, if there are at
    least two of them: a model that took one easy task is not the best overall. Equal figures are all marked as best,
    unless all figures of the column are equal.
    """
    by_title = {score.title: score for score in scores}
    scores = [by_title[ranked.model] for ranked in ranking]
    tasks = tasks_of(scores)
    names = ["accuracy", *(f"accuracy/{task}" for task in tasks)]
    table = [[_figure(score.metrics, name) for name in names] for score in scores]
    times = [score.repetitions for score in scores]
    only_samples = all(score.is_sample for score in scores)
    out = [score.unfit or (score.is_sample and not only_samples) for score in scores]
    fit = [[None if is_out else figure for figure in row] for is_out, row in zip(out, table, strict=True)]
    best = [_best(column, times) for column in zip(*fit, strict=True)]
    lines = tuple(
        ScoreRow(
            score.title,
            tuple(row),
            tuple(column[k] for column in best),
            score,
            ranked.rank,
            ranked.groups,
        )
        for k, (score, row, ranked) in enumerate(zip(scores, table, ranking, strict=True))
    )
    chance = tuple(chance_figure(scores, name.replace("accuracy", "chance", 1)) for name in names)
    people = tuple(None if reached is None else _figure(reached.figures, name) for name in names)
    lines_of_people = {} if reached is None else reached.lines
    below = tuple(
        (name, tuple(_figure(figures, column) for column in names)) for name, figures in lines_of_people.items()
    )
    return ScoreTable(tuple(tasks), lines, chance, people, below, reached, why_no_ranks)


def methods_of(board: ScoreTable) -> list[str]:
    """Return descriptions of the interval methods used in a table, each once."""
    rows = [*(line.figures for line in board.lines), *(figures for _, figures in board.below)]
    used = {figure.method for row in rows for figure in row if figure is not None and figure.ci is not None}
    return [words for method, words in METHODS.items() if method in used]


def outcomes_of(board: ScoreTable) -> list[dict[str, int]]:
    """Return, for each model, how many items were answered correctly, answered incorrectly, and left without an answer.

    The endings are those of `ENDINGS`, with `right` and `wrong` in place of `answered`.
    """
    outcomes = []
    for line in board.lines:
        score = line.score
        accuracy = score.metrics.get("accuracy")
        share = 0.0 if accuracy is None or accuracy.value is None else accuracy.value
        right = round(share * score.asked) if score.right is None else score.right
        ended = dict(score.ended)
        answered = ended.pop("answered")
        outcomes.append({"right": right, "wrong": max(0, answered - right), **ended})
    return outcomes


def _figure(figures: Mapping[str, Figure], name: str) -> Figure | None:
    figure = figures.get(name)
    return None if figure is None or figure.value is None else figure


def _best(column: Sequence[Figure | None], repetitions: Sequence[int]) -> list[bool]:
    items = [0 if figure is None else figure.n // times for figure, times in zip(column, repetitions, strict=True)]
    most = max(items, default=0)
    among = [figure is not None and n == most for figure, n in zip(column, items, strict=True)]
    values = [figure.value or 0.0 if figure is not None else 0.0 for figure in column]
    eligible = {value for value, is_among in zip(values, among, strict=True) if is_among}
    highest = max(eligible, default=0.0)
    return [len(eligible) > 1 and is_among and value == highest for value, is_among in zip(values, among, strict=True)]


class Cost(NamedTuple):
    """Tokens and cost of one model.

    Args:
        model: Name of the model in legible form.
        replies: Number of replies counted.
        sent: Number of tokens in prompts.
        received: Number of tokens in replies.
        each: Tokens per reply, sent and received together; None if not counted.
        money: Cost in the currency of the prices; None if there are no prices.
        per_thousand: Cost of a thousand items at the same rate.
        accuracy: Accuracy over all asked items.
    """

    model: str
    replies: int
    sent: int
    received: int
    each: float | None
    money: float | None
    per_thousand: float | None
    accuracy: float | None


def cost_rows(board: ScoreTable) -> list[Cost]:
    """Return the cost of each model whose tokens were counted; baselines and files of predictions use no tokens."""
    rows = []
    for line in board.lines:
        usage, accuracy = line.score.usage, line.score.metrics.get("accuracy")
        if usage is None:
            continue
        both, items = usage.prompt_tokens + usage.completion_tokens, line.score.asked
        rows.append(
            Cost(
                legible(line.model),
                usage.replies,
                usage.prompt_tokens,
                usage.completion_tokens,
                both / usage.replies if usage.replies else None,
                usage.cost,
                None if usage.cost is None or not items else 1000 * usage.cost / items,
                None if accuracy is None else accuracy.value,
            )
        )
    return rows
