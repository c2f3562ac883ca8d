"""What pages reckon, kept while nothing changes: a second curator, or a second look, waits for nothing.

Keys begin with where the store is and with a stamp of it (`Overview.stamp`), so what is kept is never out of date.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any, TypeVar

MOST = 48
_T = TypeVar("_T")
_kept: OrderedDict[Hashable, Any] = OrderedDict()
_locks: dict[Hashable, Lock] = {}
_door = Lock()


def once(key: Hashable, make: Callable[[], _T]) -> _T:
    """Return what was made under a key, made now where it is not there; one maker at a time for a key."""
    with _door:
        if key in _kept:
            _kept.move_to_end(key)
            found: _T = _kept[key]
            return found
        lock = _locks.setdefault(key, Lock())
    with lock:
        with _door:
            if key in _kept:
                return _kept[key]  # type: ignore[no-any-return] # as it was made
        made = make()
        with _door:
            _kept[key] = made
            _locks.pop(key, None)
            while len(_kept) > MOST:
                _kept.popitem(last=False)
    return made
