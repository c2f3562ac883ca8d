"""Conversion of a model's name, such as `anthropic:NAME`, to the backend that queries its endpoint."""

from __future__ import annotations

import os
from collections.abc import Mapping
from urllib.parse import urlsplit

from benchwright.errors import BenchwrightError, PrerequisiteError
from benchwright.models.endpoints.vendors.apis import APIS
from benchwright.models.endpoints.vendors.extra_headers import secrets_in, sent_headers
from benchwright.models.endpoints.vendors.failures import ModelAddress
from benchwright.models.endpoints.vendors.request_bodies import Api

from .base import Backend
from .openai_chat import OpenAIChat
from .options import OPENAI_KEY_VARIABLE, BackendOptions

_EXAMPLES: Mapping[Api, str] = {
    "chat": "gpt-4o", "responses": "gpt-5", "anthropic": "claude-sonnet-4-5", "gemini": "gemini-2.5-flash",
}  # fmt: skip


def openai_chat(argument: str, options: BackendOptions) -> Backend:
    """Return the backend for a model behind the Chat Completions API, such as `openai:gpt-4o`.

    Raises:
        BenchwrightError: The model's name is missing, an address is invalid, or a monetary budget is set without
            prices.
        PrerequisiteError: The environment variable for the key is not set.
    """
    return _endpoint_model("chat", argument, options)


def responses(argument: str, options: BackendOptions) -> Backend:
    """Return the backend for a model behind OpenAI's Responses API; raises the same errors as `openai_chat`."""
    return _endpoint_model("responses", argument, options)


def anthropic(argument: str, options: BackendOptions) -> Backend:
    """Return the backend for a model behind Anthropic's Messages API; raises the same errors as `openai_chat`."""
    return _endpoint_model("anthropic", argument, options)


def gemini(argument: str, options: BackendOptions) -> Backend:
    """Return the backend for a model behind the Gemini API; raises the same errors as `openai_chat`."""
    return _endpoint_model("gemini", argument, options)


def _endpoint_model(api: Api, model: str, options: BackendOptions) -> Backend:
    facts = APIS[api]
    if not model:
        raise BenchwrightError(
            f"model {facts.backend!r} needs a model's name after the colon, such as '{facts.backend}:{_EXAMPLES[api]}'"
        )
    _check_address("--base-url", options.base_url or facts.base_url)
    if (options.image_urls is None) != (options.image_folder is None):
        raise BenchwrightError(
            "give --image-urls and --image-folder together: the run puts pictures into the folder, and the endpoint "
            "fetches them from the address at which you serve it"
        )
    if options.image_urls is not None:
        _check_address("--image-urls", options.image_urls)
    is_usual = options.api_key_env == OPENAI_KEY_VARIABLE
    variable = facts.key_variable if is_usual else options.api_key_env
    key = os.environ.get(variable, "").strip()
    if not key and (options.base_url is None or not is_usual):
        raise PrerequisiteError(
            f"model '{facts.backend}:{model}' needs a key in the environment variable {variable}, which is not set; "
            "set it, name another with --api-key-env, or name your own server with --base-url"
        )
    address = ModelAddress(
        model,
        (options.base_url or facts.base_url).rstrip("/"),
        key,
        variable,
        "--base-url",
        api=api,
        headers=sent_headers(options.headers),
        secrets=secrets_in(options.headers),
    )
    return OpenAIChat(address, options)


def _check_address(option: str, address: str) -> None:
    url = urlsplit(address)
    if url.scheme not in {"http", "https"} or not url.hostname or "@" in url.netloc or url.query or '"' in address:
        raise BenchwrightError(
            f"{option} needs an address such as http://127.0.0.1:8000/v1, without a user name, a password or a query; "
            "put the key into an environment variable and name it with --api-key-env"
        )
