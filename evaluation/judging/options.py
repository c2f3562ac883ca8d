"""The options of the command line that name a judge."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from .judge import Judge

_OPTIONS = (
    click.option(
        "--judge", metavar="M",
        help="Model that reads replies of which the robust reader makes nothing; as --model takes it.",
    ),
    click.option("--judge-all", is_flag=True, help="Ask it about every reply, and take its word over the reader's."),
    click.option("--judge-base-url", metavar="URL", help="Where it answers."),
    click.option("--judge-api-key-env", metavar="NAME", help="Environment variable that holds its key."),
    click.option(
        "--judge-price-in", type=click.FloatRange(0), metavar="MONEY", help="Price of a million tokens sent to it."
    ),
    click.option(
        "--judge-price-out", type=click.FloatRange(0), metavar="MONEY", help="Price of a million tokens it sends."
    ),
    click.option("--judge-field", multiple=True, metavar="NAME=JSON", help="Field of its requests, as --field."),
    click.option("--judge-omit", multiple=True, metavar="NAME", help="Field that its requests leave out, as --omit."),
)  # fmt: skip


def judge_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of a judge, and hand it the judge that they name, or None, as `judge`."""

    @wraps(command)
    def with_judge(
        *, judge: str | None, judge_all: bool, judge_base_url: str | None, judge_api_key_env: str | None,
        judge_price_in: float | None, judge_price_out: float | None, judge_field: tuple[str, ...],
        judge_omit: tuple[str, ...], **others: Any,
    ) -> None:  # fmt: skip
        named = judge_of(
            judge, everything=judge_all, base_url=judge_base_url, api_key_env=judge_api_key_env,
            price_in=judge_price_in, price_out=judge_price_out, fields=fields_of(judge_field), omit=judge_omit,
        )  # fmt: skip
        command(judge=named, **others)

    for option in reversed(_OPTIONS):
        with_judge = option(with_judge)
    return with_judge


def judge_of(
    model: str | None, *, everything: bool = False, base_url: str | None = None, api_key_env: str | None = None,
    price_in: float | None = None, price_out: float | None = None, fields: Mapping[str, Any] | None = None,
    omit: tuple[str, ...] = (),
) -> Judge | None:  # fmt: skip
    """Return the judge that settings name; None where they name no model.

    Raises:
        BenchwrightError: There are settings of a judge without one, or one price without the other.
    """
    from benchwright.errors import BenchwrightError

    from ..questions.usage import prices_of
    from .judge import Judge

    if model is None:
        if everything or fields or omit or any(one is not None for one in (base_url, api_key_env, price_in, price_out)):
            raise BenchwrightError("settings of a judge need a judge: name its model with --judge")
        return None
    return Judge(model, everything, base_url, api_key_env, prices_of(price_in, price_out), fields or {}, omit)


def fields_of(given: Sequence[str]) -> dict[str, Any]:
    """Return the fields that a repeated option names, each as NAME=JSON.

    Raises:
        BenchwrightError: One is none, or stands twice.
    """
    from benchwright.errors import BenchwrightError
    from benchwright.models.request_fields import parse_field

    fields: dict[str, Any] = {}
    for text in given:
        name, value = parse_field(text)
        if name in fields:
            raise BenchwrightError(f"the field {name!r} is given twice; give it once")
        fields[name] = value
    return fields
