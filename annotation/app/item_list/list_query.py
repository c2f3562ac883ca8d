"""The query of the list of items in an address: as links and saved views write it, and as the list's form sends it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple
from urllib.parse import parse_qsl, urlencode

from ...items.item_index import ItemIndex
from ...items.item_search import BY_MEASURES, COLUMNS, MOST_SELECTED, ItemQuery, ids_of
from ..auth.known_pages import ITEMS


def column_box(column: str) -> str:
    """Return the name of the form's check box for a column."""
    return f"column-{column}"


def query_in(parameters: Mapping[str, str]) -> ItemQuery:
    """Return the query in the parameters of an address, without conditions that have no effect.

    Words for a meaning replace a record to compare with; bounds and an order by a measure need a measure.
    """
    boxes = [column for column in COLUMNS if column_box(column) in parameters]
    columns = ",".join([parameters.get("columns", ""), *boxes])
    query = ItemQuery.from_params({**parameters, "columns": columns})
    query = replace(query, words=query.words.strip(), meaning=query.meaning.strip())
    if query.meaning or not query.like:
        query = replace(query, like="", alike="pictures")
    if not query.measure:
        sort = "activity" if query.sort in BY_MEASURES else query.sort
        query = replace(query, least=None, most=None, sort=sort)
    return query


def query_line(query: ItemQuery) -> str:
    """Return the parameters of a query as one text, for a form that sends the list it belongs to."""
    return urlencode(query.to_params())


def query_of_line(line: str) -> ItemQuery:
    """Return the query in a text from `query_line`."""
    return query_in(dict(parse_qsl(line, keep_blank_values=True)))


def list_address(query: ItemQuery) -> str:
    """Return the address of the list with a query."""
    parameters = query_line(query)
    return f"{ITEMS}?{parameters}" if parameters else ITEMS


class SentList(NamedTuple):
    """The list and the selection that a form of the list carries.

    Attributes:
        query: Query of the list.
        chosen: Ids of the selected records.
        is_every: Whether all hits are selected, on every page.
    """

    query: ItemQuery
    chosen: tuple[str, ...] = ()
    is_every: bool = False

    @classmethod
    def of(cls, fields: Mapping[str, str]) -> SentList:
        """Return the list and the selection in the fields of a form."""
        chosen = tuple(dict.fromkeys(fields.get("chosen", "").split()))[:MOST_SELECTED]
        return cls(query_of_line(fields.get("list", "")), chosen, fields.get("every") == "yes")

    def ids(self, items: ItemIndex) -> Sequence[str]:
        """Return the ids of the selected records, at most `MOST_SELECTED`."""
        return items.reading(lambda index: ids_of(index, self.query)) if self.is_every else self.chosen
