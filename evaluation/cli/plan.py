"""`benchwright evaluate plan`: sources of a score's variation, and the numbers of items, orders and wordings needed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchwright.errors import BenchwrightError
from benchwright.terminal.output import emit, json_option, note

if TYPE_CHECKING:
    from ..planning.facets import Facet

_FACETS: tuple[Facet, ...] = ("items", "orders", "wordings", "samples", "readers")


@click.command("plan")
@click.argument(
    "release", type=click.Path(exists=True, file_okay=False, path_type=Path), help="Folder of the release to ask."
)
@click.argument(
    "results",
    nargs=-1,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folders of results, single results, or stores of results; their answers show how much varies.  [default: "
    "none; the plan knows only items and source pictures]",
)
@click.option(
    "--width",
    type=click.FloatRange(0, 1, min_open=True),
    metavar="W",
    help="Largest full width of the 95 % interval, such as .03: plans the cheapest design that reaches it.",
)
@click.option(
    "--budget",
    type=click.FloatRange(0, min_open=True),
    metavar="N",
    help="Budget, in questions unless costs are given, for each system of a difference: plans the design with the "
    "narrowest interval.",
)
@click.option("--difference", is_flag=True, help="Plan for the difference of two systems on the same questions.")
@click.option(
    "--model",
    multiple=True,
    metavar="M",
    help="System whose results to use, as tables name it; may be repeated. Without results: the model of the "
    "commands.  [default: all; their variances are averaged]",
)
@click.option("--split", metavar="NAME", help="Split to plan for.  [default: all]")
@click.option(
    "--inference",
    type=click.Choice(["items-like-these", "these-items"]),
    default="items-like-these",
    show_default=True,
    help="Population of the design's interval: other items of the kind, or exactly those of the release. The output "
    "shows both widths.",
)
@click.option(
    "--fixed",
    multiple=True,
    type=click.Choice(["wordings"]),
    help="Let the interval hold only for the wordings that were run, not for others like them.",
)
@click.option(
    "--over-readers",
    is_flag=True,
    help="Average the score over all readers of the replies, and let the interval hold for others like them.  "
    "[default: the score and interval of the reader of the runs]",
)
@click.option(
    "--score",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    metavar="P",
    help="Assumed share of right answers, without results.  [default: 0.5]",
)
@click.option(
    "--most",
    multiple=True,
    metavar="FACET=N",
    help="Most items, orders, wordings, samples or readers of a design, as in orders=4; may be repeated.  [default: "
    "all items, 12 orders, 4 wordings, 16 samples, 4 readers]",
)
@click.option(
    "--question-cost", type=click.FloatRange(0), default=1.0, show_default=True, help="Cost of asking a question once."
)
@click.option(
    "--item-cost", type=click.FloatRange(0), default=0.0, show_default=True, help="Additional cost of each item."
)
@click.option(
    "--reading-cost",
    type=click.FloatRange(0),
    default=0.0,
    show_default=True,
    help="Cost of each reading of a reply after the first, such as 1 for a judge.",
)
@click.option(
    "--price-in",
    type=click.FloatRange(0),
    help="Price of a million tokens sent, to price the design by the tokens of the results.  [default: the price of "
    "the results]",
)
@click.option("--price-out", type=click.FloatRange(0), help="Price of a million tokens received.")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write the drawn design: items.jsonl, commands.sh and plan.json.",
)
@click.option("--force", is_flag=True, help="Replace an existing plan.")
@json_option(
    """
    `{"format", "version", "release", "release_id", "split", "items", "clusters", "systems": [name],
    "is_difference", "is_assumed", "score", "answers", "levels": {facet: n}, "readers": [name], "components":
    [{"effect", "variance", "estimate", "ci", "share", "contains": [facet]}], "not_estimable": [{"effect", "why"}],
    "fixed": [facet], "width", "budget", "inference", "as_run": {"numbers": {facet: n}, "questions", "cost",
    "money", "widths": {inference: width}, "intervals": {inference: [low, high]}, "contributions": {inference:
    {effect: variance}}}, "design", "best", "beyond", "dominant", "twice_as_many": [{"facet", "beyond", "numbers",
    "questions", "cost", "money", "widths", "intervals", "contributions"}], "least_differences":
    {"power", "pairs", "discordant", "design_effect", "assumed": {"accuracy", "correlation", "within_cluster"},
    "differences": [{"systems", "items", "difference"}]}, "left_out": [{"name", "why"}],
    "unpaired", "of_another_reader", "readings": [{"result", "labels", "score", "counted_width", "width",
    "width_with_twice_the_labels"}], "pilot": [command], "commands": [command]}`; `design`, `best` and `beyond` are
    as `as_run`: the planned one, the narrowest that the release allows, and one that reaches the width with more
    items or money, each null where there is none; questions and costs are those of one system
    """
)
def plan(
    release: Path,
    results: tuple[Path, ...],
    width: float | None,
    budget: float | None,
    difference: bool,
    model: tuple[str, ...],
    split: str | None,
    inference: str,
    fixed: tuple[Facet, ...],
    over_readers: bool,
    score: float | None,
    most: tuple[str, ...],
    question_cost: float,
    item_cost: float,
    reading_cost: float,
    price_in: float | None,
    price_out: float | None,
    out: Path | None,
    force: bool,
    as_json: bool,
) -> None:
    """Show what makes a score vary, and how many items, orders, wordings, samples and readers a width needs.

    The variation is estimated from stored results that ask items several times (`--protocol shuffle`, `wording=`,
    `--samples`, `--reader`). The command asks no model.
    """
    from benchwright.models.endpoints.usage import Prices
    from benchwright.release import Release

    from ..planning.making import RESULTS, plan_of
    from ..planning.plan import PlanTarget
    from ..planning.plan_files import write_plan
    from ..planning.plan_output import plan_text, scope_named
    from ..planning.search import Costs
    from ..results.score import SCORE_FILE
    from ..results_store.store import is_store

    try:
        prices = Prices.of(price_in, price_out)
    except ValueError as error:
        raise BenchwrightError(str(error)) from error
    wanted = PlanTarget(
        width,
        budget,
        scope_named(inference),
        difference,
        score,
        frozenset(fixed) if over_readers else frozenset({*fixed, "readers"}),
        dict(map(_most, most)),
        Costs(question_cost, item_cost, reading_cost),
        prices,
    )
    opened = Release.open(release)
    folders = [folder for place in results for folder in _folders(place, opened.release_id)]
    place = next((place for place in results if not is_store(place)), RESULTS)
    place = place.parent if (place / SCORE_FILE).is_file() else place
    found = plan_of(opened, folders, wanted, models=model, split=split, results=place)
    if out is not None:
        for path in write_plan(found, out, force=force):
            note(f"written to {path}")
    emit(found.document(), as_json=as_json, text=lambda: plan_text(found))


def _folders(place: Path, release_id: str) -> list[Path]:
    """Return the folders of single results at a path; for a store, those of the release."""
    from ..analysis.reading_sample import result_folders
    from ..results_store.store import ResultsStore, is_store

    if not is_store(place):
        return result_folders([place])
    folders = [run.folder for run in ResultsStore(place).runs() if run.score.release_id == release_id]
    if not folders:
        raise BenchwrightError(
            f"{place} contains no run on this release ({release_id[:12]}); `results list` shows its runs"
        )
    return folders


def _most(text: str) -> tuple[Facet, int]:
    """Return the facet and the number given by a text such as `orders=4`."""
    name, equals, number = text.partition("=")
    for facet in _FACETS:
        if facet == name and equals and number.isdecimal() and int(number) >= (2 if facet == "items" else 1):
            return facet, int(number)
    raise BenchwrightError(f"--most {text!r}: write one of {', '.join(_FACETS)} and a number, as in orders=4")
