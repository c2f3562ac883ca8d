"""The printed form of a plan: tables of at most 100 columns, and text on the largest contribution and on what is
unknown.
"""

from __future__ import annotations

import re
from textwrap import fill
from typing import TYPE_CHECKING

from benchwright.texts.normalization import counted, printable

from .design import SCOPES, Numbers, Scope, width
from .facets import ASKED, MAIN
from .plan import Design, MeasurementPlan

if TYPE_CHECKING:
    from rich.table import Table

_COLUMNS = 100
_SCOPE_LINE = (
    "Items like these: the score on other items of the kind, of which the release is a sample. These items: the "
    "score on exactly the items of the release; only unasked items widen it."
)
_FEW = 3
"""Largest number of wordings at which t has so few degrees of freedom that the width more than triples."""
_HEADS = ("items like\nthese", "these\nitems")
"""Column headings for the populations in `SCOPES`."""
_SINGULAR = {"items": "item", "orders": "order", "wordings": "wording", "samples": "sample", "readers": "reader"}


def plan_text(plan: MeasurementPlan) -> str:
    """Return the plan as text."""
    from ..results.summary import drawn

    tables = [] if plan.setting.study.is_assumed else [drawn(_component_table(plan), names=1)]
    designs = _designs(plan)
    tables += [drawn(_design_table(plan, designs), names=1)] if designs else []
    tables += [drawn(_more_table(plan), names=1)] if plan.more else []
    tables += [drawn(_telling_table(plan), names=1)]
    parts = [_paragraph(line) for line in _opening(plan)]
    parts += [table.rstrip("\n") for table in tables]
    parts += [_paragraph(line) for line in (_told_from(plan), *_verdict(plan), *_not_known(plan), _SCOPE_LINE)]
    if plan.pilot:
        parts.append(_block("A pilot to tell items, orders and wordings apart:", plan.pilot))
    if plan.commands:
        parts.append(_block("The design:", plan.commands))
    return "\n\n".join(parts)


def in_words(numbers: Numbers) -> str:
    """Return the numbers of a design as text, leaving out single orders, wordings, samples and readers."""
    parts = [counted(numbers.items, "item")]
    parts += [counted(numbers.of(facet), _SINGULAR[facet]) for facet in ASKED[1:] if numbers.of(facet) > 1]
    return " x ".join(parts)


def _opening(plan: MeasurementPlan) -> list[str]:
    study, population = plan.setting.study, plan.population
    of_release = (
        f"{population.release}{'' if population.split is None else f', {population.split}'}: "
        f"{counted(population.size, 'item')} in {counted(population.clusters, 'cluster')} (source pictures, pairs, "
        "scenes)"
    )
    if study.is_assumed:
        assumed = plan.wanted.score if plan.wanted.score is not None else 0.5
        who = "two models answer independently, each right on" if study.is_difference else "a model is right on"
        shared = "; all items of a cluster are right or wrong together" if population.clusters < population.size else ""
        return [f"{of_release}. No results: the plan assumes that {who} {assumed:g} of them{shared}."]
    what = "difference" if study.is_difference else "score"
    systems = ", ".join(study.systems)
    mean = "" if len(study.systems) == 1 else f" (means over {len(study.systems)} systems)"
    run = plan.as_run
    assert run is not None
    intervals = "; ".join(
        f"for {words} [{run.intervals[scope].low:.3f}, {run.intervals[scope].high:.3f}]"
        for scope, words in SCOPES.items()
    )
    return [
        f"{of_release}.",
        f"{printable(systems)}: {what} {study.score:.3f}{mean} on up to {in_words(run.numbers)}; {intervals}.",
    ]


def _component_table(plan: MeasurementPlan) -> Table:
    """Return a table of each effect's variance, with its share of the variance of a single answer and of the score as
    measured.
    """
    study = plan.setting.study
    run = plan.as_run
    assert run is not None
    table = _table(
        "Sources of variance, and their shares in the variance of one answer and of the score as run",
        "effect",
        "variance",
        "95 % interval",
        "one answer",
        *_HEADS,
    )
    for component in study.components:
        name, interval = component.effect.name, component.interval
        limits = "-" if interval is None else f"{interval.low:.4f}–{_upper(interval.high)}"
        shares = [_share(component.value, study.of_answer)]
        shares += [_share(run.contributions[scope][name], sum(run.contributions[scope].values())) for scope in SCOPES]
        table.add_row(name, f"{component.value:.4f}", limits, *shares)
    return table


def _designs(plan: MeasurementPlan) -> list[tuple[str, Design]]:
    named = [("as run", plan.as_run), ("planned", plan.design)]
    named += [("narrowest", plan.best)] if plan.design is None else []
    named += [("would do", plan.beyond)]
    return [(name, design) for name, design in named if design is not None]


def _design_table(plan: MeasurementPlan, designs: list[tuple[str, Design]]) -> Table:
    """Return a table of the numbers and widths of designs, leaving out facets that have one level in every design."""
    facets = [facet for facet in ASKED if facet == "items" or any(d.numbers.of(facet) > 1 for _, d in designs)]
    table = _table("Width of the 95 % interval", "design", *facets, "questions", *_HEADS)
    for name, design in designs:
        numbers = (f"{design.numbers.of(facet):,}" for facet in facets)
        table.add_row(name, *numbers, f"{design.questions:,}", *_widths(plan, design))
    return table


def _more_table(plan: MeasurementPlan) -> Table:
    shown = plan.shown
    assert shown is not None
    table = _table("Twice as many", "instead", "questions", *_HEADS)
    table.add_row(in_words(shown.numbers), f"{shown.questions:,}", *_widths(plan, shown))
    for more, design in plan.more:
        beyond = f" (the release has {plan.population.size:,})" if more.beyond else ""
        count = f"{design.numbers.of(more.facet):,} {more.facet}{beyond}"
        table.add_row(count, f"{design.numbers.questions:,}", *_widths(plan, design))
    return table


def _telling_table(plan: MeasurementPlan) -> Table:
    """Return the smallest detectable differences, with a row per number of systems and a column per number of items."""
    counts = sorted({entry.items for entry in plan.telling.differences})
    heads = [f"{'all ' if count == plan.population.size else ''}{counted(count, 'item')}" for count in counts]
    table = _table("Least difference told apart (power 80 %)", "compared", *heads)
    found = {(entry.systems, entry.items): entry.difference for entry in plan.telling.differences}
    for number in sorted({systems for systems, _ in found}):
        cells = [found[number, count] for count in counts]
        table.add_row(f"{number} systems", *("none" if cell is None else f"{cell:.3f}" for cell in cells))
    return table


def _told_from(plan: MeasurementPlan) -> str:
    """Return the basis of the smallest detectable differences, as text."""
    telling = plan.telling
    share = f"if just one of two systems is right on {telling.discordant:.0%} of the items"
    origin = (
        f"the median of {counted(telling.pairs, 'pair')} of the results"
        if telling.assumptions is None
        else f"assumed: {telling.assumptions}"
    )
    line = (
        f"Differences are told apart {share} ({origin}), with each item asked once and all pairs tested together, as "
        "in `evaluate compare`."
    )
    if all(entry.difference is not None for entry in telling.differences):
        return line
    return f"{line} none: systems that disagree so rarely cannot differ by as much as these items need."


def _widths(plan: MeasurementPlan, design: Design) -> list[str]:
    """Return the widths of a design as text; upper bounds are marked as such."""
    return [f"{'≤ ' if plan.setting.is_bound(scope) else ''}{design.widths[scope]:.3f}" for scope in SCOPES]


def _verdict(plan: MeasurementPlan) -> list[str]:
    """Return the conclusion of the plan: whether the width is reached, and what contributes most."""
    wanted, scope = plan.wanted, plan.wanted.scope
    lines = []
    if plan.design is not None:
        each = " of each system" if plan.setting.study.is_difference else ""
        money = "" if plan.design.money is None else f", about {plan.design.money:,.4g} in the currency of the prices"
        lines.append(
            f"Planned for {SCOPES[scope]}: {in_words(plan.design.numbers)}, "
            f"{counted(plan.design.questions, 'question')}{each}{_cost(plan.design)}{money}; "
            f"width {plan.design.widths[scope]:.3f}."
        )
    elif plan.best is not None:
        lines.append(_unreached(plan, plan.best))
    shown = plan.shown
    dominant = None if shown is None else shown.dominant(scope)
    if shown is not None and dominant is not None:
        added = shown.contributions[scope]
        share = added[dominant] / sum(added.values())
        what = "as run" if shown is plan.as_run else "of this design"
        lines.append(
            f"The largest part of the variance {what}, for {SCOPES[scope]}, comes from {dominant}: {share:.0%}."
        )
        lines += _if_fixed(plan, shown)
    if "wordings" in wanted.fixed:
        lines.append("Fixed: wordings; the intervals hold only for those that were run.")
    moved = plan.of_another_reader
    if moved is not None and "readers" in wanted.fixed:
        lines.append(
            f"Read by {', '.join(plan.setting.study.readers)}. Another reader of the same replies moves the score by "
            f"{moved:.3f} (a standard deviation); --over-readers holds for others too."
        )
    return lines


def _if_fixed(plan: MeasurementPlan, shown: Design) -> list[str]:
    """Return how much narrower the interval would be for the runs' wordings alone, if these are few."""
    setting, scope = plan.setting, plan.wanted.scope
    levels = setting.study.levels["wordings"]
    if "wordings" in {*setting.study.unknown, *setting.fixed} or levels > _FEW:
        return []
    numbers = shown.numbers._replace(wordings=levels)
    wide = width(setting._replace(fixed=setting.fixed | {"wordings"}), numbers, scope)
    if wide >= shown.widths[scope]:
        return []
    return [
        f"{levels} wordings show little about others. For these alone (--fixed wordings), the width with "
        f"{in_words(numbers)} is {wide:.3f}."
    ]


def _unreached(plan: MeasurementPlan, best: Design) -> str:
    wanted, scope = plan.wanted, plan.wanted.scope
    of_budget = "" if wanted.budget is None else f" and a budget of {wanted.budget:g}"
    every = "all " if best.numbers.items == plan.population.size else ""
    words = in_words(best.numbers).replace(f"{best.numbers.items:,}", f"{every}{best.numbers.items:,}", 1)
    line = (
        f"A width of {wanted.width:g}{of_budget} is out of reach for {SCOPES[scope]}: at least "
        f"{best.widths[scope]:.3f} with {words}."
    )
    if plan.beyond is None:
        return f"{line} No number of {'items' if scope == 'items_like_these' else 'orders or samples'} reaches it."
    if plan.beyond.numbers.items > plan.population.size:
        return f"{line} {in_words(plan.beyond.numbers)} like these would reach it."
    return f"{line} It takes {in_words(plan.beyond.numbers)}, {counted(plan.beyond.questions, 'question')}."


def _cost(design: Design) -> str:
    return "" if design.cost == design.questions else f" at a cost of {design.cost:,.6g}"


def _not_known(plan: MeasurementPlan) -> list[str]:
    """Return lines about unknown facets, unused results, and unpaired answers."""
    study = plan.setting.study
    lines = []
    if not study.is_assumed:
        lines += [f"Not estimable: {MAIN[facet]}: {why}." for facet, why in study.unknown.items()]
    lines += [f"Left out: {printable(entry.name)}: {entry.why}." for entry in plan.left_out]
    if plan.unpaired:
        lines.append(f"{counted(plan.unpaired, 'answer has', 'answers have')} no counterpart in the other system.")
    lines += [reading.describe() for reading in plan.readings]
    if any(map(plan.setting.is_bound, SCOPES)):
        lines.append("≤: at most, since the variance of orders or samples is not separated from that of items.")
    return lines


def _table(title: str, *heads: str) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, title=Text(title), title_justify="left")
    for place, head in enumerate(heads):
        table.add_column(Text(head), justify="right" if place else "left", no_wrap=True)
    return table


def _upper(value: float) -> str:
    return f"{value:.4f}" if value <= 1 else ">1"


def _share(part: float, whole: float) -> str:
    return f"{part / whole:.0%}" if whole > 0 else "-"


def _paragraph(line: str) -> str:
    return fill(line, _COLUMNS)


def _block(title: str, commands: tuple[str, ...]) -> str:
    """Return commands under a title, with line continuations for the shell."""
    return "\n".join([title, *(line for command in commands for line in _folded(command))])


def _folded(command: str) -> list[str]:
    lines = ["  "]
    for word in re.split(r" (?=--)", command):
        if len(lines[-1]) + len(word) > _COLUMNS - 3 and lines[-1].strip():
            lines[-1] += " \\"
            lines.append("     ")
        lines[-1] += f" {word}" if lines[-1].strip() or len(lines) > 1 else word
    return lines


def scope_named(words: str) -> Scope:
    """Return the population that the command line names, such as `these-items`."""
    return next(scope for scope in SCOPES if scope.replace("_", "-") == words)
