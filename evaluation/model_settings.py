"""What a recipe says of a model that is scored: how it is asked, what it may cost, and who judges its replies."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from benchwright.errors import BenchwrightError
from benchwright.models.request_fields import RequestFields

from .backends.base import DECODING, BackendOptions
from .judging.judge import Judge
from .judging.options import judge_of
from .questions.usage import Budget, prices_of

_USUAL = BackendOptions()

_NO_MATTER: Any = {
    "api_key_env": True, "concurrency": True, "timeout": True, "budget": True, "budget_tokens": True,
    "budget_requests": True, "judge": {"api_key_env"},
}  # fmt: skip
"""Settings that decide whether and how fast replies come, never which."""


class _Settings(RequestFields):
    price_in: float | None = Field(None, ge=0)
    """Price of a million tokens sent."""
    price_out: float | None = Field(None, ge=0)
    """Price of a million tokens received."""

    @model_validator(mode="after")
    def _both_prices(self) -> Self:
        if (self.price_in is None) != (self.price_out is None):
            raise ValueError("give both price_in and price_out, 0 where tokens cost nothing, or neither")
        return self


class JudgeSettings(_Settings):
    """The model that reads replies of which the robust reader makes nothing."""

    model: str
    asks: Literal["misses", "all"] = "misses"
    base_url: str | None = None
    api_key_env: str | None = None

    def judge(self) -> Judge:
        """Return the judge."""
        found = judge_of(
            self.model, everything=self.asks == "all", base_url=self.base_url, api_key_env=self.api_key_env,
            price_in=self.price_in, price_out=self.price_out, fields=self.fields, omit=self.omit,
        )  # fmt: skip
        assert found is not None
        return found


class ModelSettings(_Settings):
    """One model; a name alone stands for the usual settings."""

    model: str
    name: str | None = None
    """What its results are called; by the model's name where None."""
    protocol: tuple[str, ...] | None = None
    """How items are asked; as the step says where None."""
    reader: str | None = None
    """Who reads; as the step says where None."""
    base_url: str | None = None
    api_key_env: str | None = None
    max_tokens: int = Field(_USUAL.max_tokens, ge=1)
    temperature: float = Field(_USUAL.temperature, ge=0)
    top_p: float | None = Field(None, gt=0, le=1)
    seed: int | None = None
    concurrency: int = Field(_USUAL.concurrency, ge=1, le=1024)
    timeout: float = Field(_USUAL.timeout_s, gt=0)
    retries: int = Field(_USUAL.retries, ge=0, le=100)
    budget: float | None = Field(None, ge=0)
    budget_tokens: int | None = Field(None, ge=0)
    budget_requests: int | None = Field(None, ge=0)
    batch_size: int = Field(_USUAL.batch_size, ge=1)
    device: str | None = None
    dtype: str | None = None
    judge: JudgeSettings | None = None

    @model_validator(mode="before")
    @classmethod
    def _name_alone(cls, given: Any) -> Any:
        return {"model": given} if isinstance(given, str) else given

    @field_validator("protocol", mode="before")
    @classmethod
    def _one_or_several(cls, given: Any) -> Any:
        return (given,) if isinstance(given, str) else given

    @field_validator("protocol")
    @classmethod
    def _asks(cls, given: tuple[str, ...] | None) -> tuple[str, ...] | None:
        return None if given is None else known_protocols(given)

    @field_validator("reader")
    @classmethod
    def _reads(cls, given: str | None) -> str | None:
        return None if given is None else known_reader(given)

    @model_validator(mode="after")
    def _priced(self) -> Self:
        if self.budget is not None and self.price_in is None:
            raise ValueError("a budget in money needs price_in and price_out; or bound budget_tokens")
        return self

    def options(self, base_url: str | None, api_key_env: str) -> BackendOptions:
        """Return what backends need; address and key's variable are those given where it has none of its own."""
        return replace(
            _USUAL, base_url=self.base_url or base_url, api_key_env=self.api_key_env or api_key_env,
            max_tokens=self.max_tokens, temperature=self.temperature, top_p=self.top_p, seed=self.seed,
            concurrency=self.concurrency, timeout_s=self.timeout, retries=self.retries,
            prices=prices_of(self.price_in, self.price_out),
            budget=Budget(self.budget, self.budget_tokens, self.budget_requests), batch_size=self.batch_size,
            device=self.device, dtype=self.dtype, fields=self.fields, omit=self.omit,
            stated=frozenset(self.model_fields_set & set(DECODING)),
        )  # fmt: skip

    def asks_as(self) -> Any:
        """Return the settings by which two entries of one model ask otherwise, as JSON values."""
        alike: Any = _NO_MATTER | {"name": True, "retries": True, "price_in": True, "price_out": True}
        return self.model_dump(mode="json", exclude=alike)

    def decisive(self) -> Any:
        """Return the settings that decide what results say, as JSON values: a name alone where it has no others."""
        found = self.model_dump(mode="json", exclude_defaults=True, exclude=_NO_MATTER)
        return self.model if found.keys() == {"model"} else found


def known_protocols(given: tuple[str, ...]) -> tuple[str, ...]:
    """Return protocols in their own spelling.

    Raises:
        ValueError: One is unknown or stands twice, or there is none.
    """
    from .protocols.names import parse_protocol

    try:
        texts = tuple(parse_protocol(one).text for one in given)
    except BenchwrightError as error:
        raise ValueError(str(error)) from error
    if not texts or len(set(texts)) < len(texts):
        raise ValueError("list at least one protocol, and each once")
    return texts


def known_reader(given: str) -> str:
    """Return a reader's name.

    Raises:
        ValueError: There is no such reader.
    """
    from .parsing.readers import READERS

    if given not in READERS:
        raise ValueError(f"there is no reader {given!r}; known: {', '.join(READERS)}")
    return given
