"""Names of annotators in an export: their own, or pseudonyms."""

from __future__ import annotations

from collections.abc import Mapping

import sqlalchemy as sa

from ...store import ReviewStore
from ...store.database.schema import annotators


def names_in(store: ReviewStore, *, pseudonymous: bool) -> Mapping[str, str]:
    """Return the name of each annotator in the export, by their name in the store.

    Pseudonyms number people in the order in which they joined, so that a person has the same number in every later
    export of the store. Simulated annotators keep their names, since no person is behind them.
    """
    with store.reading() as connection:
        rows = connection.execute(sa.select(annotators.c.name, annotators.c.kind).order_by(annotators.c.id)).all()
    if not pseudonymous:
        return {row.name: row.name for row in rows}
    display_names, people = {}, 0
    for row in rows:
        people += row.kind == "person"
        display_names[row.name] = f"annotator-{people}" if row.kind == "person" else row.name
    return display_names
