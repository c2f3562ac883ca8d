"""All tables of the review store together; runs import those alone that they need (`schema`)."""

from __future__ import annotations

from .integration_tables import api_requests
from .schema import MEANING

metadata = api_requests.metadata
"""Tables of `schema` and of `integration_tables`."""
__all__ = ["MEANING", "metadata"]
