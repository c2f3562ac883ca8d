"""Settings of a model in a recipe: its options, protocols, reader and judge."""

from __future__ import annotations

from typing import Annotated, Any, Self

from pydantic import Field, field_validator, model_validator

from benchwright.errors import BenchwrightError
from benchwright.models.endpoints.vendors.apis import OPENAI_APIS, api_of

from .backends.options import (
    API_KEY_ENV,
    BASE_URL,
    OPENAI_KEY_VARIABLE,
    BackendOptions,
    Effect,
    ModelOptions,
    OptionNotes,
    options_of_effect,
)
from .judging.judge import Judge

_AS_THE_STEP = "that of the step"


class ModelSettings(ModelOptions):
    """Settings of one model; a name alone means the default settings."""

    model: str = Field(description="Model, as `evaluate run --model` takes it")
    name: Annotated[str | None, OptionNotes("score", unset="the model's name")] = Field(
        None, description="Name of its results in tables and on the report"
    )
    protocol: Annotated[tuple[str, ...] | None, OptionNotes(unset=_AS_THE_STEP)] = Field(
        None, description="Protocol that asks the items, or a list of protocols"
    )
    reader: Annotated[str | None, OptionNotes(unset=_AS_THE_STEP)] = Field(
        None, description="Reader of the letters in its replies"
    )
    base_url: Annotated[str | None, OptionNotes(unset=_AS_THE_STEP)] = Field(None, description=BASE_URL)
    api_key_env: Annotated[str | None, OptionNotes("run", unset=_AS_THE_STEP)] = Field(None, description=API_KEY_ENV)
    judge: Judge | None = Field(None, description="Model that reads replies unreadable to the robust reader")

    @model_validator(mode="before")
    @classmethod
    def _name_alone(cls, entry: Any) -> Any:
        return {"model": entry} if isinstance(entry, str) else entry

    @field_validator("protocol", mode="before")
    @classmethod
    def _one_or_several(cls, protocol: Any) -> Any:
        return (protocol,) if isinstance(protocol, str) else protocol

    @field_validator("protocol")
    @classmethod
    def _known_protocols(cls, protocols: tuple[str, ...] | None) -> tuple[str, ...] | None:
        return None if protocols is None else known_protocols(protocols)

    @field_validator("reader")
    @classmethod
    def _known_reader(cls, reader: str | None) -> str | None:
        return None if reader is None else known_reader(reader)

    @model_validator(mode="after")
    def _priced(self) -> Self:
        if self.budget is not None and self.price_in is None:
            raise ValueError("a budget in money needs price_in and price_out; give both, or set budget_tokens instead")
        return self

    def options(self, base_url: str | None, api_key_env: str) -> BackendOptions:
        """Return the options to pass to backends.

        Args:
            base_url: Endpoint of a model for which none is set, unless the model uses a vendor's API.
            api_key_env: Environment variable that holds the key, for the same models.
        """
        if api_of(self.model) not in {None, *OPENAI_APIS}:
            base_url, api_key_env = None, OPENAI_KEY_VARIABLE
        stated = self.model_dump(include=self.model_fields_set & ModelOptions.model_fields.keys())
        return BackendOptions.model_validate(
            stated | {"base_url": self.base_url or base_url, "api_key_env": self.api_key_env or api_key_env}
        )

    def asking_settings(self) -> Any:
        """Return the settings that distinguish how two entries for the same model are asked, as JSON values."""
        return self.model_dump(mode="json", exclude=_without("run", "score"))

    def deciding_settings(self) -> Any:
        """Return the settings that determine the contents of results, as JSON values; the model name alone if there are
        no others.
        """
        settings = self.model_dump(mode="json", exclude_defaults=True, exclude=_without("run"))
        return self.model if settings.keys() == {"model"} else settings


def _without(*effects: Effect) -> Any:
    """Return the fields that a dump of `ModelSettings` omits: options with these effects, and the judge's access."""
    return dict.fromkeys(options_of_effect(ModelSettings, *effects), True) | {"judge": options_of_effect(Judge, "run")}


def known_protocols(protocols: tuple[str, ...]) -> tuple[str, ...]:
    """Return protocols under their canonical names.

    Raises:
        ValueError: A protocol is unknown or repeated, or there is none.
    """
    from .protocols.names import parse_protocol

    try:
        texts = tuple(parse_protocol(protocol).text for protocol in protocols)
    except BenchwrightError as error:
        raise ValueError(str(error)) from error
    if not texts or len(set(texts)) < len(texts):
        raise ValueError("list at least one protocol, and each only once")
    return texts


def known_reader(reader: str) -> str:
    """Return a reader's name.

    Raises:
        ValueError: The reader does not exist.
    """
    from benchwright.replies.readers import READERS

    if reader not in READERS:
        raise ValueError(f"unknown reader {reader!r}; choose from {', '.join(READERS)}")
    return reader
