"""A connection to a model whose replies the workspace keeps: what was answered once takes no request again."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from benchwright.canonical import digest

from .usage import BudgetSpent, Spending
from .vendors.failures import BudgetRefusal, ModelAddress

if TYPE_CHECKING:
    from .client import Connecting, SentReply
    from .completions import Completion
    from .endpoint_settings import EndpointSettings
    from .reply_store import ReplyStore
    from .vendors.request_fields import RequestParameters

logger = logging.getLogger(__name__)

_BACKOFF_S = 0.5
"""Seconds before a step's request is sent again for the first time."""


class KeptConnection:
    """A connection to a model; several threads may use it at once.

    Args:
        settings: Which model is asked, how patiently and at which cost.
        address: Where requests go, with the key.
        parameters: Fields of requests, adapted to what the model refuses.
        concurrency: Requests under way at a time, at most; fewer while the endpoint answers 429.
        replies: Replies that the workspace keeps; None keeps none, and counts a budget for this connection alone.
        connect: Connection that carries requests; chat's by default.

    Attributes:
        client: Client that sends requests.
    """

    def __init__(
        self,
        settings: EndpointSettings,
        address: ModelAddress,
        parameters: RequestParameters,
        *,
        concurrency: int,
        replies: ReplyStore | None,
        connect: Connecting | None = None,
    ) -> None:
        from .client import ModelClient
        from .reply_store import ModelAccount, SharedSpending

        self._replies = replies
        self._account = ModelAccount(address.base_url, address.model)
        spending = (
            Spending(settings.bounds, settings.prices)
            if replies is None
            else SharedSpending(replies, self._account, settings.bounds, settings.prices)
        )
        self.client = ModelClient(
            address,
            parameters,
            timeout_s=settings.timeout_s,
            retries=settings.retries,
            concurrency=concurrency,
            backoff_s=_BACKOFF_S,
            spending=spending,
            connect=connect,
        )

    def completion(self, body: Mapping[str, Any], answer: Callable[[], SentReply]) -> Completion:
        """Return the reply that the workspace keeps to a request, or else the model's.

        Args:
            body: What tells the request apart from others at this endpoint, as JSON values.
            answer: Function that asks the model.

        Raises:
            BudgetSpent: The budget does not allow the request; all that was under way has been kept.
        """
        try:
            if self._replies is None:
                return answer().completion
            key = digest({"base_url": self._account.base_url, "body": body})
            if (known := self._replies.reply_to(key)) is not None:
                return known
            with self._replies.under_way(self._account):
                answered = answer()
                counted = self.client.spending.is_limited
                return self._replies.keep(key, self._account, answered, requests_counted=counted)
        except BudgetRefusal:
            raise self._budget_spent() from None

    def _budget_spent(self) -> BudgetSpent:
        """Return the error that ends the run, once all workers have kept what they had under way."""
        spent, kept = self.client.spending.describe(), ""
        if self._replies is not None:
            self._replies.wait_until_kept(self._account)
            kept = f" What was answered is in {self._replies.path}; run the recipe with a larger budget to go on"
        return BudgetSpent(
            f"the budget is spent ({spent}), and requests to {self._account.model} are left that were not sent.{kept}"
        )

    def close(self) -> None:
        """Close all connections."""
        self.client.close()
        logger.info("%s: %s", self._account.model, self.client.spending.describe())
