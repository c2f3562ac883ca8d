"""Options for commands that query a model at an endpoint."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click


def chat_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options for a model at an endpoint to a command, which receives `ChatSettings` or None as `chat`."""

    @wraps(command)
    def with_chat(**parameters: Any) -> None:
        stated = {name: parameters.pop(name) for name in _CHAT}
        command(chat=_chat(stated), **parameters)

    for option in reversed(_CHAT.values()):
        with_chat = option(with_chat)
    return with_chat


def _chat(stated: dict[str, Any]) -> Any:
    """Return the settings after checking them.

    Raises:
        UsageError: A setting is invalid, or given without a model.
    """
    from pydantic import ValidationError

    from benchwright.models.endpoints.chat import ChatSettings

    stated = {name: value for name, value in stated.items() if value is not None}
    if not stated:
        return None
    if "model" not in stated:
        raise click.UsageError(f"--{next(iter(stated)).replace('_', '-')} applies to a model; name one with --model")
    try:
        return ChatSettings.model_validate(stated)
    except ValidationError as error:
        raise click.UsageError("; ".join(str(detail["msg"]) for detail in error.errors())) from None


_CHAT: dict[str, Callable[..., Any]] = {
    "model": click.option("--model", metavar="NAME", help="Name of the model at its endpoint."),
    "api": click.option(
        "--api",
        type=click.Choice(["chat", "responses", "anthropic", "gemini"]),
        help="API of the model.  [default: chat, which most servers support]",
    ),
    "base_url": click.option(
        "--base-url", metavar="URL", help="Address of the endpoint.  [default: the hosted service of the API's vendor]"
    ),
    "api_key_env": click.option(
        "--api-key-env",
        metavar="VARIABLE",
        help="Environment variable with the key.  [default: OPENAI_API_KEY, or the vendor's own]",
    ),
    "max_tokens": click.option(
        "--max-tokens", type=click.IntRange(1, 32_768), help="Largest number of tokens in a reply.  [default: 1024]"
    ),
    "price_in": click.option("--price-in", type=click.FloatRange(0), help="Price of a million tokens sent."),
    "price_out": click.option("--price-out", type=click.FloatRange(0), help="Price of a million tokens received."),
    "budget": click.option("--budget", type=click.FloatRange(0), help="Limit on the model's cost; needs both prices."),
    "budget_requests": click.option(
        "--budget-requests", type=click.IntRange(0), help="Limit on requests to the model."
    ),
}
"""Command-line options, by field of `ChatSettings`."""
