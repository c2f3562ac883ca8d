"""Edits of pictures by models at endpoints: OpenAI's `images.edit`, and compatible servers.

A request contains a picture, a text, and a mask whose transparent pixels may change; the reply contains a picture.
Rate, retries, budgets and kept replies work as for chat. A reply must contain the picture itself: one that gives a URL
is unusable, and the URL is never fetched.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from benchwright.errors import PrerequisiteError, RequestFailed

from .endpoint_settings import EndpointSettings, model_address
from .image_edit_request import ImageEditRequest
from .kept_connection import KeptConnection
from .usage import TOKENS_PER_PICTURE, Prices, RequestPlan, Tokens
from .vendors.failures import RequestAdapted
from .vendors.request_fields import RequestParameters

if TYPE_CHECKING:
    from .client import SentReply
    from .edit_endpoint import EditEndpoint
    from .reply_store import ReplyStore
    from .vendors.failures import ModelAddress

OUTPUT_TOKENS: Mapping[str, int] = {"low": 408, "medium": 1584, "high": 6240, "auto": 6240}
"""Number of tokens of a picture of 1,024 by 1,536 pixels, by quality, as OpenAI states for gpt-image-1."""
_TOKENS_OF_WORDS = 200
_DECIDES = {"model", "base_url", "sizes", "quality", "input_fidelity", "returned", "takes_mask", "sends_seed"}
Quality = Literal["low", "medium", "high", "auto"]


class ImageEditSettings(EndpointSettings):
    """The model that edits pictures and its settings, from a recipe.

    Args:
        model: Name of the model at the endpoint, such as `gpt-image-1`.
        base_url: Base URL, such as `http://127.0.0.1:8000/v1`; None for OpenAI's hosted service.
        api_key_env: Environment variable with the key; your own server may need none.
        headers: Further headers of requests, such as `X-Token: ENV:TEAM_TOKEN`; their values are never stored.
        sizes: Sizes of the model's pictures in pixels, such as `1536x1024`; a picture is scaled into the best-fitting
            size, and the rest filled with its mirror image.
        quality: Quality of the picture, which decides its price; None leaves it unset.
        input_fidelity: Fidelity to faces and details of the picture; None leaves it unset.
        returned: Format of the returned picture; None leaves it unset.
        takes_mask: Whether the model accepts a mask. A model that follows instructions alone gets none, and its changes
            outside the mask are reverted.
        sends_seed: Whether a request holds a seed; OpenAI's own service accepts none.
        concurrency: Largest number of simultaneous requests of one worker.
        price_picture: Price of a picture, for endpoints that charge by the picture, in place of prices of tokens.
        timeout_s: Time limit in seconds for one whole try, to the reply's last byte.
        retries: Number of retries after transient failures.
        price_in: Price of a million tokens sent, in any currency; give both prices.
        price_out: Price of a million tokens received, in the same currency.
        budget: Limit on the model's total cost in the workspace over all runs, before which the run ends; needs prices.
        budget_tokens: Limit on the model's tokens in the workspace, sent and received over all runs, before which the
            run ends.
        budget_requests: Limit on requests to the model in the workspace, including retries, over all runs, before which
            the run ends.
        fields: Further fields of requests, such as `moderation: low`.
        omit: Fields to leave out of requests, such as `response_format`.
    """

    sizes: tuple[str, ...] = Field(("1024x1024", "1536x1024", "1024x1536"), min_length=1)
    quality: Quality | None = None
    input_fidelity: Literal["low", "high"] | None = None
    returned: Literal["png", "webp", "jpeg"] | None = None
    takes_mask: bool = True
    sends_seed: bool = False
    concurrency: int = Field(4, ge=1, le=64)
    price_picture: float | None = Field(None, ge=0)
    timeout_s: float = Field(300.0, gt=0, le=3600)

    @field_validator("sizes")
    @classmethod
    def _each_a_size(cls, sizes: tuple[str, ...]) -> tuple[str, ...]:
        for size in sizes:
            sides = size.split("x")
            if len(sides) != 2 or not all(side.isdecimal() and 64 <= int(side) <= 4096 for side in sides):
                raise ValueError(
                    f"{size!r} is not a size; write WIDTHxHEIGHT, 64 to 4096 pixels each, such as 1536x1024"
                )
        return sizes

    @model_validator(mode="after")
    def _one_way_of_pricing(self) -> Self:
        if self.price_picture is not None and (self.price_in is not None or self.price_out is not None):
            raise ValueError("give either price_picture, or price_in and price_out, whichever the endpoint charges")
        return self

    @property
    def prices(self) -> Prices | None:
        """The model's prices; None if they are not stated."""
        return super().prices if self.price_picture is None else Prices(0, 0, self.price_picture)

    @property
    def _no_prices(self) -> str:
        return "a budget in money needs price_picture, or price_in and price_out; or bound budget_requests"

    @property
    def sizes_wh(self) -> list[tuple[int, int]]:
        """Width and height of each size of the model's pictures."""
        return [(int(width), int(height)) for width, height in (size.split("x") for size in self.sizes)]

    def deciding(self) -> dict[str, Any]:
        """Return the settings that affect pictures, as JSON values, without key, timeout, retries and budgets."""
        lists = {"fields": self.fields, "omit": sorted(self.omit)}
        return self.model_dump(mode="json", include=_DECIDES) | {name: value for name, value in lists.items() if value}

    def parameters(self) -> RequestParameters:
        """Return the fields of requests besides model, picture, mask, words and size."""
        own = {"quality": self.quality, "input_fidelity": self.input_fidelity, "output_format": self.returned}
        stated = {name: value for name, value in own.items() if value is not None}
        return RequestParameters(
            self.model, self.where, stated, stated=stated.keys(), fields=self.fields, omit=self.omit
        )


def planned_edits(settings: ImageEditSettings, edits: int) -> RequestPlan:
    """Return the maximum cost of a number of edits, each with text and two pictures sent, one received, and one
    attempt.
    """
    sent = edits * (_TOKENS_OF_WORDS + 2 * TOKENS_PER_PICTURE)
    received = edits * OUTPUT_TOKENS[settings.quality or "auto"]
    tokens = Tokens(sent, received)
    return RequestPlan(settings.model, "edits of pictures", edits, 2 * edits, tokens, settings.prices)


class ImageEditor:
    """A connection to a model that edits pictures; several threads may use it at once.

    Args:
        settings: The model and its settings.
        replies: Store of replies in the workspace, with their pictures, such as `OpenContext.replies`; if None, replies
            are not kept.

    Raises:
        PrerequisiteError: The environment variable for a required key is not set.
    """

    def __init__(self, settings: ImageEditSettings, *, replies: ReplyStore | None = None) -> None:
        self.settings = settings
        self._parameters = settings.parameters()
        self._connection = KeptConnection(
            settings,
            model_address(settings, "chat"),
            self._parameters,
            concurrency=settings.concurrency,
            replies=replies,
            connect=partial(_connected, priced_by_picture=settings.price_picture is not None),
        )

    def edit(self, picture: bytes, mask: bytes | None, words: str, *, size: str, seed: int) -> bytes:
        """Return the file of an edited picture; the arguments are those of `ImageEditRequest`.

        Raises:
            RequestFailed: This request failed: `timeout`, `connection`, `refused`, `busy`, `unusable_reply`, or
                `filtered` by the endpoint's content filter.
            PrerequisiteError: No request can succeed: no server listens, the key or the model is wrong, or the account
                is empty.
            BudgetSpent: The budget does not cover the request; replies in progress have been kept.
        """
        model, sends_seed = self.settings.model, self.settings.sends_seed
        request = ImageEditRequest(picture, mask, words, model, size, seed, sends_seed, self._parameters.sent)
        body = request.logged(self._parameters.asked)
        completion = self._connection.completion(body, lambda: self._answer(request))
        if completion.kind == "filtered":
            raise RequestFailed("filtered", completion.cause or "a content filter stopped it")
        return base64.b64decode(completion.text)

    def _answer(self, request: ImageEditRequest) -> SentReply:
        client = self._connection.client
        while True:
            try:
                return client.loop.run(client.ask(request))
            except RequestAdapted:
                request = replace(request, parameters=self._parameters.sent)
            except RequestFailed as failure:
                if failure.status != 403:
                    raise
                raise PrerequisiteError(
                    f"{client.address.name} refuses the key in {client.address.key_variable} ({failure.detail}); "
                    "correct it, or request access to the model"
                ) from None


def _connected(address: ModelAddress, timeout_s: float, *, priced_by_picture: bool) -> EditEndpoint:
    from .edit_endpoint import EditEndpoint  # imports the client, which takes half a second

    return EditEndpoint(address, timeout_s, priced_by_picture=priced_by_picture)
