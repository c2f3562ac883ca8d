"""Settings of a model behind an endpoint, whatever it is asked for: address, key, patience and budget."""

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
    """Where a model is, and how patiently and at which cost it is asked, as a recipe gives it.

    Args:
        model: Model as the endpoint calls it.
        base_url: Base URL, such as `http://127.0.0.1:8000/v1`; the vendor's hosted service where None.
        api_key_env: Environment variable with the key; a server of one's own may need none. `OPENAI_API_KEY` stands for
            the usual one of the API.
        headers: Further headers of requests, such as `X-Token: ENV:TEAM_TOKEN`; their values are kept nowhere.
        timeout_s: For one try as a whole, to the reply's last byte.
        retries: Number of times that a request is sent again after a failure that may pass.
        price_in: Price of a million tokens sent, in any currency; give both prices.
        price_out: Price of a million tokens received, in the same currency.
        budget: End the run before the model has cost more than this in the workspace, all runs together; needs prices.
        budget_tokens: End the run before the model has taken more tokens than this in the workspace, sent and received
            in all runs together.
        budget_requests: End the run before the model has been sent more requests than this in the workspace,
            repetitions included, in all runs together.
        fields: Further fields of requests, such as `reasoning_effort: low`.
        omit: Fields of requests to be left out, such as `temperature`.
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
                "key belongs into the environment variable that api_key_env names"
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
        """What the model costs; None where that is not stated."""
        return Prices.of(self.price_in, self.price_out)

    @property
    def _no_prices(self) -> str:
        return "a budget in money needs price_in and price_out; give both, or bound budget_tokens"

    @property
    def bounds(self) -> Budget:
        """Limits on what the model may be asked in a workspace."""
        return Budget(self.budget, self.budget_tokens, self.budget_requests)

    @property
    def where(self) -> str:
        """The endpoint's name in messages."""
        return self.base_url or HOSTED


def model_address(settings: EndpointSettings, api: Api) -> ModelAddress:
    """Return where requests to a model go in an API, with its key.

    Raises:
        PrerequisiteError: The environment variable for the key is not set where one is needed.
    """
    facts = APIS[api]
    own_variable = settings.api_key_env != EndpointSettings.model_fields["api_key_env"].default
    variable = settings.api_key_env if own_variable else facts.key_variable
    key = os.environ.get(variable, "").strip()
    if not key and (settings.base_url is None or own_variable):
        raise PrerequisiteError(
            f"model {settings.model!r} needs a key in the environment variable {variable}, which is "
            "not set; set it, name another as api_key_env, or name a server of your own as base_url"
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
