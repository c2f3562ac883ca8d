"""The options of a model: settings that a user may give with the model's name.

Each option is declared in a single place, with its type, limits, default and description. The options of `evaluate
run`, the keys of a recipe's `models` and the tables of both in the documentation follow from these declarations.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, Field, JsonValue, model_validator

from benchwright.errors import BenchwrightError
from benchwright.models.endpoints.usage import Budget, Prices
from benchwright.models.endpoints.vendors.apis import OPENAI_APIS, Detail, Effort, api_of, parameters_for
from benchwright.models.endpoints.vendors.extra_headers import wrong_headers
from benchwright.models.endpoints.vendors.request_bodies import Api
from benchwright.models.endpoints.vendors.request_fields import RequestFields, RequestParameters, wrong_fields

_DECODING = ("temperature", "top_p", "seed", "max_tokens")
"""Options that determine how a reply is sampled, in the order used in requests."""

MOST_SAMPLES = 100
FIRST_SEED = 0
"""Seed of the first of several samples, if the user gives none."""
OPENAI_KEY_VARIABLE = "OPENAI_API_KEY"
BASE_URL = "Address of an endpoint, such as `http://127.0.0.1:8000/v1`"
API_KEY_ENV = "Name of the environment variable that holds the endpoint's key"

Effect = Literal["replies", "score", "run"]


@dataclass(frozen=True)
class OptionNotes:
    """Facts about an option that are not expressed by its type.

    Args:
        effect: What a different value affects: `replies`, only the record of their origin in the `score`, or only the
            `run` (its pace, limits and access).
        unset: Description of the behavior when the option is None.
        metavar: Placeholder for the value in the command's help; if None, it is derived from the option's type.
        flag: Name on the command line, if different from the field's name.
        command_help: Description on the command line, if the value has a different form there.
    """

    effect: Effect = "replies"
    unset: str | None = None
    metavar: str | None = None
    flag: str | None = None
    command_help: str | None = None


def notes_of(model: type[BaseModel], name: str) -> OptionNotes:
    """Return the notes of a model's field, or the default notes."""
    notes = (entry for entry in model.model_fields[name].metadata if isinstance(entry, OptionNotes))
    return next(notes, OptionNotes())


def options_of_effect(model: type[BaseModel], *effects: Effect) -> set[str]:
    """Return the names of the options that have one of these effects."""
    return {name for name in model.model_fields if notes_of(model, name).effect in effects}


class EndpointOptions(RequestFields):
    """Access to a model behind an endpoint, prices of its tokens and fields of its requests."""

    base_url: Annotated[str | None, OptionNotes(metavar="URL", unset="the vendor's")] = Field(
        None, description=BASE_URL
    )
    api_key_env: Annotated[
        str | None, OptionNotes("run", metavar="NAME", unset=f"`{OPENAI_KEY_VARIABLE}`, or the vendor's own")
    ] = Field(None, description=API_KEY_ENV)
    price_in: Annotated[float | None, OptionNotes("score", metavar="MONEY")] = Field(
        None, ge=0, description="Price of a million tokens sent, in any currency; give both prices"
    )
    price_out: Annotated[float | None, OptionNotes("score", metavar="MONEY")] = Field(
        None, ge=0, description="Price of a million tokens received, in the same currency"
    )
    fields: Annotated[
        dict[str, JsonValue],
        OptionNotes(
            metavar="NAME=JSON",
            flag="field",
            command_help="Field to add to requests, `NAME=JSON` such as `reasoning_effort=low`; may be repeated",
        ),
    ] = Field({}, description="Fields to add to requests, such as `{reasoning_effort: low}`")
    omit: Annotated[
        tuple[str, ...],
        OptionNotes(
            metavar="NAME",
            command_help="Field to omit from requests, such as `temperature`; may be repeated",
        ),
    ] = Field((), description="Fields to omit from requests, such as `[temperature]`")

    headers: Annotated[
        dict[str, str],
        OptionNotes(
            "run",
            metavar="NAME=ENV:VARIABLE",
            flag="header",
            command_help="Header of requests, its value in an environment variable (`NAME=ENV:VARIABLE`) or here "
            "(`NAME=value`); kept out of all logs; may be repeated",
        ),
    ] = Field(
        {}, description="Headers of requests to the endpoint, such as `{X-Token: ENV:TEAM_TOKEN}`; kept out of all logs"
    )

    @model_validator(mode="after")
    def _sendable_headers(self) -> Self:
        if wrong := wrong_headers(self.headers):
            raise ValueError(wrong)
        return self

    @model_validator(mode="after")
    def _both_prices(self) -> Self:
        Prices.of(self.price_in, self.price_out)
        return self

    @property
    def prices(self) -> Prices | None:
        """Prices of tokens; None if none are given."""
        return Prices.of(self.price_in, self.price_out)


class ModelOptions(EndpointOptions):
    """The options that the command line and recipes share."""

    max_tokens: int = Field(1024, ge=1, description="Largest number of tokens of a reply, including thoughts")
    temperature: float = Field(
        0.0, ge=0, description="Temperature of the draw of each token; 0 takes the likeliest token"
    )
    top_p: Annotated[float | None, OptionNotes(unset="the endpoint's own")] = Field(
        None, gt=0, le=1, description="Share of probability from which tokens are drawn, above 0 and up to 1"
    )
    seed: Annotated[int | None, OptionNotes(unset="no seed")] = Field(
        None, description="Seed of the draw, if the endpoint takes one"
    )
    samples: Annotated[int, OptionNotes(metavar="K")] = Field(
        1,
        ge=1,
        le=MOST_SAMPLES,
        description="Replies to draw for each question, each with its own seed if the endpoint takes one; needs a "
        "`temperature` above 0",
    )
    system: Annotated[
        str | None,
        OptionNotes(
            metavar="TEXT|@FILE",
            unset="no message",
            command_help="System message before each question, or `@FILE` that holds it",
        ),
    ] = Field(None, min_length=1, max_length=200_000, description="System message before each question")
    reasoning_effort: Annotated[Effort | None, OptionNotes(unset="the model's own")] = Field(
        None, description="Effort of a reasoning model, if it has this setting"
    )
    reasoning_tokens: Annotated[int | None, OptionNotes(unset="the model's own")] = Field(
        None, ge=0, description="Largest number of thought tokens, for Anthropic and Gemini; fewer than `max_tokens`"
    )
    image_detail: Annotated[Detail | None, OptionNotes(unset="the model's own")] = Field(
        None, description="Detail in which the model sees pictures, for OpenAI and Gemini"
    )
    concurrency: Annotated[int, OptionNotes("run")] = Field(
        8, ge=1, le=1024, description="Largest number of simultaneous requests; fewer while the endpoint answers 429"
    )
    timeout: Annotated[float, OptionNotes("run")] = Field(
        120.0, gt=0, allow_inf_nan=True, description="Seconds that a request may take, to the last byte of its reply"
    )
    retries: Annotated[int, OptionNotes("score")] = Field(
        5, ge=0, le=100, description="Largest number of retries of a failed request; four times as many after a 429"
    )
    budget: Annotated[float | None, OptionNotes("run", metavar="MONEY")] = Field(
        None, ge=0, description="End the run before it costs more than this; needs both prices"
    )
    budget_tokens: Annotated[int | None, OptionNotes("run")] = Field(
        None, ge=0, description="End the run before it takes more tokens than this, sent and received together"
    )
    budget_requests: Annotated[int | None, OptionNotes("run")] = Field(
        None, ge=0, description="End the run before it sends more requests than this, including repetitions"
    )
    batch: Annotated[bool, OptionNotes("score")] = Field(
        False,
        description="Ask in batches, at half the price, within a day (OpenAI, Anthropic and Gemini)",
    )
    max_picture_side: Annotated[int | None, OptionNotes(metavar="PX", unset="pictures are sent as they are")] = Field(
        None, ge=16, description="Longest side of a sent picture, in pixels; larger ones are shrunk"
    )
    max_picture_bytes: Annotated[int | None, OptionNotes(metavar="BYTES", unset="pictures are sent as they are")] = (
        Field(
            None,
            ge=2048,
            description="Largest size of a sent picture file, in bytes; larger ones become JPEG and shrink to fit",
        )
    )
    batch_size: int = Field(8, ge=1, description="Questions per batch of a local model; halved when memory runs out")
    device: Annotated[str | None, OptionNotes(metavar="NAME", unset="the first GPU, otherwise the CPU")] = Field(
        None, description="Device of a local model, such as `cpu` or `cuda:1`"
    )
    dtype: Annotated[str | None, OptionNotes(metavar="NAME", unset="that of its weights")] = Field(
        None, description="Numeric type of a local model, such as `bfloat16`"
    )

    @property
    def bounds(self) -> Budget:
        """Limits on what the run may spend."""
        return Budget(self.budget, self.budget_tokens, self.budget_requests)


class BackendOptions(ModelOptions):
    """Options passed to a backend in addition to the model's name; each backend uses the options that it needs.

    Decoding options that are passed explicitly are treated as set by the user, even if they have the default value. If
    a model refuses the field of such an option, the run ends instead of omitting the field.

    Raises:
        BenchwrightError: A field to add or omit is not allowed.
    """

    api_key_env: Annotated[str, OptionNotes("run", metavar="NAME")] = Field(
        OPENAI_KEY_VARIABLE, description=API_KEY_ENV
    )
    image_urls: Annotated[str | None, OptionNotes(metavar="URL", unset="they are part of the request")] = Field(
        None, description="Address below which the endpoint fetches pictures by their file names"
    )
    image_folder: Annotated[Path | None, OptionNotes("run")] = Field(
        None, description="Folder for pictures, which you serve at `image_urls`"
    )
    tries: int = Field(
        1,
        ge=1,
        description="Tries of an item until it is answered, each with its own repetitions; a protocol's setting",
    )
    backoff_s: float = Field(
        1.0, ge=0, description="Seconds before the first repetition; they double each time, to at most 60"
    )
    scored: str = Field("", description="Name of the scored model, if another model takes over its options")

    @model_validator(mode="after")
    def _sendable(self) -> Self:
        if wrong := wrong_fields(self.fields, self.omit):
            raise BenchwrightError(wrong)
        return self

    @property
    def stated(self) -> frozenset[str]:
        """Names of the decoding options that the user set."""
        return frozenset(self.model_fields_set & set(_DECODING))

    def unstated(self, **changes: Any) -> BackendOptions:
        """Return the options with changed values, all of them marked as not set by the user."""
        changed = BackendOptions.model_validate({**dict(self), **changes})
        return BackendOptions.model_construct(_fields_set=set(), **dict(changed))

    def lent(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key_env: str | None = None,
        headers: Mapping[str, str] | None = None,
        **changes: Any,
    ) -> BackendOptions:
        """Return the options for another model, such as a judge, all of them marked as not set by the user.

        Options that shape the scored model's requests are not passed on. Address, key and headers are passed on only if
        both models use the same API or both use OpenAI's APIs, so that no vendor receives another vendor's key.

        Args:
            model: Name of the other model.
            base_url: Base URL of the other model.
            api_key_env: Environment variable that holds the other model's key.
            headers: Headers of the other model.
            changes: Other option values of the other model.
        """
        api, scored = api_of(model), api_of(self.scored) or "chat"
        same = api is None or api == scored or {api, scored} <= OPENAI_APIS
        own_headers = self.headers if same and api is not None and base_url is None else {}
        access = {
            "base_url": base_url or (self.base_url if same else None),
            "api_key_env": api_key_env or (self.api_key_env if same else OPENAI_KEY_VARIABLE),
            "headers": dict(headers or own_headers),
        }
        shaping: dict[str, Any] = {
            "fields": {}, "omit": (), "system": None, "reasoning_effort": None, "reasoning_tokens": None,
            "image_detail": None, "batch": False,
        }  # fmt: skip
        return self.unstated(**{**shaping, **access, **changes})

    def only_for_endpoints(self) -> list[str]:
        """Return the names of the given options that affect only requests to endpoints."""
        names = ("fields", "omit", "headers", "system", "reasoning_effort", "reasoning_tokens", "image_detail", "batch")
        return [name for name in names if getattr(self, name) not in ({}, (), None, False)]

    def decoding(self) -> dict[str, Any]:
        """Return the settings that determine how a reply is sampled, as request fields, leaving out unset ones."""
        return {name: value for name in _DECODING if (value := getattr(self, name)) is not None}

    def parameters(self, model: str, where: str, api: Api = "chat") -> RequestParameters:
        """Return the fields of requests to a model, except its name and the messages, under their names in the API.

        A value other than the default is treated as set by the user.

        Raises:
            BenchwrightError: A field is set by an option and also added or omitted explicitly, or the API does not have
                it.
        """
        own, defaults = self.decoding(), _DEFAULTS.decoding()
        if self.samples > 1:  # a model without seeds gets none, unless the user has stated one
            own.setdefault("seed", defaults.setdefault("seed", FIRST_SEED))
        if twice := sorted(self.stated & {*self.fields, *self.omit} & own.keys()):
            raise BenchwrightError(
                f"{twice[0]} is set by its own option and also added or omitted as a field; keep one of them"
            )
        stated = self.stated | {name for name, value in own.items() if defaults.get(name) != value}
        return parameters_for(
            api,
            model,
            where,
            own,
            stated=stated,
            fields=self.fields,
            omit=self.omit,
            effort=self.reasoning_effort,
            reasoning_tokens=self.reasoning_tokens,
            detail=self.image_detail,
        )


_DEFAULTS = BackendOptions()
