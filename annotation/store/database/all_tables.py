"""All tables of the review store together; runs import only the tables that they need (`schema`)."""

from __future__ import annotations

from .conversation_tables import messages
from .integration_tables import api_requests
from .schema import MEANING

[metadata] = {table.metadata for table in (api_requests, messages)}
"""Tables of `schema`, `integration_tables` and `conversation_tables`."""
__all__ = ["MEANING", "metadata"]
