"""The clients of vendors, all based on the same bounded HTTP client: their target addresses and their errors.

The vendor's own client handles address, authentication and versions of an API. No client retries a request itself,
because retries must wait for their turns, count against budgets and be logged. Errors take the form of those of the
`openai` package, a base dependency, so that one classification serves all.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import httpx2
import openai

from benchwright.errors import PrerequisiteError

from .apis import APIS
from .request_bodies import Api

if TYPE_CHECKING:
    from .failures import ModelAddress

_PATHS: dict[Api, str] = {"chat": "/chat/completions", "responses": "/responses", "anthropic": "/v1/messages"}


def vendor_client(
    address: ModelAddress, http_client: httpx2.AsyncClient
) -> OpenAIClient | AnthropicClient | GeminiClient:
    """Return the client of a model's API.

    Its `post` sends a request once and returns the body of the response; it raises `openai.APIStatusError` if the
    status is not a success, and `openai.APIConnectionError` if the connection failed.

    Raises:
        PrerequisiteError: The client's package is not installed.
    """
    facts = APIS[address.api]
    if facts.extra is not None and not _is_installed(facts.module):
        raise PrerequisiteError(
            f"models named {facts.backend}:NAME need the package {facts.module.replace('.', '-')}, which is not "
            f"installed: pip install 'benchwright[{facts.extra}]' -c constraints.txt"
        )
    if address.api == "gemini":
        return GeminiClient(address, http_client)
    return AnthropicClient(address, http_client) if address.api == "anthropic" else OpenAIClient(address, http_client)


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # the package around it is missing
        return False


class OpenAIClient:
    """Client for OpenAI's chat completions and Responses; the environment may name an organization and a project.

    Attributes:
        sdk: OpenAI's own client.
        path: Request path relative to the base URL.
    """

    def __init__(self, address: ModelAddress, http_client: httpx2.AsyncClient) -> None:
        self.path = _PATHS[address.api]
        self.sdk = openai.AsyncOpenAI(
            api_key=address.key or "none",
            base_url=address.base_url,
            timeout=None,
            max_retries=0,
            default_headers=dict(address.headers) or None,
            http_client=http_client,
        )

    async def post(self, body: bytes) -> bytes:
        """Send a request once and return the body of the response."""
        response = await self.sdk.post(self.path, content=body, cast_to=httpx2.Response)
        return response.content

    async def close(self) -> None:
        """Close all connections."""
        await self.sdk.close()


class AnthropicClient:
    """Client for Anthropic's Messages API, at Anthropic or a compatible server.

    Attributes:
        sdk: Anthropic's own client.
    """

    def __init__(self, address: ModelAddress, http_client: httpx2.AsyncClient) -> None:
        self._anthropic: Any = import_module("anthropic")
        self.sdk = self._anthropic.AsyncAnthropic(
            api_key=address.key or "none",
            base_url=address.base_url.removesuffix("/v1"),  # its paths begin with the version
            timeout=None,
            max_retries=0,
            default_headers=dict(address.headers) or None,
            http_client=http_client,
        )

    async def post(self, body: bytes, path: str = _PATHS["anthropic"]) -> bytes:
        """Send a request once and return the body of the response."""
        with self.errors():
            response = await self.sdk.post(path, content=body, cast_to=httpx2.Response)
        content: bytes = response.content
        return content

    async def get(self, path: str) -> bytes:
        """Return the body of another resource; raises the same errors as `post`."""
        with self.errors():
            response = await self.sdk.get(path, cast_to=httpx2.Response)
        content: bytes = response.content
        return content

    async def close(self) -> None:
        """Close all connections."""
        await self.sdk.close()

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Convert errors of the vendor's client within the block to those of the `openai` package."""
        try:
            yield
        except self._anthropic.APIStatusError as error:
            raise _status_error(error.response, error.body) from error
        except self._anthropic.APIConnectionError as error:
            raise openai.APIConnectionError(request=error.request) from error.__cause__


class GeminiClient:
    """Client for Gemini's generateContent API.

    The client builds a request's body from its own types, which lack newer fields, so the whole body is passed as extra
    fields. The client parses and serializes it again, which takes about 7 ms for a body of 2 MB.

    Attributes:
        sdk: Google's own client.
        model: Name of the model.
    """

    def __init__(self, address: ModelAddress, http_client: httpx2.AsyncClient) -> None:
        genai: Any = import_module("google.genai")
        self._errors: Any = import_module("google.genai.errors")
        self.model, self._http_client = address.model, http_client
        base_url, version = address.base_url, {}
        for name in ("v1", "v1beta", "v1alpha"):
            if base_url.endswith(f"/{name}"):
                base_url, version = base_url.removesuffix(f"/{name}"), {"api_version": name}
        options = {"base_url": base_url, "headers": dict(address.headers), "httpx_async_client": http_client, **version}
        self._client = genai.Client(vertexai=False, api_key=address.key or "none", http_options=options)
        self.sdk = self._client.aio

    async def post(self, body: bytes) -> bytes:
        """Send a request once and return the body of the response."""
        settings = {"should_return_http_response": True, "http_options": {"extra_body": json.loads(body)}}
        with self.errors():
            response = await self.sdk.models.generate_content(model=self.model, contents="-", config=settings)
        text: str = response.sdk_http_response.body or ""
        return text.encode("utf-8", "surrogatepass")

    async def close(self) -> None:
        """Close all connections."""
        await self._http_client.aclose()

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Convert errors of the vendor's client within the block to those of the `openai` package."""
        try:
            yield
        except self._errors.APIError as error:
            raise _status_error(error.response, error.details) from error
        except httpx2.TransportError as error:
            raise openai.APIConnectionError(request=error.request) from error


def _status_error(response: Any, document: Any) -> openai.APIStatusError:
    """Return the error for a status, with the error object inside its document."""
    inside = document.get("error") if isinstance(document, dict) else None
    return openai.APIStatusError(
        f"status {response.status_code}", response=response, body=document if inside is None else inside
    )
