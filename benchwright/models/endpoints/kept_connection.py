"""A connection to a model whose replies are stored in the workspace: an answered request is never sent again."""

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
"""Seconds before the first retry of a step's request."""


class KeptConnection:
    """A connection to a model; several threads may use it at once.

    Args:
        settings: The model, its retries and its budget.
        address: Address for requests, with the key.
        parameters: Fields of requests, adapted to the model's refusals.
        concurrency: Largest number of simultaneous requests; fewer while the endpoint answers 429.
        replies: Store of replies in the workspace; if None, replies are not kept, and a budget applies to this
            connection alone.
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
        """Return the reply to a request that the workspace has stored, or else the model's reply.

        Args:
            body: Identity of the request at this endpoint, as JSON values.
            answer: Function that queries the model.

        Raises:
            BudgetSpent: The budget does not allow the request; replies in progress have been kept.
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
        """Return the error that ends the run, once all workers have stored the replies in progress."""
        spent, kept = self.client.spending.describe(), ""
        if self._replies is not None:
            self._replies.wait_until_kept(self._account)
            kept = f" Replies so far are in {self._replies.path}; run the recipe with a larger budget to continue"
        return BudgetSpent(
            f"the budget is spent ({spent}), and some requests to {self._account.model} remain unsent.{kept}"
        )

    def close(self) -> None:
        """Close all connections."""
        self.client.close()
        logger.info("%s: %s", self._account.model, self.client.spending.describe())
