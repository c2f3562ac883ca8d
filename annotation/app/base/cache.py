"""A cache for the figures on curators' pages, which are computed once for all curators and visits.

Keys begin with the store's location and a stamp of its content (`Overview.stamp`), so entries are never out of date.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any, TypeVar

_MAX_ENTRIES = 48
_T = TypeVar("_T")
_entries: OrderedDict[Hashable, Any] = OrderedDict()
_key_locks: dict[Hashable, Lock] = {}
_entries_lock = Lock()


def cached(key: Hashable, compute: Callable[[], _T]) -> _T:
    """Return the entry under a key; if it is missing, compute it, in only one thread at a time per key.

    Entries hold figures, never words, so they are the same in every language.
    """
    with _entries_lock:
        if key in _entries:
            _entries.move_to_end(key)
            entry: _T = _entries[key]
            return entry
        lock = _key_locks.setdefault(key, Lock())
    with lock:
        with _entries_lock:
            if key in _entries:
                return _entries[key]  # type: ignore[no-any-return] # it has the type that `compute` returned
        value = compute()
        with _entries_lock:
            _entries[key] = value
            _key_locks.pop(key, None)
            while len(_entries) > _MAX_ENTRIES:
                _entries.popitem(last=False)
    return value
