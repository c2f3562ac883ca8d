"""How a command is told how tasks go out: the settings that a recipe has under `handout`, as options."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from benchwright.errors import BenchwrightError

if TYPE_CHECKING:
    from .hand_out import HandOut

_F = TypeVar("_F", bound=Callable[..., Any])

_OPTIONS = (
    click.option(
        "--gold", type=click.Path(path_type=Path), metavar="FILE",
        help="CSV file of tasks whose right decision is known: item_id, decision.",
    ),
    click.option("--gold-rate", type=float, metavar="SHARE", help="Share of what an annotator gets that is gold."),
    click.option("--share", type=float, metavar="SHARE", help="Most of the tasks that one annotator gets."),
    click.option("--share-of", multiple=True, metavar="NAME=SHARE", help="The same for one annotator; repeatable."),
    click.option(
        "--priority", multiple=True, metavar="NAME=NUMBER",
        help="How early a task, category or item goes out: higher numbers first; repeatable.",
    ),
    click.option(
        "--close-decided", is_flag=True,
        help="Close a task as soon as those who are missing can change nothing; agreement comes out higher.",
    ),
    click.option("--lease-s", type=float, metavar="SECONDS", help="Seconds that a task is held for an annotator."),
)  # fmt: skip


def handout_options(command: _F) -> _F:
    """Give a command the options of the hand-out; it gets each under its name."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def handout_of(
    *,
    gold: Path | None,
    gold_rate: float | None,
    share: float | None,
    share_of: Sequence[str],
    priority: Sequence[str],
    lease_s: float | None,
    close_decided: bool,
) -> HandOut:
    """Return what the options say; what was not given is as by default.

    Raises:
        BenchwrightError: A value is none that the hand-out takes; the message names its option.
        DataError: The file of gold cannot be read as one.
    """
    from pydantic import ValidationError

    from .hand_out import HandOut

    given = {"gold": None if gold is None else str(gold.absolute()), "gold_rate": gold_rate, "share": share}
    said = {name: value for name, value in {**given, "lease_s": lease_s}.items() if value is not None}
    shares, priorities = _by_name("--share-of", share_of), _by_name("--priority", priority)
    try:
        settings = {**said, "shares": shares, "priorities": priorities, "close_decided": close_decided}
        return HandOut.model_validate(settings)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        option = {"shares": "share-of", "priorities": "priority"}.get(str(first["loc"][0]), str(first["loc"][0]))
        named = f" {first['loc'][1]}" if len(first["loc"]) > 1 else ""
        raise BenchwrightError(f"--{option.replace('_', '-')}{named}: {first['msg']}") from error


def _by_name(option: str, given: Sequence[str]) -> dict[str, str]:
    found = {}
    for one in given:
        name, sign, value = one.rpartition("=")
        if not sign or not name.strip():
            raise BenchwrightError(f"{option} {one!r}: expected a name and a number, such as ann=0.5")
        found[name.strip()] = value.strip()
    return found
