"""Settings of a model at an endpoint, for any purpose: address, key, retries and budget."""

from __future__ import annotations

import os
from typing import Self
from urllib.parse import urlsplit

from pydantic import Field, field_validator, model_validator

from benchwright.errors import PrerequisiteError

from .usage import Budget, Prices
from .vendors.apis import APIS
from .vendors.extra_headers import secrets_in, sent_headers, wrong_headers
from .vendors.failures import ModelAddress
from .vendors.request_bodies import Api
from .vendors.request_fields import RequestFields

HOSTED = "the hosted service"
"""Name of the vendor's own service in messages."""


class EndpointSettings(RequestFields):
    """Address, retries and budget of a model, from a recipe.

    Args:
        model: Name of the model at the endpoint.
        base_url: Base URL, such as `http://127.0.0.1:8000/v1`; None for the vendor's hosted service.
        api_key_env: Environment variable with the key; your own server may need none. `OPENAI_API_KEY` means the API's
            usual variable.
        headers: Further headers of requests, such as `X-Token: ENV:TEAM_TOKEN`; their values are never stored.
        timeout_s: Time limit in seconds for one whole try, to the reply's last byte.
        retries: Number of retries after transient failures.
        price_in: Price of a million tokens sent, in any currency; give both prices.
        price_out: Price of a million tokens received, in the same currency.
        budget: Limit on the model's total cost in the workspace over all runs, before which the run ends; needs prices.
        budget_tokens: Limit on the model's tokens in the workspace, sent and received over all runs, before which the
            run ends.
        budget_requests: Limit on requests to the model in the workspace, including retries, over all runs, before which
            the run ends.
        fields: Further fields of requests, such as `reasoning_effort: low`.
        omit: Fields to leave out of requests, such as `temperature`.
    """

    model: str = Field(min_length=1, max_length=500)
    base_url: str | None = None
    api_key_env: str = Field("OPENAI_API_KEY", pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")
    headers: dict[str, str] = Field({})
    timeout_s: float = Field(120.0, gt=0, le=3600)
    retries: int = Field(2, ge=0, le=20)
    price_in: float | None = Field(None, ge=0)
    price_out: float | None = Field(None, ge=0)
    budget: float | None = Field(None, ge=0)
    budget_tokens: int | None = Field(None, ge=0)
    budget_requests: int | None = Field(None, ge=0)

    @field_validator("base_url")
    @classmethod
    def _address(cls, value: str | None) -> str | None:
        url = urlsplit(value or "https://host")
        if url.scheme not in {"http", "https"} or not url.hostname or "@" in url.netloc or url.query:
            raise ValueError(
                "give an address such as http://127.0.0.1:8000/v1, without a user name, a password or a query; the "
                "key belongs in the environment variable that api_key_env names"
            )
        return value and value.rstrip("/")

    @field_validator("headers")
    @classmethod
    def _headers(cls, value: dict[str, str]) -> dict[str, str]:
        if wrong := wrong_headers(value):
            raise ValueError(wrong)
        return value

    @model_validator(mode="after")
    def _prices_for_a_budget(self) -> Self:
        if self.prices is None and self.budget is not None:
            raise ValueError(self._no_prices)
        return self

    @property
    def prices(self) -> Prices | None:
        """The model's prices; None if they are not stated."""
        return Prices.of(self.price_in, self.price_out)

    @property
    def _no_prices(self) -> str:
        return "a budget in money needs price_in and price_out; give both, or bound budget_tokens"

    @property
    def bounds(self) -> Budget:
        """Limits on requests to the model within a workspace."""
        return Budget(self.budget, self.budget_tokens, self.budget_requests)

    @property
    def where(self) -> str:
        """The name of the endpoint in messages."""
        return self.base_url or HOSTED


def model_address(settings: EndpointSettings, api: Api) -> ModelAddress:
    """Return the address for requests to a model through an API, with the key.

    Raises:
        PrerequisiteError: The environment variable for a required key is not set.
    """
    facts = APIS[api]
    own_variable = settings.api_key_env != EndpointSettings.model_fields["api_key_env"].default
    variable = settings.api_key_env if own_variable else facts.key_variable
    key = os.environ.get(variable, "").strip()
    if not key and (settings.base_url is None or own_variable):
        raise PrerequisiteError(
            f"model {settings.model!r} needs a key in the environment variable {variable}, which is "
            "not set; set it, name another as api_key_env, or name your own server as base_url"
        )
    return ModelAddress(
        settings.model,
        settings.base_url or facts.base_url,
        key,
        variable,
        where=settings.where,
        api=api,
        headers=sent_headers(settings.headers),
        secrets=secrets_in(settings.headers),
    )
