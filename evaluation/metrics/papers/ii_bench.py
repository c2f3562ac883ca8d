"""II-Bench's metrics (paper, appendix E.2): accuracy, error rate and miss rate, over all questions and by label."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from .shares import Share, share

State = Literal["read", "miss", "error", "empty"]
"""The outcome of a response: a letter was read, none was found, the call failed, or the text is empty.

An empty response is none of the paper's three outcomes; it is included only in the denominator.
"""


class Response(NamedTuple):
    """A response as read; `labels` contains the question's labels by attribute, such as domain and rhetoric."""

    state: State
    right: bool
    labels: Mapping[str, Sequence[str]]


def rates(responses: Iterable[Response]) -> dict[str, Share]:
    """Return accuracy, error rate and miss rate as proportions of all responses."""
    rows = list(responses)
    return {
        "accuracy": share(row.right for row in rows),
        "error": share(row.state == "error" for row in rows),
        "miss": share(row.state == "miss" for row in rows),
    }


def rates_by(attribute: str, responses: Iterable[Response]) -> dict[str, dict[str, Share]]:
    """Return the rates for each label of an attribute, sorted; a question with two labels is included in both."""
    groups: dict[str, list[Response]] = {}
    for row in responses:
        for label in dict.fromkeys(row.labels.get(attribute, ())):
            groups.setdefault(label, []).append(row)
    return {label: rates(rows) for label, rows in sorted(groups.items())}
