"""The APIs of models and their differences: address, key, field names and known limits.

Until it is sent, a request is the same for all APIs: messages, pictures, and decoding settings. `parameters_for`
translates settings into an API's names, `request_bodies.py` makes the body, and `vendor_clients.py` sends it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final, Literal, NamedTuple

from benchwright.errors import BenchwrightError

from .request_bodies import Api
from .request_fields import RequestParameters

Effort = Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]
Detail = Literal["auto", "low", "medium", "high", "original"]


class ApiFacts(NamedTuple):
    """The particulars of an API.

    Args:
        backend: Name before the colon in a model's name.
        base_url: Address of the hosted service.
        key_variable: Usual environment variable with its key.
        extra: Extra of this package that installs its client; None if the base includes it.
        module: Module of the client.
        renamed: The API's own names of settings; None for a setting that it does not accept.
        max_side_px: Longest side of pictures that the hosted service accepts, in pixels; None if it states none.
        max_bytes: Largest picture file that it accepts, in bytes; None if it states none.
    """

    backend: str
    base_url: str
    key_variable: str
    extra: str | None
    module: str
    renamed: Mapping[str, str | None]
    max_side_px: int | None = None
    max_bytes: int | None = None


APIS: Final[Mapping[Api, ApiFacts]] = {
    "chat": ApiFacts("openai", "https://api.openai.com/v1", "OPENAI_API_KEY", None, "openai", {}),
    "responses": ApiFacts(
        "responses", "https://api.openai.com/v1", "OPENAI_API_KEY", None, "openai",
        {"max_tokens": "max_output_tokens", "seed": None},
    ),
    # 8,000 pixels, and 5 MiB in base64 ("image exceeds 5 MB maximum: 5649924 bytes > 5242880 bytes").
    "anthropic": ApiFacts(
        "anthropic", "https://api.anthropic.com", "ANTHROPIC_API_KEY", "anthropic", "anthropic",
        {"seed": None}, 8_000, 5 * 1024 * 1024 * 3 // 4,
    ),
    # 20 MB a request (Gemini API) and 7 MB a file (Vertex AI), both for pictures inside requests.
    "gemini": ApiFacts(
        "gemini", "https://generativelanguage.googleapis.com", "GEMINI_API_KEY", "gemini", "google.genai",
        {"max_tokens": "maxOutputTokens", "top_p": "topP"}, None, 7_000_000,
    ),
}  # fmt: skip

OPENAI_APIS: Final[frozenset[Api]] = frozenset({"chat", "responses"})
"""OpenAI's APIs, which share an address and a key."""


def api_of(model: str) -> Api | None:
    """Return the API in a model name such as `anthropic:NAME`; None if the name denotes no endpoint."""
    kind = model.partition(":")[0]
    return next((api for api, facts in APIS.items() if facts.backend == kind), None)


def parameters_for(
    api: Api,
    model: str,
    where: str,
    own: Mapping[str, Any],
    *,
    stated: Collection[str] = (),
    fields: Mapping[str, Any] | None = None,
    omit: Collection[str] = (),
    effort: Effort | None = None,
    reasoning_tokens: int | None = None,
    detail: Detail | None = None,
) -> RequestParameters:
    """Return the fields of requests besides messages and model, under the names of an API.

    Args:
        api: API of the model.
        model: Name of the model at the endpoint.
        where: Name of the endpoint, for messages.
        own: Decoding settings, by Benchwright's names.
        stated: Names of the settings for which the user gave a value.
        fields: Further fields, by the API's names.
        omit: Names of fields to leave out, by Benchwright's or the API's names.
        effort: Effort of reasoning.
        reasoning_tokens: Largest number of thought tokens.
        detail: Detail in which the model sees pictures.

    Raises:
        BenchwrightError: The API does not accept a setting from the user, or does not stream replies.
    """
    renamed = APIS[api].renamed
    if refused := next((name for name in own if renamed.get(name, name) is None and name in stated), None):
        raise BenchwrightError(f"{_NAMES[api]} does not accept {refused}; leave it out for {model!r}")
    if api != "chat" and (fields or {}).get("stream"):
        raise BenchwrightError(
            f"replies of {_NAMES[api]} are read in one piece; leave the field stream out for {model!r}"
        )
    asked = {known: value for name, value in own.items() if (known := renamed.get(name, name)) is not None}
    added = _reasoning(api, model, effort, reasoning_tokens, own.get("max_tokens")) | _detail(api, model, detail)
    if api == "responses":
        asked["store"] = False  # else the service keeps requests and replies for 30 days
    names = {renamed.get(name) or name for name in stated} | added.keys()
    return RequestParameters(
        model, where, asked | added, stated=names, fields=fields, omit=[renamed.get(name) or name for name in omit]
    )


_NAMES: Mapping[Api, str] = {
    "chat": "the API of chat completions",
    "responses": "the Responses API",
    "anthropic": "the Messages API of Anthropic",
    "gemini": "the Gemini API",
}


def _reasoning(
    api: Api, model: str, effort: Effort | None, tokens: int | None, max_tokens: int | None
) -> dict[str, Any]:
    """Return the fields that set the effort and the budget of reasoning."""
    if tokens is not None and api in OPENAI_APIS:
        raise BenchwrightError(
            f"{_NAMES[api]} has no reasoning budget: give {model!r} an effort, or the server's own field, such as "
            "--field thinking_budget=2000"
        )
    if tokens is not None and max_tokens is not None and tokens >= max_tokens:
        raise BenchwrightError(
            f"{tokens} reasoning tokens leave none for the reply of {model!r}, which is limited to {max_tokens} with "
            "thoughts: raise --max-tokens (in a recipe max_tokens)"
        )
    fields: dict[str, Any] = {}
    if api == "gemini":
        level = {} if effort is None else {"thinkingLevel": effort.upper()}
        config = level | ({} if tokens is None else {"thinkingBudget": tokens})
        return {"thinkingConfig": config} if config else {}
    if effort is not None and api == "chat":
        fields["reasoning_effort"] = effort
    elif effort is not None and api == "responses":
        fields["reasoning"] = {"effort": effort}
    elif effort is not None:
        fields["output_config"] = {"effort": effort}
    if tokens is not None:
        fields["thinking"] = {"type": "enabled", "budget_tokens": tokens}
    return fields


def _detail(api: Api, model: str, detail: Detail | None) -> dict[str, Any]:
    """Return the field that sets the detail of all pictures, for APIs that do not set it per picture."""
    if detail is None or api in OPENAI_APIS:
        return {}
    if api == "anthropic":
        raise BenchwrightError(
            f"{_NAMES[api]} has no picture detail: shrink the pictures of {model!r} with --max-picture-side instead"
        )
    if detail in {"auto", "original"}:
        raise BenchwrightError(f"{_NAMES[api]} accepts only low, medium or high detail for the pictures of {model!r}")
    return {"mediaResolution": f"MEDIA_RESOLUTION_{detail.upper()}"}
