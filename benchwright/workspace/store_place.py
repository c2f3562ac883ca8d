"""Location of a workspace's review store: a file in the workspace, or a PostgreSQL database for several machines.

A database's URL comes from the environment, because it contains a password. The workspace records its database, without
user and password, which prevents work from continuing by mistake in another database or in a new, empty file.
"""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from urllib.parse import quote, urlsplit

from benchwright.errors import BenchwrightError, DamagedError, DataError
from benchwright.workspace.sealed import read_sealed, write_sealed

VARIABLE = "BENCHWRIGHT_REVIEW_STORE"
"""Environment variable with the database's URL, such as `postgresql://user:password@host/database`."""
FILE, PIN = "review.sqlite", "review-store.json"
FORMAT, VERSION = "benchwright/review-store", 1
_SCHEMES = ("postgresql", "postgres")


def store_url(root: Path) -> str:
    """Return the URL of a workspace's review store, whether or not the store exists yet.

    Raises:
        BenchwrightError: The environment names a different database than the workspace, or lacks a required one.
    """
    url = os.environ.get(VARIABLE) or None
    pinned = _pinned(root)
    if pinned is None and (url is None or (root / FILE).exists()):
        if url is not None:
            raise BenchwrightError(
                f"the review store of {root} is its file {FILE}; unset {VARIABLE}, or work in another workspace"
            )
        return f"sqlite:///{os.path.abspath(root / FILE)}"
    if url is None:
        assert pinned is not None
        raise BenchwrightError(
            f"the review store of {root} is in {pinned['database']}; set {VARIABLE} to that address with user and "
            "password"
        )
    database = public_name(url)
    if pinned is None:
        return _in_schema(url, "benchwright_not_made_yet")
    if pinned["database"] != database:
        raise BenchwrightError(
            f"the review store of {root} is in {pinned['database']}, but {VARIABLE} names {database}; correct the "
            "variable"
        )
    return _in_schema(url, pinned["schema"])


def has_store(root: Path) -> bool:
    """Return whether a workspace has, or once had, a review store, without opening it."""
    return (root / FILE).exists() or (root / PIN).exists()


def settle_store(root: Path) -> str:
    """Return the same URL as `store_url`, and record a database that the workspace uses for the first time.

    Raises:
        BenchwrightError: As for `store_url`.
    """
    url = store_url(root)
    if os.environ.get(VARIABLE) and _pinned(root) is None:
        schema = f"benchwright_{secrets.token_hex(6)}"
        document = {"database": public_name(os.environ[VARIABLE]), "schema": schema}
        write_sealed(root / PIN, {"format": FORMAT, "version": VERSION, **document})
        return store_url(root)
    return url


def public_name(url: str) -> str:
    """Return a database's URL without user, password and options.

    Raises:
        BenchwrightError: The text is not a PostgreSQL URL; the message does not repeat it.
    """
    try:
        parts = urlsplit(url)
        host, port, database = parts.hostname, parts.port or 5432, parts.path.strip("/")
    except ValueError:
        host = None
    if host is None or parts.scheme.partition("+")[0] not in _SCHEMES or not database:
        raise BenchwrightError(f"{VARIABLE} is not an address such as postgresql://user:password@host:5432/database")
    return f"postgresql://{host}:{port}/{database}"


def _in_schema(url: str, schema: str) -> str:
    # Each workspace has its own schema, which separates the campaigns of two workspaces in one database.
    separator = "&" if urlsplit(url).query else "?"
    return f"{url}{separator}options={quote(f'-csearch_path={schema}')}"


def _pinned(root: Path) -> dict[str, str] | None:
    path = root / PIN
    try:
        document = read_sealed(path)
    except FileNotFoundError:
        return None
    except DamagedError as error:
        raise DamagedError(path, f"{error.what}; restore it from a backup") from error
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error}") from error
    if document.get("format") != FORMAT or document.get("version", 0) > VERSION:
        raise DataError(f"{path} does not state format {FORMAT!r} in version {VERSION}; upgrade benchwright")
    if not all(isinstance(document.get(name), str) for name in ("database", "schema")):
        raise DataError(f"{path} names no database and schema; restore it from a backup")
    return {"database": document["database"], "schema": document["schema"]}
