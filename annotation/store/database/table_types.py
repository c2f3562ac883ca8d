"""What all tables of the review store share: moments in UTC, names of constraints, and words about rows."""

from __future__ import annotations

from datetime import UTC, datetime

import sqlalchemy as sa


class UtcDateTime(sa.types.TypeDecorator[datetime]):
    """A moment, stored as UTC without an offset so that the database compares moments correctly."""

    impl = sa.DateTime
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:
        """Convert a moment to UTC; refuse one without a time zone."""
        del dialect
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"{value} has no time zone; give an aware datetime")
        return value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:
        """Return an aware datetime."""
        del dialect
        return None if value is None else value.replace(tzinfo=UTC)


MEANING = "meaning"
"""Key of a table's `info` under which it says what a row is; columns say it by their `doc`."""
metadata = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)
