"""What annotators are called in an export: as they are, or by numbers."""

from __future__ import annotations

from collections.abc import Mapping

import sqlalchemy as sa

from ...store import ReviewStore
from ...store.database.schema import annotators


def names_in(store: ReviewStore, *, pseudonymous: bool) -> Mapping[str, str]:
    """Return what each annotator is called, by name.

    Pseudonyms number people in the order in which they came, so that the same person has the same number in every
    later export of the store. Simulated annotators keep their names: nobody is behind them.
    """
    with store.reading() as connection:
        found = connection.execute(sa.select(annotators.c.name, annotators.c.kind).order_by(annotators.c.id)).all()
    if not pseudonymous:
        return {row.name: row.name for row in found}
    called, people = {}, 0
    for row in found:
        people += row.kind == "person"
        called[row.name] = f"annotator-{people}" if row.kind == "person" else row.name
    return called
