"""``benchwright filter funnel``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchwright.terminal.output import emit, json_option

if TYPE_CHECKING:
    from benchwright.funnel import FunnelStep


@click.command("funnel")
@click.argument("workspace", type=click.Path(path_type=Path), help="Workspace of a run.")
@click.option(
    "--out", metavar="PAGE", type=click.Path(path_type=Path), help="HTML page to write, replacing an existing one."
)
@click.option(
    "--per-reason",
    type=click.IntRange(1, 2000),
    default=12,
    show_default=True,
    help="Number of examples of each reason.",
)
@click.option(
    "--page",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Page of the examples: 2 continues after page 1.",
)
@click.option("--step", help="Show examples of this step only; counts still cover all.")
@json_option(
    """
    `{"page", "steps": [{"name", "flow": "files" or "images" or "items", "in", "out", "dropped": {reason: n},
    "asked": {reason: n}, "failed": {reason: n}, "reversed", "left_aside", "made": {kind: n}}]}`; `page` is null
    without `--out`; `left_aside`: the step makes records, and those it dropped continue
    """
)
def funnel(workspace: Path, out: Path | None, per_reason: int, page: int, step: str | None, as_json: bool) -> None:
    """Count the input and output of each step of a workspace, with reasons for the difference.

    With --out, also write a page with examples.
    """
    from benchwright.funnel import write_funnel

    written = write_funnel(workspace, out, per_reason=per_reason, page=page, step=step)
    document = {
        "page": str(written.path) if written.path is not None else None,
        "steps": [step.to_json() for step in written.steps],
    }
    lines = [_head(), *map(_row, written.steps)]
    if written.path is not None:
        lines.append(f"page: {written.path}")
    emit(document, as_json=as_json, text="\n".join(lines))


def _head() -> str:
    return f"{'step':28} {'in':>9} {'out':>9}  why not, and what was asked"


def _row(step: FunnelStep) -> str:
    parts: Sequence[tuple[str, Mapping[str, int]]] = (
        ("not used" if step.left_aside else "dropped", step.dropped),
        ("failed", step.failed),
        ("asked", step.asked),
    )
    cells = [
        f"{kind}: {', '.join(f'{reason} {n}' for reason, n in reasons.items())}" for kind, reasons in parts if reasons
    ]
    cells += [f"reversed: {step.reversed}"] if step.reversed else []
    cells += [f"made: {n} {kind}" for kind, n in step.made.items()]
    return f"{step.name:28} {step.records:9,} {step.out:9,}  {'; '.join(cells)}".rstrip()
