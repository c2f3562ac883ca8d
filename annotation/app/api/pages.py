"""Pages of lists; a page's cursor encodes the last row of the page before, so that programs need no arithmetic."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from .models import PageQuery
from .problems import ApiProblem, RequestMistake, shown

_T = TypeVar("_T")


def cursor_after(row: int) -> str:
    """Return the cursor of the page that follows a row."""
    return urlsafe_b64encode(f"after:{row}".encode()).decode().rstrip("=")


def row_before(cursor: str | None) -> int:
    """Return the number of the last row of the previous page, or 0 for the first page.

    Raises:
        ApiProblem: The text is not a cursor.
    """
    if cursor is None:
        return 0
    try:
        text = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()
        name, _, number = text.partition(":")
        if name == "after" and number.isascii() and number.isdecimal() and len(number) < 12:
            return int(number)
    except ValueError:
        pass
    mistake = RequestMistake("query.cursor", shown(cursor), "use `next` of the previous page, or leave it out")
    raise ApiProblem("invalid", "the query has mistakes", [mistake])


def page_of(
    rows: Callable[[int, int], Sequence[tuple[int, _T]]], query: PageQuery, to_entry: Callable[[_T], Any]
) -> tuple[list[Any], str | None]:
    """Return the entries of a page, and the cursor of the next one.

    Args:
        rows: Function that returns the next rows in order, each with its number, given the last row of the previous
            page and the maximum number of rows.
        query: The requested page.
        to_entry: Function that returns the entry for a row.
    """
    found = rows(row_before(query.cursor), query.limit + 1)
    page = found[: query.limit]
    return [to_entry(row) for _, row in page], cursor_after(page[-1][0]) if len(found) > query.limit else None
