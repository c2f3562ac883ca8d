"""Edits of pictures by models behind endpoints: OpenAI's `images.edit`, and servers that speak it.

A request holds a picture, words, and a mask whose transparent pixels may change; the reply holds a picture. Pace,
repetitions, budgets and kept replies are those of chat. A reply names no address from which a picture would be fetched:
it holds the picture, or it is unusable.
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
"""Tokens of a picture of 1,024 by 1,536 pixels by quality, as OpenAI states them for gpt-image-1."""
_TOKENS_OF_WORDS = 200
_DECIDES = {"model", "base_url", "sizes", "quality", "input_fidelity", "returned", "takes_mask", "sends_seed"}
Quality = Literal["low", "medium", "high", "auto"]


class ImageEditSettings(EndpointSettings):
    """Which model edits pictures and how, as a recipe gives it.

    Args:
        model: Model as the endpoint calls it, such as `gpt-image-1`.
        base_url: Base URL, such as `http://127.0.0.1:8000/v1`; OpenAI's hosted service where None.
        api_key_env: Environment variable with the key; a server of one's own may need none.
        headers: Further headers of requests, such as `X-Token: ENV:TEAM_TOKEN`; their values are kept nowhere.
        sizes: Sizes, in pixels, that the model makes, such as `1536x1024`; a picture is scaled into the one that fits
            it best, and the rest filled with its mirror image.
        quality: Quality of the picture, which decides its price; None says none.
        input_fidelity: How closely faces and details of the picture are kept; None says none.
        returned: Format of the picture that comes back; None says none.
        takes_mask: Whether the model takes a mask; one that follows instructions alone is sent none, and what it
            changed outside the mask is put back.
        sends_seed: Whether a request holds a seed; OpenAI's own takes none.
        concurrency: Requests of one worker under way at a time, at most.
        price_picture: Price of a picture, for endpoints that charge by the picture, in place of prices of tokens.
        timeout_s: For one try as a whole, to the reply's last byte.
        retries: Number of times that a request is sent again after a failure that may pass.
        price_in: Price of a million tokens sent, in any currency; give both prices.
        price_out: Price of a million tokens received, in the same currency.
        budget: End the run before the model has cost more than this in the workspace, all runs together; needs prices.
        budget_tokens: End the run before the model has taken more tokens than this in the workspace, sent and received
            in all runs together.
        budget_requests: End the run before the model has been sent more requests than this in the workspace,
            repetitions included, in all runs together.
        fields: Further fields of requests, such as `moderation: low`.
        omit: Fields of requests to be left out, such as `response_format`.
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
                raise ValueError(f"{size!r} is no size; write WIDTHxHEIGHT, 64 to 4096 pixels each, such as 1536x1024")
        return sizes

    @model_validator(mode="after")
    def _one_way_of_pricing(self) -> Self:
        if self.price_picture is not None and (self.price_in is not None or self.price_out is not None):
            raise ValueError("give price_picture, or price_in and price_out, as the endpoint charges; not both")
        return self

    @property
    def prices(self) -> Prices | None:
        """What the model costs; None where that is not stated."""
        return super().prices if self.price_picture is None else Prices(0, 0, self.price_picture)

    @property
    def _no_prices(self) -> str:
        return "a budget in money needs price_picture, or price_in and price_out; or bound budget_requests"

    @property
    def sizes_wh(self) -> list[tuple[int, int]]:
        """Width and height of the sizes that the model makes."""
        return [(int(width), int(height)) for width, height in (size.split("x") for size in self.sizes)]

    def deciding(self) -> dict[str, Any]:
        """Return the settings that decide pictures, as JSON values: without key, timeout, retries and budgets."""
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
    """Return what so many edits would cost at most: words and two pictures sent, one received, at one try each."""
    sent = edits * (_TOKENS_OF_WORDS + 2 * TOKENS_PER_PICTURE)
    received = edits * OUTPUT_TOKENS[settings.quality or "auto"]
    tokens = Tokens(sent, received)
    return RequestPlan(settings.model, "edits of pictures", edits, 2 * edits, tokens, settings.prices)


class ImageEditor:
    """A connection to a model that edits pictures; several threads may use it at once.

    Args:
        settings: Which model is asked and how.
        replies: Replies that the workspace keeps, such as `OpenContext.replies`, with their pictures; None keeps none.

    Raises:
        PrerequisiteError: The environment variable for the key is not set where one is needed.
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
            PrerequisiteError: No request can succeed: nobody listens, the key or the model is wrong, funds are spent.
            BudgetSpent: The budget does not allow the request; all that was under way has been kept.
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
                    "set the right one, or have the model opened to it"
                ) from None


def _connected(address: ModelAddress, timeout_s: float, *, priced_by_picture: bool) -> EditEndpoint:
    from .edit_endpoint import EditEndpoint  # with the client, which takes half a second to import

    return EditEndpoint(address, timeout_s, priced_by_picture=priced_by_picture)
